"""Only the very same prefix is found, whatever the hash does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from premotor_runtime.engine.kv.kv_cache import KVCache
from premotor_runtime.engine.kv.prefix_index import PrefixIndex

TOKENS = st.lists(st.integers(0, 2), max_size=9)


def _fill(index: PrefixIndex, tokens: list[int], block: int) -> int:
    parent = None
    for start in range(0, len(tokens) - 1, 2):
        parent = index.insert(parent, tokens[start : start + 2], block)
        if parent is None:
            break
        block += 1
    return block


def test_the_longest_chain_of_full_blocks_is_found() -> None:
    index = PrefixIndex(2)
    _fill(index, [1, 2, 3, 4, 5, 6], 10)
    assert [node.block for node in index.match([1, 2, 3, 4, 9, 9])] == [10, 11]
    assert [node.block for node in index.match([1, 2, 3])] == [10]
    assert index.match([3, 4, 5, 6]) == []


def test_salts_keep_prefixes_apart_even_when_every_hash_collides() -> None:
    for index in (PrefixIndex(2), PrefixIndex(2, hasher=lambda _: 0)):
        index.insert(None, [1, 2], 0, "one")
        assert [node.block for node in index.match([1, 2], salt="one")] == [0]
        assert index.match([1, 2], salt="two") == index.match([1, 2]) == []
    one, two = PrefixIndex(2, "model a"), PrefixIndex(2, "model b")
    node, other = one.insert(None, [1, 2], 0), two.insert(None, [1, 2], 0)
    assert node is not None and other is not None
    assert node.key != other.key


@given(st.lists(TOKENS, max_size=6), TOKENS, st.booleans())
def test_a_match_has_the_tokens_asked_for_even_when_every_hash_collides(
    stored: list[list[int]], asked: list[int], colliding: bool
) -> None:
    index = PrefixIndex(2, hasher=(lambda _: 0) if colliding else hash)
    block = 0
    for tokens in stored:
        block = _fill(index, tokens, block)
    chain = index.match(asked)
    assert [token for node in chain for token in node.tokens] == asked[: 2 * len(chain)]
    assert all(node.parent is parent for node, parent in zip(chain, [None, *chain], strict=False))


def test_children_of_a_forgotten_block_are_not_found_under_its_successor() -> None:
    index = PrefixIndex(2)
    _fill(index, [1, 2, 3, 4], 0)
    index.remove(0)
    assert index.match([1, 2, 3, 4]) == []
    _fill(index, [1, 2], 7)
    assert [node.block for node in index.match([1, 2, 3, 4])] == [7]


def test_equal_blocks_computed_twice_are_registered_once() -> None:
    cache = KVCache(8, 2)
    tables = [cache.open([1, 2, 3, 4, 5], 4)[0] for _ in range(2)]
    for table in tables:
        assert cache.grow(table, 0, 5)
        cache.commit(table, [1, 2, 3, 4, 5], 5)
    assert len(cache.index) == 2
    for table in tables:
        cache.close(table)
    assert (cache.pool.num_used, cache.pool.num_cached, cache.pool.num_free) == (0, 2, 6)
    table, cached = cache.open([1, 2, 3, 4, 5], 4)
    assert cached == 4 and len(table.blocks) == 2


def test_a_table_takes_over_what_others_have_computed_meanwhile() -> None:
    cache = KVCache(8, 2)
    tokens = [1, 2, 3, 4, 5, 6, 7]
    first, late = cache.open(tokens, 6)[0], cache.open(tokens, 6)[0]
    assert cache.grow(first, 0, 7)
    cache.commit(first, tokens, 5)
    assert cache.adopt(late, tokens, 0, 6) == 4
    assert late.blocks == first.blocks[:2] and cache.pool.references(first.blocks[0]) == 2
    cache.commit(first, tokens, 7)
    assert cache.adopt(late, tokens, 4, 5) == 4
    assert cache.adopt(late, tokens, 4, 6) == 6
    assert cache.grow(late, 6, 7) and cache.adopt(late, tokens, 7, 9) == 7


def test_a_forked_block_is_copied_by_whoever_writes_first() -> None:
    cache = KVCache(4, 2)
    table, _ = cache.open([1, 2, 3], 3)
    assert cache.grow(table, 0, 3)
    twin = cache.fork(table, 3)
    before = list(table.blocks)
    assert twin.blocks == before and cache.grow(twin, 3, 4)
    assert twin.blocks[0] == before[0] and twin.blocks[1] != before[1]
    assert cache.copies == [(before[1], twin.blocks[1])]
    assert cache.grow(table, 3, 4) and table.blocks == before
    third = cache.fork(table, 3)
    cache.pool.allocate(1)
    assert not cache.grow(third, 3, 4) and third.blocks == before
    for each in (table, twin, third):
        cache.close(each)
    assert cache.pool.num_used == 1


def test_a_chain_is_evicted_from_its_end() -> None:
    cache = KVCache(3, 2)
    table, _ = cache.open([1, 2, 3, 4, 5, 6], 6)
    cache.grow(table, 0, 6)
    cache.commit(table, [1, 2, 3, 4, 5, 6], 6)
    cache.close(table)
    cache.pool.allocate(1)
    assert len(cache.index.match([1, 2, 3, 4, 5, 6])) == 2
