// Unmodified CosmJS against a started devnet: every call of the client, over HTTP and WebSocket.
const { packages, assert, WORDS, steps, rejects, until, utf8 } = require("./lib.cjs");
const { CosmWasmClient, SigningCosmWasmClient } = packages("@cosmjs/cosmwasm-stargate");
const { DirectSecp256k1HdWallet } = packages("@cosmjs/proto-signing");
const { Secp256k1HdWallet } = packages("@cosmjs/amino");
const { GasPrice, makeCosmoshubPath } = packages("@cosmjs/stargate");
const { Comet38Client, HttpBatchClient, connectComet } = packages("@cosmjs/tendermint-rpc");
const { toUtf8, fromUtf8, toHex } = packages("@cosmjs/encoding");
const { sha256 } = packages("@cosmjs/crypto");
const { instantiate2Address } = packages("@cosmjs/cosmwasm-stargate");

const [http, ws, registryJson, line] = process.argv.slice(2);
const at = JSON.parse(registryJson);
const options = { gasPrice: GasPrice.fromString("0.001umsg"), broadcastPollIntervalMs: 50 };
const CODE_TOKEN = 7;
let reader, direct, amino, alice, bob, token;

const tokenMsg = (name) => ({
  name,
  symbol: "TEST",
  decimals: 6,
  initial_balances: [{ address: alice, amount: "1000" }],
  mint: null,
  marketing: null,
});

steps([
  ["connect over HTTP", async () => {
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(WORDS, { prefix: "msg" });
    alice = (await wallet.getAccounts())[0].address;
    const other = await Secp256k1HdWallet.fromMnemonic(WORDS, {
      prefix: "msg",
      hdPaths: [makeCosmoshubPath(1)],
    });
    bob = (await other.getAccounts())[0].address;
    reader = await CosmWasmClient.connect(http);
    direct = await SigningCosmWasmClient.connectWithSigner(http, wallet, options);
    amino = await SigningCosmWasmClient.connectWithSigner(http, other, options);
  }],
  ["getChainId", async () => assert.equal(await reader.getChainId(), "msg-chain-1")],
  ["getHeight", async () => assert.ok((await reader.getHeight()) >= 1)],
  ["getAccount", async () => {
    const account = await reader.getAccount(alice);
    assert.equal(account.address, alice);
    assert.equal(account.sequence, 0);
    assert.equal(account.pubkey, null);
    assert.equal(await reader.getAccount("msg1qvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcr5y75c9"), null);
  }],
  ["getSequence", async () => {
    assert.equal((await reader.getSequence(alice)).sequence, 0);
    await rejects(
      reader.getSequence("msg1qvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcr5y75c9"), /does not exist on chain/);
  }],
  ["getBlock", async () => {
    const block = await reader.getBlock(1);
    assert.equal(block.header.height, 1);
    assert.match(block.id, /^[0-9A-F]{64}$/);
    assert.ok((await reader.getBlock()).header.height >= 1);
    await rejects(reader.getBlock(99999999), /must be less than or equal/);
  }],
  ["getBalance", async () => {
    assert.deepEqual(await reader.getBalance(alice, "umsg"),
      { denom: "umsg", amount: "1000000000000" });
    assert.deepEqual(await reader.getBalance(alice, "nothing"), { denom: "nothing", amount: "0" });
  }],
  ["getCodes", async () => assert.ok((await reader.getCodes()).length >= 7)],
  ["getCodeDetails", async () => {
    const details = await reader.getCodeDetails(CODE_TOKEN);
    assert.equal(details.id, CODE_TOKEN);
    assert.equal(details.checksum, toHex(sha256(details.data)));
    assert.match(fromUtf8(details.data), /^msgchain:token_v1@[0-9a-f]{64}$/);
    await rejects(reader.getCodeDetails(999), /no such code/);
  }],
  ["getContracts", async () => {
    assert.deepEqual(await reader.getContracts(CODE_TOKEN), [at.token_v1]);
    assert.deepEqual(await reader.getContracts(999), []);
  }],
  ["getContract", async () => {
    const contract = await reader.getContract(at.agent_a2a_v1);
    assert.equal(contract.codeId, 4);
    assert.equal(contract.label, "agent messages");
    await rejects(reader.getContract(alice), /no such contract/);
  }],
  ["getContractCodeHistory", async () => {
    const history = await reader.getContractCodeHistory(at.token_v1);
    assert.equal(history.length, 1);
    assert.equal(history[0].operation, "Init");
    assert.equal(history[0].msg.symbol, "DEVT");
  }],
  ["getContractsByCreator", async () => {
    const { creator } = await reader.getContract(at.token_v1);
    assert.ok((await reader.getContractsByCreator(creator)).includes(at.token_v1));
    assert.deepEqual(await reader.getContractsByCreator(alice), []);
  }],
  ["queryContractSmart", async () => {
    const info = await reader.queryContractSmart(at.token_v1, { token_info: {} });
    assert.equal(info.symbol, "DEVT");
    await rejects(reader.queryContractSmart(at.token_v1, { nope: {} }), /unknown variant `nope`/);
    await rejects(reader.queryContractSmart(alice, { token_info: {} }), /no such contract/);
  }],
  ["queryContractRaw", async () => {
    const found = await reader.queryContractRaw(at.token_v1, toUtf8("contract_info"));
    assert.match(JSON.parse(fromUtf8(found)).contract, /token_v1/);
    assert.equal((await reader.queryContractRaw(at.token_v1, toUtf8("nothing"))).length, 0);
  }],
  ["upload, auto", async () => {
    const bytes = utf8(line);
    const result = await direct.upload(alice, bytes, "auto");
    assert.equal(result.checksum, toHex(sha256(bytes)));
    assert.equal((await reader.getCodeDetails(result.codeId)).checksum, result.checksum);
    await rejects(direct.upload(alice, utf8("\0asm no"), { amount: [{ denom: "umsg", amount: "500" }],
      gas: "500000" }), /no code comes in over the network/);
  }],
  ["sendTokens", async () => {
    const result = await direct.sendTokens(alice, bob, [{ denom: "umsg", amount: "5" }], "auto", "hi");
    assert.equal(result.code, 0);
    assert.equal(result.rawLog, "");
    const found = await reader.getTx(result.transactionHash);
    assert.equal(found.height, result.height);
    assert.equal(found.hash, result.transactionHash);
    assert.equal(await reader.getTx("00".repeat(32)), null);
  }],
  ["sendTokens, amino", async () => {
    const result = await amino.sendTokens(bob, alice, [{ denom: "umsg", amount: "7" }], "auto", "<&>");
    assert.equal(result.code, 0);
  }],
  ["searchTx", async () => {
    const found = await reader.searchTx(`message.sender='${alice}'`);
    assert.ok(found.length >= 2);
    const one = await reader.searchTx([
      { key: "message.sender", value: bob },
      { key: "tx.height", value: (await reader.getHeight()) },
    ]);
    assert.ok(one.length <= 1);
    assert.deepEqual(await reader.searchTx("wasm.action='never'"), []);
  }],
  ["instantiate", async () => {
    const result = await direct.instantiate(alice, CODE_TOKEN, tokenMsg("One token"), "one", "auto",
      { admin: alice });
    token = result.contractAddress;
    assert.equal((await reader.getContract(token)).admin, alice);
    assert.ok((await reader.getContracts(CODE_TOKEN)).includes(token));
  }],
  ["instantiate, amino", async () => {
    const result = await amino.instantiate(bob, CODE_TOKEN, tokenMsg("Two token"), "two", "auto");
    assert.equal((await reader.getContract(result.contractAddress)).creator, bob);
  }],
  ["instantiate2 gives the predicted address", async () => {
    const { checksum } = await reader.getCodeDetails(CODE_TOKEN);
    const salt = utf8("salty");
    const hex = Uint8Array.from(Buffer.from(checksum, "hex"));
    const predicted = instantiate2Address(hex, alice, salt, "msg");
    const msg = tokenMsg("Salty token");
    const result = await direct.instantiate2(alice, CODE_TOKEN, salt, msg, "salty", "auto");
    assert.equal(result.contractAddress, predicted);
    await rejects(direct.instantiate2(alice, CODE_TOKEN, salt, msg, "again", "auto"),
      /contract address already exists/);
  }],
  ["execute, auto", async () => {
    const result = await direct.execute(alice, token,
      { transfer: { recipient: bob, amount: "10" } }, "auto");
    const event = result.events.find((one) => one.type === "wasm");
    assert.equal(event.attributes[0].key, "_contract_address");
    assert.equal(event.attributes[0].value, token);
    const { balance } = await reader.queryContractSmart(token, { balance: { address: bob } });
    assert.equal(balance, "10");
  }],
  ["execute, amino", async () => {
    await amino.execute(bob, token, { transfer: { recipient: alice, amount: "1" } }, "auto");
  }],
  ["executeMultiple", async () => {
    const msg = { transfer: { recipient: bob, amount: "1" } };
    const result = await direct.executeMultiple(alice,
      [{ contractAddress: token, msg }, { contractAddress: token, msg }], "auto");
    assert.equal(result.events.filter((one) => one.type === "execute").length, 2);
  }],
  ["migrate", async () => {
    await direct.migrate(alice, token, CODE_TOKEN, {}, "auto");
    const history = await reader.getContractCodeHistory(token);
    assert.deepEqual(history.map((one) => one.operation), ["Init", "Migrate"]);
  }],
  ["updateAdmin, auto", async () => {
    await direct.updateAdmin(alice, token, bob, "auto");
    assert.equal((await reader.getContract(token)).admin, bob);
  }],
  ["clearAdmin", async () => {
    await rejects(direct.clearAdmin(alice, token, "auto"), /can not modify contract/);
    await amino.clearAdmin(bob, token, "auto");
    assert.equal((await reader.getContract(token)).admin, undefined);
  }],
  ["simulate", async () => {
    const message = {
      typeUrl: "/cosmos.bank.v1beta1.MsgSend",
      value: { fromAddress: alice, toAddress: bob, amount: [{ denom: "umsg", amount: "1" }] },
    };
    assert.ok((await direct.simulate(alice, [message], "")) > 40000);
  }],
  ["failing transactions", async () => {
    const cheap = { amount: [{ denom: "umsg", amount: "1" }], gas: "200000" };
    const low = await rejects(
      direct.sendTokens(alice, bob, [{ denom: "umsg", amount: "1" }], cheap),
      /code 13 \(codespace: sdk\).*insufficient fees; got: 1umsg required: 200umsg/);
    assert.equal(low.code, 13);
    const fee = { amount: [{ denom: "umsg", amount: "300" }], gas: "300000" };
    const broke = await direct.sendTokens(alice, bob, [{ denom: "umsg", amount: "9" + "0".repeat(20) }],
      fee);
    assert.equal(broke.code, 5);
    assert.match(broke.rawLog, /is smaller than/);
    await rejects(direct.execute(alice, token, { nope: {} }, fee), /unknown variant `nope`/);
    const small = { amount: [{ denom: "umsg", amount: "60" }], gas: "60000" };
    await rejects(direct.execute(alice, token, { transfer: { recipient: bob, amount: "1" } }, small),
      /out of gas/);
    await rejects(direct.execute(alice, token, { transfer: { recipient: bob, amount: "1" } },
      { amount: [{ denom: "utok", amount: "300" }], gas: "300000" }), /insufficient fee/);
  }],
  ["connect over WebSocket", async () => {
    const client = await CosmWasmClient.connect(ws);
    assert.equal(await client.getChainId(), "msg-chain-1");
    assert.ok((await client.getBalance(alice, "umsg")).amount > 0);
    client.disconnect();
  }],
  ["connect detects the version", async () => {
    const client = await connectComet(http);
    assert.equal(client.constructor.name, "Comet38Client");
    client.disconnect();
  }],
  ["the rest of the RPC", async () => {
    const client = await Comet38Client.connect(http);
    // validators: how many the chain has; "unreadable" where CosmJS does not know their keys
    const validators = process.env.MSGCHAIN_VALIDATORS || "1";
    const known = validators !== "unreadable";
    if (known) assert.equal((await client.validatorsAll()).total, Number(validators));
    else await rejects(client.validatorsAll(), /unknown pubkey type/);
    assert.equal((await client.blockchain(1, 2)).blockMetas.length, 2);
    assert.equal((await client.commit(1)).commit.height, 1);
    if (known) assert.equal((await client.genesis()).chainId, "msg-chain-1");
    else await rejects(client.genesis(), /unknown pubkey type/);
    await client.health();
    assert.equal((await client.numUnconfirmedTxs()).total, 0);
    assert.ok((await client.abciInfo()).lastBlockHeight >= 1);
    assert.ok((await client.blockResults(2)).height === 2);
    assert.ok((await client.blockSearch({ query: "block.height=2" })).totalCount === 1);
    const search = await client.txSearchAll({ query: "tx.height>0" });
    assert.ok(search.totalCount >= 10);
    const one = await client.tx({ hash: search.txs[0].hash, prove: true });
    assert.equal(one.proof.proof.total, 1);
    client.disconnect();
  }],
  ["batches", async () => {
    const batch = new HttpBatchClient(http, { batchSizeLimit: 5 });
    const client = Comet38Client.create(batch);
    const heights = await Promise.all([1, 2, 3].map((height) => client.block(height)));
    assert.deepEqual(heights.map((one) => one.block.header.height), [1, 2, 3]);
    client.disconnect();
  }],
  ["subscribeNewBlock and subscribeTx", async () => {
    const client = await Comet38Client.connect(ws);
    const blocks = [], headers = [], txs = [];
    const subscriptions = [
      client.subscribeNewBlock().subscribe({ next: (one) => blocks.push(one) }),
      client.subscribeNewBlockHeader().subscribe({ next: (one) => headers.push(one) }),
      client.subscribeTx(`message.sender='${alice}'`).subscribe({ next: (one) => txs.push(one) }),
    ];
    await client.status(); // asked after the subscriptions, over their connection
    const sent = await direct.sendTokens(alice, bob, [{ denom: "umsg", amount: "5" }], "auto");
    await until(() => blocks.length && headers.length && txs.length, "all three pushes");
    await client.status(); // what would be pushed twice came before this
    assert.equal(txs.length, 1);
    assert.equal(toHex(txs[0].hash).toUpperCase(), sent.transactionHash);
    assert.equal(txs[0].height, sent.height);
    assert.equal(txs[0].result.code, 0);
    subscriptions.forEach((one) => one.unsubscribe());
    client.disconnect();
  }],
]);
