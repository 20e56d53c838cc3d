"""What is kept of one answer besides its tokens: its text, where it stops, and what counts as said already."""

from __future__ import annotations

from premotor_runtime.engine.answers.detokenizer import Detokenizer
from premotor_runtime.engine.answers.penalties import Penalties
from premotor_runtime.engine.answers.stops import StopSearch
from premotor_runtime.engine.request import Request
from premotor_runtime.models.tokenizer import Tokenizer


class Answer:
    """Follows the output of one sample. Text is made token by token only where the request streams or has stop strings;
    otherwise once, at the end.
    """

    def __init__(self, request: Request, tokenizer: Tokenizer) -> None:
        self.stop_reason: int | str | None = None
        self.draft: list[int] = []
        self.drafted_at = -1
        self.penalties = Penalties(request.sampling, request.prompt) if request.sampling.penalizes else None
        self._tokenizer = tokenizer
        self._min_tokens = request.min_tokens
        self._ids: list[int] = []
        follows = request.stream or bool(request.stop)
        self._pieces = Detokenizer(tokenizer) if follows else None
        self._search = StopSearch(request.stop)

    def copy(self) -> Answer:
        """An independent copy, for another sample of the same prompt."""
        twin = object.__new__(Answer)
        twin.__dict__.update(self.__dict__)
        twin.penalties = None if self.penalties is None else self.penalties.copy()
        twin._ids = self._ids.copy()
        twin._pieces = None if self._pieces is None else self._pieces.copy()
        twin._search = self._search.copy()
        return twin

    def take(self, token: int) -> bool:
        """Count an output token; True when it completes a stop string."""
        self._ids.append(token)
        if self.penalties is not None:
            self.penalties.note(token)
        return self._pieces is not None and self._append(self._pieces.feed(token))

    def finish(self) -> bool:
        """After the last token: let out what was held back; True when that completes a stop string."""
        if self._pieces is None or self.stop_reason is not None:
            return False
        return self._append(self._pieces.flush())

    def take_text(self, *, finished: bool) -> str:
        """The text that may be shown since the last call; all of it once `finished`."""
        if finished:
            self.finish()
        return self._search.show(final=finished)

    def whole_text(self) -> str:
        """The text of the output so far, without what a stop string cuts off."""
        if self._pieces is None:
            return self._tokenizer.decode(self._ids)
        self.finish()
        return self._search.text

    def _append(self, piece: str) -> bool:
        found = self._search.feed(piece, armed=len(self._ids) >= self._min_tokens)
        if found is not None:
            self.stop_reason = found
        return found is not None
