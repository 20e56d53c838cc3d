"""YAML that means what it says: frozen dataclasses in, nothing unknown, nothing coerced.

A configuration is a tree of frozen dataclasses. Every key of the file must be a field, every field without a default
must be in the file, and every value must have the field's type (an integer may stand for a float; nothing else is
converted). Limits are written with the field: `speed_mps: float = limited(above=0.0, at_most=3.0)`. What breaks a
rule is refused with file, line and, for a key, the nearest valid one.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import yaml

from premotor_foundation.errors import ConfigError

MAX_BYTES = 1_000_000
MAX_DEPTH = 12
T = TypeVar("T")
_LIMITS = "premotor.limits"


def limited(
    *,
    at_least: float = -math.inf,
    at_most: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
    default: Any = dataclasses.MISSING,
) -> Any:
    """A dataclass field whose number must lie in the given range (`above` and `below` exclude their bound)."""
    limits = (at_least, at_most, above, below)
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata={_LIMITS: limits})
    return dataclasses.field(default=default, metadata={_LIMITS: limits})


def load(path: Path, shape: type[T]) -> T:
    """Read the YAML file at `path` as the frozen dataclass `shape`.

    Raises ConfigError with file and line for a missing or oversized file, bad YAML, duplicate or unknown keys, missing
    keys, wrong types and values out of range.
    """
    return parse(_read(path), shape, path)


def parse(text: str, shape: type[T], path: Path | str = "<text>") -> T:
    """As `load`, for YAML text; `path` is only for messages."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or "nested too deeply"
        raise ConfigError(path, mark.line + 1 if mark else None, f"not valid YAML: {problem}") from error
    if node is None:
        raise ConfigError(path, 1, f"the file is empty; it must hold the keys {_names(shape)}")
    return typing.cast(T, _Reader(path).value(node, shape, "", 0))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(path, None, f"larger than {MAX_BYTES} bytes; a configuration is a small text file")
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(path, None, "no such file; check the path") from error
    except IsADirectoryError as error:
        raise ConfigError(path, None, "this is a folder; name the YAML file in it") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(path, None, f"cannot be read as UTF-8 text: {error}") from error


def _names(shape: Any) -> str:
    return ", ".join(field.name for field in dataclasses.fields(shape))


class _Reader:
    def __init__(self, path: Path | str) -> None:
        self.path = path

    def fail(self, node: yaml.Node, message: str) -> ConfigError:
        return ConfigError(self.path, node.start_mark.line + 1, message)

    def value(self, node: yaml.Node, shape: Any, key: str, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise self.fail(node, f"nested deeper than {MAX_DEPTH} levels; flatten the file")
        if dataclasses.is_dataclass(shape):
            return self.record(node, shape, key, depth)
        origin = get_origin(shape)
        if origin in (Union, types.UnionType):
            return self.optional(node, shape, key, depth)
        if origin is tuple:
            return self.sequence(node, shape, key, depth)
        if origin in (dict, Mapping):
            return self.mapping(node, shape, key, depth)
        if origin is Literal:
            return self.choice(node, get_args(shape), key)
        return self.scalar(node, shape, key)

    def record(self, node: yaml.Node, shape: Any, key: str, depth: int) -> Any:
        pairs = self.pairs(node, key or "the file")
        fields = {field.name: field for field in dataclasses.fields(shape) if field.init}
        hints = typing.get_type_hints(shape)
        values: dict[str, Any] = {}
        for name, (key_node, value_node) in pairs.items():
            if name not in fields:
                raise self.fail(key_node, _unknown_key(name, list(fields)))
            values[name] = self.value(value_node, hints[name], name, depth + 1)
            self.check_limits(value_node, fields[name], values[name])
        for name, field in fields.items():
            if name not in values and _required(field):
                raise self.fail(node, f"the key `{name}` is missing{f' in `{key}`' if key else ''}; add it")
        try:
            return shape(**values)
        except ValueError as error:
            raise self.fail(node, str(error)) from error

    def pairs(self, node: yaml.Node, key: str) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode):
            raise self.fail(node, f"{key} must be a mapping of keys to values")
        found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            name = str(key_node.value)
            if name in found:
                raise self.fail(key_node, f"the key `{name}` stands twice; keep one")
            found[name] = (key_node, value_node)
        return found

    def optional(self, node: yaml.Node, shape: Any, key: str, depth: int) -> Any:
        if node.tag == "tag:yaml.org,2002:null":
            if type(None) in get_args(shape):
                return None
            raise self.fail(node, f"`{key}` must not be empty")
        members = [member for member in get_args(shape) if member is not type(None)]
        if len(members) != 1:
            raise TypeError(f"{shape}: only `X | None` can be read from YAML")
        return self.value(node, members[0], key, depth)

    def sequence(self, node: yaml.Node, shape: Any, key: str, depth: int) -> tuple[Any, ...]:
        if not isinstance(node, yaml.SequenceNode):
            raise self.fail(node, f"`{key}` must be a list")
        members = get_args(shape)
        if len(members) == 2 and members[1] is Ellipsis:
            return tuple(self.value(item, members[0], f"{key}[{i}]", depth + 1) for i, item in enumerate(node.value))
        if len(node.value) != len(members):
            raise self.fail(node, f"`{key}` has {len(node.value)} entries; it must have {len(members)}")
        pairs = zip(node.value, members, strict=True)
        return tuple(self.value(item, member, f"{key}[{i}]", depth + 1) for i, (item, member) in enumerate(pairs))

    def mapping(self, node: yaml.Node, shape: Any, key: str, depth: int) -> dict[str, Any]:
        _, member = get_args(shape)
        return {
            name: self.value(value, member, f"{key}.{name}", depth + 1)
            for name, (_, value) in self.pairs(node, f"`{key}`").items()
        }

    def choice(self, node: yaml.Node, allowed: tuple[Any, ...], key: str) -> Any:
        if node.value in allowed:
            return node.value
        nearest = difflib.get_close_matches(str(node.value), [str(a) for a in allowed], n=1)
        hint = f"; did you mean `{nearest[0]}`?" if nearest else ""
        raise self.fail(node, f"`{key}` is `{node.value}`; allowed: {', '.join(map(str, allowed))}{hint}")

    def scalar(self, node: yaml.Node, shape: Any, key: str) -> Any:
        given = _scalar_of(node)
        if shape is float and isinstance(given, int) and not isinstance(given, bool):
            given = float(given)
        if shape is Path and isinstance(given, str):
            return Path(given)
        if type(given) is not shape:
            shown = f"`{node.value}`" if isinstance(node, yaml.ScalarNode) else "a list or mapping"
            raise self.fail(node, f"`{key}` is {shown}; it must be {_KINDS.get(shape, shape.__name__)}")
        if isinstance(given, float) and not math.isfinite(given):
            raise self.fail(node, f"`{key}` is {given}; it must be a finite number")
        return given

    def check_limits(self, node: yaml.Node, field: dataclasses.Field[Any], value: Any) -> None:
        limits = field.metadata.get(_LIMITS)
        for number in value if isinstance(value, tuple) else (value,):
            if limits is None or number is None:
                continue
            at_least, at_most, above, below = limits
            if not (at_least <= number <= at_most and above < number < below):
                raise self.fail(node, f"`{field.name}` is {number}; it must be {_range(limits)}")


_KINDS = {float: "a number", int: "a whole number", str: "text", bool: "true or false"}


def _scalar_of(node: yaml.Node) -> Any:
    if not isinstance(node, yaml.ScalarNode):
        return None
    try:
        return yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError):
        return None


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _unknown_key(name: str, allowed: list[str]) -> str:
    nearest = difflib.get_close_matches(name, allowed, n=1)
    hint = f"did you mean `{nearest[0]}`?" if nearest else f"allowed: {', '.join(allowed)}"
    return f"unknown key `{name}`; {hint}"


def _range(limits: tuple[float, float, float, float]) -> str:
    at_least, at_most, above, below = limits
    parts = [
        f"at least {at_least:g}" if at_least > -math.inf else "",
        f"above {above:g}" if above > -math.inf else "",
        f"at most {at_most:g}" if at_most < math.inf else "",
        f"below {below:g}" if below < math.inf else "",
    ]
    return " and ".join(part for part in parts if part)
