"""One call: how it ends is asked of the meter, and host errors never show (TX-4, GAS-8)."""

from __future__ import annotations

import pytest

from chain.errors import ContractError, InvariantViolation, VmError
from chain.gas import GasMeter, OutOfGas
from chain.std import Deps, Message, Response
from chain.vm.call import Caller
from chain.vm.contract import Contract


class Add(Message):
    """A variant."""

    by: int


def run(execute, msg=b"{}", meter=None, **parts):
    contract = Contract(name="c", execute=execute, **parts)
    return Caller().enter(contract, "execute", (None, None, None), msg, meter or GasMeter(10**6))


def test_a_response_comes_back():
    assert type(run(lambda *args: Response())) is Response


def test_messages_are_decoded_by_type():
    seen = []
    run(
        lambda d, e, i, msg: seen.append(msg) or Response(), b'{"add":{"by":2}}', execute_msg=(Add,)
    )
    run(lambda d, e, i, msg: seen.append(msg) or Response(), b'{"by":3}', execute_msg=Add)
    run(lambda d, e, i, msg: seen.append(msg) or Response(), b'{"x":[1]}')
    assert seen == [Add(2), Add(3), {"x": [1]}]


def test_a_message_that_does_not_fit_is_the_contracts_refusal():
    with pytest.raises(ContractError, match="Error parsing into type ExecuteMsg: unknown variant"):
        run(lambda *args: Response(), b'{"nope":{}}', execute_msg=(Add,))


@pytest.mark.parametrize("found", [None, {}, "text", b"", 5])
def test_TX_4_anything_but_a_response_is_a_vm_error(found):
    with pytest.raises(VmError):
        run(lambda *args: found)


def test_TX_4_a_bug_is_a_vm_error_without_its_words():
    bugs = []
    caller = Caller(lambda contract, entry, error: bugs.append((contract.name, entry, error)))

    def execute(*args):
        raise KeyError("secret 0x7f")

    with pytest.raises(VmError) as caught:
        caller.enter(Contract(name="c", execute=execute), "execute", (), b"{}", GasMeter(10**6))
    assert "secret" not in caught.value.log
    assert (bugs[0][0], bugs[0][1], type(bugs[0][2])) == ("c", "execute", KeyError)


def test_a_missing_entry_point_is_a_vm_error():
    with pytest.raises(VmError, match="Missing export migrate"):
        Caller().enter(Contract(name="c"), "migrate", (), b"{}", GasMeter(10**6))


def test_swallowing_out_of_gas_does_not_help():
    meter = GasMeter(100)

    def execute(*args):
        try:
            meter.consume(200, "work")
        except BaseException:
            return Response()

    with pytest.raises(OutOfGas):
        run(execute, meter=meter)


def test_GAS_8_exactly_the_limit_is_out_of_gas():
    meter = GasMeter(100)

    def execute(*args):
        meter.consume(100, "work")
        return Response()

    with pytest.raises(OutOfGas):
        run(execute, meter=meter)


def test_an_invariant_violation_is_nobodys_to_catch():
    def execute(*args):
        raise InvariantViolation("broken")

    with pytest.raises(InvariantViolation):
        run(execute)


def test_query_answers_are_encoded_or_taken_as_they_stand():
    def ask(found):
        contract = Contract(name="c", query=lambda deps, env, msg: found)
        return Caller().query(contract, Deps(None, None, None), None, b"{}", GasMeter(10**6))

    assert ask({"a": 1}) == b'{"a":1}'
    assert ask(b"raw") == b"raw"
    with pytest.raises((VmError, ContractError)):
        ask(object())
