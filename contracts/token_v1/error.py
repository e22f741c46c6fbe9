"""Refusals of the token, with the texts of cw20-base."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender may not do this."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


class CannotSetOwnAccount(ContractError):
    """An allowance for oneself."""

    def __init__(self) -> None:
        super().__init__("Cannot set to own account")


class InvalidExpiration(ContractError):
    """A new allowance that is already over."""

    def __init__(self) -> None:
        super().__init__("Invalid expiration value")


class Expired(ContractError):
    """The allowance is over."""

    def __init__(self) -> None:
        super().__init__("Allowance is expired")


class NoAllowance(ContractError):
    """The spender was never allowed anything."""

    def __init__(self) -> None:
        super().__init__("No allowance for this account")


class CannotExceedCap(ContractError):
    """The supply would pass the cap."""

    def __init__(self) -> None:
        super().__init__("Minting cannot exceed the cap")


class LogoTooBig(ContractError):
    """An embedded logo above 5 KiB."""

    def __init__(self) -> None:
        super().__init__("Logo binary data exceeds 5KB limit")


class InvalidXmlPreamble(ContractError):
    """An SVG that does not begin as XML."""

    def __init__(self) -> None:
        super().__init__("Invalid xml preamble for SVG")


class InvalidPngHeader(ContractError):
    """A PNG without PNG's eight bytes."""

    def __init__(self) -> None:
        super().__init__("Invalid png header")


class DuplicateInitialBalanceAddresses(ContractError):
    """One address twice among the first balances."""

    def __init__(self) -> None:
        super().__init__("Duplicate initial balance addresses")


class Overdrawn(ContractError):
    """More is taken than is there: a balance, an allowance or the supply."""

    def __init__(self) -> None:
        super().__init__("Overflow: Cannot Sub with given operands")


class AllowanceNotFound(ContractError):
    """There is no allowance to lower."""

    def __init__(self) -> None:
        super().__init__("type: cw20::query::AllowanceResponse; key: [...] not found")


class LogoNotFound(ContractError):
    """There is no embedded logo to download."""

    def __init__(self) -> None:
        super().__init__("logo not found")


class InvalidMetadata(ContractError):
    """Name, symbol, decimals or first supply are out of bounds; the text says which."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Generic error: {why}")


class InvalidMessage(ContractError):
    """A part of the message that is a choice names none, or two, of its variants."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"Error parsing into type {kind}: {why}")
