"""Refusals of the tasks contract."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender has another part in this task, or none; the text says who may."""

    def __init__(self, who: str) -> None:
        super().__init__(f"Unauthorized: only {who} may do this")


class TaskNotFound(ContractError):
    """There is no task with this id."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"Task {task_id} not found")


class ProviderNotFound(ContractError):
    """The registry does not know the provider."""

    def __init__(self, provider: str) -> None:
        super().__init__(f"Agent {provider} not found")


class ProviderInactive(ContractError):
    """The provider takes no tasks now."""

    def __init__(self, provider: str, status: str) -> None:
        super().__init__(f"Agent {provider} is {status}")


class SelfTask(ContractError):
    """Requester and provider are one account."""

    def __init__(self) -> None:
        super().__init__("An agent cannot give itself a task")


class WrongState(ContractError):
    """The task is in a state in which this cannot be done."""

    def __init__(self, task_id: str, state: str, action: str) -> None:
        super().__init__(f"Task {task_id} is {state}: {action} is not possible")


class DeadlinePassed(ContractError):
    """Nothing goes on after the deadline; ``expire_task`` refunds."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"Deadline of task {task_id} has passed")


class ApprovalTimedOut(ContractError):
    """The owner came too late; ``expire_task`` refunds."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"Approval of task {task_id} has timed out")


class NotDue(ContractError):
    """The task can still go on."""

    def __init__(self, task_id: str) -> None:
        super().__init__(f"Task {task_id} is not past its deadline")


class PriceChanged(ContractError):
    """The card asks for more than the requester agreed to."""

    def __init__(self, asked: int, offered: int, denom: str) -> None:
        super().__init__(f"Price changed: the card asks {asked}{denom}, offered {offered}{denom}")
        self.asked = asked
        self.offered = offered


class Underpaid(ContractError):
    """Less was attached than the price."""

    def __init__(self, price: int, paid: int, denom: str) -> None:
        super().__init__(f"Underpaid: the price is {price}{denom}, attached {paid}{denom}")
        self.price = price
        self.paid = paid


class WrongDenom(ContractError):
    """The price is in another denomination than the attached funds."""

    def __init__(self, wanted: str, given: str) -> None:
        super().__init__(f"Wrong denomination: the price is in {wanted}, attached {given}")


class OneCoinOnly(ContractError):
    """A task is paid in one denomination."""

    def __init__(self) -> None:
        super().__init__("Attach coins of one denomination only")


class NoFundsAccepted(ContractError):
    """Only ``create_task`` takes funds."""

    def __init__(self) -> None:
        super().__init__("This message takes no funds")


class ClientRefConflict(ContractError):
    """The sender used this reference for a task with another body."""

    def __init__(self, client_ref: str, task_id: str) -> None:
        super().__init__(f"client_ref {client_ref} belongs to {task_id}, which has another body")


class InvalidField(ContractError):
    """A field is out of bounds; the text says which and what is allowed."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"Invalid {field}: {why}")


class OwnAddress(ContractError):
    """Money that the contract paid to itself would belong to nobody."""

    def __init__(self) -> None:
        super().__init__("The tasks contract cannot be paid itself")


class NothingToWithdraw(ContractError):
    """No payment waits for the sender in this denomination."""

    def __init__(self, denom: str) -> None:
        super().__init__(f"Nothing to withdraw in {denom}")
