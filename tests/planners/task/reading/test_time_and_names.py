"""Lengths of time and names are found as people write them."""

from __future__ import annotations

import pytest

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.lexicon.durations import find_durations
from premotor_planners.task.lexicon.words import read_words
from premotor_planners.task.reading.reading import read


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("20 seconds", 20), ("twenty seconds", 20), ("forty-five seconds", 45), ("90s", 90), ("5 mins", 300),
        ("a minute", 60), ("half a minute", 30), ("half an hour", 1800), ("a couple of minutes", 120),
        ("a minute and a half", 90), ("two and a half minutes", 150), ("1.5 minutes", 90), ("1 minute 30 seconds", 90),
        ("1 minute and 30 seconds", 90), ("a quarter of an hour", 900),
        ("one hundred and twenty seconds", 120), ("an hour", 3600),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float) -> None:
    (found,) = find_durations(read_words(f"wait {text} please"), frozenset())
    assert found.seconds == seconds


@pytest.mark.parametrize("text", ["a few minutes", "several hours", "ten to fifteen seconds", "a second"])
def test_vague_durations_have_no_length(text: str) -> None:
    (found,) = find_durations(read_words(f"wait {text}"), frozenset())
    assert found.seconds is None


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("my favourite red cup", ("red mug",)),
        ("the mugs", ("red mug", "blue mug")), ("the telly remote", ("tv remote",)),
        ("my specs", ("reading glasses",)), ("the newpaper", ("newspaper",)), ("the kithcen table", ("kitchen table",)),
        ("the table", ("kitchen table", "coffee table")),
        ("the couch", ("sofa",)), ("the lounge", ("living room",)),
        ("anna", ("Anna",)), ("the charging station", ("dock",)), ("the knife", ("kitchen knife",)),
    ],
)  # fmt: skip
def test_names(house: Catalogue, words: str, names: tuple[str, ...]) -> None:
    (mention,) = read(f"look at {words}", house).marked.mentions
    assert mention.candidates == names and not mention.strange


@pytest.mark.parametrize(
    "words", ["the green mug", "the pool table", "the apple pie", "the beer bottle", "the sofa cushion"]
)
def test_a_word_that_contradicts_makes_a_name_strange(house: Catalogue, words: str) -> None:
    (mention,) = read(f"look at {words}", house).marked.mentions
    assert mention.strange


def test_numbers_and_letters_tell_entries_apart(office: Catalogue) -> None:
    mentions = read("take it from workbench 2 to rack 8 in meeting room b", office).marked.mentions
    assert [(m.candidates, m.strange) for m in mentions] == [
        (("workbench 2",), ""), (("rack 7",), "rack 8"), (("meeting room B",), "")
    ]  # fmt: skip
