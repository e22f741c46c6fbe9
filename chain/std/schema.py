"""JSON Schema (draft 2020-12) from message and answer types."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Final, Union, get_args, get_origin

import msgspec

from chain.std.numbers import Binary, BoundedInt
from chain.std.records import Message, OneOf
from chain.std.shapes import fields_of, is_struct, unwrap

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

Schema = dict[str, Any]


def schema_of(types: Any, title: str | None = None) -> Schema:
    """The schema of one type, or of an enum given as a sequence of ``Message`` classes.

    Shared types stand once under ``$defs``.
    """
    definitions: dict[str, Schema] = {}
    if isinstance(types, Sequence) and not isinstance(types, str):
        body: Schema = {"oneOf": [_variant(variant, definitions) for variant in types]}
    elif is_struct(types):
        body = _struct(types, definitions)
    else:
        body = _schema(types, definitions)
    head: Schema = {"$schema": DRAFT}
    if title:
        head["title"] = title
    made = {**head, **body}
    if definitions:
        made["$defs"] = {name: definitions[name] for name in sorted(definitions)}
    return made


def _variant(variant: type[Message], definitions: dict[str, Schema]) -> Schema:
    if variant.unit_variant:
        return {"type": "string", "const": variant.variant}
    made: Schema = {
        "type": "object",
        "properties": {variant.variant: _struct(variant, definitions, described=False)},
        "required": [variant.variant],
        "additionalProperties": False,
    }
    return _describe(made, variant)


def _struct(struct: Any, definitions: dict[str, Schema], described: bool = True) -> Schema:
    if issubclass(struct, OneOf):
        return _describe(
            {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {name: _schema(unwrap(t), definitions, t)},
                        "required": [name],
                        "additionalProperties": False,
                    }
                    for name, t in fields_of(struct)
                ]
            },
            struct,
        )
    fields = fields_of(struct)
    required = len(fields) - len(struct.__struct_defaults__)
    properties = {name: _schema(t, definitions) for name, t in fields}
    aliases = dict(struct.field_aliases) if issubclass(struct, Message) else {}
    for spelling, field in aliases.items():
        properties[spelling] = properties[field]
    needed = [name for name, t in fields[:required]]
    made: Schema = {"type": "object", "properties": properties}
    if needed and not any(alias in needed for alias in aliases.values()):
        made["required"] = needed
    elif needed:
        made["required"] = [name for name in needed if name not in aliases.values()]
    if struct.__struct_config__.forbid_unknown_fields:
        made["additionalProperties"] = False
    return _describe(made, struct) if described else made


def _describe(made: Schema, struct: Any) -> Schema:
    text = struct.__doc__
    first = (
        text.strip().split("\n")[0] if text and not text.startswith(f"{struct.__name__}(") else ""
    )
    return {"description": first, **made} if first else made


def _schema(type_: Any, definitions: dict[str, Schema], annotated: Any = None) -> Schema:
    arguments = get_args(type_)
    here = unwrap(type_)
    if type(None) in arguments:
        inner = _schema_of_members(type_, here, definitions)
        return {"anyOf": [inner, {"type": "null"}]}
    number = _integer(annotated if annotated is not None else type_)
    if number is not None:
        return number
    return _plain_schema(here, definitions)


def _schema_of_members(type_: Any, here: Any, definitions: dict[str, Schema]) -> Schema:
    members = [a for a in get_args(type_) if a is not type(None)]
    if len(members) == 1:
        return _schema(members[0], definitions)
    return _plain_schema(here, definitions)


def _integer(type_: Any) -> Schema | None:
    if unwrap(type_) is not int:
        return None
    meta = _meta(type_)
    made: Schema = {"type": "integer"}
    if meta is not None:
        form = dict(meta.extra_json_schema or {}).get("format")
        if form:
            made["format"] = form
        if meta.ge is not None:
            made["minimum"] = meta.ge
        made["maximum"] = meta.le if meta.le is not None else 2**64 - 1
    return made


def _meta(type_: Any) -> msgspec.Meta | None:
    if hasattr(type_, "__metadata__"):
        for item in type_.__metadata__:
            if isinstance(item, msgspec.Meta):
                return item
    for argument in get_args(type_):
        if argument is not type(None) and argument is not type_:
            found = _meta(argument)
            if found is not None:
                return found
    return None


_SCALARS: Final[dict[Any, Schema]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    bytes: {"type": "string", "contentEncoding": "base64"},
    Binary: {"type": "string", "contentEncoding": "base64"},
    type(None): {"type": "null"},
    dict: {"type": "object"},
    list: {"type": "array"},
    object: {},
    Any: {},
}


def _plain_schema(here: Any, definitions: dict[str, Schema]) -> Schema:
    origin = get_origin(here)
    if origin is None and here in _SCALARS:
        return dict(_SCALARS[here])
    if isinstance(here, type) and origin is None and issubclass(here, BoundedInt):
        return _bounded(here)
    if isinstance(here, type) and origin is None and issubclass(here, enum.Enum):
        return {"type": "string", "enum": [member.value for member in here]}
    if is_struct(here):
        name = here.__name__
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _struct(here, definitions)
        return {"$ref": f"#/$defs/{name}"}
    if origin in (list, tuple):
        inner = [a for a in get_args(here) if a is not Ellipsis]
        if origin is tuple and Ellipsis not in get_args(here):
            return {
                "type": "array",
                "prefixItems": [_schema(a, definitions) for a in inner],
                "minItems": len(inner),
                "maxItems": len(inner),
            }
        return {"type": "array", "items": _schema(inner[0], definitions)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(get_args(here)[1], definitions)}
    if origin is Union:
        members = get_args(here)
        bounded = [m for m in members if isinstance(m, type) and issubclass(m, BoundedInt)]
        if bounded and int in members:
            return _bounded(bounded[0])
        return {"anyOf": [_schema(member, definitions) for member in members]}
    return {}


def _bounded(cls: type[BoundedInt]) -> Schema:
    if cls.AS_TEXT:
        pattern = "^-?[0-9]+$" if cls.MIN < 0 else "^[0-9]+$"
        return {
            "type": "string",
            "pattern": pattern,
            "description": f"{cls.__name__} as decimal text",
        }
    return {"type": "integer", "minimum": cls.MIN, "maximum": cls.MAX}
