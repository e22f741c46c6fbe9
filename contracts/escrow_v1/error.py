"""Refusals of the escrow, with the texts of cw20-escrow; the last four are ours."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender may not do this."""

    def __init__(self) -> None:
        super().__init__("Unauthorized")


class NotInWhitelist(ContractError):
    """The escrow does not take this token."""

    def __init__(self) -> None:
        super().__init__("Only accepts tokens in the cw20_whitelist")


class Expired(ContractError):
    """Too late to approve; only a refund is left."""

    def __init__(self) -> None:
        super().__init__("Escrow is expired")


class EmptyBalance(ContractError):
    """Nothing was sent."""

    def __init__(self) -> None:
        super().__init__("Send some coins to create an escrow")


class AlreadyInUse(ContractError):
    """An open escrow has this id."""

    def __init__(self) -> None:
        super().__init__("Escrow id already in use")


class RecipientNotSet(ContractError):
    """There is nobody to pay."""

    def __init__(self) -> None:
        super().__init__("Recipient is not set")


class EscrowNotFound(ContractError):
    """No open escrow has this id."""

    def __init__(self) -> None:
        super().__init__("cw20_escrow::state::Escrow not found")


class TooManyAssets(ContractError):
    """An escrow holds and lists a bounded number of assets, so that it can always be paid out."""

    def __init__(self, assets_max: int) -> None:
        super().__init__(f"An escrow takes at most {assets_max} coins and {assets_max} tokens")
        self.assets_max = assets_max


class NotEnough(ContractError):
    """A partial release names more than the escrow holds."""

    def __init__(self, asset: str, held: int, asked: int) -> None:
        super().__init__(f"The escrow holds {held} of {asset}, asked for {asked}")
        self.held = held
        self.asked = asked


class NothingToRelease(ContractError):
    """A partial release names no amount."""

    def __init__(self) -> None:
        super().__init__("Name amounts above zero to release")


class OwnAddress(ContractError):
    """Money that the contract paid to itself would belong to nobody."""

    def __init__(self) -> None:
        super().__init__("The escrow contract cannot be paid itself")


class NothingToClaim(ContractError):
    """No money waits for the sender in this denomination."""

    def __init__(self, denom: str) -> None:
        super().__init__(f"Nothing to claim in {denom}")
