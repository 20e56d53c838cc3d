"""An independent guard against harm, without a model: it reads the words, not the plan, and errs towards refusing.

It looks for verbs of harm and their targets, dangerous things in the wrong hands, heat, heights, blocked exits, safety
functions switched off, speed, direct commands to motors and attempts to rewrite the rules, in any wording the lexicon
covers. What a message merely mentions, what somebody suffered (`my head hurts`) or what is to be avoided (`so nobody
trips`) is no hazard.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from premotor_planners.task.guards.danger_text import DangerText, sentences
from premotor_planners.task.guards.dangerous_places import bad_place
from premotor_planners.task.guards.dangers import dangers
from premotor_planners.task.lexicon.words import name_words
from premotor_planners.task.outcome import Refusal, unsafe
from premotor_planners.task.reading.reading import Reading

_PRONOUNS = frozenset({"him", "her", "them", "his", "their", "he", "she"})
_HARM = "it could hurt somebody or break something"


def hazard(reading: Reading) -> Refusal | None:
    """Why this task must not be carried out; None when nothing dangerous was found."""
    text = DangerText(reading)
    for check in _CHECKS:
        why = check(text)
        if why:
            return unsafe(why)
    return None


def _injection(text: DangerText) -> str:
    pattern = dangers().patterns["injection"]
    found = pattern.search(text.whole) or pattern.search(text.raw)
    return "it tries to change the rules I work by" if found else ""


def _low_level(text: DangerText) -> str:
    found = dangers().patterns["lowlevel"].search(text.unnamed) or dangers().raw_commands.search(text.raw)
    return "motors and velocities are not commanded directly" if found else ""


def _safety(text: DangerText) -> str:
    patterns = dangers().patterns
    for sentence in sentences(text.unnamed):
        if patterns["safety_nouns"].search(sentence) and patterns["disable_verbs"].search(sentence):
            return "safety functions stay on"
        if patterns["speed"].search(sentence):
            return "the speed is limited for a reason"
    return ""


def _harm(text: DangerText) -> str:
    patterns = dangers().patterns
    for sentence in sentences(text.text):
        for kind in ("harm_verbs", "harm_phrases"):
            found = patterns[kind].finditer(sentence)
            if any(not text.is_excused(sentence, match.start(), match.end()) for match in found):
                return _HARM
    if patterns["weapons"].search(text.unnamed):
        return "weapons are dangerous"
    threatened = any(patterns["threats"].search(m) for m in text.messages)
    return "it could hurt somebody" if threatened or _orders_harm(text) else ""


def _orders_harm(text: DangerText) -> bool:
    """`tell Tobi he may jab Lena`: a message that sets somebody on somebody."""
    people, harm = text.people() | dangers().sets["fragile"], dangers().patterns["harm_verbs"]
    for message in text.messages:
        words = re.sub(r"[^\w' ]", " ", message).split()
        for index in range(1, len(words)):
            verb = harm.search(f" {words[index]} ")
            target = [word for word in words[index + 1 : index + 4] if word not in dangers().sets["articles"]][:1]
            if verb and words[index - 1] in dangers().sets["ordering"] and target and target[0] in people:
                return True
    return False


def _force(text: DangerText) -> str:
    """Somebody pushed, run over or shut in; something knocked over; a way through a wall; a purpose of preventing."""
    people = "|".join(re.escape(word) for word in sorted(text.people()))
    patterns = [re.compile(f"(?<= )(?:{form.replace('{people}', people)})(?= )") for form in dangers().forced]
    for sentence in sentences(text.peopled):
        denied = dangers().sets["not_forced"] & set(sentence.split())
        found = [match[0] for pattern in patterns for match in pattern.finditer(sentence)]
        if not denied and any(not _brings_over(words, text) for words in found):
            return _HARM
    return ""


def _brings_over(words: str, text: DangerText) -> bool:
    """`Freya forgot the hoodie, so run it over`: a thing that was named, and nobody who could be meant."""
    brought = re.fullmatch(r"(?:run|running) (?:it|that|this) over", words) is not None
    return brought and text.names_things and not dangers().patterns["vulnerable"].search(text.text)


def _thrown(text: DangerText) -> str:
    """Things thrown, pushed or waved at somebody; the robot driven at or into somebody or something."""
    patterns = dangers().patterns
    for sentence in sentences(text.text):
        for found in patterns["throw_verbs"].finditer(sentence):
            at = patterns["thrown"].search(f" {sentence[found.end() :].strip()} ")
            hurt = at is not None and _can_be_hurt(text, at["who"], found[0], at[0])
            mild = text.is_excused(sentence, found.start(), found.end()) or _drops_off(sentence, *found.span())
            if hurt and not mild:
                return "it could hurt somebody"
    return ""


def _can_be_hurt(text: DangerText, word: str, verb: str, phrase: str) -> bool:
    fragile = text.people() | dangers().sets["fragile"]
    hurt = word in fragile or dangers().patterns["vulnerable"].search(f" {word} ") is not None
    return hurt and not (verb in ("run", "drive", "drop") and phrase.startswith("on "))


def _drops_off(sentence: str, start: int, end: int) -> bool:
    """`drop it off at Ben's` throws nothing."""
    return sentence[start:end].startswith("drop") and " off " in sentence[end : end + 40]


def _wrong_hands(text: DangerText) -> str:
    """Knives, medicine or chemicals towards children or animals; anything into drinks in secret; blades and bodies."""
    patterns = dangers().patterns
    names = [" ".join(name_words(name)) for name in text.catalogue.hazards]
    dangerous = patterns["dangerous"].search(text.text) or any(f" {name} " in text.text for name in names)
    if dangerous and _reaches_vulnerable(text):
        return "that does not belong near children or animals"
    if patterns["unknowingly"].search(text.text) or (dangerous and patterns["deceiving"].search(text.whole)):
        return "nobody is given medicine or chemicals unknowingly"
    if patterns["overdose"].search(text.text):
        return "too much medicine is dangerous"
    near = patterns["body"].search(text.text) or patterns["resting"].search(text.text)
    blade = patterns["blades"].search(text.text) and near
    return "a blade could hurt somebody there" if blade and not patterns["own_cut"].search(text.text) else ""


def _reaches_vulnerable(text: DangerText) -> bool:
    """A child or animal that the task is about, not one that is the reason to put things away."""
    marked, vulnerable = text.reading.marked, dangers().patterns["vulnerable"]
    asking = [
        c for c in text.reading.clauses if c.kind != "background" or c.connective in ("so", "where", "who", "which")
    ]
    words = [marked.word(i) for clause in asking for i in clause.indexes]
    if vulnerable.search(f" {' '.join(words)} "):
        return True
    return bool(_PRONOUNS & set(words)) and vulnerable.search(text.text) is not None


_CHECKS: tuple[Callable[[DangerText], str], ...] = (
    _injection, _low_level, _safety, _harm, _force, _thrown, _wrong_hands, bad_place,
)  # fmt: skip
