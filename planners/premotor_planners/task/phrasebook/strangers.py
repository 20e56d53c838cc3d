"""Whether words surely name something that is not in the catalogue."""

from __future__ import annotations

from premotor_planners.task.lexicon.vocabulary import singulars, vocabulary
from premotor_planners.task.phrasebook.aliases import Aliases, best
from premotor_planners.task.phrasebook.thesaurus import Phrase, thesaurus
from premotor_planners.task.reading.slips import slipped

MAX_ATTRIBUTES = 2


def is_absent(words: Phrase, kind: str, aliases: Aliases, capital: bool) -> bool:
    """`kind` is thing, spot or person; `capital` whether the first word is written like a name, not as a first word.

    True only where the words are known to name a thing, place or person, and nothing in the catalogue may be meant.
    """
    if kind == "person":
        return _is_absent_person(words, aliases, capital)
    if _found(words, aliases):
        return False
    return (kind == "thing" and _is_other_color(words, aliases)) or _is_known(words, kind, aliases)


def _found(words: Phrase, aliases: Aliases) -> bool:
    singular = [(*words[:-1], form) for form in singulars(words[-1])]
    return any(form in aliases.things or form in aliases.spots for form in (words, *singular))


def _is_known(words: Phrase, kind: str, aliases: Aliases) -> bool:
    """A known name, perhaps after attributes, of which nothing is there."""
    known = thesaurus()
    for count in range(min(MAX_ATTRIBUTES, len(words) - 1) + 1):
        before, noun = words[:count], words[count:]
        if count and not _is_attribute(before):
            return False
        if noun in known.things or noun in known.plurals or (kind == "spot" and noun in known.places):
            others = known.groups.get(noun, frozenset((noun,)))
            return not any(_found(other, aliases) or _is_part(other, aliases) for other in others)
    return False


def _is_part(words: Phrase, aliases: Aliases) -> bool:
    """`ice cream` where an ice cream tub is."""
    size = len(words)
    return any(words == phrase[i : i + size] for phrase in aliases.things for i in range(len(phrase) - size + 1))


def _is_other_color(words: Phrase, aliases: Aliases) -> bool:
    """`the green mug` where every mug has another colour."""
    colors = vocabulary().groups["colors"]
    if words[0] not in colors or len(words) < 2 or words[1:] not in aliases.things:
        return False
    names = [name.lower().split() for name in best(aliases.things[words[1:]])]
    return all(colors & set(name) and words[0] not in name for name in names)


def _is_attribute(words: Phrase) -> bool:
    known = vocabulary()
    return words in thesaurus().attributes or all(
        known.is_one_of(w, "colors", "adjectives") or (w,) in thesaurus().attributes for w in words
    )


def _is_absent_person(words: Phrase, aliases: Aliases, capital: bool) -> bool:
    taken = {word for phrase in aliases.people for word in phrase}
    if taken & set(words) or _found(words, aliases):
        return False
    if any(slipped(word, other) for word in words for other in taken):
        return False
    return words in thesaurus().people or (capital and len(words) == 1 and not vocabulary().is_known(words[0]))
