"""Which JSON Schemas (draft 2020-12) the grammar engine enforces in full. The others are refused by keyword and place:
llguidance passes over keywords that it does not know, so a typing error would silently allow anything.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from premotor_runtime.engine.errors import GrammarError

MAX_DEPTH = 64
DIALECTS = ("https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2020-12/schema#")
FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri")
ANNOTATIONS = frozenset(
    {"$schema", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)

_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE = (
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    f"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
# llguidance takes 29 February in any year and second 60 in any minute
_NARROWER = {
    "date": f"^{_DATE}$",
    "time": "^[0-9]{2}:[0-9]{2}:[0-5]",
    "date-time": f"^{_DATE}[Tt][0-9]{{2}}:[0-9]{{2}}:[0-5]",
}


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _count(value: object) -> bool:
    return _number(value) and value >= 0 and value == int(value)  # type: ignore[operator, call-overload]


def _text(value: object) -> bool:
    return isinstance(value, str)


def _schema(value: object) -> bool:
    return isinstance(value, (bool, dict))


def _schemas(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_schema, value))


def _named_schemas(value: object) -> bool:
    return isinstance(value, dict) and all(map(_schema, value.values()))


@dataclass(frozen=True)
class _Keyword:
    """What a keyword's value must be, in words and as a test, and whether it holds schemas."""

    wanted: str
    fits: Callable[[object], bool]


_BOUND = _Keyword("a number", _number)
_LIMIT = _Keyword("a whole number, not negative", _count)
_ONE = _Keyword("a schema", _schema)
_LIST = _Keyword("a list of schemas, not empty", _schemas)
_NAMED = _Keyword("an object of schemas", _named_schemas)
_STRING = _Keyword("a string", _text)

ENFORCED: Mapping[str, _Keyword] = {
    "type": _Keyword("a type's name or a list of them", lambda value: isinstance(value, (str, list))),
    "enum": _Keyword("a list, not empty", lambda value: isinstance(value, list) and bool(value)),
    "const": _Keyword("any value", lambda value: True),
    "anyOf": _LIST,
    "oneOf": _LIST,
    "allOf": _LIST,
    "$ref": _STRING,
    "$anchor": _STRING,
    "$defs": _NAMED,
    "definitions": _NAMED,
    "properties": _NAMED,
    "patternProperties": _NAMED,
    "additionalProperties": _ONE,
    "required": _Keyword("a list of strings", lambda value: isinstance(value, list) and all(map(_text, value))),
    "minProperties": _LIMIT,
    "maxProperties": _LIMIT,
    "items": _ONE,
    "prefixItems": _LIST,
    "minItems": _LIMIT,
    "maxItems": _LIMIT,
    "minLength": _LIMIT,
    "maxLength": _LIMIT,
    "pattern": _STRING,
    "format": _Keyword("one of " + ", ".join(FORMATS), lambda value: value in FORMATS),
    "minimum": _BOUND,
    "maximum": _BOUND,
    "exclusiveMinimum": _BOUND,
    "exclusiveMaximum": _BOUND,
    "multipleOf": _Keyword("a number above 0", lambda value: _number(value) and value > 0),  # type: ignore[operator]
    "uniqueItems": _Keyword("false (it is not enforced)", lambda value: value is False),
}


def enforceable(schema: object) -> dict[str, object]:
    """`schema` (parsed JSON) as an object that says the same without annotations.

    Raises GrammarError for anything that could not be enforced in full, with keyword, place and remedy.
    """
    survey = _Survey()
    kept = survey.keep(schema, "#", 0)
    for place, target in survey.references:
        if target not in survey.places:
            raise GrammarError(
                f"$ref at {place} points to `{target}`, which is no schema of this document; "
                "refer to a schema under $defs, as in #/$defs/name"
            )
    if kept is False:
        raise GrammarError("the schema `false` allows no value at all; give one that some value satisfies")
    return {} if kept is True else kept


@dataclass
class _Survey:
    """What is found on the way through a schema: where schemas are, and what refers to which."""

    places: set[str] = field(default_factory=set)
    references: list[tuple[str, str]] = field(default_factory=list)

    def keep(self, schema: object, place: str, depth: int) -> dict[str, object] | bool:
        self.places.add(place)
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict):
            raise GrammarError(f"a schema must be an object, true or false; {place} is {json.dumps(schema)[:60]}")
        if depth > MAX_DEPTH:
            raise GrammarError(f"the schema nests deeper than {MAX_DEPTH} at {place}; use $ref for what recurs")
        kept = {}
        for keyword, value in schema.items():
            if keyword == "$schema" and value not in DIALECTS:
                raise GrammarError(f"$schema at {place} is `{value}`; only draft 2020-12 is known: {DIALECTS[0]}")
            if _says_nothing(keyword, depth):
                continue
            self._check(keyword, value, place)
            if keyword != "uniqueItems":
                kept[keyword] = self._inside(keyword, value, f"{place}/{_escaped(keyword)}", depth + 1)
        return _narrowed(kept)

    def _check(self, keyword: str, value: object, place: str) -> None:
        known = ENFORCED.get(keyword)
        if known is None:
            raise GrammarError(
                f"the keyword `{keyword}` at {place} is not enforced{_nearest(keyword)}; "
                f"leave it out, or say it with the supported ones: {', '.join(ENFORCED)}"
            )
        if not known.fits(value):
            raise GrammarError(f"`{keyword}` at {place} must be {known.wanted}; given {json.dumps(value)[:60]}")
        if keyword == "$anchor":
            self.places.add(f"#{value}")
        if keyword == "$ref":
            self.references.append((place, unquote(str(value))))

    def _inside(self, keyword: str, value: object, place: str, depth: int) -> object:
        if ENFORCED[keyword] is _ONE:
            return self.keep(value, place, depth)
        if ENFORCED[keyword] is _LIST and isinstance(value, list):
            return [self.keep(part, f"{place}/{number}", depth) for number, part in enumerate(value)]
        if ENFORCED[keyword] is _NAMED and isinstance(value, dict):
            return {name: self.keep(part, f"{place}/{_escaped(name)}", depth) for name, part in value.items()}
        return value


def _narrowed(kept: dict[str, object]) -> dict[str, object]:
    pattern = _NARROWER.get(str(kept.get("format")))
    also = kept.get("allOf", [])
    return kept if pattern is None or not isinstance(also, list) else kept | {"allOf": [*also, {"pattern": pattern}]}


def _says_nothing(keyword: str, depth: int) -> bool:
    """Annotations, `x-` extensions, and the document's own name, to which no reference that is taken could lead."""
    extension = keyword.startswith("x-") and keyword != "x-guidance"
    return keyword in ANNOTATIONS or extension or (keyword == "$id" and depth == 0)


def _escaped(name: str) -> str:
    """A name within a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _nearest(keyword: str) -> str:
    near = difflib.get_close_matches(keyword, [*ENFORCED, *ANNOTATIONS], 1)
    return f" (did you mean `{near[0]}`?)" if near else ""
