"""The counter and the messages on eth-tester with py-evm; each call is mined at once."""

import sys
from pathlib import Path

sys.path.insert(0, "benchmarks/others")
import _clock
import vyper
from eth_abi import encode
from eth_tester import EthereumTester, PyEVMBackend

#: with input: store(0, load(0) + 1); without: return load(0)
RUNTIME = "3615600f5760005460010160005500" + "5b60005460005260206000f3"
INIT = f"60{len(RUNTIME) // 2:02x}600c60003960{len(RUNTIME) // 2:02x}6000f3"
ARGUMENTS = ["address", "uint8", "bytes", "uint8", "uint64"]

tester = EthereumTester(PyEVMBackend())
accounts = tester.get_accounts()
sender = accounts[0]


def deploy(code: str) -> str:
    """The address of a new contract."""
    made = tester.send_transaction({"from": sender, "data": code, "gas": 5_000_000, "value": 0})
    return tester.get_transaction_receipt(made)["contract_address"]


address = deploy("0x" + INIT + RUNTIME)
call = {"from": sender, "to": address, "data": "0x01", "gas": 100_000, "value": 0}
read = {"from": sender, "to": address, "gas": 100_000}

source = Path("benchmarks/others/messages.vy").read_text()
built = vyper.compile_code(source, output_formats=["bytecode", "method_identifiers"])
messages = deploy(built["bytecode"])
selector = next(iter(built["method_identifiers"].values()))
for name, found in built["method_identifiers"].items():
    if name.startswith("send_message"):
        selector = found
body = encode(ARGUMENTS, [accounts[9], 0, b"hello", 50, 3600]).hex()
data = f"0x{int(selector, 16):08x}{body}"
sent = [0]


def send() -> None:
    """One message of the next sender."""
    sent[0] += 1
    who = accounts[sent[0] % 9]
    tester.send_transaction({"from": who, "to": messages, "data": data, "gas": 1_000_000})


_clock.report(lambda: tester.send_transaction(call), lambda: tester.call(read), send)
