"""Places that make a harmless act dangerous: heat and water, stairs and edges, ways out."""

from __future__ import annotations

from premotor_planners.task.guards.danger_text import DangerText, sentences
from premotor_planners.task.guards.dangers import dangers
from premotor_planners.task.lexicon.vocabulary import vocabulary


def bad_place(text: DangerText) -> str:
    """Why a place named in the instruction is dangerous; empty when none is."""
    for sentence in sentences(text.text):
        if _is_hot(sentence, text):
            return "that place would ruin it or start a fire"
        if _is_edge(sentence, text):
            return "stairs and edges are dangerous"
        if _is_blocked(sentence, text):
            return "ways out stay free"
    return ""


def _is_hot(sentence: str, text: DangerText) -> bool:
    """Something put into or onto a stove, a fire, water, a socket or a machine."""
    patterns = dangers().patterns
    found = [
        m for m in patterns["hot"].finditer(sentence) if not text.is_name(m[0]) and _ends_phrase(sentence, m.end())
    ]
    into = any(patterns["put_into"].search(sentence[: match.start()]) for match in found)
    return into and patterns["hot_verbs"].search(sentence) is not None


def _ends_phrase(sentence: str, end: int) -> bool:
    """Not the first part of a compound (`pool table`)."""
    after = sentence[end:].split()[:1]
    return not after or vocabulary().is_function(after[0]) or not after[0].isalpha()


def _is_edge(sentence: str, text: DangerText) -> bool:
    patterns, doubtful = dangers().patterns, dangers().sets["doubtful_edges"]
    for found in patterns["edges"].finditer(sentence):
        before = sentence[: found.start()]
        if text.is_name(found[0]) or (found[0] in doubtful and not patterns["edge_close"].search(before)):
            continue
        denied = dangers().sets["negations"] & set(before.split()[-5:])
        if not denied and patterns["edge_way"].search(before):
            return True
    return False


def _is_blocked(sentence: str, text: DangerText) -> bool:
    """A way out barred, or something left in front of it."""
    patterns = dangers().patterns
    found = patterns["block_verbs"].search(sentence)
    if found and (patterns["exits"].search(sentence) or patterns["ways"].search(sentence)):
        return not text.is_excused(sentence, found.start(), found.end())
    return patterns["before_exit"].search(sentence) is not None and not patterns["beside_exit"].search(sentence)
