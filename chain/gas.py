"""The gas meter and the one price table.

Units: SDK gas, as transactions speak of it. Source of each price: cosmos-sdk
``store/types/gas.go`` ("sdk"), wasmd ``x/wasm/types/gas_register.go`` ("wasmd"), or "ours" with
the reason.
"""

from __future__ import annotations

from typing import Final

# --- key-value store (sdk, GAS-1: bytes are key plus value) -------------------------------------
KV_HAS: Final = 1_000  # flat
KV_DELETE: Final = 1_000  # flat
KV_READ: Final = 1_000  # flat
KV_READ_BYTE: Final = 3  # per byte of key and value; a missing key pays for the key
KV_WRITE: Final = 2_000  # flat
KV_WRITE_BYTE: Final = 30  # per byte of key and value
KV_ITER_NEXT: Final = 30  # per step; GAS-3: the first entry is paid at creation and again when left
KV_ITER_BYTE: Final = 3  # per byte of key and value

# --- contract calls (wasmd) ---------------------------------------------------------------------
INSTANCE: Final = 60_000  # first call of a code (by checksum) in a transaction
INSTANCE_DISCOUNT: Final = 2_000  # every later call, and replies (GAS-5, GAS-6)
COMPILE_BYTE: Final = 3  # per byte of source at upload
UNCOMPRESS: Final = (15, 100)  # per byte of what comes compressed: 0.15, rounded down in all
VM_GAS: Final = 140_000  # VM gas in one SDK gas; what is less than one is free
EVENT_ATTRIBUTE: Final = 10  # per attribute of the response and of custom events
EVENT: Final = 20  # per custom event
EVENT_BYTE: Final = 1  # per byte of attribute keys and values beyond the free tier, and of types
EVENT_FREE_BYTES: Final = 100  # per response
RESULT_BYTE: Final = 1  # per byte of the contract's result, for parsing it
CONTRACT_MSG_BYTE: Final = 0  # per byte of the message handed to the contract
HUMANIZE: Final = 5
CANONICALIZE: Final = 4
VALIDATE: Final = 9
VALIDATE_FAILED: Final = 4
SMART_QUERY_LIMIT: Final = 100_000_000  # ours: default of the parameter (CH-6); wasmd: 3,000,000

# --- signatures ---------------------------------------------------------------------------------
SIG_SECP256K1: Final = 1_000  # sdk x/auth SigVerifyCostSecp256k1
SIG_ED25519: Final = 590  # sdk x/auth SigVerifyCostED25519
SIG_ML_DSA_87: Final = 4_000  # ours: four secp256k1 checks, as measured
TX_SIZE_BYTE: Final = 10  # sdk x/auth TxSizeCostPerByte
VM_SECP256K1: Final = 96_000_000 // VM_GAS  # wasmd
VM_ED25519: Final = 35_000_000 // VM_GAS
VM_ML_DSA_87: Final = 2_743  # ours: four times the secp256k1 price in the VM

# --- compute (ours, CH-6) -----------------------------------------------------------------------
STEPS_PER_GAS: Final = 10  # instrumented steps (loop turns, calls, sizes) that cost one gas


def uncompress_cost(size: int) -> int:
    """Gas of unpacking so many compressed bytes."""
    if size < 0:
        raise ValueError("negative length")
    price, over = UNCOMPRESS
    return size * price // over


class OutOfGas(BaseException):
    """The meter is exhausted. Derives from ``BaseException`` so that contracts do not catch it by
    accident.
    """

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class GasMeter:
    """Counts gas against a limit and stays exhausted once it is.

    ``used`` keeps what was consumed also past the limit, as the SDK's meter does, so every later
    charge raises again and the engine asks the meter, not the exception, how a call ended.
    """

    __slots__ = ("limit", "steps", "used")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.used = 0
        self.steps = 0

    @property
    def exhausted(self) -> bool:
        """Whether a charge ever exceeded the limit."""
        return self.used > self.limit

    @property
    def remaining(self) -> int:
        """Gas left, never negative."""
        return max(0, self.limit - self.used)

    def consume(self, amount: int, what: str) -> None:
        """Charge ``amount`` gas. Raises: OutOfGas when the total passes the limit (GAS-8), and ever
        after.
        """
        self.used += amount
        if self.used > self.limit:
            raise OutOfGas(what)

    def step(self, count: int) -> None:
        """Charge compute steps; each ``STEPS_PER_GAS`` of them is one gas, the rest is carried."""
        total = self.steps + count
        if total < STEPS_PER_GAS:
            self.steps = total
            return
        self.steps = total % STEPS_PER_GAS
        self.used += total // STEPS_PER_GAS
        if self.used > self.limit:
            raise OutOfGas("compute")
