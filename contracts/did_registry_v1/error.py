"""Refusals of the DID registry."""

from chain.std import ContractError


class Unauthorized(ContractError):
    """The sender is not the controller, or has no document."""

    def __init__(self) -> None:
        super().__init__("Unauthorized: sender is not the controller")


class NonPayable(ContractError):
    """Funds came with a message; they would stay here for ever."""

    def __init__(self) -> None:
        super().__init__("This message does no accept funds")


class InvalidDid(ContractError):
    """Not ``did:msg:agent:<id>``."""

    def __init__(self, did: str) -> None:
        super().__init__(f"Invalid DID: {did}")


class DidNotFound(ContractError):
    """No such document."""

    def __init__(self, did: str) -> None:
        super().__init__(f"DID not found: {did}")


class DidAlreadyExists(ContractError):
    """The DID was created before; also when it was deactivated since."""

    def __init__(self, did: str) -> None:
        super().__init__(f"DID already exists: {did}")


class DidDeactivated(ContractError):
    """A deactivated document never changes again."""

    def __init__(self, did: str) -> None:
        super().__init__(f"DID is deactivated: {did}")


class AddressAlreadyBound(ContractError):
    """The account has a live document."""

    def __init__(self, did: str) -> None:
        super().__init__(f"Address already has a DID: {did}")


class InvalidKey(ContractError):
    """A key that is malformed, doubled, of an unknown kind, or under a relation it cannot serve."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid key: {why}")


class KeyNotFound(ContractError):
    """The document has no such key."""

    def __init__(self, key_id: str) -> None:
        super().__init__(f"Key not found: {key_id}")


class InvalidService(ContractError):
    """A service that is malformed or doubled, or an AgentEndpoint elsewhere than the account."""

    def __init__(self, why: str) -> None:
        super().__init__(f"Invalid service: {why}")


class TooMany(ContractError):
    """More keys or services than the limit."""

    def __init__(self, what: str, count_max: int) -> None:
        super().__init__(f"Too many {what}: max {count_max}")


class InvalidNonce(ContractError):
    """Not a nonce."""

    def __init__(self) -> None:
        super().__init__("Invalid nonce: 1 to 64 characters of A-Z a-z 0-9 . _ -")


class NonceUsed(ContractError):
    """The challenger used this nonce before."""

    def __init__(self) -> None:
        super().__init__("Nonce already used")


class InvalidRelation(ContractError):
    """Not a relation that verifies."""

    def __init__(self, relation: str) -> None:
        super().__init__(f"Invalid verification relation: {relation}")


class InvalidTtl(ContractError):
    """A lifetime of a challenge out of bounds."""

    def __init__(self, ttl_max: int) -> None:
        super().__init__(f"Invalid TTL: 1 to {ttl_max} seconds")


class ChallengeNotFound(ContractError):
    """No such challenge."""

    def __init__(self, challenge_id: str) -> None:
        super().__init__(f"Challenge not found: {challenge_id}")


class ChallengeExpired(ContractError):
    """Block time is past the challenge's end."""

    def __init__(self) -> None:
        super().__init__("Challenge has expired")


class ChallengeAnswered(ContractError):
    """The challenge was answered before."""

    def __init__(self) -> None:
        super().__init__("Challenge already answered")


class DidVerificationFailed(ContractError):
    """The response does not prove control of the document's key."""

    def __init__(self) -> None:
        super().__init__("DID verification failed")


class UnknownAlgorithm(ContractError):
    """Not an algorithm of signatures here."""

    def __init__(self, algorithm: str) -> None:
        super().__init__(f"Unknown algorithm: {algorithm}")


class InvalidCursor(ContractError):
    """``start_after`` is no id of this listing."""

    def __init__(self) -> None:
        super().__init__("Invalid start_after")


class InvalidLimit(ContractError):
    """A configured limit out of its bounds."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid limit: {name}")
