"""The words to be said are cut out of the instruction exactly, with their hearer."""

from __future__ import annotations

import pytest

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.reading.reading import read

CASES = [
    ("tell Anna dinner is ready", "dinner is ready", "Anna"),
    ("tell Anna that dinner is ready and bring me the apple", "dinner is ready", "Anna"),
    ("Tell Anna to turn the music down!", "turn the music down", "Anna"),
    ("tell Anna to wash up and bring me the apple", "wash up and bring me the apple", "Anna"),
    ("say good morning everyone", "good morning everyone", ""),
    ('Say "hello there; friend" to Ben, please.', "hello there; friend", "Ben"),
    ("let Ben know the taxi has arrived, then dock", "the taxi has arrived", "Ben"),
    ("Give Ben the message that grandma called", "grandma called", "Ben"),
    ("Anna needs to know that lunch is late", "lunch is late", "Anna"),
    ("could you ask Ben to feed the cat", "feed the cat", "Ben"),
    ("say good night to Ben and then go charge", "good night", "Ben"),
    ("go tell Priya we are leaving", "we are leaving", "Priya"),
    ("bring Anna the red mug and tell her the coffee is hot", "the coffee is hot", "her"),
    ("announce that the meeting starts in five minutes", "the meeting starts in five minutes", ""),
    ("tell ben lunch is ready please", "lunch is ready", "Ben"),
    ("announce in the kitchen that tea is served", "tea is served", ""),
    ("say hello in the living room", "hello", ""),
    ("say the cake is in the kitchen", "the cake is in the kitchen", ""),
]


@pytest.mark.parametrize(("task", "text", "hearer"), CASES)
def test_words_and_hearer(house: Catalogue, task: str, text: str, hearer: str) -> None:
    (message,) = read(task, house).marked.messages
    assert (message.text, message.hearer) == (text, hearer)


def test_several_hearers_and_places(house: Catalogue) -> None:
    (message,) = read("tell Ben and Anna that dinner is ready", house).marked.messages
    assert (message.hearer, message.also, message.text) == ("Ben", ("Anna",), "dinner is ready")
    (message,) = read('say "hello" in the kitchen', house).marked.messages
    assert (message.location, message.text) == ("kitchen", "hello")


@pytest.mark.parametrize(
    "task", ["bring me the apple", "as you say, take the mug to the sink", "ask Ben for the newspaper"]
)
def test_no_message(house: Catalogue, task: str) -> None:
    assert read(task, house).marked.messages == []
