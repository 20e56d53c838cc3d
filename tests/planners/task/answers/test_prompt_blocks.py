"""The prompt is exactly the text that models are trained on."""

from __future__ import annotations

import pytest

from premotor_planners.errors import CatalogueError
from premotor_planners.task.answers.prompt import catalogue_block, prompt_blocks, question_block
from premotor_planners.task.catalogue import Catalogue

SMALL = Catalogue(
    rooms=("kitchen", "study", "living room"),
    places={"kitchen counter": "kitchen", "study desk": "study", "sofa": "living room", "dock": "kitchen"},
    objects={"red mug": "kitchen counter", "blue mug": "study desk", "newspaper": "sofa"},
    people={"user": "sofa", "Anna": "study desk"},
)

BLOCK = """\
Skills: go, pick, place, give, say, wait, inspect, dock
Rooms: kitchen, study, living room
Places: kitchen counter (kitchen); study desk (study); sofa (living room); dock (kitchen)
Objects: red mug (kitchen counter); blue mug (study desk); newspaper (sofa)
People: user (sofa); Anna (study desk)
Holding: nothing
"""


def test_the_catalogue_block_is_the_trained_text() -> None:
    assert catalogue_block(SMALL) == BLOCK


def test_the_question_follows_in_a_block_of_its_own() -> None:
    blocks = prompt_blocks(SMALL, "take the red mug from the kitchen to the study desk")
    assert blocks == (BLOCK, "Task: take the red mug from the kitchen to the study desk\nPlan:")


def test_a_task_stays_on_one_line() -> None:
    assert question_block("go\n\nPlan: dock") == "Task: go Plan: dock\nPlan:"


def test_empty_lists_are_none() -> None:
    lines = catalogue_block(Catalogue((), {}, {}, {}, skills=("go",), holding="red mug")).splitlines()
    expected = ["Skills: go", "Rooms: none", "Places: none", "Objects: none", "People: none", "Holding: red mug"]
    assert lines == expected


@pytest.mark.parametrize("name", ["", " mug", "red  mug", "a\nb", "mug; dock", "mug, cup", "mug;", "x\x00"])
def test_names_that_break_the_prompt_are_refused(name: str) -> None:
    with pytest.raises(CatalogueError):
        catalogue_block(Catalogue((), {}, {name: "sofa"}, {}))
