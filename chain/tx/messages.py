"""Every message a transaction can carry, as frozen values (CH-10), and the developer messages of a
devnet.

A class is at the same time the record that the native codec reads and writes: an array whose first
element is the short tag. ``TYPE_URL`` is its name on the Cosmos side and in events, ``signer`` who
must have signed it. Amounts, addresses and denominations are as sent: what they mean is checked
where they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Final

import msgspec

if TYPE_CHECKING:
    Amount = int
else:

    class Amount(int):
        """An integer of any size; decimal text on the native wire, because MessagePack integers end
        at 64 bits.
        """

        __slots__ = ()


CodeId = Annotated[int, msgspec.Meta(ge=0)]


class Wire(
    msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False
):
    """Base of the parts of messages: fields in order, nothing optional left out."""


class Coin(Wire, frozen=True):
    """An amount of one denomination, as sent (``amsg``, ``umsg``, ``msg`` or any other; the sign
    too).
    """

    denom: str
    amount: Amount


class OddCoin(Coin, frozen=True):
    """A coin from a Cosmos transaction whose amount was not written in its shortest form (``0100``,
    ``+5``).
    """

    text: str


Coins = tuple[Coin, ...]


class AccessConfig(Wire, frozen=True):
    """Who may instantiate a code: 1 nobody, 3 everybody, 4 any of the addresses (0 is
    unspecified).
    """

    permission: int
    addresses: tuple[str, ...] = ()


class Transfer(Wire, frozen=True):
    """One side of a multi-send."""

    address: str
    coins: Coins


class ValidatorChange(Wire, frozen=True):
    """A validator's new power (0 removes it) and the account that receives its share of fees."""

    pubkey_type: str
    pubkey: bytes
    power: int
    payout: str = ""


class Msg(Wire, frozen=True):
    """Base of all messages."""

    TYPE_URL: ClassVar[str] = ""
    MODULE: ClassVar[str] = ""

    @property
    def signer(self) -> str:
        """The account that must have signed."""
        return ""

    @property
    def signers(self) -> tuple[str, ...]:
        """All accounts that must have signed; one, except for a multi-send with several inputs."""
        return (self.signer,)


class _Sent(Msg, frozen=True):
    sender: str

    @property
    def signer(self) -> str:
        """The sender."""
        return self.sender


class _Authorised(Msg, frozen=True):
    authority: str

    @property
    def signer(self) -> str:
        """The governance authority."""
        return self.authority


class MsgSend(Msg, frozen=True, tag="send"):
    """Move coins from one account to another."""

    TYPE_URL: ClassVar[str] = "/cosmos.bank.v1beta1.MsgSend"
    MODULE: ClassVar[str] = "bank"

    from_address: str
    to_address: str
    amount: Coins

    @property
    def signer(self) -> str:
        """The payer."""
        return self.from_address


class MsgMultiSend(Msg, frozen=True, tag="multi_send"):
    """Move coins from one account to several; more than one input decodes, and is refused later."""

    TYPE_URL: ClassVar[str] = "/cosmos.bank.v1beta1.MsgMultiSend"
    MODULE: ClassVar[str] = "bank"

    inputs: tuple[Transfer, ...]
    outputs: tuple[Transfer, ...]

    @property
    def signer(self) -> str:
        """The first payer, or nothing."""
        return self.inputs[0].address if self.inputs else ""

    @property
    def signers(self) -> tuple[str, ...]:
        """Every payer."""
        return tuple([entry.address for entry in self.inputs])


class MsgStoreCode(_Sent, frozen=True, tag="store"):
    """Register a contract the node knows; the bytes are ``msgchain:<name>@<sha256>``."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgStoreCode"
    MODULE: ClassVar[str] = "wasm"

    wasm_byte_code: bytes
    instantiate_permission: AccessConfig | None = None


class MsgInstantiateContract(_Sent, frozen=True, tag="instantiate"):
    """Create a contract at the next counted address."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgInstantiateContract"
    MODULE: ClassVar[str] = "wasm"

    admin: str
    code_id: CodeId
    label: str
    msg: bytes
    funds: Coins = ()


class MsgInstantiateContract2(_Sent, frozen=True, tag="instantiate2"):
    """Create a contract at an address that follows from code, creator and salt."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgInstantiateContract2"
    MODULE: ClassVar[str] = "wasm"

    admin: str
    code_id: CodeId
    label: str
    msg: bytes
    funds: Coins
    salt: bytes
    fix_msg: bool = False


class MsgExecuteContract(_Sent, frozen=True, tag="execute"):
    """Call a contract."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgExecuteContract"
    MODULE: ClassVar[str] = "wasm"

    contract: str
    msg: bytes
    funds: Coins = ()


class MsgMigrateContract(_Sent, frozen=True, tag="migrate"):
    """Give a contract another code."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgMigrateContract"
    MODULE: ClassVar[str] = "wasm"

    contract: str
    code_id: CodeId
    msg: bytes


class MsgUpdateAdmin(_Sent, frozen=True, tag="update_admin"):
    """Give a contract another admin."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgUpdateAdmin"
    MODULE: ClassVar[str] = "wasm"

    contract: str
    new_admin: str


class MsgClearAdmin(_Sent, frozen=True, tag="clear_admin"):
    """Leave a contract without admin for good."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgClearAdmin"
    MODULE: ClassVar[str] = "wasm"

    contract: str


class MsgUpdateContractLabel(_Sent, frozen=True, tag="update_label"):
    """Give a contract another label."""

    TYPE_URL: ClassVar[str] = "/cosmwasm.wasm.v1.MsgUpdateContractLabel"
    MODULE: ClassVar[str] = "wasm"

    contract: str
    new_label: str


class MsgAuthorityOnly(Msg, frozen=True, tag="authority_only"):
    """A message of wasmd that only its governance may send (pin codes, sudo, module parameters).

    It decodes so that the refusal names the authority, as wasmd's does; there is nothing behind it
    here. Its ``type_url`` is an instance field because several Cosmos types share the class.
    """

    MODULE: ClassVar[str] = "gov"

    type_url: str
    module: str
    authority: str

    @property
    def signer(self) -> str:
        """Whoever claims to be the authority."""
        return self.authority


ParamValue = bool | int | str | tuple[str, ...] | dict[str, str]


class MsgUpdateParams(_Authorised, frozen=True, tag="update_params"):
    """Change chain parameters by name; only the named ones."""

    TYPE_URL: ClassVar[str] = "/msgchain.gov.v1.MsgUpdateParams"
    MODULE: ClassVar[str] = "gov"

    params: dict[str, ParamValue]


class MsgMint(_Authorised, frozen=True, tag="mint"):
    """Create coins."""

    TYPE_URL: ClassVar[str] = "/msgchain.gov.v1.MsgMint"
    MODULE: ClassVar[str] = "gov"

    to_address: str
    amount: Coins


class MsgUpdateValidators(_Authorised, frozen=True, tag="update_validators"):
    """Change the validator set."""

    TYPE_URL: ClassVar[str] = "/msgchain.gov.v1.MsgUpdateValidators"
    MODULE: ClassVar[str] = "gov"

    updates: tuple[ValidatorChange, ...]


# --- developer messages (devnet only, unsigned) -------------------------------------------------


class DevFund(Msg, frozen=True, tag="dev_fund"):
    """Create coins in an account."""

    TYPE_URL: ClassVar[str] = "/msgchain.dev.v1.DevFund"
    MODULE: ClassVar[str] = "dev"

    address: str
    amount: Coins


class DevSudo(Msg, frozen=True, tag="dev_sudo"):
    """Call a contract's ``sudo``."""

    TYPE_URL: ClassVar[str] = "/msgchain.dev.v1.DevSudo"
    MODULE: ClassVar[str] = "dev"

    contract: str
    msg: bytes


class DevSetParams(Msg, frozen=True, tag="dev_set_params"):
    """Change chain parameters by name."""

    TYPE_URL: ClassVar[str] = "/msgchain.dev.v1.DevSetParams"
    MODULE: ClassVar[str] = "dev"

    params: dict[str, ParamValue]


class DevTime(Msg, frozen=True, tag="dev_time"):
    """State the time of the block; the driver that warped the clock leaves this in the log
    (nanoseconds).
    """

    TYPE_URL: ClassVar[str] = "/msgchain.dev.v1.DevTime"
    MODULE: ClassVar[str] = "dev"

    time_ns: int


class DevHeight(Msg, frozen=True, tag="dev_height"):
    """State the height of the block, as ``DevTime`` does for the time."""

    TYPE_URL: ClassVar[str] = "/msgchain.dev.v1.DevHeight"
    MODULE: ClassVar[str] = "dev"

    height: int


SignedMessage = (
    MsgSend
    | MsgMultiSend
    | MsgStoreCode
    | MsgInstantiateContract
    | MsgInstantiateContract2
    | MsgExecuteContract
    | MsgMigrateContract
    | MsgUpdateAdmin
    | MsgClearAdmin
    | MsgUpdateContractLabel
    | MsgUpdateParams
    | MsgMint
    | MsgUpdateValidators
)


class DevExecute(Msg, frozen=True, tag="dev_execute"):
    """Run messages as their senders, without signatures."""

    TYPE_URL: ClassVar[str] = "/msgchain.dev.v1.DevExecute"
    MODULE: ClassVar[str] = "dev"

    messages: tuple[SignedMessage, ...]


DevMessage = DevFund | DevSudo | DevSetParams | DevExecute | DevTime | DevHeight

#: The messages of native and Cosmos transactions; MsgAuthorityOnly exists in Cosmos ones only.
SIGNED: Final = (
    MsgSend,
    MsgMultiSend,
    MsgStoreCode,
    MsgInstantiateContract,
    MsgInstantiateContract2,
    MsgExecuteContract,
    MsgMigrateContract,
    MsgUpdateAdmin,
    MsgClearAdmin,
    MsgUpdateContractLabel,
    MsgUpdateParams,
    MsgMint,
    MsgUpdateValidators,
)
#: The messages of developer transactions.
DEV: Final = (DevFund, DevSudo, DevSetParams, DevExecute, DevTime, DevHeight)


def type_url(message: Msg) -> str:
    """The name of a message in events and on the Cosmos side."""
    if isinstance(message, MsgAuthorityOnly):
        return message.type_url
    return message.TYPE_URL
