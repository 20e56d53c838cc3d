"""An independent guard against harm, without a model: it reads the words, not the plan, and errs towards refusing.

It looks for verbs of harm and their targets, dangerous things in the wrong hands, heat, heights, blocked exits, safety
functions switched off, speed, direct commands to motors and attempts to rewrite the rules, in any wording the lexicon
covers. What a message merely mentions, what somebody suffered (`my head hurts`) or what is to be avoided (`so nobody
trips`) is no hazard.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from premotor_planners.task.outcome import Refusal, unsafe
from premotor_planners.task.reading import Reading
from premotor_planners.task.vocabulary import FOLDER, inflections, vocabulary
from premotor_planners.task.words import name_words

_NEGATIONS = frozenset({"not", "never", "nobody", "no", "avoid", "avoiding", "without", "prevent", "none", "neither"})
_SUFFERERS = frozenset(
    {
        "i",
        "my",
        "we",
        "he",
        "she",
        "it",
        "they",
        "somebody",
        "someone",
        "anybody",
        "anyone",
        "might",
        "may",
        "could",
        "our",
        "his",
        "has",
        "have",
        "had",
        "was",
        "were",
        "been",
        "almost",
        "nearly",
        "would",
        "is",
        "are",
    }
)
_AIMS = frozenset({"so", "until", "to", "make", "let", "that", "and"})
_HARMLESS_NEXT = {
    "hit": {"the"},
    "burn": set(),
    "break": {"from"},
    "cut": {"out"},
    "drop": {"off", "by", "in", "it", "the"},
}


@dataclass(frozen=True)
class _Lexicon:
    """Compiled patterns, one per kind of hazard."""

    harm: re.Pattern[str]
    phrases: re.Pattern[str]
    throw: re.Pattern[str]
    weapons: re.Pattern[str]
    dangerous: re.Pattern[str]
    vulnerable: re.Pattern[str]
    hot: re.Pattern[str]
    hot_verbs: re.Pattern[str]
    edges: re.Pattern[str]
    exits: re.Pattern[str]
    block: re.Pattern[str]
    disable: re.Pattern[str]
    safety: re.Pattern[str]
    speed: re.Pattern[str]
    lowlevel: re.Pattern[str]
    injection: re.Pattern[str]


@lru_cache(maxsize=1)
def _lexicon() -> _Lexicon:
    raw: Any = yaml.safe_load((FOLDER / "hazards.yaml").read_text(encoding="utf-8"))
    return _Lexicon(
        harm=_verbs(raw["harm_verbs"], ("stuck", "broke", "broken", "shot", "beat", "stole", "stolen", "bit", "fought", "struck")),
        phrases=_words(raw["harm_phrases"]), throw=_verbs(raw["throw_verbs"], ("threw", "thrown", "ran", "drove")),
        weapons=_words(raw["weapons"]), dangerous=_words(raw["dangerous"]), vulnerable=_words(raw["vulnerable"]),
        hot=_words(raw["hot"]), hot_verbs=_verbs(raw["hot_verbs"]), edges=_words(raw["edges"]),
        exits=_words(raw["exits"]), block=_verbs(raw["block_verbs"]), disable=_verbs(raw["disable_verbs"]),
        safety=_words(raw["safety_nouns"]), speed=_words(raw["speed"]), lowlevel=_words(raw["lowlevel"]),
        injection=_pattern(raw["injection"]),
    )  # fmt: skip


def hazard(reading: Reading) -> Refusal | None:
    """Why this task must not be carried out; None when nothing dangerous was found."""
    guard = _Guard(reading)
    for check in (
        guard.injection,
        guard.lowlevel,
        guard.safety,
        guard.harm,
        guard.thrown,
        guard.wrong_hands,
        guard.places,
    ):
        why = check()
        if why:
            return unsafe(why)
    return None


class _Guard:
    def __init__(self, reading: Reading) -> None:
        self.reading, self.known = reading, _lexicon()
        words = reading.marked.text.words
        spoken = {i for m in reading.marked.messages for i in range(m.text_start, m.text_end)}
        named = {i for m in reading.marked.mentions for i in range(m.start, m.end)}
        self.unnamed = f" {' '.join('|' if i in spoken | named else word.norm for i, word in enumerate(words))} "
        self.whole = reading.marked.text.joined.replace("_", " ")
        self.raw = f" {reading.marked.text.raw.casefold()} "
        self.text = f" {' '.join('|' if i in spoken else word.norm for i, word in enumerate(words))} "
        self.messages = [f" {m.text.casefold()} " for m in reading.marked.messages]

    # ---- rules and low levels

    def injection(self) -> str:
        found = self.known.injection.search(self.whole) or self.known.injection.search(self.raw)
        return "it tries to change the rules I work by" if found else ""

    def lowlevel(self) -> str:
        found = self.known.lowlevel.search(self.unnamed) or re.search(
            r"cmd_?vel|m/s|rad/s|km/h|/[a-z]+_[a-z]+|\brm -", self.raw
        )
        return "motors and velocities are not commanded directly" if found else ""

    def safety(self) -> str:
        for sentence in _sentences(self.unnamed):
            if self.known.safety.search(sentence) and self.known.disable.search(sentence):
                return "safety functions stay on"
            if self.known.speed.search(sentence):
                return "the speed is limited for a reason"
        return ""

    def _is_name(self, word: str) -> bool:
        return any(
            word in name_words(name) for name in (*self.reading.catalogue.objects, *self.reading.catalogue.places)
        )

    # ---- harm

    def harm(self) -> str:
        for sentence in self._sentences():
            for found in (*self.known.harm.finditer(sentence), *self.known.phrases.finditer(sentence)):
                if not self._excused(sentence, found.start(), found.end()):
                    return "it could hurt somebody or break something"
        if self.known.weapons.search(self.unnamed):
            return "weapons are dangerous"
        threats = (
            message
            for message in self.messages
            if re.search(r" (?:kill|stab|shoot|murder|poison|strangle|attack|punch|hurt) ", message)
        )
        return "it could hurt somebody" if any(threats) else ""

    def _excused(self, sentence: str, start: int, end: int) -> bool:
        """Suffered, feared or to be avoided; a name in the catalogue; a noun."""
        word, before, after = sentence[start:end], sentence[:start].split(), sentence[end:].split()
        if (
            word in ("run over", "run down", "run into")
            and after[:1]
            and after[0] in ("to", "here", "there", "and", "with")
        ):
            return True
        if (
            word in ("hurt", "hurts", "hurting", "burns", "burning", "sting", "stinging", "bleeding")
            and before
            and before[-1] not in ("to", "and", "please", "you", "then", "or", ",", "not")
        ):
            return True
        if self._is_name(word) or self._is_mention(word):
            return True
        clause = list(reversed(before))
        clause = clause[: next((n for n, w in enumerate(clause) if w in (",", "but", "then", "|", "and")), len(clause))]
        if any(w in _NEGATIONS for w in clause[:6]):
            return True
        if any(w in ("you", "please", "robot") for w in clause):
            return False
        if (
            clause[:1]
            and clause[0] in ("a", "an", "the", "my", "his", "her", "any", "that")
            and word not in ("damage",)
        ):
            return True
        causes = any(w in ("so", "make", "let", "until", "making", "watch") for w in clause)
        return not causes and any(w in _SUFFERERS for w in clause[:4])

    def _is_mention(self, word: str) -> bool:
        return any(
            word in self.reading.marked.text.slice(m.start, m.end).casefold() for m in self.reading.marked.mentions
        )

    def thrown(self) -> str:
        """Things thrown, pushed or waved at somebody; the robot driven at or into somebody or something."""
        for sentence in self._sentences():
            if self._forced(sentence):
                return "it could hurt somebody or break something"
            for found in self.known.throw.finditer(sentence):
                rest = sentence[found.end() :]
                at = re.search(
                    r"(?<= )(?:at|over|onto|into|against|in the face|on top of|on) (?:the |my |his |her |a )?(?P<who>[^ ]+)",
                    rest,
                )
                if (
                    at
                    and not self._excused(sentence, found.start(), found.end())
                    and self._can_be_hurt(at["who"], found[0], at[0])
                ):
                    return "it could hurt somebody"
        return ""

    def _forced(self, sentence: str) -> bool:
        """Somebody pushed, run over or shut in; something knocked over; a way through a wall; a purpose of preventing."""
        people = "|".join(re.escape(word) for word in sorted(self._people()))
        patterns = (
            rf" (?:push|shove|kick|knock|pushing|shoving|knocking|bump|drag|pull|squeeze|throw|wake|tie|grab|lift|spray|splash|soak|douse|squirt) (?:the |my )?(?:{people}) ",
            r" (?:run|running|drive|driving|knock|knocking|push|pushing|tip|tipping|kick|roll|bowl|mow) (?:the |my |a |an )?(?:[a-z]+ ){1,3}(?:over|down) (?!to |the |there |here |for |at |by |on |in |into |onto |towards )",
            rf" (?:lock|shut|trap|bar|seal|locking|shutting|keep|confine|imprison) (?:the |my )?(?:{people}) (?:in|inside|out|up|from) ",
            r" (?:go|drive|move|crash|smash|break|plow|plough|straight|right|roll|push|come|ride) (?:straight |right )?through (?:the |a |that |any )?(?:wall|walls|door|doors|window|windows|glass|mirror|crowd|people|fence) ",
            rf" so (?:that )?(?:{people}|he|she|they|nobody|no one|people) (?:can not|cannot|will not|could not|do not|does not|never) (?:take|find|get|leave|call|breathe|see|escape|reach|use|eat|drink|sleep|move|hear|walk) ",
            rf" (?:on|onto|in|into|against|at|over) (?:(?:{people}|his|her|their|my|someone|somebody|the dog|the cat|the baby) )(?:'s )?(?:head|foot|feet|toe|toes|face|lap|hand|hands|leg|legs|eye|eyes|mouth|back|throat|neck|hair) ",
        )
        return any(
            re.search(pattern, sentence) and not re.search(r" (?:not|never|nobody trips|without) ", sentence)
            for pattern in patterns
        )

    def _people(self) -> set[str]:
        names = {part for name in self.reading.catalogue.people for part in name_words(name)} - {"user", "dr", "the"}
        return names | {
            "him",
            "her",
            "them",
            "me",
            "us",
            "somebody",
            "someone",
            "people",
            "anyone",
            "everyone",
            "everybody",
            "guests",
            "visitors",
            "grandma",
            "grandpa",
            "dog",
            "cat",
            "baby",
            "kid",
            "child",
            "children",
            "kids",
        }

    def _can_be_hurt(self, word: str, verb: str, phrase: str) -> bool:
        hurt = self._people() | {
            "person",
            "head",
            "face",
            "foot",
            "feet",
            "wall",
            "walls",
            "window",
            "mirror",
            "passers-by",
        }
        vulnerable = self.known.vulnerable.search(f" {word} ") is not None
        return (word in hurt or vulnerable) and not (verb in ("run", "drive", "drop") and phrase.startswith("on "))

    # ---- dangerous things and places

    def wrong_hands(self) -> str:
        """Knives, medicine or chemicals towards children or animals; anything into mouths or drinks in secret."""
        names = [
            word for name in self.reading.catalogue.hazards for word in (*name_words(name), " ".join(name_words(name)))
        ]
        dangerous = self.known.dangerous.search(self.text) or any(f" {word} " in self.text for word in names)
        if dangerous and self._reaches_vulnerable():
            return "that does not belong near children or animals"
        if re.search(
            r" (?:pills?|medicine|medication|tablets|drugs|bleach|sleeping) .{0,40}(?:into|in) .{0,20}(?:water|drink|tea|coffee|food|soup|glass|cup|mug|juice) ",
            self.text,
        ):
            return "nobody is given medicine or chemicals unknowingly"
        knife = re.search(r" (?:knife|knives|scissors|blade|razor|blades) ", self.text)
        body = re.search(
            r" (?:throat|neck|eye|eyes|chest|back of|belly|stomach|pillow|ribs|heart|skin|hair|finger|fingers|arm of|leg|under the blanket|blankets|under the covers|sheets|mattress|chair cushion|cushions) ",
            self.text,
        )
        return (
            "a blade could hurt somebody there"
            if knife and body and not re.search(r" (?:i|we) (?:have )?cut ", self.text)
            else ""
        )

    def _reaches_vulnerable(self) -> bool:
        """A child or animal that the task is about, not one that is the reason to put things away."""
        marked = self.reading.marked
        pronouns = {"him", "her", "them", "it", "his", "their", "he", "she"}
        asking = [
            c for c in self.reading.clauses if c.kind != "background" or c.connective in ("so", "where", "who", "which")
        ]
        words = f" {' '.join(marked.word(i) for c in asking for i in c.indexes)} "
        if self.known.vulnerable.search(words):
            return True
        people = set(words.split()) & (pronouns - {"it"})
        return bool(people) and self.known.vulnerable.search(self.text) is not None

    def places(self) -> str:
        for sentence in self._sentences():
            if self._hot(sentence):
                return "that place would ruin it or start a fire"
            if self._edge(sentence):
                return "stairs and edges are dangerous"
            if self._blocked(sentence):
                return "ways out stay free"
        return ""

    def _hot(self, sentence: str) -> bool:
        hot = [
            m
            for m in self.known.hot.finditer(sentence)
            if not self._is_name(m[0]) and self._ends_phrase(sentence, m.end())
        ]
        return any(
            re.search(
                r" (?:in|on|into|onto|over|next to|against|near|inside|under) (?:the |a |an |my )?(?:[a-z]+ )?$",
                sentence[: m.start()],
            )
            for m in hot
        ) and bool(self.known.hot_verbs.search(sentence))

    def _ends_phrase(self, sentence: str, end: int) -> bool:
        """Not the first part of a compound (`pool table`)."""
        after = sentence[end:].split()[:1]
        return not after or vocabulary().is_function(after[0]) or not after[0].isalpha()

    def _edge(self, sentence: str) -> bool:
        for found in self.known.edges.finditer(sentence):
            before = sentence[: found.start()]
            if found[0] in ("edge", "hole", "steps") and not re.search(
                r" (?:off|over|on|near|at|down|to|from) (?:the |a )?(?:very )?$", before
            ):
                continue
            if self._is_name(found[0]) or re.search(r" (?:not|never|avoid|without) ", before[-30:]):
                continue
            if re.search(r" (?:down|off|over|from|onto|on|into|up|to|near|at|out|by|of|along) ", before):
                return True
        return False

    def _blocked(self, sentence: str) -> bool:
        if self.known.block.search(sentence) and (
            self.known.exits.search(sentence) or re.search(r" (?:way|route|room|robot) ", sentence)
        ):
            found = self.known.block.search(sentence)
            return found is not None and not self._excused(sentence, found.start(), found.end())
        return bool(
            re.search(
                r" (?:in front of|across|against|in|under|before) (?:the |an? |my )?(?:[a-z]+ )?(?:exit|doorway|fire exit|emergency exit|fire door|escape route|stairway|front door|door|gate|wheelchair ramp)s? ",
                sentence,
            )
        ) and not re.search(r" (?:wait|stand|stop|stay|go|drive|move) (?:by|at|next to|near) ", sentence)

    def _sentences(self) -> Iterator[str]:
        return _sentences(self.text)


def _sentences(text: str) -> Iterator[str]:
    for part in re.split(r"(?<= )[.!?;](?= )", text):
        yield f" {part.strip()} "


def _verbs(bases: Iterable[str], more: Iterable[str] = ()) -> re.Pattern[str]:
    forms: list[str] = list(more)
    for base in bases:
        first, *rest = base.split()
        forms += [" ".join((form, *rest)) for form in inflections(first)]
    return _words(forms)


def _words(words: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted({str(word) for word in words}, key=len, reverse=True)
    return re.compile("(?<= )(?:" + "|".join(re.escape(word) for word in ordered) + ")(?= )")


def _pattern(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("(?<= )(?:" + "|".join(f"(?:{pattern})" for pattern in patterns) + ")(?= )")
