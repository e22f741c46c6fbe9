"""The counter as EVM code on eth-tester with py-evm; each call is mined at once."""

import sys

sys.path.insert(0, "benchmarks/others")
import _clock
from eth_tester import EthereumTester, PyEVMBackend

#: with input: store(0, load(0) + 1); without: return load(0)
RUNTIME = "3615600f5760005460010160005500" + "5b60005460005260206000f3"
INIT = f"60{len(RUNTIME) // 2:02x}600c60003960{len(RUNTIME) // 2:02x}6000f3"

tester = EthereumTester(PyEVMBackend())
sender = tester.get_accounts()[0]
made = tester.send_transaction(
    {"from": sender, "data": "0x" + INIT + RUNTIME, "gas": 1_000_000, "value": 0}
)
address = tester.get_transaction_receipt(made)["contract_address"]
call = {"from": sender, "to": address, "data": "0x01", "gas": 100_000, "value": 0}
read = {"from": sender, "to": address, "gas": 100_000}
_clock.report(lambda: tester.send_transaction(call), lambda: tester.call(read))
