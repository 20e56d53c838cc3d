"""The prompt: a CATALOGUE block (one per world state: a prefix cache keeps it) and a QUESTION block (one per task).

The blocks are tokenized one by one and concatenated, in training and at run time; every line ends with a newline.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from premotor_planners.errors import CatalogueError
from premotor_planners.task.catalogue import Catalogue

NONE = "none"
NOTHING = "nothing"


def catalogue_block(catalogue: Catalogue) -> str:
    """The lines `Skills:` to `Holding:`. Raises CatalogueError for a name that would break a line of the prompt."""
    for name in all_names(catalogue):
        check_name(name)
    lines = (
        ("Skills", ", ".join(catalogue.skills)),
        ("Rooms", ", ".join(catalogue.rooms)),
        ("Places", _located(catalogue.places.items())),
        ("Objects", _located(catalogue.objects.items())),
        ("People", _located(catalogue.people.items())),
        ("Holding", catalogue.holding or NOTHING),
    )
    return "".join(f"{title}: {text or NONE}\n" for title, text in lines)


def question_block(task: str) -> str:
    """`Task: <text>` on one line, and the words that the answer follows."""
    return f"Task: {' '.join(task.split())}\nPlan:"


def prompt_blocks(catalogue: Catalogue, task: str) -> tuple[str, str]:
    """The two blocks of one request, in order."""
    return catalogue_block(catalogue), question_block(task)


def all_names(catalogue: Catalogue) -> tuple[str, ...]:
    """Every name a plan may hold: rooms, places, objects, people, in catalogue order."""
    return (*catalogue.rooms, *catalogue.places, *catalogue.objects, *catalogue.people)


def check_name(name: str) -> None:
    """Raises CatalogueError unless `name` is printable, trimmed text that cannot be taken for a separator."""
    if not name or name != " ".join(name.split()):
        raise CatalogueError(f"the name {name!r} is empty or has stray spaces; write words with one space between them")
    if any(unicodedata.category(character).startswith("C") for character in name):
        raise CatalogueError(f"the name {name!r} holds a control character; use printable letters")
    if "; " in name or ", " in name or name.endswith((";", ",")):
        raise CatalogueError(f"the name {name!r} holds a separator of the plan language; leave out `;` and `,`")


def _located(pairs: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{name} ({where})" for name, where in pairs)
