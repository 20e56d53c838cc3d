"""Where an instruction names catalogue entries, and the words around each name that narrow it or contradict it."""

from __future__ import annotations

from dataclasses import dataclass

from premotor_planners.task.lexicon.syntax import is_in
from premotor_planners.task.lexicon.vocabulary import Vocabulary, singulars, vocabulary
from premotor_planners.task.lexicon.words import MARKS, Text
from premotor_planners.task.reading.naming import Names
from premotor_planners.task.reading.slips import slipped

ALL_WORDS = frozenset({"all", "both", "every", "each"})
ANY_WORDS = frozenset({"a", "an", "any", "either", "some", "one", "whichever"})
DEFINITE = frozenset({"the", "this", "that", "these", "those"})
POSSESSIVE = frozenset({"my", "your", "his", "her", "our", "their", "its"})
_SPELLING_MIN = 6
_SAME = {word: group for group in ({"big", "large"}, {"small", "little"}) for word in group}
_ARTICLES = frozenset({"the", "a", "an", "my", "our", "your"})


@dataclass(frozen=True)
class Mention:
    """A name in the instruction: head words start..end, whole noun phrase from `phrase_start`.

    `candidates` are the entries that fit the words (catalogue order, one kind). `count` is the number named ("two
    mugs"), 0 for all of them ("the mugs", "both"), None for one. `definite` is false for "a mug", "any of the mugs".
    `strange` is the phrase as written when a word in it contradicts every entry ("pool table", "apple pie").
    """

    start: int
    end: int
    phrase_start: int
    kind: str
    candidates: tuple[str, ...]
    definite: bool = True
    count: int | None = None
    strange: str = ""
    owner: str = ""
    other: bool = False


def find_mentions(text: Text, names: Names, taken: frozenset[int]) -> list[Mention]:
    """All mentions in order, none overlapping; words in `taken` (messages, politeness) are not looked at."""
    finder = _Finder(text, names, taken)
    found: list[Mention] = []
    index = 0
    while index < len(text.words):
        mention = finder.at(index, found)
        if mention:
            found.append(mention)
            index = mention.end
        else:
            index += 1
    return found


class _Finder:
    def __init__(self, text: Text, names: Names, taken: frozenset[int]) -> None:
        self.words = [word.norm for word in text.words]
        self.text, self.names, self.taken = text, names, taken
        self.known: Vocabulary = vocabulary()

    def at(self, index: int, before: list[Mention]) -> Mention | None:
        """The longest mention whose head starts at `index`."""
        for length in range(min(self.names.longest, len(self.words) - index), 0, -1):
            span = tuple(self.words[index : index + length])
            if any(index + i in self.taken or word in MARKS for i, word in enumerate(span)):
                continue
            names, plural = self.names.match(span)
            if names:
                return self.build(index, index + length, names, plural)
        return self.colored_one(index, before) or self.misspelt(index)

    def colored_one(self, index: int, before: list[Mention]) -> Mention | None:
        """`the blue one`: an entry with that word in its name, of the sort named before if any was."""
        if index in self.taken or self.words[index + 1 : index + 2] not in (["one"], ["ones"]):
            return None
        word = self.words[index]
        names = [name for name in self.names.catalogue.objects if word in name.split()[:-1]]
        last = next((m for m in reversed(before) if m.kind == "object"), None)
        heads = {name.split()[-1] for name in last.candidates} if last else set()
        names = [name for name in names if name.split()[-1] in heads] or names
        many = self.words[index + 1] == "ones"
        if not names and self.known.is_one_of(word, "colors"):
            strange = self.text.slice(index, index + 2)
            return Mention(index, index + 2, index, "object", last.candidates if last else (), strange=strange)
        return self.build(index, index + 2, tuple(names), many) if names else None

    def misspelt(self, index: int) -> Mention | None:
        """A long unknown word one slip of the fingers (a letter too many, too few or swapped) from a name's word."""
        word = self.words[index]
        if index in self.taken or len(word) < _SPELLING_MIN or self.known.is_known(word):
            return None
        near = {other for other in self.names.aliases if len(other) >= _SPELLING_MIN - 1 and slipped(word, other)}
        if len(near) != 1:
            return None
        for length in range(min(self.names.longest, len(self.words) - index), 0, -1):
            names, plural = self.names.match((*near, *self.words[index + 1 : index + length]))
            if names and not any(index + i in self.taken for i in range(length)):
                return self.build(index, index + length, names, plural)
        return None

    def build(self, start: int, end: int, names: tuple[str, ...], plural: bool) -> Mention | None:
        kinds = [self.names.kind(name) for name in names]
        kind = kinds[0]
        names = tuple(name for name, other in zip(names, kinds, strict=True) if other == kind)
        first, owner = self.phrase_start(start)
        before = self.words[first:start]
        count = self.count(before, plural, len(names))
        any_of = any(word in ANY_WORDS for word in before) and not any(word in ALL_WORDS for word in before)
        definite = not any_of or any(word in DEFINITE | POSSESSIVE for word in before)
        if self.every_one_of(first):
            definite, count = True, 0 if plural else count
        elif self.one_of(first):
            definite, count = False, None
        odd_start, odd_end = self.strange(start, end, kind, names)
        strange = self.text.slice(odd_start, odd_end) if (odd_start, odd_end) != (start, end) else ""
        return Mention(
            start, odd_end, min(first, odd_start), kind, names, definite, count, strange, owner, other="other" in before
        )

    def every_one_of(self, first: int) -> bool:
        """`every one of the mugs`, `each of my mugs`, `every single one of those mugs`."""
        before = self.words[max(0, first - 4) : first]
        return before[-1:] == ["of"] and bool(ALL_WORDS & set(before))

    def one_of(self, first: int) -> bool:
        """`one of the mugs`, `any of my mugs`, `either of the two mugs`."""
        return first >= 2 and self.words[first - 1] == "of" and self.words[first - 2] in ANY_WORDS

    def phrase_start(self, start: int) -> tuple[int, str]:
        """Walk back over adjectives, owner and determiners; the index where the phrase starts, and its owner."""
        index, owner = start, ""
        while index > 0 and index - 1 not in self.taken:
            word = self.words[index - 1]
            if self.text.words[index - 1].possessive:
                owner = word
            elif not self.is_modifier(word):
                break
            index -= 1
            if word in DEFINITE | POSSESSIVE | {"a", "an"} and self.words[index - 1 : index] not in (["all"], ["both"]):
                break
        return index, owner

    def is_modifier(self, word: str) -> bool:
        groups = self.known.is_one_of(word, "determiners", "adjectives", "colors")
        return groups or word in ALL_WORDS | ANY_WORDS | {"other"} or word in self.known.numbers or word.isdecimal()

    def count(self, before: list[str], plural: bool, available: int) -> int | None:
        number = next((self.number(word) for word in before if self.number(word) is not None), None)
        if any(word in ALL_WORDS for word in before):
            return 0
        if plural and number is not None:
            return 0 if number == available else number
        return 0 if plural and not any(word in ANY_WORDS for word in before) else None

    def number(self, word: str) -> int | None:
        if word == "one":
            return None
        return int(word) if word.isdecimal() else self.known.numbers.get(word)

    def strange(self, start: int, end: int, kind: str, names: tuple[str, ...]) -> tuple[int, int]:
        """The span with the words that contradict: unknown ones or another colour before the head, a noun right after.

        Start to end when nothing does.
        """
        first = start
        while first > 0 and first - 1 not in self.taken:
            if not (self.contradicts(first - 1, kind) or self.tells_another(first - 1, start, end, names)):
                break
            first -= 1
        last = end
        while last < len(self.words) and last not in self.taken and self.is_compound(last, kind):
            last += 1
        return first, last

    def contradicts(self, index: int, kind: str) -> bool:
        word = self.words[index]
        if kind == "person" or word in MARKS:
            return False
        if self.text.words[index].possessive:
            return kind == "place" and self.is_strangers(index)
        if self.known.is_one_of(word, "colors"):
            return True
        if self.is_determined(index) and self.may_be_noun(word) and not self.is_name(word):
            return True
        if (
            index > 0
            and self.words[index - 1] in _ARTICLES
            and word in self.known.senses
            and not self.is_modifier(word)
        ):
            return not self.is_name(word)  # `the staple box`: a verb between article and head stands for a noun
        return (
            not self.known.is_known(word)
            and not self.is_name(word)
            and not word.isdecimal()
            and not word.endswith("ly")
        )

    def tells_another(self, index: int, start: int, end: int, names: tuple[str, ...]) -> bool:
        """`the cold shelf` is not the towel shelf, `the big spoon` not the long one: a word that tells things of a kind
        apart, before a part of names that have another such word.
        """
        word, said = self.words[index], self.words[start:end]
        if not (is_in(word, "telling") or (self.is_determined(index) and is_in(word, "noun_modifiers"))):
            return False
        wholes = [name.casefold().split() for name in names]
        return all(len(whole) > len(said) and not _SAME.get(word, {word}) & set(whole) for whole in wholes)

    def is_strangers(self, index: int) -> bool:
        """`the doctor's desk` is not the standing desk: an owner nobody here is called, before part of a name only."""
        span = (self.words[index], self.words[index + 1])
        whole = {tuple(name.casefold().split()) for name in self.names.catalogue.places}
        return not self.is_name(span[0]) and (span[1],) not in whole and self.names.match(span)[0] == ()

    def is_determined(self, index: int) -> bool:
        """`the juice bottle`: a word after a determiner or adjective, and before a head, says which thing."""
        return index > 0 and self.known.is_one_of(self.words[index - 1], "determiners", "adjectives", "colors")

    def may_be_noun(self, word: str) -> bool:
        """`the space station`, `the corner desk`: known words that are nouns too, and no mere modifiers."""
        return is_in(word, "dock_hints", "noun_modifiers") and not self.is_modifier(word)

    def is_compound(self, index: int, kind: str) -> bool:
        word = self.words[index]
        if word in self.known.numbers and kind in ("place", "room"):
            return True
        if word in MARKS or self.known.is_known(word) or self.is_name(word) or word.endswith("ly"):
            return False
        if kind == "person":
            return self.text.words[index].capital
        return not (word.isdecimal() and self.text.words[index - 1].norm in ("for", "in"))

    def is_name(self, word: str) -> bool:
        return word in self.names.aliases or any(form in self.names.aliases for form in singulars(word))
