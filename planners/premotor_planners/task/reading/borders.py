"""Where a clause may begin: what comes after a mark, a joint or a connective."""

from __future__ import annotations

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.reading.clauses import Marked
from premotor_planners.task.reading.verbs import is_verb


def starts_clause(index: int, marked: Marked) -> bool:
    """Whether a verb, a subject or a polite opener comes next (light words passed over)."""
    while is_in(marked.word(index), "light_starts") and index not in marked.polite:
        if marked.message_at(index) or (marked.word(index) == "go" and is_verb(index, marked)):
            return True
        index += 1
    word = marked.word(index)
    if index in marked.polite or marked.message_at(index) or word == "you" or is_in(word, "clause_starts"):
        return True
    if word == "not":
        return is_verb(index + 1, marked) and marked.word(index + 1) in vocabulary().senses
    return word in vocabulary().senses and is_verb(index, marked)


def stands_alone(index: int, marked: Marked) -> bool:
    """`after that` alone, not `after that meeting`."""
    after = marked.word(index + 1)
    border = after in (",", "", "and") or is_in(after, "breaks") or index + 1 in marked.polite
    return marked.mention_at(index + 1) is None and (border or starts_clause(index + 1, marked))


def names_person(index: int, marked: Marked) -> bool:
    """Whether a person is named at the word."""
    mention = marked.mention_at(index)
    return mention is not None and mention.kind == "person"


def pair_connective(index: int, word: str, after: str, marked: Marked) -> str:
    """The connective that two words make together; empty when they make none."""
    if word in ("after", "before") and after in ("that", "this") and stands_alone(index + 1, marked):
        return "then" if word == "after" else "earlier"
    pairs = {("followed", "by"): "then", ("in", "case"): "because", ("but", "first"): "earlier"}
    return pairs.get((word, after), "")


def has_verb_ahead(index: int, marked: Marked) -> bool:
    """Whether the words up to the next border hold a verb: else they go on with the clause (a list, an aside)."""
    while marked.word(index) not in (",", "") and not is_in(marked.word(index), "breaks"):
        if is_in(marked.word(index), "finite") or is_verb(index, marked) or index in marked.polite:
            return True
        if marked.message_at(index):
            return True
        index += 1
    return False
