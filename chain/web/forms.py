"""Forms of contract messages, made from the contract's JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from chain.web import kit
from chain.web.context import Context

Json = dict[str, Any]
#: kinds of fields; everything else is typed as JSON
TEXT: Final = "text"
NUMBER: Final = "number"
FLAG: Final = "flag"
ANY_JSON: Final = "json"
CHOICE: Final = "choice"


class FieldSpec(msgspec.Struct, frozen=True):
    """One field of a message."""

    name: str
    kind: str
    required: bool
    hint: str = ""
    options: tuple[str, ...] = ()


class Variant(msgspec.Struct, frozen=True):
    """One message of an entry point."""

    name: str
    description: str
    fields: tuple[FieldSpec, ...]


def variants_of(schema: Any) -> list[Variant]:
    """The messages of an entry point's schema, in its order; none where there is no schema."""
    if not isinstance(schema, dict):
        return []
    definitions = schema.get("$defs", {})
    found = []
    for one in schema.get("oneOf", ()):
        for name, body in one.get("properties", {}).items():
            text = str(one.get("description", "")).replace("``", "")
            found.append(Variant(name, text, _fields(_resolved(body, definitions), definitions)))
        for name in one.get("enum", ()):
            found.append(Variant(str(name), "", ()))
    return found


def _fields(body: Json, definitions: Json) -> tuple[FieldSpec, ...]:
    required = body.get("required", ())
    return tuple(
        _field(name, one, definitions, name in required)
        for name, one in body.get("properties", {}).items()
    )


def _resolved(schema: Any, definitions: Json) -> Json:
    """A schema with its reference followed."""
    if not isinstance(schema, dict):
        return {}
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    found = definitions.get(name)
    return found if isinstance(found, dict) else schema


def _field(name: str, schema: Any, definitions: Json, required: bool) -> FieldSpec:
    body = _resolved(schema, definitions)
    choices = [
        one for one in body.get("anyOf", ()) if isinstance(one, dict) and one.get("type") != "null"
    ]
    if len(choices) == 1:
        body = _resolved(choices[0], definitions)
    elif choices and any(one.get("type") == "string" for one in choices):
        return FieldSpec(name, TEXT, required)
    kind, encoding = body.get("type"), body.get("contentEncoding")
    if "enum" in body:
        return FieldSpec(name, CHOICE, required, options=tuple(map(str, body["enum"])))
    if kind == "string":
        return FieldSpec(name, TEXT, required, "base64" if encoding == "base64" else "")
    if kind == "integer":
        return FieldSpec(name, NUMBER, required)
    if kind == "boolean":
        return FieldSpec(name, FLAG, required, options=("false", "true"))
    return FieldSpec(name, ANY_JSON, required, _example(body))


def _example(body: Json) -> str:
    """What JSON is wanted."""
    if body.get("type") == "array":
        items = body.get("items")
        text = isinstance(items, dict) and items.get("type") == "string"
        return 'JSON: ["…"]' if text else "JSON: […]"
    names = list(body.get("properties", {}))[:4]
    inner = ", ".join(f'"{one}": …' for one in names)
    return f"JSON: {{{inner}}}" if names else "JSON"


def value_of(spec: FieldSpec, typed: str) -> Any:
    """The value of what was typed. Raises: ValueError naming the field."""
    text = typed.strip()
    if spec.kind == NUMBER:
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 80):
            raise ValueError(f"{spec.name}: {text!r} is no whole number")
        return int(text)
    if spec.kind == FLAG:
        return text == "true"
    if spec.kind == ANY_JSON:
        try:
            return kit.json_value(text)
        except ValueError as error:
            raise ValueError(f"{spec.name}: {error}") from None
    return typed


def message_of(variant: Variant, typed: Mapping[str, str]) -> Json:
    """The message of what was typed; empty fields that need not be given are left out.

    Raises: ValueError naming the field that is wrong or missing.
    """
    body: Json = {}
    for spec in variant.fields:
        text = typed.get(spec.name, "")
        if text.strip():
            body[spec.name] = value_of(spec, text)
        elif spec.required and spec.kind == TEXT:
            body[spec.name] = ""
        elif spec.required:
            raise ValueError(f"{spec.name}: a value is needed")
    return {variant.name: body}


class VariantForm:
    """The fields of one message on the page."""

    def __init__(self, context: Context, variant: Variant) -> None:
        self._variant = variant
        self._fields: dict[str, kit.Field | kit.Choice] = {}
        if variant.description:
            kit.note(variant.description)
        with kit.Tag("div", css="form"):
            for spec in variant.fields:
                label = spec.name if spec.required else f"{spec.name} ({context.t('optional')})"
                if spec.options:
                    options = [(one, one) for one in spec.options]
                    if not spec.required:
                        options.insert(0, ("", "–"))
                    self._fields[spec.name] = kit.Choice(label, options)
                else:
                    lines = 2 if spec.kind == ANY_JSON else 1
                    self._fields[spec.name] = kit.Field(label, lines=lines, hint=spec.hint)

    def message(self) -> Json:
        """What was typed, as a message. Raises: ValueError."""
        typed = {name: field.value for name, field in self._fields.items()}
        return message_of(self._variant, typed)
