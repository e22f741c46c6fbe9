"""Signatures against documents."""

from chain.std import Api, Storage
from contracts.did_registry_v1.document import find_key
from contracts.did_registry_v1.keys import check_signature, fragment_of
from contracts.did_registry_v1.state import DOCUMENTS, Document, KeyRecord

#: A verification method looked up: its DID, the document, the key if the document has it.
Method = tuple[str, Document, KeyRecord | None]


def find_method(storage: Storage, verification_method: str) -> Method | None:
    """What ``<did>#<key>`` names; None where the DID is unknown."""
    did, hash_sign, fragment = verification_method.partition("#")
    if hash_sign == "":
        return None
    document = DOCUMENTS.may_load(storage, did)
    if document is None:
        return None
    return (did, document, find_key(document.keys, fragment_of(did, fragment)))


def verify_with(
    api: Api, method: Method, relation: int, message: bytes, signature: bytes
) -> str | None:
    """Why a signature does not stand; None when it does."""
    document = method[1]
    key = method[2]
    if not document.active:
        return "deactivated"
    if key is None:
        return "unknown_key"
    if relation not in key.relations:
        return "wrong_relation"
    if not check_signature(api, key.kind, key.public_key, message, signature):
        return "bad_signature"
    return None
