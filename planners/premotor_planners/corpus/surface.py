"""The outer form of an instruction: joining, wrapping, case, punctuation, transcripts, typos."""

from __future__ import annotations

import random
import re

from premotor_planners.corpus.parts.intents import SPEECH
from premotor_planners.corpus.parts.part import Part
from premotor_planners.corpus.references.reference import Unsuited
from premotor_planners.corpus.templates import load_templates


def join(parts: list[Part], rng: random.Random, held_out: bool) -> str:
    """Two or three clauses as one text. What is said must not run into the next clause."""
    names = "abc"[: len(parts)]
    options = load_templates("join" if len(parts) == 2 else "join3", held_out)
    texts = [t.text for t in options if all(_ends_clearly(t.text, n, p) for n, p in zip(names, parts, strict=True))]
    if not texts or not all(part.imperative for part in parts):
        texts = [". ".join(f"{{{n}}}" for n in names)] if all(p.intent not in SPEECH for p in parts[:-1]) else []
    if not texts:
        raise Unsuited
    common = [t for t in texts if len(t) < 24]
    template = rng.choice(common if common and rng.random() < 0.4 else texts)
    return template.format(**{n: p.text for n, p in zip(names, parts, strict=True)})


def _ends_clearly(template: str, name: str, part: Part) -> bool:
    """Whether the words after a clause cannot be taken for more of what is said in it."""
    if part.intent not in SPEECH:
        return True
    rest = template.split(f"{{{name}}}", 1)[1]
    between = rest.split("{", 1)[0]
    return not between or bool(re.search(r"then|after|once|next|finally|\. |second|third|done", between))


def wrap(text: str, part: Part, rng: random.Random, held_out: bool, joined: bool) -> str:
    """Politeness and fillers around an imperative."""
    if not part.imperative or rng.random() < (0.75 if joined else 0.45):
        return text
    wraps = [t.text for t in load_templates("wrap", held_out)]
    if part.intent in SPEECH or joined:
        wraps = [w for w in wraps if w.rstrip("?").endswith("{a}")]
    return rng.choice(wraps).format(a=text) if wraps else text


def dress(text: str, literals: tuple[str, ...], rng: random.Random) -> tuple[str, dict[str, str]]:
    """Case and punctuation; returns the text, and how each literal now stands in it (Unsuited if it does not)."""
    roll = rng.random()
    if roll < 0.2:
        text = _transcript(text, rng)
    elif roll < 0.22:
        text = text.upper()
    else:
        text = _sentences(text, rng) if roll < 0.75 else text
        text += _ending(text, rng)
    if rng.random() < 0.04:
        text = _typo(text, literals, rng)
    return text, {literal: _as_it_stands(text, literal) for literal in literals}


def _transcript(text: str, rng: random.Random) -> str:
    plain = re.sub(r"[,;:!?\"()]|\.(?=\s|$)", "", text).lower() if rng.random() < 0.8 else text.lower()
    return " ".join(plain.split())


def _sentences(text: str, rng: random.Random) -> str:
    text = re.sub(r"\bi\b", "I", text) if rng.random() < 0.8 else text
    return re.sub(r"(^|[.?!] )([a-z])", lambda m: m[1] + m[2].upper(), text)


def _ending(text: str, rng: random.Random) -> str:
    if text.endswith(("?", ".", "!")):
        return ""
    return rng.choices((".", "", "!"), (50, 45, 4))[0]


def _typo(text: str, literals: tuple[str, ...], rng: random.Random) -> str:
    words = text.split(" ")
    spoken = {word.lower() for literal in literals for word in literal.split()}
    long = [i for i, w in enumerate(words) if len(w) > 4 and w.isalpha() and w.lower() not in spoken]
    if not long:
        return text
    i = rng.choice(long)
    word, at = words[i], rng.randrange(1, len(words[i]) - 2)
    swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    words[i] = rng.choice((swapped, word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:]))
    return " ".join(words)


def _as_it_stands(text: str, literal: str) -> str:
    for form in (literal, _strip(literal)):
        at = text.lower().find(form.lower())
        if at >= 0:
            return text[at : at + len(form)]
    raise Unsuited


def _strip(text: str) -> str:
    return " ".join(re.sub(r"[,;:!?\"()]|\.(?=\s|$)", "", text).split())
