"""Reading what owners say: ids, names, prices, policies, topics."""

from chain.std import Api, MessageInfo, ascii_lower
from contracts.agent_registry_v1.error import (
    InvalidAgentId,
    InvalidPolicy,
    InvalidPrice,
    InvalidTopic,
    NonPayable,
    TooLarge,
)
from contracts.agent_registry_v1.msg import PriceModel, SpendingPolicy
from contracts.agent_registry_v1.state import PolicyRecord, PriceRecord

AMOUNT_MAX = (1 << 128) - 1
AMOUNT_DIGITS_MAX = 39
NAME_LENGTH_MAX = 128
METADATA_BYTES_MAX = 4_096
CAPABILITIES_MAX = 64
ID_LENGTH_MAX = 64
DENOM_LENGTH_MAX = 128
PERIOD_SECONDS_MAX = 31_536_000
ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-"
TOPIC_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789._-/"
DENOM_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/:._-"
#: Units of amsg that messages may speak in.
UNITS = {"amsg": 1, "umsg": 1_000_000_000_000, "msg": 1_000_000_000_000_000_000}
MODELS = ("per_task", "per_message", "per_hour", "subscription", "negotiable")
CW20 = "cw20:"


def refuse_funds(info: MessageInfo) -> None:
    """Nothing here takes funds. Raises: NonPayable."""
    if info.funds:
        raise NonPayable


def check_agent_id(agent_id: str) -> None:
    """Raises: InvalidAgentId."""
    if not 1 <= len(agent_id) <= ID_LENGTH_MAX or agent_id.strip(ID_CHARACTERS) != "":
        raise InvalidAgentId(agent_id)


def check_topic(topic: str) -> None:
    """Raises: InvalidTopic."""
    if not 1 <= len(topic) <= ID_LENGTH_MAX or topic.strip(TOPIC_CHARACTERS) != "":
        raise InvalidTopic(topic)


def check_sizes(name: str | None, metadata: bytes | None) -> None:
    """Raises: TooLarge."""
    if name is not None and len(name) > NAME_LENGTH_MAX:
        raise TooLarge("name", NAME_LENGTH_MAX)
    if metadata is not None and len(metadata) > METADATA_BYTES_MAX:
        raise TooLarge("metadata", METADATA_BYTES_MAX)


def check_capabilities(capabilities: tuple[str, ...]) -> None:
    """How many there are; ``agent_a2a_v1`` looks at the names. Raises: TooLarge."""
    if len(capabilities) > CAPABILITIES_MAX:
        raise TooLarge("capabilities", CAPABILITIES_MAX)
    for capability in capabilities:
        if len(capability) > ID_LENGTH_MAX:
            raise TooLarge("capability", ID_LENGTH_MAX)


def parse_amount(value: int | str) -> int | None:
    """An amount given as a JSON integer or decimal text; None when it is none."""
    if isinstance(value, str):
        if not 1 <= len(value) <= AMOUNT_DIGITS_MAX or value.strip("0123456789") != "":
            return None
        value = int(value)
    if value < 0 or value > AMOUNT_MAX:
        return None
    return value


def check_denom(api: Api, denom: str) -> bool:
    """Whether a denomination's name can be one."""
    if denom.startswith(CW20):
        api.addr_validate(denom.removeprefix(CW20))
        return True
    return 3 <= len(denom) <= DENOM_LENGTH_MAX and denom.strip(DENOM_CHARACTERS) == ""


def read_price(api: Api, given: PriceModel | None) -> PriceRecord | None:
    """A price as stored. Raises: InvalidPrice."""
    if given is None:
        return None
    price = parse_amount(given.price)
    if price is None:
        raise InvalidPrice("not a whole number below 2^128")
    model = ascii_lower(given.model)
    if model not in MODELS:
        raise InvalidPrice(f"unknown model {given.model}")
    if not check_denom(api, given.denom):
        raise InvalidPrice("not a denomination")
    unit = UNITS.get(given.denom)
    if unit is None:
        return PriceRecord(price=price, denom=given.denom, model=model)
    if price * unit > AMOUNT_MAX:
        raise InvalidPrice("not a whole number below 2^128")
    return PriceRecord(price=price * unit, denom="amsg", model=model)


def read_policy(api: Api, given: SpendingPolicy) -> PolicyRecord:
    """A policy as stored. Raises: InvalidPolicy."""
    if given.period_seconds < 1 or given.period_seconds > PERIOD_SECONDS_MAX:
        raise InvalidPolicy(f"period_seconds is 1 to {PERIOD_SECONDS_MAX}")
    if not check_denom(api, given.denom):
        raise InvalidPolicy("not a denomination")
    unit = UNITS.get(given.denom)
    factor = 1 if unit is None else unit
    limits: list[int | None] = []
    for limit in (given.per_tx_limit, given.per_period_limit):
        if limit is not None and limit * factor > AMOUNT_MAX:
            raise InvalidPolicy("a limit is above 2^128")
        limits.append(None if limit is None else limit * factor)
    return PolicyRecord(
        per_tx_limit=limits[0],
        per_period_limit=limits[1],
        period_seconds=given.period_seconds,
        denom=given.denom if unit is None else "amsg",
    )
