"""Cutting a graph into subgraphs, each of which runs on one device without waiting for another in between.

Nodes are numbered in an order in which each comes after those it reads. A subgraph is convex: no path leaves it and
comes back. Every node gets a level, the number of changes of kind on the worst path to it; connected nodes of one
level and one kind form a subgraph. Two neighbours of one kind are then joined where that closes no circle.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

MOST_TO_JOIN = 400
"""Above so many pieces neighbours are no longer joined: the count is then an upper bound."""
Groups = list[list[int]]


def partition(before: Sequence[Sequence[int]], kinds: Sequence[Hashable]) -> Groups:
    """Subgraphs as lists of node numbers; `before[i]` are the nodes that node i reads, `kinds[i]` what it runs on."""
    levels: list[int] = []
    for index, makers in enumerate(before):
        levels.append(max((levels[m] + (kinds[m] != kinds[index]) for m in makers), default=0))
    group = list(range(len(before)))
    for index, makers in enumerate(before):
        for maker in makers:
            if levels[maker] == levels[index]:
                group[_root(group, index)] = _root(group, maker)
    return _join(before, kinds, _collect([_root(group, index) for index in range(len(before))]))


def _root(group: list[int], index: int) -> int:
    while group[index] != index:
        group[index] = group[group[index]]
        index = group[index]
    return index


def _collect(labels: Sequence[int]) -> Groups:
    found: dict[int, list[int]] = {}
    for index, label in enumerate(labels):
        found.setdefault(label, []).append(index)
    return list(found.values())


def _join(before: Sequence[Sequence[int]], kinds: Sequence[Hashable], groups: Groups) -> Groups:
    while 1 < len(groups) <= MOST_TO_JOIN:
        pair = _joinable(before, kinds, groups)
        if pair is None:
            break
        first, second = pair
        merged = sorted(groups[first] + groups[second])
        groups = [group for index, group in enumerate(groups) if index not in pair] + [merged]
    return sorted(groups)


def _joinable(before: Sequence[Sequence[int]], kinds: Sequence[Hashable], groups: Groups) -> tuple[int, int] | None:
    after = _successors(before, groups)
    reach = _reachable(after)
    for first, followers in enumerate(after):
        for second in followers:
            same = kinds[groups[first][0]] == kinds[groups[second][0]]
            if same and not any(reach[other] >> second & 1 for other in followers if other != second):
                return first, second
    return None


def _successors(before: Sequence[Sequence[int]], groups: Groups) -> list[set[int]]:
    home = {index: number for number, group in enumerate(groups) for index in group}
    after: list[set[int]] = [set() for _ in groups]
    for index, makers in enumerate(before):
        for maker in makers:
            if home[maker] != home[index]:
                after[home[maker]].add(home[index])
    return after


def _reachable(after: Sequence[set[int]]) -> list[int]:
    """For each group the set of groups behind it, as bits."""
    reach = [-1] * len(after)
    for start in range(len(after)):
        stack = [start]
        while stack:
            group = stack[-1]
            waiting = [other for other in after[group] if reach[other] < 0]
            if waiting and reach[group] < 0:
                stack.extend(waiting)
                continue
            stack.pop()
            bits = 0
            for other in after[group]:
                bits |= reach[other] | 1 << other
            reach[group] = bits
    return reach
