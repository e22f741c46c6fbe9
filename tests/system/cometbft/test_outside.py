"""Programs that others wrote judge both sides: CometBFT's end-to-end tests and its light client."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from devnet_process import Devnet
from e2e_net import Manifest, Missing, build
from nets import PATIENCE
from ports import ports as free

from chain import wiring
from chain.abci.supervise import Net
from chain.app.devnet import dev_key
from chain.cli.log_cometbft import records_of
from chain.client.jsonrpc import JsonRpc, RpcFailed, Unreachable
from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet
from chain.crypto.keys import Ed25519Key
from chain.driver.log.record import BlockRecord
from chain.driver.log.replay import replay
from chain.node.home import write_genesis, write_keys
from chain.tx.messages import MsgUpdateValidators, ValidatorChange

pytestmark = [pytest.mark.cometbft, pytest.mark.long]

#: one wants their key-value application, one counts evidence that was injected before
SKIPPED = "TestApp_Tx|TestEvidence"


@pytest.fixture(scope="module")
def built(cometbft: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    try:
        return build(tmp_path_factory.mktemp("go"))
    except Missing as error:
        if os.environ.get("MSGCHAIN_CI") == "1":
            pytest.fail(str(error))
        pytest.skip(str(error))


def evidence(client: RpcClient, last: int) -> int:
    """How many pieces of it the blocks have."""
    blocks = (client.http.call("block", height=str(height)) for height in range(1, last + 1))
    return sum(len(found["block"]["evidence"]["evidence"]) for found in blocks)


def passed(output: str) -> set[str]:
    return set(re.findall(r"^--- PASS: (\w+)", output, re.MULTILINE))


JUDGED = {
    "TestApp_Hash",
    "TestBlock_Header",
    "TestBlock_Range",
    "TestValidator_Sets",
    "TestValidator_Propose",
    "TestValidator_Sign",
}


def test_their_tests_pass_on_four_validators_and_evidence_reaches_the_app(
    built: tuple[Path, Path], tmp_path: Path, make_net: Callable[..., Net]
) -> None:
    tests, runner = built
    names = [f"validator0{number}" for number in range(1, 5)]
    ports = free(4)
    manifest = Manifest(tmp_path, dict(zip(names, ports, strict=True)), evidence=4)
    manifest.run_runner(runner, "setup")
    net = make_net(4, chain_id="net", keys=manifest.keys(names), rpc_ports=ports)
    client = RpcClient(net.pairs[0].home.rpc)
    Wallet(dev_key("alice"), client).pay(dev_key("bob").address, "1msg")
    assert net.wait_for(12, PATIENCE)
    assert passed(manifest.run_tests(tests, ".", skip=SKIPPED)) >= JUDGED

    # a forged attack is refused; three times double signing and a real attack reach every App
    manifest.run_runner(runner, "evidence", "4")
    start = client.height()
    assert net.wait_for(start + 4, PATIENCE)
    end = time.monotonic() + PATIENCE
    while evidence(client, client.height() - 1) < 4:
        assert time.monotonic() < end, "evidence came into no block"
        time.sleep(0.5)
    assert net.wait_for(client.height() + 1, PATIENCE)
    assert passed(manifest.run_tests(tests, "TestEvidence")) == {"TestEvidence_Misbehavior"}
    records = list(records_of(client, last=client.height() - 1))
    client.close()
    found = [
        (fault, record)
        for record in records
        if isinstance(record, BlockRecord)
        for fault in record.block.misbehavior
    ]
    assert Counter(fault.kind for fault, _ in found) == {1: 3, 2: 3}
    guilty = {fault.address for fault, _ in found}
    for fault, record in found:
        events = [e for e in record.result.events if e.type == "misbehavior"]
        named = [dict(event.attributes)["validator"] for event in events]
        assert fault.address.hex().upper() in named
    powerless = {
        update.pubkey
        for record in records
        if isinstance(record, BlockRecord)
        for update in record.result.validator_updates
        if update.power == 0
    }
    assert len(powerless) == min(len(guilty), 3), "the guilty lose their power, all but the last"
    replay(records, wiring.replay_app())
    net.stop()


def test_their_tests_pass_on_the_embedded_node(built: tuple[Path, Path], tmp_path: Path) -> None:
    tests, runner = built
    (port,) = free(1)
    manifest = Manifest(tmp_path, {"validator01": port})
    manifest.run_runner(runner, "setup")
    (key,) = manifest.keys(["validator01"])
    signer = Ed25519Key(key.private[:32])
    assert signer.pubkey.key == key.public
    home = tmp_path / "embedded"
    document = wiring.genesis_document("embedded", time.time_ns(), [signer], {})
    write_genesis(home, document)
    write_keys(home, [signer])
    node = Devnet(home, "--block-time", "200ms", "--rpc-port", str(port), command=("node", "start"))
    try:
        node.wait_for_height(12)
        assert passed(manifest.run_tests(tests, ".", skip=SKIPPED)) >= JUDGED
    finally:
        assert node.stop() == 0


# --- the light client -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Devnet]:
    """A devnet of four validators whose powers changed on the way."""
    home = tmp_path_factory.mktemp("light") / "home"
    net = Devnet(home, "--validators", "4", "--block-time", "200ms")
    with RpcClient(net.url) as client:
        authority = Wallet(dev_key("authority"), client)
        keys = wiring.dev_validator_keys(4)
        for power in (11, 12):
            net.wait_for_height(client.height() + 3)
            change = ValidatorChange("ed25519", keys[power - 10].pubkey.key, power)
            authority.send([MsgUpdateValidators(authority.address, (change,))])
    net.wait_for_height(net.height + 4)
    yield net
    assert net.stop() == 0


@pytest.mark.parametrize("way", ["sequential", "skipping"])
def test_the_light_client_accepts_the_embedded_chain(
    embedded: Devnet, cometbft: str, tmp_path: Path, way: str
) -> None:
    (port,) = free(1)
    trusted = embedded.call("commit", height="3")["signed_header"]["commit"]["block_id"]["hash"]
    words = ["light", "msg-chain-1", "-p", embedded.url, "-w", embedded.url]
    words += ["--height", "3", "--hash", trusted, "--home-dir", str(tmp_path / "light")]
    words += ["--laddr", f"tcp://127.0.0.1:{port}"]
    words += ["--sequential"] if way == "sequential" else []
    with (tmp_path / "light.log").open("w") as log:
        client = subprocess.Popen([cometbft, *words], stdout=log, stderr=subprocess.STDOUT)
    light = JsonRpc(f"http://127.0.0.1:{port}")
    try:
        last = embedded.height - 1
        wait_until_it_answers(light, client)
        for height in (last, last // 2, 5):
            verified = light.call("commit", height=str(height))
            assert verified == embedded.call("commit", height=str(height))
            block = light.call("block", height=str(height))
            assert block["block"]["header"]["height"] == str(height)
            assert light.call("block_results", height=str(height))["height"] == str(height)
        shown = light.call("validators", height=str(last))["validators"]
        assert sorted(int(one["voting_power"]) for one in shown) == [10, 10, 11, 12]
    finally:
        light.close()
        client.terminate()
        client.wait(60)


def test_the_light_client_refuses_another_chain(
    embedded: Devnet, cometbft: str, tmp_path: Path
) -> None:
    words = ["light", "msg-chain-1", "-p", embedded.url, "-w", embedded.url, "--height", "3"]
    words += ["--hash", "00" * 32, "--home-dir", str(tmp_path / "light")]
    done = subprocess.run(
        [cometbft, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode != 0
    assert "hash" in (done.stdout + done.stderr).lower()


def wait_until_it_answers(light: JsonRpc, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None, "the light client ended"
        try:
            light.call("status")
        except (Unreachable, RpcFailed):
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the light client does not answer")
