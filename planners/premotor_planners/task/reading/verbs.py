"""Which words of a clause are verbs, and what they may mean with the particles around them."""

from __future__ import annotations

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.lexicon.vocabulary import VerbSense, vocabulary
from premotor_planners.task.reading.clauses import Clause, Marked, Verb

_FARTHEST = 4
"""A particle may stand this many words after its verb (`pick the red mug up`)."""


def is_verb(index: int, marked: Marked) -> bool:
    """Whether the word can be a verb here: not in a longer name, and no noun after a determiner or adjective."""
    word = marked.word(index)
    if word not in vocabulary().bases or index in marked.taken:
        return False
    if marked.mention_at(index) is not None:
        return _name_as_verb(index, marked)
    return not _is_noun(index, marked)


def find_verbs(clause: Clause, marked: Marked) -> list[Verb]:
    """All verbs of the clause; auxiliaries without a meaning of their own are none."""
    verbs = [_verb(index, clause, marked) for index in clause.indexes if is_verb(index, marked)]
    return [v for v in verbs if v.classes or not vocabulary().is_one_of(marked.word(v.index), "auxiliaries")]


def _name_as_verb(index: int, marked: Marked) -> bool:
    """`dock`, `water the plants`: a bare name of one word where a command starts."""
    mention = marked.mention_at(index)
    if mention is None or mention.end - mention.start > 1 or mention.phrase_start < mention.start:
        return False
    after = marked.word(mention.end)
    starts = is_in(marked.word(index - 1), "before_verbs") or index - 1 in marked.polite
    docks = any("dock" in sense.classes for sense in vocabulary().senses.get(marked.word(index), ()))
    return starts and (vocabulary().is_one_of(after, "determiners") or (docks and is_in(after, "after_dock")))


def _is_noun(index: int, marked: Marked) -> bool:
    known, before = vocabulary(), marked.word(index - 1)
    if is_in(before, "adverbs_before") and not known.is_one_of(marked.word(index - 2), "determiners"):
        before = ""
    determined = known.is_one_of(before, "determiners", "adjectives", "colors")
    if (determined and before not in ("that", "this", "all", "both")) or marked.possessive(index - 1):
        return True
    if is_in(before, "before_nouns") and not marked.word(index).endswith("ing"):
        return True
    return is_in(marked.word(index), "rare_verbs") and before not in ("to", "", "and", "please", ",", ".")


def _verb(index: int, clause: Clause, marked: Marked) -> Verb:
    """The longest phrase wins; a direction (`up`, `back`) adds to the bare verb's meanings, other particles replace."""
    known, rest = vocabulary(), [i for i in clause.indexes if i > index]
    best = Verb(index, "", frozenset(), "")
    for base in sorted(known.bases[marked.word(index)]):
        for sense in known.senses.get(base, ()):
            found = _particles(sense, rest, marked)
            if found is not None:
                best = _better(best, sense, base, found)
    return best if best.base else Verb(index, marked.word(index), frozenset(), marked.word(index))


def _better(best: Verb, sense: VerbSense, base: str, found: list[int]) -> Verb:
    if len(found) < len(best.particle_words):
        return best
    phrase = " ".join((base, *sense.particles))
    if len(found) == len(best.particle_words):
        return Verb(
            best.index, best.base or base, best.classes | sense.classes, best.phrase or phrase, best.particle_words
        )
    directed = all(is_in(p, "directions") for p in sense.particles) and "unsupported" not in sense.classes
    kept = best.classes - {"unsupported"} if directed else frozenset()
    return Verb(best.index, base, kept | sense.classes, phrase, frozenset(found))


def _particles(sense: VerbSense, rest: list[int], marked: Marked) -> list[int] | None:
    """Where the particles stand: right after (small words between), or one particle later; None if they do not."""
    found: list[int] = []
    position = 0
    for particle in sense.particles:
        position = _seek(particle, position, rest, len(sense.particles) == 1, marked)
        if position < 0 or (not found and position > _FARTHEST):
            return None
        if len(sense.particles) == 1 and _is_preposition(particle, position, rest, sense, marked):
            return None
        if _is_of_a_thing(particle, rest[position] + 1, marked):
            return None
        found.append(rest[position])
        position += 1
    return found


def _is_of_a_thing(particle: str, following: int, marked: Marked) -> bool:
    """`get the juice bottle`: a noun right before a thing says which thing, and is no part of `get juice`."""
    mention = marked.mention_at(following)
    thing = mention is not None and mention.kind == "object" and mention.start == following
    return thing and not is_in(
        particle, "separable", "adjoining", "directions", "prepositions_too", "toward", "away", "at"
    )


def _seek(particle: str, position: int, rest: list[int], single: bool, marked: Marked) -> int:
    known = vocabulary()
    within = single and is_in(particle, "separable")
    while position < len(rest):
        word = marked.word(rest[position])
        if word == particle:
            return position
        short = known.is_one_of(word, "determiners", "adjectives") or is_in(word, "between")
        if not within and (not short or marked.mention_at(rest[position]) is not None):
            return -1
        position += 1
    return -1


def _is_preposition(particle: str, position: int, rest: list[int], sense: VerbSense, marked: Marked) -> bool:
    """`put it on the sofa` has no particle; neither has `turn … to`."""
    if is_in(particle, "adjoining") and position > 0:
        return True
    following = [marked.mention_at(i) for i in rest[position + 1 : position + 4]]
    governs = any(m is not None and m.kind in ("place", "room") for m in following)
    return is_in(particle, "prepositions_too") and governs and sense.classes <= {"unsupported", "wait"}
