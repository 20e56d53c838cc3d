"""Finding stop strings in text that arrives in pieces."""

from __future__ import annotations

from collections.abc import Sequence


class StopSearch:
    """The text so far. A stop string counts where it *ends* first, as if the text came one character at a time: the
    result is the same however the text is cut into pieces. Of those that end at the same place the longest counts.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self.text = ""
        self.found: str | None = None
        self._stops = tuple(stops)
        self._shown = 0

    def copy(self) -> StopSearch:
        """An independent copy."""
        twin = StopSearch(self._stops)
        twin.text, twin.found, twin._shown = self.text, self.found, self._shown
        return twin

    def feed(self, piece: str, *, armed: bool = True) -> str | None:
        """Append `piece`; the stop string it completes, before which the text then ends, or None.

        While not `armed` no stop string is looked for, and those that end in this piece never count.
        """
        before = len(self.text)
        self.text += piece
        if not armed or not piece:
            return None
        ends = [(end, -len(stop), stop) for stop in self._stops if (end := self._end(stop, before)) >= 0]
        if ends:
            end, _, self.found = min(ends)
            self.text = self.text[: end - len(self.found)]
        return self.found

    def show(self, *, final: bool) -> str:
        """The text since the last call, without an end that may yet become part of a stop string unless `final`."""
        stop = len(self.text) if final or self.found else len(self.text) - self._held()
        start, self._shown = self._shown, max(stop, self._shown)
        return self.text[start:stop]

    def _end(self, stop: str, before: int) -> int:
        """Where `stop` first ends after `before`, or -1."""
        at = self.text.find(stop, max(0, before - len(stop) + 1))
        return at if at < 0 else at + len(stop)

    def _held(self) -> int:
        """Length of the longest end of the text that some stop string begins with."""
        longest = min(len(self.text), max((len(stop) for stop in self._stops), default=1) - 1)
        for length in range(longest, 0, -1):
            end = self.text[-length:]
            if any(stop.startswith(end) for stop in self._stops):
                return length
        return 0
