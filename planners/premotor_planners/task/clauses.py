"""An instruction cut into clauses, and what each clause is: a task, its background, a condition, a prohibition…"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from premotor_planners.task.durations import Duration
from premotor_planners.task.mentions import Mention
from premotor_planners.task.speech import Message
from premotor_planners.task.vocabulary import VerbSense, vocabulary
from premotor_planners.task.words import Text

ClauseKind = Literal["task", "fragment", "background", "condition", "negative", "question", "filler"]

BREAKS = frozenset('.!?;:()—–"')
REASONS = frozenset({"because", "since", "cause", "although", "though", "as", "where", "which", "who"})
CONDITIONS = frozenset({"if", "when", "whenever", "unless", "until", "till", "while", "provided"})
ORDERS = frozenset({"before", "after", "once"})
SEQUELS = frozenset(
    {
        "then",
        "afterwards",
        "afterward",
        "finally",
        "lastly",
        "subsequently",
        "thereafter",
        "next",
        "later",
        "first",
        "firstly",
        "second",
        "secondly",
        "third",
        "thirdly",
    }
)
SUBJECTS = frozenset(
    {
        "i",
        "we",
        "he",
        "she",
        "it",
        "they",
        "you",
        "there",
        "this",
        "that",
        "these",
        "those",
        "somebody",
        "someone",
        "everyone",
        "everybody",
        "nobody",
    }
)
FINITE = frozenset({"is", "are", "am", "was", "were", "has", "have", "had", "do", "does", "did", "will", "would", "can", "could", "should", "must", "may", "might", "needs", "need", "wants", "want", "shall", "like", "likes", "wanted", "needed", "got", "hate", "hates", "love", "loves", "miss", "lost", "left", "forgot", "put", "broke", "keeps", "keep", "goes", "went", "belongs", "belong", "cannot", "ought", "feel", "feels", "think", "know", "hurts", "looks", "seems", "sounds", "smells", "asked", "said", "told", "saw", "came", "comes", "took", "finished", "deserves", "requires", "require"})  # fmt: skip
REQUESTING = re.compile(
    r"(?<= )(?:should|must|needs?|has to|have to|ought|wants?|wanted|would like|would love|would prefer|supposed|is to|are to|belongs?|goes|go|had better|requires?|in need of|due|deserves)(?= )"
)
WISHES = re.compile(
    r"(?<= )(?:i|we) (?:(?:really|just|also|still|now|only|do|so|kind of|badly|desperately|urgently) )*(?:need|want|would like|would love|could use|could do with|fancy|will have|require|would rather have|would prefer|am after|am looking for|will need|could really use|wanted|would kill for|would appreciate|wish for|am dying for|could go for|crave|am craving|must have|have to have)(?= )|(?<= )(?:can|could|may|might|shall) (?:i|we) (?:(?:please|just|also|maybe|possibly) )*(?:have|get|borrow|see|use|bother you for|trouble you for|ask for|ask you for|request|grab)(?= )"
)
DIRECTIONS = frozenset({"up", "off", "down", "back", "over", "away"})
_ABOUT_YOU = frozenset(
    {
        "look",
        "seem",
        "feel",
        "are",
        "have",
        "sound",
        "know",
        "forgot",
        "left",
        "missed",
        "were",
        "did",
        "said",
        "dropped",
        "always",
        "never",
    }
)
QUESTIONS = frozenset(
    {
        "what",
        "who",
        "why",
        "how",
        "which",
        "whose",
        "where",
        "when",
        "is",
        "are",
        "was",
        "were",
        "do",
        "does",
        "did",
        "have",
        "has",
        "am",
        "will",
        "shall",
    }
)


@dataclass(frozen=True)
class Verb:
    """A verb at word `index` with what it may mean here (particles found nearby counted in)."""

    index: int
    base: str
    classes: frozenset[str]
    phrase: str
    particle_words: frozenset[int] = frozenset()


@dataclass
class Clause:
    """Words of one clause (indexes into the text, taken words left out), how it is joined on, and what it is."""

    indexes: list[int]
    connective: str = ""
    requested: bool = False
    sentence: int = 0
    joined_by: str = ""
    kind: ClauseKind = "filler"
    verbs: list[Verb] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)

    @property
    def head(self) -> Verb | None:
        """The first verb."""
        return self.verbs[0] if self.verbs else None


@dataclass(frozen=True)
class Marked:
    """The text with everything that was found in it so far."""

    text: Text
    mentions: Sequence[Mention]
    messages: Sequence[Message]
    durations: Sequence[Duration]
    polite: frozenset[int]
    taken: frozenset[int]

    def word(self, index: int) -> str:
        """The normalised word, empty beyond the ends."""
        return self.text.words[index].norm if 0 <= index < len(self.text.words) else ""

    def mention_at(self, index: int) -> Mention | None:
        """The mention whose head covers the word."""
        return next((m for m in self.mentions if m.start <= index < m.end), None)


def split_clauses(marked: Marked) -> list[Clause]:
    """Clauses in order of the text, classified."""
    splitter = _Splitter(marked)
    clauses = [clause for clause in splitter.run() if clause.indexes or clause.messages or clause.connective]
    for number, clause in enumerate(clauses):
        clause.verbs = find_verbs(clause, marked)
        clause.kind = _kind(clause, marked, clauses[number - 1] if number else None)
    return clauses


class _Splitter:
    def __init__(self, marked: Marked) -> None:
        self.marked = marked
        self.clauses: list[Clause] = []
        self.current = Clause([])
        self.sentence = 0
        self.pending: list[str] = []

    def run(self) -> list[Clause]:
        index, total = 0, len(self.marked.text.words)
        while index < total:
            index = self.take(index)
        self.close()
        return self.clauses

    def close(self, joined_by: str = "") -> None:
        if self.current.indexes or self.current.messages:
            self.clauses.append(self.current)
            self.current = Clause([], sentence=self.sentence, joined_by=joined_by)
        else:
            self.current.joined_by = self.current.joined_by or joined_by
            self.current.sentence = self.sentence

    def take(self, index: int) -> int:
        word = self.marked.word(index)
        message = next((m for m in self.marked.messages if m.start == index), None)
        if message:
            if self.current.indexes and not self._leads_into_speech():
                self.close("and")
            self.current.messages.append(message)
            self.close()
            return message.end
        if index in self.marked.polite:
            if self.current.indexes and not self._is_trailing(index):
                self.close()
            if index not in self.marked.taken or not self.current.indexes:
                self.current.requested = True
            return index + 1
        if index in self.marked.taken:
            return index + 1
        return self.plain(index, word)

    def _has_verb_ahead(self, index: int) -> bool:
        """Whether the words up to the next border hold a verb: else they go on with the clause (a list, an aside)."""
        while self.marked.word(index) not in BREAKS | {",", ""}:
            if self.marked.word(index) in FINITE or is_verb(index, self.marked) or index in self.marked.polite:
                return True
            if any(m.start == index for m in self.marked.messages):
                return True
            index += 1
        return False

    def _leads_into_speech(self) -> bool:
        """`go and tell …`, `please tell …`: the words before a message that are no clause of their own."""
        verbs = find_verbs(self.current, self.marked)
        rest = [
            i
            for i in self.current.indexes
            if self.marked.word(i) not in ("and", "go", "come", "just", "also", "please", "over", "to", ",")
        ]
        return not rest and len(verbs) <= 1

    def _is_trailing(self, index: int) -> bool:
        """Politeness at the end of a sentence belongs to the clause before it."""
        after = index
        while after in self.marked.polite:
            after += 1
        return self.marked.word(after) in BREAKS or self.marked.word(after) == ""

    def plain(self, index: int, word: str) -> int:
        if word in BREAKS:
            self.close()
            self.sentence += 1
            self.current.sentence = self.sentence
            return index + 1
        if self.marked.mention_at(index) is None:
            width = self.connective(index, word)
            if width:
                return index + width
            if word in (",", "and", "plus", "&", "also", "or", "-") and self._starts_clause(index + 1):
                self.close(word)
                return index + 1
            if word == ",":
                if self._has_verb_ahead(index + 1):
                    self.close(",")
                return index + 1
        if word == "to" and self._is_purpose(index):
            self.close("to")
            return index + 1
        self.current.indexes.append(index)
        return index + 1

    def _is_purpose(self, index: int) -> bool:
        """`go to the kitchen to get …`: an infinitive after a verb that had its own words."""
        verbs = find_verbs(self.current, self.marked)
        named = any(self.marked.mention_at(i) for i in self.current.indexes)
        return (
            bool(verbs)
            and named
            and is_verb(index + 1, self.marked)
            and self.marked.word(index - 1)
            not in (
                "needs",
                "need",
                "has",
                "have",
                "want",
                "wants",
                "like",
                "supposed",
                "ought",
                "is",
                "are",
                "back",
                "over",
                "going",
            )
        )

    def connective(self, index: int, word: str) -> int:
        """The number of words of a connective that starts a new clause here, 0 when there is none."""
        after = self.marked.word(index + 1)
        if (
            word in ("after", "before")
            and after in ("that", "this", "doing", "you")
            and self._plain_that(index + 1, after)
        ):
            self._open("then" if word == "after" else "earlier")
            return 2
        if word == "followed" and after == "by":
            self._open("then")
            return 2
        if word in ("in",) and after == "case":
            self._open("because")
            return 2
        if (
            word == "so"
            and after
            in ("that", "i", "we", "he", "she", "they", "it", "nobody", "everyone", "people", "you", "as", "my")
        ) or (word == "so" and self._names_person(index + 1)):
            self._open("so")
            return 2 if after in ("that", "as") else 1
        if word == "but" and after == "first":
            self._open("earlier")
            return 2
        if word in ("but", "so", "however", "or", "otherwise"):
            return self._break(index, word)
        if word in SEQUELS and not (
            word in ("next", "first", "second", "third", "last", "later") and self._is_adjective(index)
        ):
            self._open("then" if word not in ("first", "firstly") else "first")
            return 1
        if word == "as" and after not in SUBJECTS | {"the", "my"}:
            return 0
        if word in CONDITIONS | ORDERS | {"because", "since", "cause", "although", "though", "as"}:
            self._open(word)
            return 1
        if word in ("where", "which", "who") and self.current.indexes:
            self._open(word)
            return 1
        return 0

    def _names_person(self, index: int) -> bool:
        mention = self.marked.mention_at(index)
        return mention is not None and mention.kind == "person"

    def _plain_that(self, index: int, after: str) -> bool:
        """`after that` alone, not `after that meeting`."""
        return (
            after in ("that", "this")
            and self.marked.mention_at(index + 1) is None
            and (
                self.marked.word(index + 1) in BREAKS | {",", "", "and"}
                or self._starts_clause(index + 1)
                or index + 1 in self.marked.polite
            )
        )

    def _is_adjective(self, index: int) -> bool:
        """`next to`, `the first …`, `last one`."""
        return self.marked.word(index + 1) == "to" or self.marked.word(index - 1) in ("the", "a", "my")

    def _break(self, index: int, word: str) -> int:
        """`but`, `so`, `or`: a border when a clause follows; else the word stays where it is."""
        if word in ("but", "or") and self.current.indexes and not self._starts_clause(index + 1):
            return 0
        self.close()
        return 1

    def _open(self, connective: str) -> None:
        self.close()
        self.current.connective = (
            connective if not self.current.connective or connective != "then" else self.current.connective
        )

    def _starts_clause(self, index: int) -> bool:
        """Whether a verb, a subject or a polite opener comes next (fillers skipped)."""
        known = vocabulary()
        while self.marked.word(index) in (
            "please",
            "just",
            "also",
            "then",
            "and",
            ",",
            "now",
            "to",
            "quickly",
            "finally",
            "afterwards",
            "maybe",
            "kindly",
            "you",
            "not",
        ):
            if index in self.marked.polite or self.marked.word(index) in ("you", "not"):
                return True
            index += 1
        if index in self.marked.polite or any(m.start == index for m in self.marked.messages):
            return True
        word = self.marked.word(index)
        if word in (
            "i",
            "we",
            "he",
            "she",
            "it",
            "they",
            "there",
            "if",
            "when",
            "while",
            "because",
            "after",
            "before",
            "once",
            "never",
            "do",
        ):
            return True
        if word not in known.senses:
            return False
        return is_verb(index, self.marked)


def is_verb(index: int, marked: Marked) -> bool:
    """Whether the word can be a verb here: not in a longer name, and no noun after a determiner or adjective."""
    known = vocabulary()
    word = marked.word(index)
    if word not in known.bases or index in marked.taken:
        return False
    before = marked.word(index - 1)
    mention = marked.mention_at(index)
    if mention is not None:
        after = marked.word(mention.end)
        alone = mention.end - mention.start == 1 and mention.phrase_start == mention.start
        starts = (
            before in ("", ",", ".", "and", "then", "please", "!", ";", "you", "first") or index - 1 in marked.polite
        )
        ends = after in ("", ",", ".", "!", "and", "then", "yourself", "me", "us", "now", "again", "please")
        docks = any("dock" in sense.classes for sense in known.senses.get(word, ()))
        return alone and starts and (known.is_one_of(after, "determiners") or (docks and ends))
    if before in ("first", "last", "right", "left", "open", "clean", "fine", "nice", "good") and not known.is_one_of(
        marked.word(index - 2), "determiners"
    ):
        before = ""
    if (
        known.is_one_of(before, "determiners", "adjectives", "colors") and before not in ("that", "this", "all", "both")
    ) or (marked.text.words[index - 1].possessive and index > 0):
        return False
    return not (
        before in ("a", "an")
        or (
            word in ("like", "order", "sort", "being", "store", "s")
            and before not in ("to", "", "and", "please", ",", ".")
        )
    )


def find_verbs(clause: Clause, marked: Marked) -> list[Verb]:
    """All verbs of the clause, with their particles."""
    verbs = [_verb(index, clause, marked) for index in clause.indexes if is_verb(index, marked)]
    return [
        verb for verb in verbs if verb.classes or not vocabulary().is_one_of(marked.word(verb.index), "auxiliaries")
    ]


def _verb(index: int, clause: Clause, marked: Marked) -> Verb:
    known = vocabulary()
    rest = [i for i in clause.indexes if i > index]
    classes: set[str] = set()
    used: frozenset[int] = frozenset()
    base, phrase = "", ""
    for candidate in sorted(known.bases[marked.word(index)]):
        for sense in known.senses.get(candidate, ()):
            found = _particles(sense, rest, index, marked)
            if found is None:
                continue
            if len(sense.particles) > len(used):
                keeps = set(sense.particles) <= DIRECTIONS and "unsupported" not in sense.classes
                classes = {c for c in classes if c != "unsupported"} if keeps else set()
                used, base, phrase = frozenset(found), candidate, " ".join((candidate, *sense.particles))
            if len(sense.particles) == len(used):
                classes |= sense.classes
                base, phrase = base or candidate, phrase or candidate
    return Verb(index, base or marked.word(index), frozenset(classes), phrase or marked.word(index), used)


def _particles(sense: VerbSense, rest: list[int], index: int, marked: Marked) -> list[int] | None:
    """Where the particles stand: right after (small words between), or one particle later in the clause."""
    known = vocabulary()
    found: list[int] = []
    position = 0
    for particle in sense.particles:
        while position < len(rest):
            word = marked.word(rest[position])
            if word == particle:
                break
            short = known.is_one_of(word, "determiners", "adjectives") or word in (
                "quick",
                "right",
                "back",
                "straight",
                "me",
                "it",
                "them",
                "him",
                "her",
                "over",
                "your",
                "yourself",
                "on",
                "in",
                "up",
                "at",
                "just",
                "good",
                "close",
                "closer",
                "way",
            )
            within = len(sense.particles) == 1 and particle in (
                "up",
                "off",
                "down",
                "back",
                "over",
                "away",
                "home",
                "on",
                "in",
                "out",
            )
            if (not short and not within) or (marked.mention_at(rest[position]) is not None and not within):
                return None
            position += 1
        if position == len(rest):
            return None
        if len(found) == 0 and position > 4:
            return None
        if particle in ("on", "in", "over", "at", "to") and len(sense.particles) == 1 and position > 0:
            return None
        if (
            particle in ("on", "in", "up", "off", "over", "down")
            and len(sense.particles) == 1
            and _governs(rest, position, marked)
            and sense.classes <= {"unsupported", "wait"}
        ):
            return None
        found.append(rest[position])
        position += 1
    return found


def _governs(rest: list[int], position: int, marked: Marked) -> bool:
    """Whether the word at `position` is a preposition with a name after it (`stand up the …` is rare, `on the sofa` is not)."""
    following = rest[position + 1 : position + 4]
    return any(marked.mention_at(i) is not None and marked.mention_at(i).kind in ("place", "room") for i in following)  # type: ignore[union-attr]


def _kind(clause: Clause, marked: Marked, before: Clause | None) -> ClauseKind:
    words = [marked.word(i) for i in clause.indexes]
    if not words and not clause.messages:
        return "filler"
    if clause.connective in REASONS or clause.connective == "so":
        return "background"
    if clause.connective in CONDITIONS | ORDERS:
        return _subordinate(clause, marked, before)
    if clause.messages:
        return "task"
    content = [i for i in clause.indexes if not _is_light(i, marked)]
    if not content:
        return "filler"
    if marked.word(content[0]) in ("not", "never") or [marked.word(i) for i in content[:2]] in (
        ["do", "not"],
        ["no", "need"],
        ["you", "not"],
    ):
        return "negative"
    return _main(clause, content, marked)


def _main(clause: Clause, content: list[int], marked: Marked) -> ClauseKind:
    first = content[0]
    joined = f" {' '.join(marked.word(i) for i in clause.indexes)} "
    verb_first = any(verb.index == first for verb in clause.verbs)
    if verb_first and not _third_person(first, content, marked):
        return "task"
    if WISHES.search(joined) or marked.word(first) == "let":
        return "task"
    if marked.word(first) == "you" and marked.word(first + 1) in _ABOUT_YOU:
        return "background"
    has_names = any(marked.mention_at(i) for i in content)
    if clause.requested and (clause.verbs or has_names or not _is_subject(first, marked)):
        return "task"
    if marked.word(first) in ("have", "has") and marked.word(first + 1) not in ("i", "you", "we", "they", "he", "she"):
        return "task"
    if (" is for " in joined or " are for " in joined) and has_names:
        return "task"
    if marked.word(first) in ("do", "does", "did") and marked.word(first + 1) in (
        "it",
        "something",
        "the",
        "this",
        "that",
        "your",
        "my",
        "a",
        "some",
        "what",
    ):
        return "task"
    if (marked.word(first) in QUESTIONS and not has_names) or marked.word(first) in (
        "what",
        "who",
        "why",
        "how",
        "which",
        "where",
        "when",
        "is",
        "are",
        "do",
        "does",
        "did",
        "was",
        "were",
        "has",
        "have",
    ):
        return "question"
    finite = [i for i in content if marked.word(i) in FINITE or _inflected(i, marked)]
    if _is_subject(first, marked) and marked.word(first) in ("i", "we"):
        return "background"
    if marked.word(first) in ("he", "she", "it", "they", "there") and clause.verbs and not REQUESTING.search(joined):
        return "background"
    if not finite and not clause.verbs and has_names and _only_owners(content, marked):
        return "background"
    if REQUESTING.search(joined) and finite and " not " not in joined.partition(marked.word(finite[0]))[2][:9]:
        return "task"
    if marked.word(first) in ("can", "could", "would", "will", "may", "should", "shall", "must") and has_names:
        return "task"
    if finite and (_is_subject(first, marked) or finite[0] != first):
        return "background"
    return (
        "fragment"
        if has_names or _noun_like(content, marked)
        else ("task" if clause.verbs or not _is_subject(first, marked) else "background")
    )


def _only_owners(content: list[int], marked: Marked) -> bool:
    """`Anna's eyes hurt`: names stand there only as owners of other things."""
    named = [m for m in marked.mentions if m.start in content]
    return all(marked.text.words[m.end - 1].possessive for m in named)


def _noun_like(content: list[int], marked: Marked) -> bool:
    return marked.word(content[0]) in ("the", "a", "an", "my", "to", "into", "on", "onto", "in", "with", "from")


def _third_person(first: int, content: list[int], marked: Marked) -> bool:
    """`needs …`, `is …` at the start are no commands; neither is `put` after a subject, which stands first anyway."""
    return marked.word(first) in ("is", "are", "was", "needs", "wants", "has", "goes", "left", "be")


def _is_subject(index: int, marked: Marked) -> bool:
    mention = marked.mention_at(index)
    return (
        marked.word(index) in SUBJECTS
        or mention is not None
        or marked.word(index) in ("the", "my", "a", "our", "his", "her", "your", "their", "an")
    )


def _inflected(index: int, marked: Marked) -> bool:
    """A verb in -s or -ed that is not the base form."""
    known = vocabulary()
    word = marked.word(index)
    return word in known.bases and word not in known.senses and not word.endswith("ing") and is_verb(index, marked)


def _is_light(index: int, marked: Marked) -> bool:
    known = vocabulary()
    word = marked.word(index)
    if marked.mention_at(index) is not None:
        return False
    light = known.is_one_of(word, "fillers") or word in (
        "and",
        "or",
        ",",
        "also",
        "but",
        "-",
        "plus",
        "to",
        "too",
        "then",
        "so",
        "as",
    )
    return light and not (
        word in known.senses
        and is_verb(index, marked)
        and word
        not in ("like", "help", "right", "order", "love", "sort", "mind", "thank", "excuse", "think", "guess", "time")
    )


def _subordinate(clause: Clause, marked: Marked, before: Clause | None) -> ClauseKind:
    """A condition, unless it only orders the robot's own acts (`before you dock`, `after putting …`, `once you have …`)."""
    words = [marked.word(i) for i in clause.indexes]
    if not words:
        return "filler"
    if clause.connective in ("before", "after", "once") and words[0] == "you" and words[1:2] != ["know"]:
        return "task"
    own = words[0] == "you" or (
        clause.verbs and clause.verbs[0].index == clause.indexes[0] and words[0].endswith("ing")
    )
    if clause.connective in ("before", "after", "once") and own and clause.verbs:
        return "task"
    if clause.connective in ("when", "once", "after") and words[0] in ("you", "it", "that", "they"):
        return (
            "task"
            if own and clause.verbs and clause.connective != "when"
            else ("filler" if _only_pronouns(clause, marked) else "condition")
        )
    if clause.connective == "before":
        return "background"
    if clause.connective == "while" and words[0] == "you":
        return "filler"
    return "condition"


def _only_pronouns(clause: Clause, marked: Marked) -> bool:
    """`when it is there`, `once they are in`: nothing new is named, nothing in the world is waited for."""
    known = vocabulary()
    quiet = {"delivered", "placed", "done", "in", "finished", "down", "there", "secured", "settled"}
    return (
        all(
            known.is_function(marked.word(i))
            or marked.word(i) in quiet
            or (marked.word(i) in known.bases and marked.word(clause.indexes[0]) == "you")
            for i in clause.indexes
        )
        and not any(marked.mention_at(i) for i in clause.indexes)
        and not any(marked.word(i) in ("rains", "arrives") for i in clause.indexes)
    )
