"""The training corpus: right answers by construction, nothing held out in training, the same seed the same text."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import pytest

from premotor_planners.corpus.durations import sample_duration
from premotor_planners.corpus.lexicon import is_held_out, load_lexicon
from premotor_planners.corpus.pack import Pack, Question, Split, answer_text, catalogue_text, generate_packs
from premotor_planners.corpus.templates import load_templates
from premotor_planners.corpus.worlds import DOCKS, USER, thing_phrases
from premotor_planners.task.answers.answer import Answer, AskAnswer, RefusalAnswer, StepsAnswer
from premotor_planners.task.answers.compact import parse_answer, render_answer
from premotor_planners.task.catalogue import Catalogue

SPLITS: tuple[Split, ...] = ("train", "names", "wording")


def packs(split: Split, count: int = 60, seed: int = 5) -> list[Pack]:
    return list(itertools.islice(generate_packs(seed, split), count))


def questions(split: Split) -> Iterator[tuple[Catalogue, Question]]:
    return ((pack.catalogue, question) for pack in packs(split) for question in pack.questions)


@pytest.mark.parametrize("split", SPLITS)
def test_every_answer_is_one_line_that_reads_back(split: Split) -> None:
    for _, question in questions(split):
        text = answer_text(question.answer)
        assert text.startswith(" ") and text.endswith("\n") and "\n" not in text[:-1]
        assert parse_answer(text) == question.answer


@pytest.mark.parametrize("split", SPLITS)
def test_every_name_is_in_the_catalogue_and_every_skill_there(split: Split) -> None:
    for catalogue, question in questions(split):
        if isinstance(question.answer, StepsAnswer):
            assert 1 <= len(question.answer.steps) <= 12
            for step in question.answer.steps:
                assert step.skill in catalogue.skills, question
                assert not step.name or step.skill == "say" or step.name in allowed(catalogue, step.skill), question
        if isinstance(question.answer, AskAnswer):
            assert len(question.answer.candidates) > 1
            order = [*catalogue.objects, *catalogue.places]
            places = [order.index(name) for name in question.answer.candidates]
            assert places == sorted(places)


def allowed(catalogue: Catalogue, skill: str) -> set[str]:
    spots = {*catalogue.places, *catalogue.rooms}
    things, people = {*catalogue.objects}, {*catalogue.people}
    sets = {"pick": things, "place": spots, "give": people, "go": spots | people, "inspect": spots | things}
    return sets[skill]


def test_the_gripper_holds_at_most_one_thing_and_only_that_is_put_down() -> None:
    for catalogue, question in questions("train"):
        if not isinstance(question.answer, StepsAnswer):
            continue
        full = catalogue.holding is not None
        for step in question.answer.steps:
            if step.skill in ("pick", "place", "give"):
                assert full is (step.skill != "pick"), (catalogue.holding, question)
                full = step.skill == "pick"


def test_what_is_said_and_what_is_unknown_are_words_of_the_task() -> None:
    for _, question in questions("train"):
        for literal in literals(question.answer):
            assert literal in question.task


def literals(answer: Answer) -> list[str]:
    if isinstance(answer, StepsAnswer):
        return [step.name for step in answer.steps if step.skill == "say"]
    return [answer.what] if isinstance(answer, RefusalAnswer) and answer.kind == "unknown" else []


def test_unknown_places_and_people_are_not_in_the_catalogue() -> None:
    for catalogue, question in questions("train"):
        answer = question.answer
        if isinstance(answer, RefusalAnswer) and answer.kind == "unknown" and answer.what.lower() != "me":
            names = {name.lower() for name in (*catalogue.places, *catalogue.rooms, *catalogue.people)}
            assert answer.what.lower() not in names, question


def test_no_held_out_name_is_in_a_training_world_and_no_trained_one_in_a_held_out_world() -> None:
    for split, wanted in (("train", False), ("names", True)):
        lexicon = load_lexicon(wanted)
        rooms = {name for room in lexicon.rooms for name in (room.name, *room.synonyms)}
        things = {
            phrase
            for noun in (*lexicon.nouns, *lexicon.hazards)
            for attribute in ("", *noun.attributes)
            for phrase in thing_phrases(noun, attribute)
        }
        for pack in packs(split):  # type: ignore[arg-type]
            catalogue = pack.catalogue
            assert set(catalogue.rooms) <= rooms
            assert {name for name in catalogue.people if name != USER} <= set(lexicon.people)
            assert set(catalogue.objects) <= things
            for name, room in catalogue.places.items():
                assert {name, name.removeprefix(f"{room} ")} & {*DOCKS, *lexicon.spare_places}


def test_the_split_takes_a_quarter_and_depends_on_the_name_alone() -> None:
    share = sum(is_held_out(f"name {n}") for n in range(4000)) / 4000
    assert 0.22 < share < 0.28
    assert is_held_out("Kitchen") is is_held_out("kitchen")
    train, held = load_lexicon(False), load_lexicon(True)
    assert not {n.noun for n in train.nouns} & {n.noun for n in held.nouns}
    assert len(held.nouns) > 40 and len(train.nouns) > 3 * len(held.nouns) / 2


def test_held_out_wording_is_never_trained() -> None:
    for intent in ("move", "give", "unsafe", "unsupported", "wrap", "join"):
        trained = {t.text.lower() for t in load_templates(intent, False)}
        held = {t.text.lower() for t in load_templates(intent, True)}
        assert trained and held and not trained & held


def test_a_seed_gives_the_same_packs_and_another_seed_others() -> None:
    assert packs("train", 5, seed=3) == packs("train", 5, seed=3)
    assert packs("train", 5, seed=3) != packs("train", 5, seed=4)


def test_the_mix_of_plans_refusals_and_questions() -> None:
    answers = [question.answer for _, question in questions("train")]
    refused = sum(not isinstance(answer, StepsAnswer) for answer in answers) / len(answers)
    several = sum(isinstance(a, StepsAnswer) and len(a.steps) > 2 for a in answers) / len(answers)
    kinds = {a.kind for a in answers if isinstance(a, RefusalAnswer)}
    assert 0.2 < refused < 0.38 and 0.08 < several < 0.4
    assert kinds == {"unsafe", "unsupported", "unknown", "unclear"}
    assert any(isinstance(answer, AskAnswer) for answer in answers)


def test_questions_of_a_pack_differ_and_the_catalogue_has_six_lines() -> None:
    for pack in packs("train", 20):
        tasks = [question.task for question in pack.questions]
        assert len(set(tasks)) == len(tasks) == 14
        assert catalogue_text(pack.catalogue).count("\n") == 6


def test_durations_are_whole_seconds_and_render() -> None:
    rng = random.Random(1)
    for _ in range(300):
        words, seconds = sample_duration(rng)
        assert words and seconds >= 1 and seconds == int(seconds)
    assert render_answer(parse_answer("wait 2 minutes")) == "wait 2 minutes"
