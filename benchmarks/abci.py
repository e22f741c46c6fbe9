"""The App behind CometBFT: transport, CheckTx, signed payments through one node and through four.

Transport is four calls of a block (prepare, process, finalize, commit) of 1,000 transactions of
5 kB with an application that does nothing; CheckTx is with the real one; both over a unix socket.
The nets are real ones on loopback, and the load comes from this process on the same cores. They
are left out where CometBFT is missing, and in the smoke size.
"""

from __future__ import annotations

import http.client
import json
import os
import resource
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.pipeline import one_thread_rate, sender_keys
from chain import wiring
from chain.abci.handler import Handler
from chain.abci.homes import write_config, write_net
from chain.abci.server import Frames, Server
from chain.abci.supervise import MissingCometBFT, Net, Pair, find_cometbft
from chain.abci.wire import Request, Response, frame
from chain.app.answers import CheckTxResult, Info
from chain.app.application import App
from chain.block.types import BlockInput, BlockResult, Event, TxResult
from chain.client.rpc import RpcClient
from chain.crypto.keys import PrivateKey
from chain.crypto.verify import SigJob, ThreadedVerifier
from chain.driver.genesis import begin, parse
from chain.store import MemoryBackend, StateStore
from chain.tx.builder import build_native, coins
from chain.tx.codec import decode_tx
from chain.tx.messages import MsgSend
from chain.tx.signing import signature_jobs

#: transactions of a block, rounds of it; transactions checked; seconds and rate of four validators;
#: transactions through one node
SIZES = {
    "smoke": (20, 1, 8, 0, 0, 0),
    "quick": (1_000, 5, 1_000, 15, 100, 3_000),
    "real": (1_000, 15, 4_000, 60, 100, 10_000),
}
_TX_BYTES = 5_000
_SENDERS = 40
#: connections of the load
_LANES = 8
_GAS = 400_000


class _Nothing(App):
    """An application whose answers cost nothing, so that only the transport is measured."""

    def __init__(self) -> None:
        self._height = 1

    @property
    def height(self) -> int:
        return self._height

    def info(self) -> Info:
        return Info("nothing", "", 1, 1, bytes(32))

    def check_tx(self, raw: bytes, recheck: bool = False) -> CheckTxResult:
        return CheckTxResult(gas_wanted=1)

    def prove(self, raw: bytes) -> None:
        pass

    def prepare_proposal(self, txs: Sequence[bytes], max_tx_bytes: int) -> list[bytes]:
        return list(txs)

    def process_proposal(self, txs: Sequence[bytes]) -> bool:
        return True

    def finalize_block(self, block: BlockInput) -> BlockResult:
        event = Event("transfer", [("sender", "a" * 51), ("recipient", "b" * 51)])
        results = [TxResult(0, "", "", "", b"", 1, 1, [event]) for _ in block.txs]
        return BlockResult(results, [], [], None, bytes(32))

    def commit(self, rows: Any = None) -> int:
        return 0


class _Line:
    """A served application, in a process of its own, and a connection to it."""

    def __init__(self, make: Callable[[], App]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        path = f"{self._folder.name}/s"
        self.child = os.fork()
        if not self.child:
            Server(f"unix://{path}", Handler(make())).serve()
            os._exit(0)
        self.end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        for _ in range(2_000):
            try:
                self.end.connect(path)
                break
            except OSError:
                time.sleep(0.01)
        self.frames = Frames()

    def call(self, framed: bytes, answers: int = 1) -> list[bytes]:
        """Send frames, wait for so many answers."""
        sender = threading.Thread(target=self.end.sendall, args=(framed,))
        sender.start()
        found: list[bytes] = []
        while len(found) < answers:
            data = self.end.recv(1 << 20)
            if not data:
                raise RuntimeError("the application ended")
            found += self.frames.feed(data)
        sender.join()
        return found

    def close(self) -> None:
        """End the process."""
        self.end.close()
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)
        self._folder.cleanup()


def _transport(count: int, rounds: int) -> dict[str, float]:
    """Milliseconds of the round trips of one block, the best of some rounds."""
    txs = [os.urandom(_TX_BYTES) for _ in range(count)]
    requests = {}
    for method in ("prepare_proposal", "process_proposal", "finalize_block", "commit"):
        request = Request()
        body = getattr(request, method)
        body.SetInParent()
        if method != "commit":
            body.txs.extend(txs)
        if method == "prepare_proposal":
            body.max_tx_bytes = 1 << 30
        requests[method] = frame(request)
    line = _Line(_Nothing)
    try:
        best = dict.fromkeys(requests, float("inf"))
        for _ in range(rounds):
            for method, framed in requests.items():
                started = time.perf_counter()
                line.call(framed)
                best[method] = min(best[method], time.perf_counter() - started)
    finally:
        line.close()
    return {method: round(1e3 * seconds, 1) for method, seconds in best.items()}


def _genesis(keys: Sequence[PrivateKey], validators: int) -> dict[str, Any]:
    named = [(f"s{n}", key.pubkey.address(), "100000") for n, key in enumerate(keys)]
    return wiring.devnet_genesis(
        accounts=named, wallets=0, validators=validators, time=time.time_ns()
    )


def _payments(
    keys: Sequence[PrivateKey], each: int, first: int, *, repeat_keys: bool
) -> list[list[bytes]]:
    """Signed payments of each sender, in the order of their sequences; the public key in all or in
    the first alone.
    """
    to = wiring.dev_key("bob").address
    return [
        [
            build_native(
                [MsgSend(key.pubkey.address(), to, coins("1amsg"))],
                [key],
                chain_id=wiring.CHAIN_ID,
                account_numbers=[first + number],
                sequences=[sequence],
                gas_limit=_GAS,
                fee=coins(f"{_GAS * 10**9}amsg"),
                send_keys=repeat_keys or not sequence,
            )
            for sequence in range(each)
        ]
        for number, key in enumerate(keys)
    ]


def _check_tx(count: int, rounds: int) -> dict[str, float]:
    """CheckTx a second over the socket, all sent at once, against one thread's verifications."""
    keys = sender_keys("mldsa", min(_SENDERS, count))
    genesis = parse(_genesis(keys, 1))
    first = len(wiring.devnet_genesis(wallets=0)["app_state"]["accounts"])
    made = _payments(keys, count // len(keys), first, repeat_keys=True)
    raws = [raw for own in made for raw in own]

    def make() -> App:
        verifier = ThreadedVerifier(os.cpu_count() or 1)
        app = App(StateStore(MemoryBackend()), wiring.known_codes(), verifier=verifier)
        begin(app, genesis)
        app.finalize_block(BlockInput(1, genesis.time, bytes(20)))
        app.commit()
        return app

    framed = bytearray()
    jobs: list[SigJob] = []
    for number, raw in enumerate(raws):
        request = Request()
        request.check_tx.tx = raw
        framed += frame(request)
        place = number // (count // len(keys))
        jobs += signature_jobs(
            decode_tx(raw), 0, keys[place].pubkey, first + place, wiring.CHAIN_ID
        )
    rate, used = 0.0, float("inf")
    for _ in range(min(rounds, 3)):
        line = _Line(make)
        line.call(frame(_echo()))  # the application has begun
        before, started = _cpu(line.child), time.perf_counter()
        answers = line.call(bytes(framed), len(raws))
        rate = max(rate, len(raws) / (time.perf_counter() - started))
        used = min(used, (_cpu(line.child) - before) / len(raws))
        line.close()
        bad = {Response.FromString(answer).check_tx.log for answer in answers} - {""}
        if bad:
            raise RuntimeError(f"refused: {bad}")
    alone, verify_cpu = one_thread_rate(jobs[:500])
    return {
        "check_tx_per_second": round(rate),
        "verifications_per_second": round(alone),
        "check_tx_ratio": round(rate / alone, 2),
        "check_tx_cpu_us": round(1e6 * used),
        "verification_cpu_us": round(1e6 * verify_cpu),
        "check_tx_ratio_two_idle_cores": round(2 * verify_cpu / used, 2) if used else 0.0,
    }


def _echo() -> Any:
    request = Request()
    request.echo.message = "begin"
    return request


def _cpu(number: int) -> float:
    """Processor seconds of a process so far."""
    fields = Path(f"/proc/{number}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _flood(net: Net, per_sender: Sequence[list[bytes]], rate: float) -> None:
    """Send everything, each sender's in order and to one node; at a rate, or as quickly as it goes
    for 0. Raises: RuntimeError, when a node does not take one.
    """
    started = time.monotonic()
    with ThreadPoolExecutor(_LANES) as pool:
        lanes = []
        for lane in range(_LANES):
            port = net.pairs[lane % len(net.pairs)].home.rpc_port
            own = per_sender[lane::_LANES]
            lanes.append(pool.submit(_lane, own, port, started, rate / _LANES))
        for one in lanes:
            one.result()


def _lane(own: Sequence[list[bytes]], port: int, started: float, rate: float) -> None:
    """Send over one connection; as a URI, which costs the node a third of what JSON does."""
    client = http.client.HTTPConnection("127.0.0.1", port)
    sent = 0
    for position in range(len(own[0])):
        for sender in own:
            if rate:
                time.sleep(max(0.0, started + sent / rate - time.monotonic()))
            client.request("GET", f"/broadcast_tx_sync?tx=0x{sender[position].hex()}")
            answer = json.loads(client.getresponse().read())
            if answer.get("error") or answer["result"]["code"]:
                raise RuntimeError(str(answer)[:300])
            sent += 1
    client.close()


def _net(validators: int, count: int, rate: float) -> dict[str, Any]:
    """Signed payments through a net of validators."""
    binary = find_cometbft()
    keys = sender_keys("mldsa", _SENDERS)
    document = _genesis(keys, 0)
    first = len(document["app_state"]["accounts"]) - len(keys)
    payments = _payments(keys, count // len(keys), first, repeat_keys=False)
    with tempfile.TemporaryDirectory() as folder:
        homes = write_net(Path(folder), document, validators=validators, first_port=28_000)
        for home in homes:
            write_config(home, homes, block_time="1s")
        net = Net([Pair(home, binary, {"CMT_TX_INDEX_INDEXER": "null"}) for home in homes])
        net.start()
        try:
            if not net.wait_for(2, 120):
                raise RuntimeError(f"the net does not start: {net.heights()}")
            before, own = _children_cpu(net), time.process_time()
            started = time.monotonic()
            with RpcClient(homes[0].rpc) as client:
                base = client.height()
                _flood(net, payments, rate)
                sent = time.monotonic()
                blocks = _landed(client, base, sum(map(len, payments)))
                seconds, own = time.monotonic() - started, time.process_time() - own
                used = [now - then for now, then in zip(_children_cpu(net), before, strict=True)]
                rounds = _succeeded(client, base, blocks)
        finally:
            net.stop()
    return {
        "txs_per_second": round(count / seconds, 1),
        "seconds_from_last_sent_to_last_block": round(seconds - (sent - started), 1),
        "blocks": blocks,
        "rounds_above_0": rounds,
        "cpu_ms_a_tx_cometbft": round(1e3 * used[1] / count, 2),
        "cpu_ms_a_tx_apps": round(1e3 * used[0] / count, 2),
        "cpu_ms_a_tx_load": round(1e3 * own / count, 2),
        "txs_per_second_two_idle_cores": round(2 * count / (sum(used) + own), 1),
    }


def _children_cpu(net: Net) -> tuple[float, float]:
    """Processor seconds of the Apps and of the nodes so far."""
    sums = []
    for name in ("app", "node"):
        total = 0.0
        for pair in net.pairs:
            total += _cpu(getattr(pair, name).pid)
        sums.append(total)
    return sums[0], sums[1]


def _landed(client: RpcClient, base: int, expected: int) -> int:
    """Wait until all are in blocks that the App has run; how many blocks that took."""
    height, seen = base, 0
    end = time.monotonic() + 300
    while seen < expected:
        if time.monotonic() > end:
            raise RuntimeError(f"{seen} of {expected} in blocks")
        if int(client.http.call("abci_info")["response"]["last_block_height"]) <= height:
            time.sleep(0.05)
            continue
        height += 1
        bounds = {"minHeight": str(height), "maxHeight": str(height)}
        seen += int(client.http.call("blockchain", **bounds)["block_metas"][0]["num_txs"])
    return height - base


def _succeeded(client: RpcClient, base: int, blocks: int) -> int:
    """See that every payment succeeded; how many blocks took another round."""
    rounds = 0
    for height in range(base + 1, base + blocks + 1):
        for place, one in enumerate(client.block_results(height)["txs_results"] or ()):
            if int(one["code"]):
                raise RuntimeError(f"height {height}, payment {place} failed: {one['log']}")
        commit = client.http.call("commit", height=str(height))["signed_header"]["commit"]
        rounds += int(commit["round"] > 0)
    return rounds


def run(size: str) -> dict[str, Any]:
    """Figures of one run; ``load`` is the machine's before it began."""
    count, rounds, checks, seconds, rate, one_node = SIZES[size]
    figures: dict[str, Any] = {"load": round(os.getloadavg()[0], 1), "cores": os.cpu_count()}
    transport = _transport(count, rounds)
    figures |= {f"transport_ms_{name}": value for name, value in transport.items()}
    figures["transport_ms_proposer"] = round(sum(transport.values()), 1)
    figures |= _check_tx(checks, rounds)
    try:
        if one_node:
            found = _net(1, one_node, 0)
            figures |= {f"one_node_{name}": value for name, value in found.items()}
            found = _net(4, seconds * rate, rate)
            figures |= {f"four_validators_{name}": value for name, value in found.items()}
    except MissingCometBFT as error:
        figures["nets"] = str(error).splitlines()[0]
    figures["resident_mb"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
    return figures
