"""What a proposer forces into a block: refused by honest nodes; where it is decided, it fails alike everywhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from abci_app import command
from nets import PATIENCE

from chain.abci.supervise import Net
from chain.app.devnet import dev_key
from chain.cli.log_cometbft import records_of
from chain.client.rpc import RpcClient
from chain.client.wallet import Wallet, funds
from chain.driver.log.record import BlockRecord
from chain.driver.log.replay import replay
from chain.tx.messages import MsgSend
from chain.wiring import replay_app

pytestmark = [pytest.mark.cometbft, pytest.mark.long]


def records(url: str, last: int) -> list[BlockRecord]:
    with RpcClient(url) as client:
        found = list(records_of(client, last=last))
    replay(found, replay_app())
    return [one for one in found if isinstance(one, BlockRecord)]


def pay(net: Net, index: int) -> None:
    """Send a payment; its outcome is looked up in the blocks, as the index has only one of two."""
    with RpcClient(net.pairs[index].home.rpc) as client:
        wallet = Wallet(dev_key("alice"), client)
        message = MsgSend(wallet.address, dev_key("bob").address, funds("1msg"))
        client.broadcast_sync(wallet.sign([message], 300_000))
        before = client.height()  # now, not before it was signed: blocks go on meanwhile
    assert net.wait_for(before + 5, PATIENCE)


def test_honest_nodes_refuse_a_forced_block_and_go_on(make_net: Callable[..., Net]) -> None:
    net = make_net(4, commands={"node0": command("force")}, block_time="200ms")
    pay(net, 1)
    with RpcClient(net.pairs[1].home.rpc) as client:
        last = client.height() + 6  # node0 had its turn
        assert net.wait_for(last + 1, PATIENCE)
    with RpcClient(net.pairs[0].home.rpc) as client:
        forcer = client.http.call("status")["validator_info"]["address"]
    found = records(net.pairs[1].home.rpc, last)
    assert all(len(set(one.block.txs)) == len(one.block.txs) <= 1 for one in found)
    assert [result.code for one in found for result in one.result.tx_results] == [0]
    assert forcer not in {one.header.proposer_address.hex().upper() for one in found}
    rounds = [one.last_commit.round for one in found]
    assert max(rounds) >= 1, "its turn was skipped"
    net.stop()


def test_forced_transactions_fail_alike_on_all_nodes(make_net: Callable[..., Net]) -> None:
    names = ["node0", "node1"]
    net = make_net(2, commands=dict.fromkeys(names, command("blind")), block_time="200ms")
    pay(net, 0)
    with RpcClient(net.pairs[0].home.rpc) as client:
        last = client.height()
    assert net.wait_for(last + 1, PATIENCE)
    chains = [records(pair.home.rpc, last) for pair in net.pairs]
    assert [one.result for one in chains[0]] == [one.result for one in chains[1]]
    codes = {
        (result.codespace, result.code) for one in chains[0] for result in one.result.tx_results
    }
    assert codes == {("", 0), ("sdk", 2), ("sdk", 21), ("sdk", 32)}
    net.stop()
