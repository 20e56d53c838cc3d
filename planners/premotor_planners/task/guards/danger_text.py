"""An instruction as the hazard guard reads it, and when a word of harm in it is no danger."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from premotor_planners.task.guards.dangers import dangers, mistyped
from premotor_planners.task.lexicon.words import name_words
from premotor_planners.task.reading.naming import SPEAKER
from premotor_planners.task.reading.reading import Reading

_BORDERS = (",", "but", "then", "|", "and", "finished", "done", "afterwards", "next")


class DangerText:
    """What the checks look at, one space around every word.

    `text` leaves out the words of messages, `unnamed` catalogue names too, `peopled` only those of things; `whole` and
    `raw` leave out nothing.
    """

    def __init__(self, reading: Reading) -> None:
        self.reading, self.catalogue = reading, reading.catalogue
        marked = reading.marked
        spoken = {i for m in marked.messages for i in range(m.text_start, m.text_end)}
        self.named = {i for m in marked.mentions for i in range(m.start, m.end)}
        self.text = self._joined(spoken)
        self.unnamed = self._joined(spoken | self.named)
        things = {i for m in marked.mentions if m.kind != "person" for i in range(m.start, m.end)}
        self.peopled = self._joined(spoken | things)
        self.names_things = any(mention.kind == "object" for mention in marked.mentions)
        self.whole = marked.text.joined.replace("_", " ")
        self.raw = f" {marked.text.raw.casefold()} "
        self.messages = tuple(f" {message.text.casefold()} " for message in marked.messages)

    def people(self) -> frozenset[str]:
        """Words for somebody who could be hurt, names included."""
        names = {part for name in self.catalogue.people for part in name_words(name)} - {SPEAKER, "dr", "the"}
        return dangers().sets["people"] | names

    def is_name(self, word: str) -> bool:
        """Whether a word of danger is only part of a catalogue name (`torque wrench`) or of a mention."""
        names = (*self.catalogue.objects, *self.catalogue.places)
        mentions = [self.reading.marked.text.slice(m.start, m.end).casefold() for m in self.reading.marked.mentions]
        return any(word in name_words(name) for name in names) or any(word in mention for mention in mentions)

    def is_excused(self, sentence: str, start: int, end: int) -> bool:
        """Whether the word at start..end is denied, suffered, feared, a noun or a name: nobody is told to do it."""
        word, before, after = sentence[start:end], sentence[:start].split(), sentence[end:].split()
        sets = dangers().sets
        if self.is_name(word) or (word in sets["moving_over"] and after[:1] and after[0] in sets["over_to"]):
            return True
        if (word, *after[:1]) in (("break it", "to"), ("break the", "news")):
            return True
        if word in sets["moving_into"] and self._leads_to_a_room(after):
            return True
        if word in sets["hurting"] and before and before[-1] not in sets["before_command"]:
            return True
        return self._is_excused_by(_clause_before(before), word)

    def _leads_to_a_room(self, after: Sequence[str]) -> bool:
        """`into the kitchen` is where to go, not what to hit."""
        words = [word for word in after if word not in ("the", "my", "our", "your")]
        rooms = [name_words(name) for name in self.catalogue.rooms]
        return any(tuple(words[: len(room)]) == tuple(room) for room in rooms if room)

    def _is_excused_by(self, clause: Sequence[str], word: str) -> bool:
        """`clause`: the words before in the clause, nearest first."""
        sets = dangers().sets
        if sets["negations"] & set(clause[:6]):
            return True
        if sets["told"] & set(clause):
            return False
        if clause and clause[0] in sets["articles"] and word != "damage":
            return True
        return not sets["causing"] & set(clause) and bool(sets["sufferers"] & set(clause[:4]))

    def _joined(self, hidden: set[int]) -> str:
        norms = [word.norm for word in self.reading.marked.text.words]
        read = [norm if i in self.named else mistyped(norm) for i, norm in enumerate(norms)]
        return f" {' '.join('|' if i in hidden else word for i, word in enumerate(read))} "


def sentences(text: str) -> Iterator[str]:
    """The sentences of a joined text, each with one space around it."""
    for part in re.split(r"(?<= )[.!?;](?= )", text):
        yield f" {part.strip()} "


def _clause_before(before: Sequence[str]) -> list[str]:
    nearest = list(reversed(before))
    return nearest[: next((n for n, word in enumerate(nearest) if word in _BORDERS), len(nearest))]
