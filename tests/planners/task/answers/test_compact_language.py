"""The compact plan language is read back as it was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from premotor_planners.errors import AnswerError
from premotor_planners.task.answers.answer import AskAnswer, CompactStep, RefusalAnswer, StepsAnswer
from premotor_planners.task.answers.compact import parse_answer, render_answer, render_duration

NAMES = st.sampled_from(["red mug", "study desk", "Anna", 'odd "name', "a;b", "dock"])
TEXTS = st.text(
    st.characters(codec="utf-8", exclude_characters='"\n\r\\', exclude_categories=["C"]), min_size=1, max_size=40
)
STEPS = st.one_of(
    st.builds(CompactStep, st.sampled_from(["go", "pick", "place", "give", "inspect"]), NAMES),
    st.builds(CompactStep, st.just("say"), TEXTS),
    st.integers(1, 9999).map(lambda seconds: CompactStep("wait", "", float(seconds))),
    st.just(CompactStep("dock")),
)


@given(st.lists(STEPS, min_size=1, max_size=12))
def test_steps_survive_writing_and_reading(steps: list[CompactStep]) -> None:
    answer = StepsAnswer(tuple(steps))
    assert parse_answer(f" {render_answer(answer)}\n") == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("refuse unsafe", RefusalAnswer("unsafe")),
        ('refuse unknown "grand piano"', RefusalAnswer("unknown", "grand piano")),
        ("ask red mug, blue mug", AskAnswer(("red mug", "blue mug"))),
        ("wait 1 minute", StepsAnswer((CompactStep("wait", "", 60.0),))),
        ('go Anna; say "tea; now"', StepsAnswer((CompactStep("go", "Anna"), CompactStep("say", "tea; now")))),
    ],
)
def test_answers_mean_what_the_language_says(text: str, answer: object) -> None:
    assert parse_answer(f" {text}\n") == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "fly kitchen",
        "refuse piano",
        "pick",
        "wait soon",
        "say hello",
        "go a\ngo b",
        "refuse unknown",
        "wait -2 seconds",
    ],
)
def test_other_text_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(AnswerError) as error:
        parse_answer(text)
    assert str(error.value)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1 second"), (20, "20 seconds"), (60, "1 minute"), (90, "90 seconds"), (120, "2 minutes"), (3600, "1 hour")],
)
def test_durations_are_written_in_the_largest_whole_unit(seconds: float, text: str) -> None:
    assert render_duration(seconds) == text
