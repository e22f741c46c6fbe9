// The clients of the guide's sections 7.3 (REST), 7.4 (WebSocket) and 7.5 (polling), letter for letter.

interface A2AClientConfig {
  baseUrl: string;
  apiKey?: string;
}

class A2AClient {
  private config: A2AClientConfig;

  constructor(config: A2AClientConfig) {
    this.config = config;
  }

  private async request(path: string, options?: RequestInit) {
    const headers: Record<string, string> = {
      "Content-Type": "application/json",
    };
    if (this.config.apiKey) {
      headers["X-API-Key"] = this.config.apiKey;
    }

    const res = await fetch(`${this.config.baseUrl}${path}`, {
      ...options,
      headers,
    });
    if (!res.ok) {
      throw new Error(`A2A API error: ${res.status} ${await res.text()}`);
    }
    return res.json();
  }

  // ─── 发送消息 ───
  async sendMessage(params: {
    to: string;
    messageType: string;
    payload: Record<string, unknown>;
    priority?: number;
    replyTo?: string;
    ttl?: number;
  }) {
    return this.request("/agent/v1/a2a/send", {
      method: "POST",
      body: JSON.stringify({
        to: params.to,
        message_type: params.messageType,
        payload: btoa(JSON.stringify(params.payload)),
        priority: params.priority || 50,
        reply_to: params.replyTo || null,
        ttl: params.ttl || 3600,
      }),
    });
  }

  // ─── 回复消息 ───
  async replyMessage(originalMsgId: string, payload: Record<string, unknown>) {
    return this.request("/agent/v1/a2a/reply", {
      method: "POST",
      body: JSON.stringify({
        original_msg_id: originalMsgId,
        payload: btoa(JSON.stringify(payload)),
      }),
    });
  }

  // ─── 查询收件箱 ───
  async getInbox(address: string, status?: string, limit?: number) {
    const params = new URLSearchParams({ address });
    if (status) params.set("status", status);
    if (limit) params.set("limit", limit.toString());
    return this.request(`/agent/v1/a2a/inbox?${params}`);
  }

  // ─── 创建通道 ───
  async createChannel(participant: string, channelType: string = "direct") {
    return this.request("/agent/v1/a2a/channel", {
      method: "POST",
      body: JSON.stringify({
        participant,
        channel_type: channelType,
      }),
    });
  }

  // ─── 能力发现 ───
  async discoverAgents(capability: string) {
    const params = new URLSearchParams({ capability });
    return this.request(`/agent/v1/a2a/discover?${params}`);
  }

  // ─── 声明能力 ───
  async addCapability(agentId: string, capability: string) {
    return this.request("/agent/v1/a2a/capability", {
      method: "POST",
      body: JSON.stringify({ agent_id: agentId, capability }),
    });
  }
}

class A2AWebSocketClient {
  private ws: WebSocket | null = null;
  private handlers: Map<string, Array<(msg: any) => void>> = new Map();
  private reconnectAttempts = 0;
  private maxReconnectAttempts = 10;

  constructor(private baseUrl: string, private address: string) {}

  connect() {
    const wsUrl = this.baseUrl.replace(/^http/, "ws");
    this.ws = new WebSocket(
      `${wsUrl}/agent/v1/events/subscribe?a2a_address=${this.address}`
    );

    this.ws.onopen = () => {
      console.log("[A2A WS] Connected");
      this.reconnectAttempts = 0;
      // 订阅 A2A 事件
      this.ws?.send(JSON.stringify({
        type: "subscribe",
        topics: ["a2a_message", "a2a_channel"],
      }));
    };

    this.ws.onmessage = (event) => {
      const data = JSON.parse(event.data);
      if (data.type === "a2a_message") {
        this.emit("message", data.payload);
      } else if (data.type === "a2a_channel") {
        this.emit("channel", data.payload);
      }
    };

    this.ws.onclose = () => {
      console.log("[A2A WS] Disconnected");
      this.reconnect();
    };
  }

  private reconnect() {
    if (this.reconnectAttempts >= this.maxReconnectAttempts) {
      console.error("[A2A WS] Max reconnection attempts reached");
      return;
    }
    this.reconnectAttempts++;
    const delay = Math.min(1000 * Math.pow(2, this.reconnectAttempts), 30000);
    setTimeout(() => this.connect(), delay);
  }

  on(event: "message" | "channel", handler: (data: any) => void) {
    if (!this.handlers.has(event)) {
      this.handlers.set(event, []);
    }
    this.handlers.get(event)!.push(handler);
  }

  private emit(event: string, data: any) {
    const handlers = this.handlers.get(event) || [];
    handlers.forEach((h) => h(data));
  }

  disconnect() {
    this.ws?.close();
    this.ws = null;
  }
}

class A2APollingClient {
  private intervalId: NodeJS.Timeout | null = null;
  private lastCheck: number = 0;

  constructor(
    private restClient: A2AClient,
    private address: string
  ) {}

  startPolling(intervalMs: number = 5000) {
    this.intervalId = setInterval(async () => {
      try {
        const inbox = await this.restClient.getInbox(this.address, "pending");
        for (const msg of inbox.messages) {
          console.log(`[POLL] New message: ${msg.msg_id} from ${msg.sender}`);
          this.onMessage?.(msg);
        }
      } catch (err) {
        console.error("[POLL] Error:", err);
      }
    }, intervalMs);
  }

  stopPolling() {
    if (this.intervalId) {
      clearInterval(this.intervalId);
      this.intervalId = null;
    }
  }

  onMessage?: (message: any) => void;
}

export { A2AClient, A2APollingClient, A2AWebSocketClient };
