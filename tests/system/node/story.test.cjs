// The guide's section 10 with its own calls: Alice finds Bob, they agree, she pays, he delivers.
// Corrected where the guide cannot work: a gas price, ids from events, prices compared as numbers,
// the deliverable addressed to the requester, and a payment that takes place.
const { packages, assert, WORDS, steps } = require("./lib.cjs");
const { CosmWasmClient, SigningCosmWasmClient } = packages("@cosmjs/cosmwasm-stargate");
const { DirectSecp256k1HdWallet } = packages("@cosmjs/proto-signing");
const { GasPrice, makeCosmoshubPath } = packages("@cosmjs/stargate");

const [http, , registryJson] = process.argv.slice(2);
const at = JSON.parse(registryJson);
const A2A = at.agent_a2a_v1, REGISTRY = at.agent_registry_v1, TASKS = at.agent_tasks_v1;
const CAPABILITY = "chart-generation";
const toBinary = (value) => Buffer.from(JSON.stringify(value)).toString("base64");
const fromBinary = (text) => JSON.parse(Buffer.from(text, "base64").toString());

let reader, alice, bob, channel, requestId, quote, quoteId, task;

class Agent {
  static async start(index) {
    const agent = new Agent();
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(WORDS, {
      prefix: "msg",
      hdPaths: [makeCosmoshubPath(index)],
    });
    agent.address = (await wallet.getAccounts())[0].address;
    agent.client = await SigningCosmWasmClient.connectWithSigner(http, wallet, {
      gasPrice: GasPrice.fromString("0.001umsg"),
      broadcastPollIntervalMs: 50,
    });
    return agent;
  }
  execute(contract, msg, funds) {
    return this.client.execute(this.address, contract, msg, "auto", "", funds);
  }
  async inbox(status) {
    const answer = await reader.queryContractSmart(A2A, {
      list_messages: { address: this.address, status, limit: 10 },
    });
    return answer.messages;
  }
}

const attribute = (result, type, key) => {
  const event = result.events.find((one) => one.type === type);
  assert.ok(event, `no event ${type}`);
  return event.attributes.find((one) => one.key === key).value;
};

steps([
  ["both connect; Bob registers with what he can and what he asks", async () => {
    reader = await CosmWasmClient.connect(http);
    alice = await Agent.start(2);
    bob = await Agent.start(3);
    await bob.execute(REGISTRY, {
      register_agent: {
        agent_id: "bob-agent",
        name: "Bob",
        price_model: { price: "8000000", denom: "umsg" },
      },
    });
    await bob.execute(A2A, { add_capability: { agent_id: "bob-agent", capability: CAPABILITY } });
  }],
  ["1 Alice discovers who can draw charts", async () => {
    const found = await reader.queryContractSmart(A2A, {
      find_agents_by_capability: { capability: CAPABILITY, limit: 10 },
    });
    assert.equal(found.count, 1);
    assert.deepEqual(found.agents, ["bob-agent"]);
  }],
  ["2 she opens a channel to the owner", async () => {
    const { agent } = await reader.queryContractSmart(REGISTRY, {
      get_agent: { agent_id: "bob-agent" },
    });
    assert.equal(agent.owner, bob.address);
    const result = await alice.execute(A2A, {
      create_channel: {
        participant: agent.owner,
        channel_type: "direct",
        metadata: toBinary({ purpose: "data-visualization-negotiation" }),
      },
    });
    channel = attribute(result, "wasm-a2a_channel_created", "channel_id");
  }],
  ["3 she sends a request", async () => {
    const result = await alice.execute(A2A, {
      send_message: {
        to: bob.address,
        message_type: "request",
        payload: toBinary({ action: "create_dashboard", budget: "10000000" }),
        priority: 75,
        reply_to: null,
        ttl: 86400,
      },
    });
    requestId = attribute(result, "wasm-a2a_message_sent", "msg_id");
  }],
  ["4 Bob finds it pending and replies with a quote", async () => {
    const request = (await bob.inbox("pending")).find((one) => one.message_type === "request");
    assert.equal(request.msg_id, requestId);
    assert.equal(fromBinary(request.payload).action, "create_dashboard");
    const result = await bob.execute(A2A, {
      reply_message: {
        original_msg_id: request.msg_id,
        payload: toBinary({ quote_id: "quote:1", status: "accepted", price: "8000000" }),
      },
    });
    quoteId = attribute(result, "wasm-a2a_message_replied", "msg_id");
  }],
  ["5 Alice reads the quote, accepts it", async () => {
    const reply = (await alice.inbox(null)).find((one) => one.reply_to === requestId);
    assert.equal(reply.msg_id, quoteId);
    quote = fromBinary(reply.payload);
    assert.ok(quote.status === "accepted" && BigInt(quote.price) <= 10000000n);
    await alice.execute(A2A, {
      send_message: {
        to: bob.address,
        message_type: "response",
        payload: toBinary({ action: "accept_quote", quote_id: quote.quote_id }),
        priority: 75,
        reply_to: reply.msg_id,
        ttl: 3600,
      },
    });
  }],
  ["6 she pays into escrow", async () => {
    const result = await alice.execute(TASKS, {
      create_task: {
        provider: "bob-agent",
        skill: CAPABILITY,
        params: { quote_id: quote.quote_id },
        price: quote.price + "000000000000",
      },
    }, [{ denom: "umsg", amount: quote.price }]);
    task = attribute(result, "wasm-agent_task", "task_id");
    assert.equal((await reader.getBalance(TASKS, "umsg")).amount, quote.price);
  }],
  ["7 Bob sees the acceptance, delivers and is paid", async () => {
    const acceptance = (await bob.inbox(null)).find((one) => one.reply_to === quoteId);
    assert.equal(fromBinary(acceptance.payload).action, "accept_quote");
    const before = BigInt((await reader.getBalance(bob.address, "umsg")).amount);
    await bob.execute(TASKS, { accept_task: { task_id: task } });
    await bob.execute(TASKS, {
      complete_task: { task_id: task, content: { charts_created: 4 } },
    });
    const after = BigInt((await reader.getBalance(bob.address, "umsg")).amount);
    assert.ok(after - before > 7900000n, `${after - before}`);
    assert.equal((await reader.getBalance(TASKS, "umsg")).amount, "0");
    await bob.execute(A2A, {
      send_message: {
        to: alice.address,
        message_type: "response",
        payload: toBinary({ action: "deliverable", charts_created: 4 }),
        priority: 50,
        reply_to: null,
        ttl: 86400,
      },
    });
  }],
  ["8 Alice has it and closes the channel", async () => {
    const found = (await alice.inbox(null)).map((one) => fromBinary(one.payload));
    assert.ok(found.some((one) => one.action === "deliverable"));
    await alice.execute(A2A, { close_channel: { channel_id: channel } });
    const closed = await reader.queryContractSmart(A2A, { get_channel: { channel_id: channel } });
    assert.equal(closed.channel.status, "closed");
    const events = await reader.searchTx(`wasm-a2a_channel_closed.channel_id='${channel}'`);
    assert.equal(events.length, 1);
  }],
]);
