"""What a clause is: a command or wish, a fragment, mere background, a condition, a prohibition, a question."""

from __future__ import annotations

import re

from premotor_planners.task.lexicon.syntax import is_in, syntax
from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.reading.clauses import Clause, ClauseKind, Marked
from premotor_planners.task.reading.verbs import is_verb

_HEDGES = frozenset(("think", "guess", "suppose", "believe", "reckon", "figure"))
_LOCATED = re.compile(r" (?:is|are|was|were) (?:still |probably )?(?:on|in|at|by|near|under|inside|over) ")
_NEGATIVE_STARTS = (["do", "not"], ["no", "need"], ["you", "not"])


def kind_of(clause: Clause, marked: Marked) -> ClauseKind:
    """The kind, from connective, first words and verbs; the clause's verbs must be set."""
    if not clause.indexes and not clause.messages:
        return "filler"
    if is_in(clause.connective, "reasons") or clause.connective == "so":
        return "background"
    if is_in(clause.connective, "conditions", "orders"):
        return _subordinate(clause, marked)
    content = [i for i in clause.indexes if not _is_light(i, marked)]
    if clause.messages or not content:
        return "task" if clause.messages else "filler"
    if marked.word(content[0]) in ("not", "never") or [marked.word(i) for i in content[:2]] in _NEGATIVE_STARTS:
        return "negative"
    return _command(clause, content, marked) or _statement(clause, content, marked)


def _command(clause: Clause, content: list[int], marked: Marked) -> ClauseKind | None:
    """A command or wish by its first words, or None."""
    first, joined = content[0], marked.joined(clause)
    word, after = marked.word(first), marked.word(first + 1)
    if any(verb.index == first for verb in clause.verbs) and not is_in(word, "not_commands"):
        return "task"
    if word in ("i", "we") and not _named(content, marked) and syntax().own_business.search(joined):
        return "background"
    if syntax().wishes.search(joined) and " not " not in joined.split(word)[-1][:12]:
        return "task"
    if _is_opinion(first, joined, marked):
        return "background"
    if word == "let":
        return "task"
    if word == "you" and is_in(after, "about_you"):
        return "background"
    if clause.requested and (clause.verbs or _named(content, marked) or not _is_subject(first, marked)):
        return "task"
    if word in ("have", "has") and not is_in(after, "subjects"):
        return "task"
    return "task" if word in ("do", "does", "did") and is_in(after, "light_do") else None


def _is_opinion(first: int, joined: str, marked: Marked) -> bool:
    """`I think I left it there`, `I guess the apple is on the bed`: where something may be, not where it should go."""
    before = [word for word in (marked.word(first - 1), marked.word(first - 2)) if word != "that"]
    hedged = first > 0 and before[:1] != [] and before[0] in _HEDGES
    return hedged and (marked.word(first) in ("i", "we") or _LOCATED.search(joined) is not None)


def _statement(clause: Clause, content: list[int], marked: Marked) -> ClauseKind:
    first, joined = content[0], marked.joined(clause)
    word, named = marked.word(first), _named(content, marked)
    if named and (" is for " in joined or " are for " in joined):
        return "task"
    if is_in(word, "question_words", "question_verbs"):
        return "question"
    finite = [i for i in clause.indexes if is_in(marked.word(i), "finite") or _inflected(i, marked)]
    if _is_background(clause, content, bool(finite), marked):
        return "background"
    if finite and syntax().requesting.search(joined) and not _denied(clause, finite[0], marked):
        return "task"
    if is_in(word, "modals") and named:
        return "task"
    if finite and (_is_subject(first, marked) or finite[0] != first):
        return "background"
    return _verbless(clause, content, marked)


def _is_background(clause: Clause, content: list[int], finite: bool, marked: Marked) -> bool:
    first, joined = content[0], marked.joined(clause)
    word, mention = marked.word(first), marked.mention_at(first)
    if word in ("i", "we"):
        return True
    if any(is_in(marked.word(i), "reporting") for i in clause.indexes) and (mention or is_in(word, "others")):
        return True
    if is_in(word, "others") and clause.verbs and not syntax().requesting.search(joined):
        return True
    person = mention is not None and mention.kind == "person"
    objects = any(m is not None and m.kind == "object" for m in map(marked.mention_at, content))
    if (person or is_in(word, "others")) and not objects and word != "it" and syntax().own_business.search(joined):
        return True
    return not finite and not clause.verbs and _only_owners(content, marked)


def _verbless(clause: Clause, content: list[int], marked: Marked) -> ClauseKind:
    """A fragment, or `apple bring to me`: the thing first, then a plain verb."""
    first, named = content[0], _named(content, marked)
    mention = marked.mention_at(first)
    if clause.verbs and named:
        thing = mention is not None and mention.kind == "object"
        plain = marked.word(clause.verbs[0].index) in vocabulary().senses
        return (
            "task"
            if plain and (thing or marked.word(first) == "you" or not _is_subject(first, marked))
            else "background"
        )
    if named or is_in(marked.word(first), "noun_starts"):
        return "fragment"
    return "task" if clause.verbs or not _is_subject(first, marked) else "background"


def _denied(clause: Clause, finite: int, marked: Marked) -> bool:
    """`Ben does not want the apple`: the verb is denied."""
    return any(marked.word(i) in ("not", "never") for i in clause.indexes if finite <= i <= finite + 2)


def _named(content: list[int], marked: Marked) -> bool:
    return any(marked.mention_at(i) for i in content)


def _only_owners(content: list[int], marked: Marked) -> bool:
    """`Anna's eyes hurt`: names stand there only as owners of other things."""
    named = [m for m in marked.mentions if m.start in content]
    return bool(named) and all(marked.possessive(m.end - 1) for m in named)


def _is_subject(index: int, marked: Marked) -> bool:
    return is_in(marked.word(index), "subjects", "subject_starts") or marked.mention_at(index) is not None


def _inflected(index: int, marked: Marked) -> bool:
    """A verb in -s or -ed that is not the base form."""
    word, known = marked.word(index), vocabulary()
    return word in known.bases and word not in known.senses and not word.endswith("ing") and is_verb(index, marked)


def _is_light(index: int, marked: Marked) -> bool:
    """Fillers and joints; a filler that can be a verb counts as one, a few soft ones excepted."""
    word, known = marked.word(index), vocabulary()
    if marked.mention_at(index) is not None or not (known.is_one_of(word, "fillers") or is_in(word, "light_words")):
        return False
    return is_in(word, "soft_fillers") or word not in known.senses or not is_verb(index, marked)


def _subordinate(clause: Clause, marked: Marked) -> ClauseKind:
    """A condition, unless it only orders the robot's acts (`before you dock`, `after putting …`, `once you have …`)."""
    words = [marked.word(i) for i in clause.indexes]
    if not words:
        return "filler"
    ordering = is_in(clause.connective, "orders")
    gerund = bool(clause.verbs) and clause.verbs[0].index == clause.indexes[0] and words[0].endswith("ing")
    if ordering and ((words[0] == "you" and words[1:2] != ["know"]) or gerund):
        return "task"
    own_act = words[:2] == ["you", "have"] and any(marked.mention_at(i) for i in clause.indexes)
    if own_act and clause.connective in ("when", "once", "after"):
        return "task"
    if clause.connective in ("when", "once", "after") and words[0] in ("you", "it", "that", "they"):
        return "filler" if _only_sequence(clause, marked) else "condition"
    if clause.connective == "before":
        return "background"
    return "filler" if clause.connective == "while" and words[0] == "you" else "condition"


def _only_sequence(clause: Clause, marked: Marked) -> bool:
    """`when it is there`, `once they are in`: nothing new is named, nothing in the world is waited for."""
    known, own = vocabulary(), marked.word(clause.indexes[0]) == "you"
    words = [marked.word(i) for i in clause.indexes]
    quiet = all(known.is_function(w) or is_in(w, "finished") or (own and w in known.bases) for w in words)
    return quiet and not any(marked.mention_at(i) for i in clause.indexes)
