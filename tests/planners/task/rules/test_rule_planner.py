"""The rules alone: a table of paraphrases, other worlds, and a gripper that is not empty."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from premotor_planners.task.catalogue import Catalogue

Rules = Callable[[str, Catalogue], str]
LINES = (Path(__file__).parent / "paraphrases.txt").read_text(encoding="utf-8").splitlines()
PARAPHRASES = [tuple(line.split(" => ", 1)) for line in LINES if " => " in line and not line.startswith("#")]


NEVER = (Path(__file__).parent / "never_executed.txt").read_text(encoding="utf-8").splitlines()[1:]


def test_the_tables_are_wide() -> None:
    assert len(PARAPHRASES) > 450 and len(NEVER) > 140


def test_nothing_dangerous_or_impossible_is_executed(house: Catalogue, by_rules: Rules) -> None:
    executed = [(task, got) for task in NEVER if not (got := by_rules(task, house)).startswith(("refuse", "ask"))]
    assert executed == []


def test_paraphrases(house: Catalogue, by_rules: Rules) -> None:
    wrong = [(task, want, got) for task, want in PARAPHRASES if (got := by_rules(task, house)) != want]
    assert wrong == []


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("bring the torque wrench to Dr. Lee", "pick torque wrench; give Dr. Lee"),
        ("give Maria the parcel", "pick parcel; give Maria Santos"),
        ("hand the laptop to Ms. Santos", "pick laptop; give Maria Santos"),
        ("take the marker to meeting room A", "ask"),
        ("put the screws on workbench 2", "pick box of screws; place workbench 2"),
        ("put the parcel on the bench", "ask"),
        ("take the hard drive from rack 7 to the reception desk", "pick hard drive; place reception desk"),
        ("drive to rack 8", "refuse unknown"),
        ("go to the meeting room", "ask"),
        ("go to meeting room b", "go meeting room B"),
        ("tell dr lee the samples have arrived", 'go Dr. Lee; say "the samples have arrived"'),
        ("fetch me a yogurt", "pick yogurt; give user"),
        ("place the wrench on rack 7 in the server room", "pick torque wrench; place rack 7"),
        ("take all the markers to the conference table",
         "pick black marker; place conference table; pick green marker; place conference table"),
        ("recharge now", "dock"),
        ("bring me a coffee", "refuse unknown"),
        ("solder the probe", "refuse unsupported"),
    ],
)  # fmt: skip
def test_names_no_rule_was_written_for(office: Catalogue, by_rules: Rules, task: str, answer: str) -> None:
    assert by_rules(task, office) == answer


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ("put it on the sofa", "place sofa"),
        ("give it to Anna", "give Anna"),
        ("put the sponge down on the kitchen table", "place kitchen table"),
        ("take the sponge to Ben", "give Ben"),
        ("put it in the sink and then bring me the apple", "place sink; pick apple; give user"),
        ("go to the bedroom", "go bedroom"),
        ("bring me the uh what's it called", "refuse unclear"),
        ("hand me it", "give user"),
    ],
)
def test_with_the_sponge_in_the_gripper(house: Catalogue, by_rules: Rules, task: str, answer: str) -> None:
    assert by_rules(task, replace(house, holding="sponge")) == answer


def test_a_full_gripper_is_not_emptied_by_guessing(house: Catalogue, by_rules: Rules) -> None:
    assert by_rules("bring me the apple", replace(house, holding="sponge")) == "refuse unclear"


def test_a_missing_skill_is_refused(house: Catalogue, by_rules: Rules) -> None:
    assert by_rules("bring me the apple", replace(house, skills=("go", "say"))) == "refuse unsupported"
