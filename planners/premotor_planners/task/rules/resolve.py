"""From mentions to catalogue names: places narrow, pronouns look back, several equal entries become a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.lexicon.words import Text
from premotor_planners.task.outcome import Problem, not_there, unclear, unknown, which
from premotor_planners.task.reading.mentions import Mention
from premotor_planners.task.reading.naming import SPEAKER


class StuckError(Exception):
    """The rules can go no further; `problem` says why. Caught where the rules are called."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(getattr(problem, "reason", getattr(problem, "text", "")))
        self.problem = problem


@dataclass
class Discourse:
    """What has been talked about and done so far: antecedents, where things are, what the gripper holds."""

    catalogue: Catalogue
    objects: tuple[str, ...] = ()
    person: str = ""
    place: str = ""
    holding: str | None = None
    object_at: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)

    def location_of(self, name: str) -> str:
        """The place of an object (empty while it is held) or person."""
        return self.object_at.get(name) or self.catalogue.people.get(name, "")


def is_in_spot(place: str, where: str, catalogue: Catalogue) -> bool:
    """Whether a place is `where` itself, in that room, or the place of that person."""
    return place == where or catalogue.places.get(place) == where or catalogue.people.get(where) == place


def resolve_objects(
    mention: Mention, where: Sequence[str], excluded: frozenset[str], talk: Discourse, text: Text
) -> tuple[str, ...]:
    """The objects meant. `where` are names that must hold the object (any of them), `excluded` are ruled out.

    Raises StuckError with an unknown thing (wrong place, contradicting word) or the question which one is meant.
    """
    words = mention.strange or text.slice(mention.start, mention.end)
    if mention.strange:
        raise StuckError(unknown(words, talk.catalogue))
    names = tuple(name for name in mention.candidates if name not in excluded)
    if where:
        names = tuple(
            n for n in names if any(is_in_spot(talk.location_of(n), place, talk.catalogue) for place in where)
        )
        if not names:
            raise StuckError(not_there(words, where[0]))
    if mention.other:
        names = tuple(name for name in names if name not in talk.objects)
    return choose(names, mention, talk, words)


def choose(names: tuple[str, ...], mention: Mention, talk: Discourse, words: str) -> tuple[str, ...]:
    """All, some or one of the fitting names, as the words count them."""
    if not names:
        raise StuckError(unknown(words, talk.catalogue))
    if mention.count == 0:
        return names
    if mention.count is not None and mention.count > 1:
        if mention.count > len(names):
            raise StuckError(unclear(f"I know only {len(names)} that fit {words}: {', '.join(names)}."))
        return names[: mention.count]
    if len(names) == 1:
        return names
    before = tuple(name for name in names if name in talk.objects)
    if len(before) == 1 and mention.definite:
        return before
    if mention.definite:
        raise StuckError(which(names))
    fresh = [name for name in names if name not in talk.used]
    return tuple(fresh or names)[:1]


def resolve_place(mention: Mention, where: Sequence[str], talk: Discourse, text: Text) -> str:
    """The place or room meant, narrowed by the room or person that `where` names."""
    catalogue = talk.catalogue
    words = mention.strange or text.slice(mention.start, mention.end)
    if mention.strange:
        raise StuckError(unknown(words, catalogue, "place"))
    names = tuple(n for n in mention.candidates if not where or any(is_in_spot(n, place, catalogue) for place in where))
    if not names:
        raise StuckError(not_there(words, where[0]) if where else unknown(words, catalogue, "place"))
    if len(names) > 1 and mention.definite:
        raise StuckError(which(names))
    return names[0]


def resolve_person(mention: Mention | None, word: str, talk: Discourse) -> str:
    """The person meant by a name, by `me`, or by a pronoun for the last one named."""
    if word in ("me", "us", "myself", "here"):
        if SPEAKER not in talk.catalogue.people:
            raise StuckError(unclear("I do not know where you are; name a place instead."))
        return SPEAKER
    if mention is None:
        if not talk.person:
            raise StuckError(unclear(f"I do not know who `{word}` is; say the name."))
        return talk.person
    if mention.strange:
        raise StuckError(unknown(mention.strange, talk.catalogue, "person"))
    if len(mention.candidates) > 1:
        raise StuckError(which(mention.candidates))
    return mention.candidates[0]
