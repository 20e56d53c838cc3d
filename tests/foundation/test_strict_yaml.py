from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_foundation import strict_yaml
from premotor_foundation.errors import ConfigError
from premotor_foundation.strict_yaml import limited


@dataclass(frozen=True)
class Wheel:
    radius_m: float = limited(above=0.0, at_most=1.0)


@dataclass(frozen=True)
class Robot:
    name: str
    wheels: tuple[Wheel, ...]
    pose: tuple[float, float, float] = (0.0, 0.0, 0.0)
    drive: Literal["diff", "omni"] = "diff"
    core: int | None = None
    enabled: bool = True
    gains: dict[str, float] = field(default_factory=dict)


GOOD = """
name: scout
wheels:
  - radius_m: 0.1
  - radius_m: 1
pose: [1, 2.5, -3]
drive: omni
core: null
gains: {p: 1.5, d: 2}
"""


def test_a_good_file_becomes_frozen_dataclasses() -> None:
    robot = strict_yaml.parse(GOOD, Robot)
    assert robot == Robot("scout", (Wheel(0.1), Wheel(1.0)), (1.0, 2.5, -3.0), "omni", None, True, {"p": 1.5, "d": 2.0})
    assert all(type(number) is float for number in robot.pose)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("name: a\nwheels: []\nposse: [1, 2, 3]", 3, "did you mean `pose`"),
        ("name: a\nwheels: []\nxyzzy: 1", 3, "allowed: name, wheels"),
        ("name: a", 1, "`wheels` is missing"),
        ("name: 5\nwheels: []", 1, "must be text"),
        ("name: a\nwheels:\n  - radius_m: 0.0", 3, "above 0"),
        ("name: a\nwheels:\n  - radius_m: '0.1'", 3, "must be a number"),
        ("name: a\nwheels:\n  - radius_m: .nan", 3, "finite"),
        ("name: a\nwheels:\n  - radius_m: .inf", 3, "finite"),
        ("name: a\nwheels: []\ncore: true", 3, "whole number"),
        ("name: a\nwheels: []\ncore: 1.5", 3, "whole number"),
        ("name: a\nwheels: []\nenabled: 1", 3, "true or false"),
        ("name: a\nwheels: []\ndrive: omny", 3, "did you mean `omni`"),
        ("name: a\nwheels: []\npose: [1, 2]", 3, "must have 3"),
        ("name: a\nwheels: 3", 2, "must be a list"),
        ("name: a\nwheels: []\nname: b", 3, "stands twice"),
        ("- a\n- b", 1, "must be a mapping"),
        ("name: [", 1, "not valid YAML"),
        ("", 1, "empty"),
        ("name: !!python/object/apply:os.system [ls]\nwheels: []", 1, "must be text"),
    ],
)
def test_what_breaks_a_rule_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        strict_yaml.parse(text, Robot, "robot.yaml")
    assert str(caught.value).startswith(f"robot.yaml:{line}: ")
    assert words in str(caught.value)
    assert caught.value.exit_code == 2


def test_missing_oversized_and_binary_files_are_refused(tmp_path: Path) -> None:
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"a" * (strict_yaml.MAX_BYTES + 1))
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, words in (
        (tmp_path / "no.yaml", "no such file"),
        (huge, "larger"),
        (binary, "UTF-8"),
        (tmp_path, "folder"),
    ):
        with pytest.raises(ConfigError, match=words):
            strict_yaml.load(path, Robot)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused_never_a_crash(text: str) -> None:
    with contextlib.suppress(ConfigError):
        assert isinstance(strict_yaml.parse(text, Robot), Robot)
