// Unmodified CosmJS 0.32.4, whose three status requests at connect and older encodings differ from 0.38's.
const { packages, assert, WORDS, steps, rejects } = require("./lib.cjs");
const { createRequire } = require("module");
const older = createRequire(packages.resolve("cosmjs-0.32"));
const { CosmWasmClient, SigningCosmWasmClient } = packages("cosmjs-0.32");
const { DirectSecp256k1HdWallet } = older("@cosmjs/proto-signing");
const { Secp256k1HdWallet } = older("@cosmjs/amino");
const { GasPrice, makeCosmoshubPath } = older("@cosmjs/stargate");
const { Tendermint34Client, Tendermint37Client, connectComet } = older("@cosmjs/tendermint-rpc");

const [http, ws, registryJson] = process.argv.slice(2);
const { token_v1: token } = JSON.parse(registryJson);
const options = { gasPrice: GasPrice.fromString("0.001umsg"), broadcastPollIntervalMs: 50 };
let reader, direct, amino, alice, bob;

steps([
  ["connect over HTTP and WebSocket", async () => {
    const hdPaths = [makeCosmoshubPath(2)];
    const wallet = await DirectSecp256k1HdWallet.fromMnemonic(WORDS, { prefix: "msg", hdPaths });
    const other = await Secp256k1HdWallet.fromMnemonic(
      WORDS, { prefix: "msg", hdPaths: [makeCosmoshubPath(3)] });
    alice = (await wallet.getAccounts())[0].address;
    bob = (await other.getAccounts())[0].address;
    direct = await SigningCosmWasmClient.connectWithSigner(http, wallet, options);
    amino = await SigningCosmWasmClient.connectWithSigner(ws, other, options);
    reader = await CosmWasmClient.connect(http);
  }],
  ["the client is that of 0.38", async () => {
    const comet = await connectComet(http);
    assert.equal(comet instanceof Tendermint34Client || comet instanceof Tendermint37Client, false);
    assert.equal((await comet.status()).nodeInfo.network, "msg-chain-1");
    assert.equal((await comet.block(1)).block.header.height, 1);
    assert.ok((await comet.blockResults(1)).height === 1);
    assert.ok((await comet.validatorsAll(1)).total >= 1);
  }],
  ["reading", async () => {
    assert.equal(await reader.getChainId(), "msg-chain-1");
    assert.ok((await reader.getHeight()) >= 1);
    assert.equal((await reader.getAccount(alice)).address, alice);
    assert.equal((await reader.getBlock(1)).header.height, 1);
    assert.equal((await reader.getBalance(alice, "umsg")).denom, "umsg");
    assert.ok((await reader.getCodes()).length >= 7);
    assert.equal((await reader.getContract(token)).address, token);
    assert.ok((await reader.getContractCodeHistory(token)).length >= 1);
    assert.ok((await reader.queryContractSmart(token, { token_info: {} })).decimals >= 0);
  }],
  ["sending, signed directly and in amino", async () => {
    for (const [client, from, to] of [[direct, alice, bob], [amino, bob, alice]]) {
      const sent = await client.sendTokens(from, to, [{ denom: "umsg", amount: "7" }], "auto");
      assert.equal(sent.code, 0);
      assert.equal((await reader.getTx(sent.transactionHash)).height, sent.height);
    }
  }],
  ["execute with auto gas, and what fails", async () => {
    const { transactionHash } = await direct.execute(
      alice, token, { transfer: { recipient: bob, amount: "1" } }, "auto");
    const found = await reader.searchTx(`message.sender='${alice}'`);
    assert.ok(found.some((one) => one.hash === transactionHash));
    await rejects(direct.execute(alice, token, { nonsense: {} }, "auto"), /unknown variant|nonsense/);
  }],
]);
