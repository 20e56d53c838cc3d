"""A rule, and what it says about one node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Placement = Literal["dla", "gpu", "conditional"]
Confidence = Literal["A", "B", "C"]
"""A: read in primary text or data. B: in a secondary note, log or issue. C: derived; check before relying on it."""


@dataclass(frozen=True)
class Rule:
    """One fact about DLA: its short name, the fact, where it was read and how sure it is."""

    name: str
    says: str
    source: str
    confidence: Confidence


@dataclass(frozen=True)
class Verdict:
    """Where a node runs and which rule decides it.

    `found` is what this node has that the rule speaks of, `remedy` what would bring it onto DLA; both may be empty for
    a node that runs there.
    """

    placement: Placement
    rule: Rule
    found: str = ""
    remedy: str = ""


def runs(rule: Rule) -> Verdict:
    """On DLA by this rule."""
    return Verdict("dla", rule)


def refused(rule: Rule, found: str, remedy: str) -> Verdict:
    """On the GPU: this rule forbids it."""
    return Verdict("gpu", rule, found, remedy)


def unsure(rule: Rule, found: str, remedy: str) -> Verdict:
    """On DLA only if what the rule leaves open turns out well: prove it on the board."""
    return Verdict("conditional", rule, found, remedy)


def worse(first: Verdict, second: Verdict) -> Verdict:
    """The stricter of two; the first if equal."""
    order = ("dla", "conditional", "gpu")
    return second if order.index(second.placement) > order.index(first.placement) else first
