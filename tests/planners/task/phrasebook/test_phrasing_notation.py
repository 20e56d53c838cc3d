"""The notation of the phrasings, and the graph they are walked in."""

from __future__ import annotations

import pytest

from premotor_planners.task.phrasebook.frames import frames
from premotor_planners.task.phrasebook.graph import Graph
from premotor_planners.task.phrasebook.notation import FOLDER, load_phrasings, parse_line
from premotor_planners.task.phrasebook.patterns import INTENTS


def accepted(line: str, text: str) -> bool:
    graph: Graph[str] = Graph()
    graph.add(parse_line(line), "end")
    words = tuple(text.split())
    return any(end == len(words) for end, _ in graph.root().walk(words, 0))


@pytest.mark.parametrize(
    ("text", "known"),
    [("go home", True), ("please go home now", True), ("drive to base", True), ("go", False), ("go to home", False)],
)
def test_alternatives_and_options(text: str, known: bool) -> None:
    assert accepted("[please] (go|drive) (home|to base) [now]", text) is known


def test_brackets_nest_and_contractions_are_written_out() -> None:
    assert accepted("a [b (c|d [e])] i'd", "a b d e i would")
    assert not accepted("a [b (c|d [e])] i'd", "a b e i would")


@pytest.mark.parametrize("line", ["a (b", "a b)", "<nothing> b", "a [b)"])
def test_a_line_with_a_fault_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"closed|too many|no class"):
        parse_line(line)


def test_every_file_is_read_and_belongs_to_something() -> None:
    names = {path.stem for path in FOLDER.glob("*.txt")} - {"_words"}
    assert names <= {*INTENTS, "wrap", "join", "join3"}
    assert all(load_phrasings(name) for name in names)
    assert frames().before.ends(("could", "you", "please", "go"), 0)[-1] == 3
