"""Hand-written worlds and sentences (`natural/*.txt`): a catalogue block, an empty line, then Task/Plan pairs."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from premotor_planners.corpus.pack import Pack, Question, generate_packs
from premotor_planners.errors import CatalogueError
from premotor_planners.task.answers.compact import parse_answer
from premotor_planners.task.catalogue import Catalogue

_LOCATED = re.compile(r"(.+) \(([^()]*)\)")
_TITLES = ("Skills", "Rooms", "Places", "Objects", "People", "Holding")


@cache
def natural_packs() -> tuple[Pack, ...]:
    """All hand-written packs, in the order of their file names."""
    folder = files("premotor_planners.corpus") / "natural"
    texts = sorted((entry.name, entry.read_text("utf-8")) for entry in folder.iterdir() if entry.name.endswith(".txt"))
    return tuple(parse_pack(text) for _, text in texts)


def parse_pack(text: str) -> Pack:
    """Read one file's text. Raises CatalogueError for a block that is not a catalogue, AnswerError for a bad plan."""
    head, _, body = text.strip().partition("\n\n")
    lines = body.strip().splitlines()
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return Pack(parse_catalogue(head), tuple(_question(task, plan) for task, plan in pairs))


def parse_catalogue(block: str) -> Catalogue:
    """Read a catalogue block back; the place called `dock` is the dock."""
    fields = dict(line.partition(": ")[::2] for line in block.splitlines())
    if tuple(fields) != _TITLES:
        raise CatalogueError(f"the block has the lines {', '.join(fields)}; it must have {', '.join(_TITLES)}")
    places = _located(fields["Places"])
    return Catalogue(
        rooms=_list(fields["Rooms"]),
        places=places,
        objects=_located(fields["Objects"]),
        people=_located(fields["People"]),
        skills=_list(fields["Skills"]),
        holding=None if fields["Holding"] == "nothing" else fields["Holding"],
        docks=frozenset(name for name in places if name == "dock"),
    )


def mixed_packs(seed: int, natural_share: float, questions: int = 14) -> Iterator[Pack]:
    """Training packs without end: `natural_share` of them hand-written (a random draw of a world's questions)."""
    rng = random.Random(seed)  # noqa: S311 - reproducible text, no secret
    generated = generate_packs(seed, "train", questions)
    written = natural_packs()
    while True:
        if written and rng.random() < natural_share:
            pack = rng.choice(written)
            yield Pack(pack.catalogue, tuple(rng.sample(pack.questions, min(questions, len(pack.questions)))))
        else:
            yield next(generated)


def _question(task: str, plan: str) -> Question:
    if not (task.startswith("Task: ") and plan.startswith("Plan: ")):
        raise CatalogueError(f"expected a `Task: ` and a `Plan: ` line, found `{task}` and `{plan}`")
    return Question(task.removeprefix("Task: "), parse_answer(plan.removeprefix("Plan: ")), "natural")


def _list(text: str) -> tuple[str, ...]:
    return () if text == "none" else tuple(text.split(", "))


def _located(text: str) -> dict[str, str]:
    if text == "none":
        return {}
    matches = [_LOCATED.fullmatch(entry) for entry in text.split("; ")]
    if not all(matches):
        raise CatalogueError(f"`{text}` is not a list of `name (where)` joined by `; `")
    return {match[1]: match[2] for match in matches if match}
