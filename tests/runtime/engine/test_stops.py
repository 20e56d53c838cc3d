"""Stop strings are found as a search of the whole text would find them, and never shown in part."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.answers.stops import StopSearch

PIECES = st.lists(st.text("abü€😀", max_size=4), max_size=12)
STOPS = st.lists(st.text("abü€😀", min_size=1, max_size=4), min_size=1, max_size=4)


def _naive(text: str, stops: list[str]) -> tuple[str, str | None]:
    """The text before the stop string that ends first, and that string, the longest of several."""
    for end in range(len(text) + 1):
        for stop in sorted(stops, key=len, reverse=True):
            if text[:end].endswith(stop):
                return text[: end - len(stop)], stop
    return text, None


@given(PIECES, STOPS)
def test_any_cut_finds_what_a_search_of_the_whole_finds(pieces: list[str], stops: list[str]) -> None:
    search = StopSearch(stops)
    shown = ""
    for piece in pieces:
        search.feed(piece)
        shown += search.show(final=False)
        assert not any(stop in shown for stop in stops)
        if search.found:
            break
    shown += search.show(final=True)
    assert (search.text, search.found) == _naive("".join(pieces), stops)
    assert shown == search.text


@given(PIECES, STOPS)
def test_no_more_is_held_back_than_a_stop_string_may_need(pieces: list[str], stops: list[str]) -> None:
    search, shown = StopSearch(stops), ""
    for piece in pieces:
        if search.feed(piece):
            return
        shown += search.show(final=False)
        held = search.text[len(shown) :]
        assert not held or any(stop.startswith(held) and stop != held for stop in stops)


@given(PIECES, PIECES, STOPS)
def test_a_stop_string_that_ends_too_early_does_not_count(early: list[str], late: list[str], stops: list[str]) -> None:
    search = StopSearch(stops)
    for piece in early:
        assert search.feed(piece, armed=False) is None
    found = next((stop for piece in late if (stop := search.feed(piece))), None)
    before, text = len("".join(early)), "".join([*early, *late])
    ends = [end for end in range(before + 1, len(text) + 1) if any(text[:end].endswith(stop) for stop in stops)]
    assert (found is not None) == bool(ends)
    if found is not None:
        assert len(search.text) + len(found) == ends[0]


def test_copies_go_their_own_ways() -> None:
    first = StopSearch(["xy"])
    first.feed("ax")
    assert first.show(final=False) == "a"
    second = first.copy()
    assert (first.feed("y"), second.feed("z")) == ("xy", None)
    assert (first.text, first.show(final=True)) == ("a", "")
    assert (second.text, second.show(final=True)) == ("axz", "xz")
