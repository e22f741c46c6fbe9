"""Messages of the tasks contract.

Amounts are integers of ``denom``: a native denomination, or ``cw20:<token contract>``. Times are
nanoseconds.
"""

from chain.std import U32, U64, Addr, Answer, Binary, Message, Timestamp, Uint128

# --- instantiate ----------------------------------------------------------------------------------


class InstantiateMsg(Message):
    """Whom to ask for agents, prices and spending policies, and who mirrors the messages."""

    admin: str
    registry_address: str
    a2a_address: str | None = None  # null: messages are not mirrored
    approval_timeout_seconds: int = 86_400
    deadline_default_seconds: int = 604_800
    deadline_max_seconds: int = 31_536_000
    content_max_bytes: int = 65_536  # params, input and result, each
    sweep_max: int = 20  # overdue tasks ended at the start of a block


# --- execute --------------------------------------------------------------------------------------


class CreateTask(Message):
    """Ask a provider for something and attach the price; what is above it comes back."""

    provider: str  # agent id
    skill: str
    params: object = None  # any JSON
    price: Uint128 | None = None  # what the requester agrees to; null: what the card asks
    deadline: Timestamp | None = None  # last moment at which the task is alive; null: the default
    client_ref: str | None = None  # the same again answers the same task
    context_id: str | None = None


class Receive(Message):
    """A CW20 token reports tokens; ``msg`` is ``{"create_task": {…}}``."""

    sender: Addr
    amount: Uint128
    msg: Binary


class AcceptTask(Message):
    """The provider starts: submitted → working."""

    task_id: str


class RequestInput(Message):
    """The provider asks the requester: working → input_required."""

    task_id: str
    question: object


class ProvideInput(Message):
    """The requester answers: input_required → working."""

    task_id: str
    input: object


class RequestApproval(Message):
    """The provider needs its own owner's word: working → auth_required."""

    task_id: str
    reason: str


class ApproveTask(Message):
    """The owner who was asked agrees: to the payment (→ submitted), or to the work (→ working)."""

    task_id: str


class DenyTask(Message):
    """The owner who was asked refuses: → failed, the requester is refunded."""

    task_id: str
    reason: str | None = None


class CompleteTask(Message):
    """The provider delivers: working → completed, the price goes to the provider.

    At least one of the three.
    """

    task_id: str
    content: object = None  # any JSON
    hash: str | None = None  # hex SHA-256 of a result kept elsewhere
    reference: str | None = None  # where it is kept


class FailTask(Message):
    """The provider gives up: → failed, the requester is refunded."""

    task_id: str
    error: str


class RejectTask(Message):
    """The provider declines before it accepted: submitted → rejected, the requester is refunded."""

    task_id: str
    reason: str | None = None


class CancelTask(Message):
    """The requester takes the task back, in any state that is not final.

    After acceptance the share of the card is due.
    """

    task_id: str
    reason: str | None = None


class ExpireTask(Message):
    """Anybody: end a task past its deadline, or one whose approval timed out.

    → failed, refunded.
    """

    task_id: str


class Withdraw(Message):
    """Fetch a payment that could not be delivered, here or to another address."""

    denom: str
    to: str | None = None


class UpdateConfig(Message):
    """Change what is given; the admin only. Tasks keep what held when they were created."""

    admin: str | None = None
    registry_address: str | None = None
    a2a_address: str | None = None  # the empty text removes it
    approval_timeout_seconds: int | None = None
    deadline_default_seconds: int | None = None
    deadline_max_seconds: int | None = None
    content_max_bytes: int | None = None
    sweep_max: int | None = None


EXECUTE = (
    CreateTask,
    Receive,
    AcceptTask,
    RequestInput,
    ProvideInput,
    RequestApproval,
    ApproveTask,
    DenyTask,
    CompleteTask,
    FailTask,
    RejectTask,
    CancelTask,
    ExpireTask,
    Withdraw,
    UpdateConfig,
)

#: What a token's hook may carry.
HOOK = (CreateTask,)

# --- migrate, sudo --------------------------------------------------------------------------------


class MigrateMsg(Message):
    """Same contract, equal or newer version."""


class BeginBlock(Message):
    """Start of a block: end tasks that are overdue, within ``sweep_max``."""


MIGRATE = MigrateMsg
SUDO = (BeginBlock,)

# --- query ----------------------------------------------------------------------------------------


class GetTask(Message):
    """One task with everything about it, or null."""

    task_id: str


class GetTaskByRef(Message):
    """The task a requester created under a ``client_ref``, or null."""

    requester: str
    client_ref: str


class ListTasks(Message):
    """Tasks, newest first, by requester or by provider or neither, and by state."""

    requester: str | None = None
    provider: str | None = None  # agent id
    state: str | None = None
    start_after: str | None = None  # task id
    limit: U32 | None = None


class TaskHistory(Message):
    """What happened to a task, oldest first."""

    task_id: str
    start_after: U64 | None = None  # number of an entry
    limit: U32 | None = None


class GetPrice(Message):
    """What a task would cost now, from the agent's card and price model."""

    provider: str
    skill: str


class SpendingStatus(Message):
    """An agent's spending policy and what its period has used."""

    agent: str  # its account


class Claimable(Message):
    """Payments that could not be delivered to an address."""

    address: str


class ListClaimable(Message):
    """All payments that could not be delivered."""

    start_after: tuple[str, str] | None = None  # address, denomination
    limit: U32 | None = None


class Held(Message):
    """What the contract owes in a denomination: open tasks and undelivered payments."""

    denom: str = "amsg"


class GetConfig(Message):
    """The configuration."""


QUERY = (
    GetTask,
    GetTaskByRef,
    ListTasks,
    TaskHistory,
    GetPrice,
    SpendingStatus,
    Claimable,
    ListClaimable,
    Held,
    GetConfig,
)

# --- answers --------------------------------------------------------------------------------------


class ResultView(Answer):
    """A delivered result."""

    content: object
    hash: str | None
    reference: str | None


class TaskView(Answer):
    """A task as queries show it."""

    task_id: str
    context_id: str | None
    requester: str
    requester_agent: str | None  # agent id of the requester, where it is one
    provider: str  # agent id
    provider_address: str
    skill: str
    params: object
    price: Uint128
    denom: str
    state: str  # submitted working input_required auth_required completed failed canceled rejected
    approval: str | None  # payment or work, while an owner is asked
    approver: str | None
    approval_deadline: Timestamp | None
    deadline: Timestamp
    overdue: bool  # it can only be ended: anybody may call expire_task
    cancellation_share_bps: int
    question: object
    input: object
    result: ResultView | None
    error: str | None
    paid: Uint128  # went to the provider
    refunded: Uint128  # went back to the requester
    client_ref: str | None
    created_at: Timestamp
    created_height: int
    updated_at: Timestamp


class TaskResponse(Answer):
    """One task, or null."""

    task: TaskView | None


class TasksResponse(Answer):
    """A page; ``next`` is the cursor where more remain."""

    tasks: tuple[TaskView, ...]
    next: str | None


class HistoryEntry(Answer):
    """One step of a task."""

    number: int
    action: str
    state: str
    actor: str
    at: Timestamp
    height: int
    detail: object


class HistoryResponse(Answer):
    """A page of steps."""

    entries: tuple[HistoryEntry, ...]
    next: int | None


class PriceResponse(Answer):
    """A price: from the card's skill, the card, the registry's price model, or none (free)."""

    price: Uint128
    denom: str
    source: str  # skill, card, price_model, none
    cancellation_share_bps: int


class SpendingStatusResponse(Answer):
    """Null policy: nothing binds. ``remaining`` is null where no period limit binds."""

    agent_id: str | None
    owner: str | None
    denom: str | None
    per_tx_limit: Uint128 | None
    per_period_limit: Uint128 | None
    period_seconds: int | None
    period_start: Timestamp | None
    period_end: Timestamp | None
    spent: Uint128
    remaining: Uint128 | None


class ClaimView(Answer):
    """One payment that waits."""

    address: str
    denom: str
    amount: Uint128


class ClaimableResponse(Answer):
    """Payments that wait; ``next`` is the cursor where more remain."""

    claims: tuple[ClaimView, ...]
    next: tuple[str, str] | None


class HeldResponse(Answer):
    """What is owed; the contract's balance is never below."""

    denom: str
    amount: Uint128


class ConfigResponse(Answer):
    """The configuration."""

    admin: str
    registry_address: str
    a2a_address: str | None
    approval_timeout_seconds: int
    deadline_default_seconds: int
    deadline_max_seconds: int
    content_max_bytes: int
    sweep_max: int


ANSWERS = {
    "get_task": TaskResponse,
    "get_task_by_ref": TaskResponse,
    "list_tasks": TasksResponse,
    "task_history": HistoryResponse,
    "get_price": PriceResponse,
    "spending_status": SpendingStatusResponse,
    "claimable": ClaimableResponse,
    "list_claimable": ClaimableResponse,
    "held": HeldResponse,
    "get_config": ConfigResponse,
}
