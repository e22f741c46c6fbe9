// The guide's own clients (7.3, 7.4, 7.5) against a gateway, and section 10 through the Agent API
// alone. Arguments: two gateways' URLs, and a JSON of agents {name: {key, address}}.
const fs = require("fs");
const path = require("path");
const { packages, assert, steps, until } = require("./lib.cjs");

const ts = packages("typescript");
globalThis.WebSocket = packages("ws");

const source = fs.readFileSync(path.join(__dirname, "guide_clients.ts"), "utf8");
const made = ts.transpileModule(source, { compilerOptions: { module: "CommonJS", target: "ES2022" } });
const loaded = { exports: {} };
new Function("module", "exports", made.outputText)(loaded, loaded.exports);
const { A2AClient, A2APollingClient, A2AWebSocketClient } = loaded.exports;

const [, , first, second, text] = process.argv;
const { alice, bob } = JSON.parse(text);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const open = (payload) => JSON.parse(Buffer.from(payload, "base64").toString("utf8"));
const rest = (who, url = first) => new A2AClient({ baseUrl: url, apiKey: who.key });

// What 7.4 lacks: the last id, so that nothing is missed or heard twice (the guide has neither).
class Remembering extends A2AWebSocketClient {
  constructor(urls, who) {
    super(urls[0], `${who.address}&api_key=${who.key}`);
    this.urls = urls;
    this.who = who;
    this.heard = [];
    this.last = null;
  }
  connect() {
    this.baseUrl = this.urls[0];
    this.urls.push(this.urls.shift());
    const after = this.last ? `&last_event_id=${this.last}` : "";
    this.address = `${this.who.address}&api_key=${this.who.key}${after}`;
    super.connect();
    const handle = this.ws.onmessage;
    this.ws.onmessage = (event) => {
      const data = JSON.parse(event.data);
      this.last = data.id || data.last_event_id || this.last;
      this.ready = true;
      handle(event);
    };
  }
}

steps([
  ["7.3 sends, reads and answers", async () => {
    const sent = await rest(alice).sendMessage({
      to: bob.address,
      messageType: "request",
      payload: { action: "analyze_data", dataset: "sales-q3" },
      priority: 75,
      ttl: 600,
    });
    const client = rest(bob);
    const inbox = await client.getInbox(bob.address, "pending", 10);
    const msg = inbox.messages.find((one) => one.msg_id === sent.msg_id);
    assert.equal(msg.sender, alice.address);
    assert.equal(msg.message_type, "request");
    assert.deepEqual(open(msg.payload), { action: "analyze_data", dataset: "sales-q3" });
    await client.replyMessage(msg.msg_id, { status: "accepted", estimated_completion: "30s" });
    const back = await rest(alice, second).getInbox(alice.address);
    assert.equal(back.messages[0].reply_to, sent.msg_id);
  }],
  ["7.3 opens channels, declares and finds", async () => {
    const channel = await rest(alice).createChannel(bob.address);
    assert.match(channel.channel_id, /^ch:/);
    await rest(bob).addCapability("bob-agent", "dashboards");
    const found = await rest(alice).discoverAgents("dashboards");
    assert.deepEqual(found.agents, ["bob-agent"]);
  }],
  ["7.3 hears of errors", async () => {
    const wrong = new A2AClient({ baseUrl: first, apiKey: "no" });
    await assert.rejects(wrong.getInbox(bob.address), /A2A API error: 401/);
    await assert.rejects(rest(alice).getInbox(bob.address), /A2A API error: 403/);
  }],
  ["7.4 hears of messages and channels", async () => {
    const client = new A2AWebSocketClient(first, `${bob.address}&api_key=${bob.key}`);
    const messages = [];
    const channels = [];
    client.on("message", (one) => messages.push(one));
    client.on("channel", (one) => channels.push(one));
    client.connect();
    const seen = async () => {
      await rest(alice).sendMessage({ to: bob.address, messageType: "notification", payload: {} });
      return messages.length > 0;
    };
    await until(seen, "a message");
    assert.equal(messages[0].receiver, bob.address);
    const page = await rest(alice).createChannel(bob.address);
    const gone = `${first}/agent/v1/a2a/channel?channel_id=${page.channel_id}`;
    await fetch(gone, { method: "DELETE", headers: { "X-API-Key": alice.key } });
    await until(() => channels.some((one) => one.event === "a2a_channel_closed"), "the closing");
    client.reconnectAttempts = 99; // as the guide has it, closing on purpose would reconnect
    client.disconnect();
  }],
  ["7.4 comes back with its last id and hears all once", async () => {
    const client = new Remembering([first, second], bob);
    client.on("message", (one) => {
      if (one.event === "a2a_message_sent") client.heard.push(one.msg_id);
    });
    client.connect();
    await until(() => client.ready, "the subscription");
    const ids = [];
    for (let turn = 0; turn < 6; turn++) {
      if (turn % 2 === 1) client.ws.close();
      const to = { to: bob.address, messageType: "request", payload: { turn } };
      ids.push((await rest(alice).sendMessage(to)).msg_id);
      await sleep(100);
    }
    await until(() => client.heard.length >= ids.length, "all messages");
    await sleep(300);
    assert.deepEqual(client.heard, ids);
    client.reconnectAttempts = 99;
    client.disconnect();
  }],
  ["7.5 polls, and marking ends a message's turn", async () => {
    const client = rest(bob);
    const poller = new A2APollingClient(client, bob.address);
    const seen = [];
    poller.onMessage = (one) => seen.push(one.msg_id);
    poller.startPolling(100);
    const body = { to: bob.address, messageType: "request", payload: { n: 1 } };
    const sent = await rest(alice).sendMessage(body);
    await until(() => seen.includes(sent.msg_id), "the message");
    poller.stopPolling();
    await client.replyMessage(sent.msg_id, { ok: true });
    const left = await client.getInbox(bob.address, "pending");
    assert.ok(!left.messages.some((one) => one.msg_id === sent.msg_id));
  }],
  ["section 10, through the Agent API alone", async () => {
    const [a, b] = [rest(alice, first), rest(bob, second)];
    await b.addCapability("bob-agent", "chart-generation");
    const found = await a.discoverAgents("chart-generation");
    const partner = found.entries.find((one) => one.agent_id === "bob-agent").address;
    const { channel_id: channel } = await a.createChannel(partner);
    const request = await a.sendMessage({
      to: partner,
      messageType: "request",
      payload: { action: "create_dashboard", budget: "10000000" },
      priority: 75,
      ttl: 86400,
    });
    const asked = await until(async () => {
      const inbox = await b.getInbox(bob.address, "pending");
      return inbox.messages.find((one) => one.msg_id === request.msg_id);
    }, "the request");
    assert.equal(asked.channel_id, channel);
    const quoted = await b.replyMessage(asked.msg_id, { status: "accepted", price: "8000000" });
    const quote = await until(async () => {
      const inbox = await a.getInbox(alice.address);
      return inbox.messages.find((one) => one.reply_to === request.msg_id);
    }, "the quote");
    assert.ok(BigInt(open(quote.payload).price) <= 10000000n);
    const accepted = await a.sendMessage({
      to: partner,
      messageType: "response",
      payload: { action: "accept_quote", accepted_price: open(quote.payload).price },
      replyTo: quote.msg_id,
    });
    const acceptance = await until(async () => {
      const inbox = await b.getInbox(bob.address);
      return inbox.messages.find((one) => one.reply_to === quoted.reply_msg_id);
    }, "the acceptance");
    assert.equal(acceptance.msg_id, accepted.msg_id);
    const delivered = await b.replyMessage(acceptance.msg_id, { action: "deliverable", charts: 4 });
    const gone = `${second}/agent/v1/a2a/channel?channel_id=${channel}`;
    await fetch(gone, { method: "DELETE", headers: { "X-API-Key": alice.key } });
    const events = `${first}/agent/v1/events?after=${request.height}-0&limit=1000`;
    const heard = await until(async () => {
      const page = await (await fetch(events, { headers: { "X-API-Key": bob.key } })).json();
      const names = page.events.map((one) => one.payload.event);
      return names.includes("a2a_channel_closed") && page.events.map((one) => one.payload);
    }, "the events");
    const ids = heard.filter((one) => one.event === "a2a_message_sent").map((one) => one.msg_id);
    assert.deepEqual(ids.slice(0, 2), [request.msg_id, accepted.msg_id]);
    const replies = heard.filter((one) => one.event === "a2a_message_replied");
    assert.ok(replies.some((one) => one.reply_msg_id === delivered.reply_msg_id));
  }],
]);
