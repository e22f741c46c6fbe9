"""Processes that check signatures: the same answers, whatever happens to them, and no orphans."""

import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from importlib import import_module
from io import BytesIO

import msgspec
import pytest

from chain.crypto import workers as module
from chain.crypto.keys import Ed25519Key, MlDsa87Key, PubKey, Secp256k1Key
from chain.crypto.verify import InlineVerifier, SigJob, ThreadedVerifier, node_verifier
from chain.crypto.worker import serve
from chain.crypto.workers import Crew, Worker, WorkerDied

KEYS = (MlDsa87Key(bytes(32)), Secp256k1Key(b"\x01" * 32), Ed25519Key(bytes(32)))


def jobs_of(count, start=0):
    """Every third is wrong."""
    made = []
    for number in range(start, start + count):
        key, message = KEYS[number % 2 * 2], number.to_bytes(4, "big")
        signature = key.sign(message, b"c")
        made.append(SigJob(key.pubkey, message if number % 3 else b"no", signature, b"c"))
    return made


def expected(jobs):
    return InlineVerifier().verify_many(jobs)


@pytest.fixture
def verifier():
    made = ThreadedVerifier(2, processes=2, load=1)
    made.verify_many(jobs_of(4))
    assert made.started()
    yield made
    made.close()


def crew_of(verifier):
    return verifier._crew


def gone(pid, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rsplit(") ", 1)[1][0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_answers_are_those_of_the_caller_s_own_checks(verifier):
    jobs = [*jobs_of(90, 1000), SigJob(PubKey("rsa", b"x"), b"m", b"s")]
    jobs += [SigJob(key.pubkey, b"m", b"") for key in KEYS]
    assert verifier.verify_many(jobs) == expected(jobs)
    parts = [jobs[:1], [], jobs[1:40], jobs[40:]]
    assert list(verifier.verify_parts(parts)) == [expected(part) for part in parts]


def test_what_a_worker_proved_is_remembered_here(verifier):
    jobs = jobs_of(9, 2000)
    verifier.verify_many(jobs)
    for pid in crew_of(verifier).pids():
        os.kill(pid, signal.SIGKILL)
    good = [job for job, answer in zip(jobs, expected(jobs), strict=True) if answer]
    before = verifier.remembered()
    assert all(verifier.verify_many(good))
    assert verifier.remembered() == before


def test_killed_workers_are_replaced_by_checks_here_with_one_warning(verifier, caplog):
    caplog.set_level(logging.WARNING, "msgchain.verify")
    for pid in crew_of(verifier).pids():
        os.kill(pid, signal.SIGKILL)
    for start in (3000, 4000):
        jobs = jobs_of(70, start)
        assert verifier.verify_many(jobs) == expected(jobs)
    assert len(caplog.records) == 1
    assert crew_of(verifier).pids() == []


def test_a_worker_killed_at_work_proves_nothing(verifier):
    jobs = [job for job in jobs_of(900, 5000) if job.message == b"no"]
    pids = crew_of(verifier).pids()
    begun = verifier.verify_parts([jobs, jobs[:5]])
    time.sleep(0.01)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    assert list(begun) == [[False] * len(jobs), [False] * 5]


class _Pipe:
    """A process whose answers are made up."""

    def __init__(self, answer):
        self.stdin, self.stdout, self.answer = BytesIO(), BytesIO(answer), answer


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        (1).to_bytes(8, "big") + b"\1",
        (2).to_bytes(8, "big") + b"\1\1",
        (1).to_bytes(8, "big") + b"\1\2",
    ],
)
def test_an_answer_to_something_else_is_none(answer):
    worker = Worker.__new__(Worker)
    worker._process, worker._number = _Pipe(answer), 0
    with pytest.raises(WorkerDied):
        worker.verify(jobs_of(2))


def test_an_answer_in_full_is_taken():
    worker = Worker.__new__(Worker)
    worker._process, worker._number = _Pipe((1).to_bytes(8, "big") + b"\1\0"), 0
    assert worker.verify(jobs_of(2)) == [True, False]


def test_a_little_work_starts_no_process():
    made = node_verifier()
    for number in range(20):
        made.verify_many(jobs_of(1, number))
        made.verify_many(jobs_of(3, number))
    assert not made.started()
    made.close()


def test_where_no_process_starts_threads_check_with_one_warning(monkeypatch, caplog):
    monkeypatch.setattr(module.sys, "executable", "/nowhere/python")
    made = ThreadedVerifier(2, processes=1, load=1)
    jobs = jobs_of(20)
    assert made.verify_many(jobs) == expected(jobs)
    assert not made.started()
    assert made.verify_many(jobs_of(20, 50)) == expected(jobs_of(20, 50))
    assert len(caplog.records) == 1
    made.close()


def test_a_process_that_is_no_worker_is_refused(monkeypatch):
    monkeypatch.setattr(module.sys, "executable", "/bin/true")
    with pytest.raises(WorkerDied):
        Crew(1, expected)


def test_closing_ends_the_processes_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = ThreadedVerifier(2, processes=2, load=1)
        made.verify_many(jobs_of(4))
        made.started()
        pids = crew_of(made).pids()
        made.close()
        made.close()
        assert len(pids) == 2
        assert all(gone(pid) for pid in pids)


PARENT = """
    import sys, time
    from tests_jobs import jobs
    from chain.crypto.verify import ThreadedVerifier
    verifier = ThreadedVerifier(2, processes=1, load=1)
    verifier.verify_many(jobs)
    verifier.started()
    print(verifier._crew.pids()[0], flush=True)
    if sys.argv[1] == "wait":
        time.sleep(60)
"""


@pytest.mark.parametrize("how", ["exit", signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_ends_with_who_started_it(tmp_path, how):
    packed = msgspec.msgpack.encode(jobs_of(4))
    (tmp_path / "tests_jobs.py").write_text(
        "import msgspec\nfrom chain.crypto.verify import SigJob\n"
        f"jobs = msgspec.msgpack.decode({packed!r}, type=list[SigJob])\n"
    )
    (tmp_path / "parent.py").write_text(textwrap.dedent(PARENT))
    parent = subprocess.Popen(
        [sys.executable, "-Werror", tmp_path / "parent.py", "exit" if how == "exit" else "wait"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([module._ROOT, str(tmp_path)])},
    )
    pid = int(parent.stdout.readline())
    if how != "exit":
        parent.send_signal(how)
    _, errors = parent.communicate(timeout=20)
    assert gone(pid)
    assert how == signal.SIGINT or errors == b""


def test_a_worker_serves_until_its_input_ends():
    jobs = jobs_of(3)
    body = (7).to_bytes(8, "big") + msgspec.msgpack.encode(jobs)
    frame = len(body).to_bytes(4, "big") + body
    source, target = os.pipe()
    serve(BytesIO(frame + frame[:-1]), target)
    os.close(target)
    with os.fdopen(source, "rb") as answers:
        found = answers.read()
    assert found == b"+" + (7).to_bytes(8, "big") + bytes(expected(jobs))


def test_a_quick_start_does_without_the_code_of_workers():
    code = "import chain.crypto.verify, sys; print('chain.crypto.workers' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": module._ROOT}
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env)
    assert out.stdout.strip() == b"False"
    assert import_module("chain.crypto.workers") is module
