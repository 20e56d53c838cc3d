"""Each keyword of draft 2020-12 is enforced token by token, or refused with its name and place; never passed over."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from premotor_runtime.engine.errors import GrammarError
from premotor_runtime.engine.grammars.json_schema import ANNOTATIONS, ENFORCED, FORMATS, MAX_DEPTH
from premotor_runtime.engine.grammars.kinds import JsonSchema
from premotor_runtime.engine.grammars.matcher import GrammarCompiler
from premotor_runtime.models.tokenizer import Tokenizer

_NODE = {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/n"}},
         "additionalProperties": False}  # fmt: skip
_TAGGED = [
    {"type": "object", "properties": {"k": {"const": "a"}, "x": {"type": "integer"}}, "required": ["k", "x"]},
    {"type": "object", "properties": {"k": {"const": "b"}}, "required": ["k"]},
]
# schema, instances that must be accepted, instances that must not be; grouped by the keyword that is meant
ENFORCED_CASES: dict[str, list[tuple[Any, list[Any], list[Any]]]] = {
    "type": [
        ({"type": "integer"}, [1, -5, 0], [1.5, "1", True]),
        ({"type": "number"}, [1, 0.25, -3e-05], ["1", None]),
        ({"type": "string"}, ["", 'a"b\\\n', "ü€😀"], [1, ["a"]]),
        ({"type": "boolean"}, [True, False], [0, "true"]),
        ({"type": "null"}, [None], [0, "null"]),
        ({"type": "array"}, [[], [1, "a", [None]]], [{}, "[]"]),
        ({"type": "object"}, [{}, {"a": {"b": [1]}}], [[], 1]),
        ({"type": ["string", "null"]}, ["a", None], [1, False]),
    ],
    "enum": [({"enum": [1, "a", {"x": [1, 2]}, None]}, [1, "a", {"x": [1, 2]}, None], [2, "b", {"x": [1]}, True])],
    "const": [({"const": {"a": [1, {"b": 2}]}}, [{"a": [1, {"b": 2}]}], [{"a": [1]}, {}])],
    "anyOf": [
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], [1.5, None]),
        ({"anyOf": [{"minimum": 3}, {"type": "string"}], "maximum": 5}, ["a", 4], [1, 6]),
    ],
    "oneOf": [
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], [None]),
        ({"oneOf": _TAGGED}, [{"k": "a", "x": 1}, {"k": "b"}], [{"k": "c"}, {"k": "a"}]),
    ],
    "allOf": [
        ({"allOf": [{"minimum": 2}, {"maximum": 4}], "type": "integer"}, [2, 4], [1, 5]),
        ({"allOf": [{"type": "string", "pattern": "^a"}, {"pattern": "b$"}]}, ["ab", "axb"], ["ax", "xb"]),
    ],
    "$ref": [
        ({"$defs": {"p": {"type": "integer"}}, "$ref": "#/$defs/p", "minimum": 3}, [3], [1, "a"]),
        ({"$defs": {"n": _NODE}, "$ref": "#/$defs/n"}, [{"v": 1, "next": {"v": 2}}, {}], [{"next": {"x": 1}}]),
        ({"properties": {"a/b": {"type": "null"}, "c": {"$ref": "#/properties/a~1b"}}}, [{"c": None}], [{"c": 1}]),
        ({"type": "array", "items": {"anyOf": [{"type": "null"}, {"$ref": "#"}]}}, [[], [[None]]], [[1], None]),
    ],
    "$anchor": [({"$defs": {"p": {"$anchor": "q", "type": "integer"}}, "$ref": "#q"}, [1], ["a"])],
    "$defs": [({"$defs": {"unused": {"type": "integer"}}, "type": "string"}, ["a"], [1])],
    "definitions": [({"definitions": {"p": {"type": "null"}}, "$ref": "#/definitions/p"}, [None], ["a"])],
    "properties": [
        ({"properties": {"a": {"type": "integer"}}}, [{"a": 1}, {}, {"b": "x"}, 3], [{"a": "x"}]),
        ({"type": "object", "properties": {"a": False}}, [{}, {"b": 1}], [{"a": 1}]),
    ],
    "patternProperties": [
        ({"type": "object", "patternProperties": {"^s_": {"type": "string"}}}, [{"s_a": "x", "t": 1}], [{"s_a": 1}]),
        ({"properties": {"s_x": {"type": "integer"}}, "patternProperties": {"^s_": {"minimum": 5}}}, [{"s_x": 5}],
         [{"s_x": 4}]),
    ],
    "additionalProperties": [
        ({"type": "object", "additionalProperties": False, "properties": {"a": True}}, [{"a": 1}, {}], [{"b": 1}]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, [{"b": 1, "c": 2}, {}], [{"b": "x"}]),
        ({"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}, [{"a": "x", "b": 1}],
         [{"a": 1}, {"b": "x"}]),
    ],
    "required": [({"required": ["a"]}, [{"a": 1}, 3], [{"b": 2}, {}])],
    "minProperties": [({"type": "object", "minProperties": 1}, [{"a": 1}, {"a": 1, "b": 2}], [{}])],
    "maxProperties": [({"type": "object", "maxProperties": 1}, [{"a": 1}, {}], [{"a": 1, "b": 2}])],
    "items": [
        ({"type": "array", "items": {"type": "integer"}}, [[1, 2], []], [["a"], [1, None]]),
        ({"items": {"type": "integer"}}, [[1], "x"], [["a"]]),
        ({"type": "array", "items": False}, [[]], [[1]]),
    ],
    "prefixItems": [
        ({"prefixItems": [{"type": "integer"}, {"type": "string"}], "items": False}, [[1, "a"], [1], []],
         [["a"], [1, "a", 2]]),
        ({"type": "array", "prefixItems": [{"type": "integer"}]}, [[1], [1, "x"]], [["a"]]),
    ],
    "minItems": [({"type": "array", "minItems": 2}, [[1, 2], [1, 2, 3]], [[1], []])],
    "maxItems": [({"type": "array", "maxItems": 2}, [[], [1, 2]], [[1, 2, 3]])],
    "minLength": [({"minLength": 2}, ["ab", "ü€", 1], ["a", "😀"])],
    "maxLength": [({"type": "string", "maxLength": 2}, ["", "😀😀"], ["abc"])],
    "pattern": [
        ({"type": "string", "pattern": "b"}, ["abc", "b"], ["ac"]),
        ({"type": "string", "pattern": "^a+$"}, ["aa"], ["ab", "ba", ""]),
        ({"type": "string", "pattern": "^a|b$", "maxLength": 3}, ["axx", "xxb"], ["xx", "axxx"]),
        ({"pattern": "\\d{2}"}, ["12", None], ["1"]),
    ],
    "format": [
        ({"format": "date"}, ["2024-02-29", "2000-02-29"], ["2023-02-29", "1900-02-29", "2024-13-01"]),
        ({"format": "date-time"}, ["2024-02-28T10:00:00Z", 1], ["2024-02-28", "2023-02-29T10:00:00Z"]),
        ({"format": "time"}, ["10:00:00Z", "23:59:59+01:00"], ["25:00:00Z", "22:59:60Z", "10:00"]),
        ({"format": "duration"}, ["P1D", "PT5M"], ["1D", "P"]),
        ({"format": "email"}, ["a@b.co"], ["a", "a@"]),
        ({"format": "hostname"}, ["a.b"], ["-a", "a_b"]),
        ({"format": "ipv4"}, ["1.2.3.4"], ["256.1.1.1", "1.2.3"]),
        ({"format": "ipv6"}, ["::1"], ["12345::", "1"]),
        ({"format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"], ["123e4567"]),
        ({"format": "uri"}, ["http://a.b/c"], ["a b", "//a"]),
    ],
    "minimum": [({"type": "number", "minimum": 1.5}, [1.5, 2], [1.4, -7]), ({"minimum": 3}, [3, "x"], [2.9])],
    "maximum": [({"type": "integer", "maximum": 3}, [3, -100], [4, 10])],
    "exclusiveMinimum": [({"type": "number", "exclusiveMinimum": 0}, [0.1, 1], [0, -1])],
    "exclusiveMaximum": [({"type": "integer", "exclusiveMaximum": 10, "minimum": -3}, [-3, 9], [10, -4])],
    "multipleOf": [
        ({"type": "integer", "multipleOf": 3, "minimum": 4, "maximum": 10}, [6, 9], [3, 12, 5]),
        ({"type": "number", "multipleOf": 0.5}, [0.5, 1.5], [0.3]),
    ],
    "uniqueItems": [({"type": "array", "uniqueItems": False}, [[1, 1]], [1])],
}  # fmt: skip
REFUSED_CASES: list[tuple[Any, str]] = [
    ({"type": "array", "uniqueItems": True}, r"`uniqueItems` at # must be false"),
    ({"contains": {"type": "integer"}}, "`contains` at # is not enforced"),
    ({"items": {"contains": {}, "minContains": 2}}, "`contains` at #/items is not enforced"),
    ({"minContains": 1}, "`minContains` at #"),
    ({"maxContains": 1}, "`maxContains` at #"),
    ({"properties": {"a/b": {"not": {"type": "string"}}}}, "`not` at #/properties/a~1b is not enforced"),
    ({"if": {}, "then": {}, "else": {}}, "`if` at #"),
    ({"allOf": [{}, {"then": {}}]}, "`then` at #/allOf/1"),
    ({"else": {}}, "`else` at #"),
    ({"dependentRequired": {"a": ["b"]}}, "`dependentRequired` at #"),
    ({"dependentSchemas": {"a": {}}}, "`dependentSchemas` at #"),
    ({"propertyNames": {"maxLength": 2}}, "`propertyNames` at #"),
    ({"unevaluatedProperties": False}, "`unevaluatedProperties` at #"),
    ({"unevaluatedItems": False}, "`unevaluatedItems` at #"),
    ({"$dynamicRef": "#n"}, r"`\$dynamicRef` at #"),
    ({"$dynamicAnchor": "n"}, r"`\$dynamicAnchor` at #"),
    ({"$vocabulary": {}}, r"`\$vocabulary` at #"),
    ({"$defs": {"a": {"$id": "http://a.b/c"}}}, r"`\$id` at #/\$defs/a"),
    ({"contentEncoding": "base64"}, "`contentEncoding` at #"),
    ({"contentMediaType": "text/plain"}, "`contentMediaType` at #"),
    ({"contentSchema": {}}, "`contentSchema` at #"),
    ({"type": "string", "minLenght": 3}, r"`minLenght` at # is not enforced \(did you mean `minLength`\?\).*supported"),
    ({"nullable": True}, "`nullable` at #"),
    ({"additionalItems": False}, "`additionalItems` at #"),
    ({"dependencies": {}}, "`dependencies` at #"),
    ({"x-guidance": {"lenient": True}}, "`x-guidance` at #"),
    ({"items": [{"type": "integer"}]}, "`items` at # must be a schema"),
    ({"minimum": 3, "exclusiveMinimum": True}, "`exclusiveMinimum` at # must be a number; given true"),
    ({"minLength": "3"}, "`minLength` at # must be a whole number"),
    ({"maxItems": -1}, "`maxItems` at # must be a whole number, not negative; given -1"),
    ({"multipleOf": 0}, "`multipleOf` at # must be a number above 0"),
    ({"required": "a"}, "`required` at # must be a list of strings"),
    ({"properties": [1]}, "`properties` at # must be an object of schemas"),
    ({"anyOf": []}, "`anyOf` at # must be a list of schemas, not empty"),
    ({"enum": []}, "`enum` at # must be a list, not empty"),
    ({"format": "regex"}, "`format` at # must be one of date-time, .*; given .regex"),
    ({"type": "text"}, "Invalid type: text"),
    ({"type": "string", "pattern": "(?=a)b"}, "does not compile: regex parse error"),
    ({"type": "string", "pattern": "(a)\\1"}, "does not compile"),
    ({"type": "string", "pattern": "\\bword\\b"}, "lookarounds not supported"),
    ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, "oneOf constraints are not supported"),
    ({"patternProperties": {"a": {}, "b": {"type": "integer"}}}, "not disjoint"),
    ({"minProperties": 2, "properties": {"a": True, "b": True, "c": True}}, "only supported when all keys"),
    ({"$ref": "http://a.b/c"}, "`http://a.b/c`, which is no schema of this document"),
    ({"$ref": "#/$defs/none"}, "`#/\\$defs/none`, which is no schema"),
    ({"$ref": "#/default", "default": {"minLenght": 1}}, "`#/default`, which is no schema"),
    ({"$schema": "http://json-schema.org/draft-07/schema#"}, "only draft 2020-12"),
    ({"type": "string", "minLength": 3, "maxLength": 2}, "Unsatisfiable"),
    ({"type": "integer", "minimum": 5, "maximum": 2}, "Unsatisfiable"),
    (False, "allows no value"),
    ("{", "the schema is not JSON"),
    ('{"minimum": NaN}', "NaN is not a number of JSON"),
    ('{"a": ' * 5000, "not JSON"),
    ("", "is empty"),
    ({"minimum": float("inf")}, "cannot be written as JSON"),
    ({"const": {1, 2}}, "cannot be written as JSON"),
    ({"enum": ["x" * 300_000]}, "at most 262144"),
    ('[{"type": "string"}]', "a schema must be an object, true or false; # is"),
]
CASES = [case for cases in ENFORCED_CASES.values() for case in cases]


@pytest.fixture(scope="module")
def compiler(tokenizer: Tokenizer) -> GrammarCompiler:
    return GrammarCompiler(tokenizer, 264)


def _accepts(compiler: GrammarCompiler, tokenizer: Tokenizer, schema: Any, text: str) -> bool:
    matcher = compiler.matcher(JsonSchema(schema))
    return all(matcher.accept(token) for token in tokenizer.encode(text)) and matcher.accepting


@pytest.mark.parametrize(("schema", "valid", "invalid"), CASES, ids=lambda value: json.dumps(value)[:60])
def test_a_schema_accepts_what_is_valid_and_nothing_else(
    compiler: GrammarCompiler, tokenizer: Tokenizer, schema: Any, valid: list[Any], invalid: list[Any]
) -> None:
    for instance in valid:
        assert _accepts(compiler, tokenizer, schema, json.dumps(instance, ensure_ascii=False)), instance
    for instance in invalid:
        assert not _accepts(compiler, tokenizer, schema, json.dumps(instance, ensure_ascii=False)), instance


def test_the_table_covers_every_keyword_and_format() -> None:
    assert set(ENFORCED_CASES) == set(ENFORCED)
    assert {schema["format"] for schema, _, _ in ENFORCED_CASES["format"]} == set(FORMATS)
    for keyword, cases in ENFORCED_CASES.items():
        assert all(invalid for _, _, invalid in cases)
        assert all(f'"{keyword}"' in json.dumps(schema) for schema, _, _ in cases)


@pytest.mark.parametrize(("schema", "reason"), REFUSED_CASES, ids=lambda value: repr(value)[:60])
def test_what_cannot_be_enforced_is_refused_up_front(compiler: GrammarCompiler, schema: Any, reason: str) -> None:
    with pytest.raises(GrammarError, match=reason) as caught:
        compiler.matcher(JsonSchema(schema))
    assert caught.value.exit_code == 2


def test_annotations_and_extensions_say_nothing(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    notes = dict.fromkeys(ANNOTATIONS - {"$schema"}, "x") | {"x-order": 3, "$id": "http://a.b/c"}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **notes, "type": "integer"}
    assert _accepts(compiler, tokenizer, schema, "12")
    assert not _accepts(compiler, tokenizer, schema, '"a"')
    assert _accepts(compiler, tokenizer, json.dumps(schema), "12")
    assert _accepts(compiler, tokenizer, True, '{"a": [1]}')


def test_nesting_is_bounded(compiler: GrammarCompiler) -> None:
    schema: dict[str, Any] = {"type": "null"}
    for _ in range(MAX_DEPTH + 1):
        schema = {"items": schema}
    with pytest.raises(GrammarError, match=f"nests deeper than {MAX_DEPTH} at #/items/items"):
        compiler.matcher(JsonSchema(schema))


def test_blanks_are_those_of_json_dumps(compiler: GrammarCompiler, tokenizer: Tokenizer) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array"}, "b": {"const": {"c": [1, 2]}}}}
    value = {"a": [1, {"x": None}], "b": {"c": [1, 2]}}
    assert _accepts(compiler, tokenizer, schema, json.dumps(value))
    for text in (json.dumps(value, indent=1), json.dumps(value).replace(", ", ",  "), " " + json.dumps(value)):
        assert not _accepts(compiler, tokenizer, schema, text)


@pytest.mark.parametrize("seed", range(8))
def test_any_walk_within_a_bounded_schema_ends_in_valid_json(
    compiler: GrammarCompiler, tokenizer: Tokenizer, seed: int
) -> None:
    word = {"type": "string", "maxLength": 6}
    schema = {
        "type": "object",
        "properties": {
            "name": word,
            "count": {"type": "integer", "minimum": -3, "maximum": 12},
            "tags": {"type": "array", "items": {"enum": ["red", "mug", "ü"]}, "maxItems": 3},
        },
        "required": ["name", "count", "tags"],
        "additionalProperties": False,
    }
    matcher, draw, ids = compiler.matcher(JsonSchema(schema)), random.Random(seed), []
    while not matcher.complete:
        ids.append(draw.choice([int(token) for token in matcher.allowed() if token != 256]))
        assert matcher.accept(ids[-1]) and len(ids) < 200
    value = json.loads(tokenizer.decode(ids))
    assert list(value) == ["name", "count", "tags"]
    assert len(value["name"]) <= 6 and -3 <= value["count"] <= 12
    assert len(value["tags"]) <= 3 and set(value["tags"]) <= {"red", "mug", "ü"}
