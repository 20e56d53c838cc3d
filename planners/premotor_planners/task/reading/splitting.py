"""An instruction cut into clauses at marks, connectives, polite openers and the verbs that follow `and` or a comma."""

from __future__ import annotations

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.reading.borders import (
    has_verb_ahead,
    names_person,
    pair_connective,
    starts_clause,
)
from premotor_planners.task.reading.clauses import Clause, Marked
from premotor_planners.task.reading.verbs import find_verbs, is_verb

_JOINTS = (",", "and", "plus", "also", "or", "-")


def cut(marked: Marked) -> list[Clause]:
    """Clauses in order of the text, not yet classified."""
    cutter = _Cutter(marked)
    index = 0
    while index < len(marked.text.words):
        index = cutter.take(index)
    cutter.close()
    return cutter.clauses


class _Cutter:
    def __init__(self, marked: Marked) -> None:
        self.marked = marked
        self.clauses: list[Clause] = []
        self.current = Clause([])
        self.sentence = 0

    def close(self) -> None:
        """End the current clause, unless nothing is in it yet."""
        if self.current.indexes or self.current.messages:
            self.clauses.append(self.current)
            self.current = Clause([], sentence=self.sentence)
        else:
            self.current.sentence = self.sentence

    def open(self, connective: str) -> None:
        self.close()
        if not self.current.connective or connective != "then":
            self.current.connective = connective

    def take(self, index: int) -> int:
        """Put the word at `index` where it belongs; returns the index to go on with."""
        message = self.marked.message_at(index)
        if message:
            if self.current.indexes and not self._leads_into_speech():
                self.close()
            self.current.messages.append(message)
            self.close()
            return message.end
        if index in self.marked.polite:
            self._politeness(index)
            return index + 1
        return index + 1 if index in self.marked.taken else self._plain(index, self.marked.word(index))

    def _politeness(self, index: int) -> None:
        if self.current.indexes and not self._is_trailing(index):
            if is_in(self.marked.word(index), "delegating") and self._is_person():
                self.current.connective = "because"
            self.close()
        if not self.current.indexes:
            self.current.requested = True

    def _is_person(self) -> bool:
        """`Ben wants you to …`: who wishes it is no task."""
        found = [self.marked.mention_at(i) for i in self.current.indexes if self.marked.word(i) not in ("and", ",")]
        return all(mention is not None and mention.kind == "person" for mention in found)

    def _is_trailing(self, index: int) -> bool:
        """Politeness at the end of a sentence belongs to the clause before it."""
        while index in self.marked.polite:
            index += 1
        return self.marked.word(index) == "" or is_in(self.marked.word(index), "breaks")

    def _leads_into_speech(self) -> bool:
        """`go and tell …`, `please tell …`: the words before a message that are no clause of their own."""
        rest = [i for i in self.current.indexes if not is_in(self.marked.word(i), "lead_words")]
        return not rest and len(find_verbs(self.current, self.marked)) <= 1

    def _plain(self, index: int, word: str) -> int:
        if is_in(word, "breaks"):
            self.close()
            self.sentence += 1
            self.current.sentence = self.sentence
            return index + 1
        if self.marked.mention_at(index) is None:
            width = self._connective(index, word) or self._joint(index, word)
            if width:
                return index + width
        if self._is_next_command(index, word):
            self.close()
        self.current.indexes.append(index)
        return index + 1

    def _is_next_command(self, index: int, word: str) -> bool:
        """A base verb after a clause with verb and name, without mark or joint (`go to the kitchen check the sofa`)."""
        before = self.marked.word(index - 1)
        bound = is_in(before, "before_infinitive", "modals", "subjects", "binding") or index - 1 in self.marked.taken
        if word not in vocabulary().senses or bound or is_in(word, "finite") or not is_verb(index, self.marked):
            return False
        verbs = find_verbs(self.current, self.marked)
        named = [i for i in self.current.indexes if self.marked.mention_at(i) and verbs and i > verbs[0].index]
        return bool(named) and index not in {i for verb in verbs for i in verb.particle_words}

    def _joint(self, index: int, word: str) -> int:
        """A comma, `and` or an infinitive of purpose: a border when a clause follows; a comma is dropped anyway."""
        if word in _JOINTS and starts_clause(index + 1, self.marked):
            self.close()
            return 1
        if word == "," and has_verb_ahead(index + 1, self.marked):
            self.close()
        elif word == "to" and self._is_purpose(index):
            self.close()
            return 1
        return 1 if word == "," else 0

    def _is_purpose(self, index: int) -> bool:
        """`go to the kitchen to get …`: an infinitive after a verb that had its own words."""
        named = any(self.marked.mention_at(i) for i in self.current.indexes)
        open_verb = is_in(self.marked.word(index - 1), "before_infinitive")
        return (
            named and not open_verb and is_verb(index + 1, self.marked) and bool(find_verbs(self.current, self.marked))
        )

    def _connective(self, index: int, word: str) -> int:
        """Open a clause if a connective starts here; its number of words, 0 when there is none."""
        pair = (word, self.marked.word(index + 1))
        opened = pair_connective(index, *pair, self.marked)
        if opened:
            self.open(opened)
            return 2
        if word == "so" and (is_in(pair[1], "so_subjects") or names_person(index + 1, self.marked)):
            self.open("so")
            return 2 if pair[1] in ("that", "as") else 1
        if word in ("but", "so", "however", "or", "otherwise"):
            return self._turn(index, word)
        return self._subordinator(index, *pair)

    def _subordinator(self, index: int, word: str, after: str) -> int:
        if word == "later" and after in ("today", "on", "tonight", "this"):
            return 0
        adjective = after == "to" or self.marked.word(index - 1) in ("the", "a", "my")
        if is_in(word, "sequels") and not (is_in(word, "doubtful_sequels") and adjective):
            self.open("first" if word in ("first", "firstly") else "then")
            return 1
        if word == "as" and not (is_in(after, "subjects") or after in ("the", "my")):
            return 0
        relative = word in ("where", "which", "who")
        if is_in(word, "conditions", "orders") or (is_in(word, "reasons") and (self.current.indexes or not relative)):
            self.open(word)
            return 1
        return 0

    def _turn(self, index: int, word: str) -> int:
        """`but`, `so`, `or`: a border when a clause follows; else the word stays where it is."""
        if word in ("but", "or") and self.current.indexes and not starts_clause(index + 1, self.marked):
            return 0
        self.close()
        return 1
