"""Where the words to be said begin and end."""

from __future__ import annotations

from premotor_planners.task.lexicon.vocabulary import vocabulary
from premotor_planners.task.lexicon.words import SENTENCE_ENDS, Text
from premotor_planners.task.reading.messages import speech_patterns


def message_end(text: Text, start: int, is_order: bool) -> int:
    """Up to the end of the sentence, `then`, or an `and` that a command of the robot follows.

    In an order to somebody (`tell Anna to …`) an `and` joins what that person is to do, and ends nothing.
    """
    patterns = speech_patterns()
    end = _sentence_end(text, start)
    for first, _, _ in text.find(patterns.stop):
        if start < first < end and not _is_quoted(text, start, first) and _command_follows(text, first):
            end = first
    for first, last, _ in text.find(patterns.joint):
        own = start < first < end and not is_order and _is_own_command(text, last)
        if own and not _is_quoted(text, start, first):
            end = first
    return end


def unquote(text: Text, start: int, end: int) -> tuple[int, int, bool]:
    """The quoted words when the message starts with a quote (True); else trailing courtesies are cut."""
    opening = next((i for i in range(start, min(end, start + 2)) if text.words[i].norm == '"'), None)
    if opening is not None:
        closing = (i for i in range(opening + 1, len(text.words)) if text.words[i].norm == '"')
        return opening + 1, next(closing, end), True
    while end > start and text.words[end - 1].norm in (",", "-", "–", "—", '"'):
        end -= 1
    joined = f" {' '.join(word.norm for word in text.words[start:end])} "
    tail = speech_patterns().tail.search(joined)
    if tail and f"{joined[: tail.start()]} {tail[0]}".split()[-2:] == ["right", "now"]:
        tail = None  # `I am busy right now`: part of what is said
    return start, end - len(tail[0].split()) if tail and tail.start() > 0 else end, False


def _sentence_end(text: Text, start: int) -> int:
    inside = False
    for end in range(start, len(text.words)):
        norm = text.words[end].norm
        inside = inside != (norm == '"')
        if not inside and norm in SENTENCE_ENDS and end > start:
            return end
    return len(text.words)


def _is_quoted(text: Text, start: int, index: int) -> bool:
    return sum(word.norm == '"' for word in text.words[start:index]) % 2 == 1


def _command_follows(text: Text, index: int) -> bool:
    """Whether a verb is the first word with content after `then`."""
    passed = speech_patterns().passed_over
    following = [word.norm for word in text.words[index : index + 6] if word.norm not in passed]
    return bool(following) and following[0] in vocabulary().senses


def _is_own_command(text: Text, index: int) -> bool:
    """A base verb whose object shows that the robot is meant (`bring me`, `come back`, `take the`, `dock`)."""
    patterns = speech_patterns()
    verb, after = ([word.norm for word in text.words[index : index + 2]] + ["", ""])[:2]
    if verb not in vocabulary().senses or verb in patterns.not_own:
        return False
    return verb in patterns.own_verbs or after in patterns.own_objects
