"""What a provider asks: by its card, else by the registry's price model, else nothing.

The card is the provider's own text, so nothing in it may stop a task: what cannot be read counts as
not said.
"""

from chain.std import ContractError, Deps, Record, decode
from contracts.agent_registry_v1.msg import Agent, AgentResponse, CardResponse
from contracts.agent_tasks_v1.error import ProviderInactive, ProviderNotFound

#: The extension of our cards (``chain.client.card``) that carries prices, share and payee.
PAYMENT_EXTENSION = "urn:msgchain:a2a:payment:v1"
#: Share of the price in hundredths of a per cent.
SHARE_WHOLE_BPS = 10_000
AMSG_DECIMALS = 18
#: 128-bit amounts have at most 39 digits.
DIGITS_MAX = 39
AMOUNT_MAX = (1 << 128) - 1
DIGITS = "0123456789"


class Price(Record):
    """An amount, where it was found, and the provider's share when a task is canceled."""

    amount: int
    denom: str
    source: str
    cancellation_share_bps: int


def load_provider(deps: Deps, registry_addr: str, provider: str) -> Agent:
    """The provider as the registry knows it; it must be active."""
    answer: AgentResponse = deps.querier.query_wasm_smart(
        registry_addr, {"get_agent": {"agent_id": provider}}, AgentResponse
    )
    if answer.agent is None:
        raise ProviderNotFound(provider)
    if answer.agent.status != "active":
        raise ProviderInactive(provider, answer.agent.status)
    return answer.agent


def load_price(deps: Deps, registry_addr: str, agent: Agent, skill: str) -> Price:
    """What this skill of this agent costs now."""
    card = load_card(deps, registry_addr, agent.agent_id)
    extension = payment_params(card)
    share = share_of(extension)
    denom = text_of(extension, "denom") or "amsg"
    by_skill = whole_amount(part_of(extension, "pricing").get(skill))
    if by_skill is not None:
        return Price(by_skill, denom, "skill", share)
    default = whole_amount(extension.get("price"))
    if default is not None:
        return Price(default, denom, "card", share)
    listed = listed_price(card, skill)
    if listed is not None:
        return listed
    model = agent.price_model
    if model is not None:
        amount = whole_amount(model.price)
        if amount is not None:
            return Price(amount, model.denom, "price_model", share)
    return Price(0, "amsg", "none", share)


def load_card(deps: Deps, registry_addr: str, agent_id: str) -> dict[str, object]:
    """The stored card as JSON, or an empty object."""
    answer: CardResponse = deps.querier.query_wasm_smart(
        registry_addr, {"get_card": {"agent_id": agent_id}}, CardResponse
    )
    if answer.card is None:
        return {}
    try:
        card = decode(answer.card.card)
    except ContractError:
        return {}
    return card if isinstance(card, dict) else {}


def payment_params(card: dict[str, object]) -> dict[str, object]:
    """``params`` of the card's payment extension, or an empty object."""
    extensions = part_of(card, "capabilities").get("extensions")
    if isinstance(extensions, list):
        for extension in extensions:
            if isinstance(extension, dict) and extension.get("uri") == PAYMENT_EXTENSION:
                return part_of(extension, "params")
    return {}


def listed_price(card: dict[str, object], skill: str) -> Price | None:
    """The binding's fields: ``skills[n].x-lez-price`` before ``x-lez-price``, decimal MSG."""
    skills = card.get("skills")
    if isinstance(skills, list):
        for entry in skills:
            if isinstance(entry, dict) and entry.get("id") == skill:
                amount = decimal_amount(entry.get("x-lez-price"))
                if amount is not None:
                    return Price(amount, "amsg", "skill", 0)
    amount = decimal_amount(card.get("x-lez-price"))
    return None if amount is None else Price(amount, "amsg", "card", 0)


def part_of(value: dict[str, object], key: str) -> dict[str, object]:
    """An object inside an object; anything else is empty."""
    part = value.get(key)
    return part if isinstance(part, dict) else {}


def text_of(value: dict[str, object], key: str) -> str | None:
    """A text inside an object, or nothing."""
    text = value.get(key)
    return text if isinstance(text, str) and text != "" else None


def share_of(extension: dict[str, object]) -> int:
    """The cancellation share, 0 to 10,000; anything else is 0."""
    share = extension.get("cancellation_share_bps")
    if isinstance(share, bool) or not isinstance(share, int):
        return 0
    return share if 0 <= share <= SHARE_WHOLE_BPS else 0


def whole_amount(value: object) -> int | None:
    """An integer, or its decimal text, that fits 128 bits."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 <= value <= AMOUNT_MAX else None
    if not isinstance(value, str) or not is_number(value):
        return None
    amount = int(value)
    return amount if amount <= AMOUNT_MAX else None


def decimal_amount(value: object) -> int | None:
    """Decimal MSG as ``amsg``: ``"5.0"`` is 5 × 10^18. More than 18 places is nothing."""
    if not isinstance(value, str):
        return None
    whole, point, places = value.partition(".")
    if not is_number(whole) or (point != "" and not is_number(places)):
        return None
    if len(places) > AMSG_DECIMALS:
        return None
    amount = int(whole + places + "0" * (AMSG_DECIMALS - len(places)))
    return amount if amount <= AMOUNT_MAX else None


def is_number(text: str) -> bool:
    """One to 39 ASCII digits."""
    if text == "" or len(text) > DIGITS_MAX:
        return False
    return len([letter for letter in text if letter in DIGITS]) == len(text)


def decimal_text(amount: int) -> str:
    """``amsg`` as decimal MSG, without needless zeros."""
    digits = str(amount)
    padded = "0" * (AMSG_DECIMALS + 1 - len(digits)) + digits
    whole = padded[: len(padded) - AMSG_DECIMALS]
    places = padded[len(padded) - AMSG_DECIMALS :].rstrip("0")
    return f"{whole}.{places}" if places else whole
