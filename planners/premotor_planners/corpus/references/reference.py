"""What a reference is: words for something, with what they mean or why they mean nothing."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.answers.answer import Answer

MOST_CANDIDATES = 8
"""A question back names no more candidates than this."""


class Unsuited(Exception):
    """This world offers no such reference; the caller draws another question."""


@dataclass(frozen=True)
class Reference:
    """`text` as said (with determiner), `name` what it means, or `problem` why it means nothing.

    `bare` is the text without determiner and location: what an unknown thing is called in the refusal.
    """

    text: str
    name: str = ""
    problem: Answer | None = None
    bare: str = ""
