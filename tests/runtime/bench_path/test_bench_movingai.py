from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from premotor_foundation.errors import UsageError
from premotor_foundation.native_code.errors import BuildError
from premotor_planners.maps.movingai import Scenario
from premotor_planners.planning.native.library import planning_library
from premotor_runtime.app.bench_path import nano_astar_peer
from premotor_runtime.app.bench_path.movingai import legal, movingai_section
from premotor_runtime.app.bench_path.movingai_data import BenchMap, read_movingai
from premotor_runtime.app.bench_path.report import report
from premotor_runtime.app.bench_path.sections import chosen_sections
from premotor_runtime.bench import worker
from premotor_runtime.doctor.machine import read_machine

FAKE = """
class Engine:
    def load(self, path): pass
    def solve(self, queries): return [[0.5, None if query[0] == 3 else 99.0] for query in queries]
def open_engine(): return Engine()
"""


@pytest.fixture(autouse=True)
def _needs_compiler() -> None:
    try:
        planning_library()
    except BuildError as error:
        pytest.skip(str(error))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("maps", "scenarios"):
        (tmp_path / "movingai" / part / "mine").mkdir(parents=True)
    text = "type octile\nheight 4\nwidth 4\nmap\n....\n.@@.\n....\n....\n"
    (tmp_path / "movingai" / "maps" / "mine" / "ring-4.map").write_text(text)
    queries = ("0 x 4 4 0 0 3 0 3", "0 x 4 4 0 0 3 3 5.41421", "0 x 4 4 0 3 0 3 0", "0 x 4 4 0 0 0 2 9")
    scenarios = tmp_path / "movingai" / "scenarios" / "mine" / "ring-4-random-1.scen"
    scenarios.write_text("version 1\n" + "\n".join(queries) + "\n")
    return tmp_path


@pytest.fixture
def no_peer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(nano_astar_peer, "peers_python", lambda: tmp_path / "python")


def test_every_query_is_judged_and_a_wrong_cost_counted(folder: Path, no_peer: None) -> None:
    section = movingai_section(5, folder)
    (entry,) = section.figures["maps"]
    assert (entry["name"], entry["queries"], entry["solved"], entry["wrong_cost"]) == ("ring-4", 4, 4, 1)
    assert entry["max_abs_error"] == pytest.approx(7.0)
    assert set(entry["ms"]) == {"p50", "p99"} and 0 < entry["prepare_ms"] <= entry["cold_ms"]
    assert entry["peers"] == {} and "./premotor peers installs it" in section.absent[0]
    assert section.lines[0].result == "3 of 4" and section.lines[0].met is False
    found = report(read_machine(), 5, {"movingai": section})
    assert found["maps"] == [entry] and report(read_machine(), 5, {})["maps"] == []


def test_a_peer_is_measured_beside(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "with_nano_astar.py").write_text(FAKE)
    (tmp_path / "loop.py").write_bytes((worker.WORKERS / "loop.py").read_bytes())
    monkeypatch.setattr(worker, "WORKERS", tmp_path)
    monkeypatch.setattr(nano_astar_peer, "WORKERS", tmp_path)
    monkeypatch.setattr(nano_astar_peer, "peers_python", lambda: Path(sys.executable))
    section = movingai_section(5, folder)
    (entry,) = section.figures["maps"]
    assert section.absent == ()
    peer = entry["peers"]["nano-astar"]
    assert peer["ms"] == {"p50": 500.0, "p99": 500.0} and peer["wrong_cost"] == 4 and peer["cold_ms"] == 500.0
    assert peer["max_difference"] == pytest.approx(97.0)
    met = {line.measure: line.met for line in section.lines if line.bar}
    assert (
        met["all queries, median against nano-astar"] is True
        and met["maps of 100 queries or more whose p99 is worse than nano-astar's"]
    )


def test_fewer_queries_are_spread_over_all(folder: Path) -> None:
    (each,) = read_movingai(folder, 2)
    assert [query.goal for query in each.queries] == [(0, 3), (3, 0)]
    assert len(read_movingai(folder / "movingai")[0].queries) == 4


def test_a_cost_is_wrong_only_beyond_what_its_file_can_tell() -> None:
    coarse = BenchMap("a", "bg512", np.ones((1, 1), np.bool_), [])
    fine = BenchMap("a", "dao", np.ones((1, 1), np.bool_), [])
    short, long = Scenario(0, (0, 0), (0, 0), 100.0), Scenario(0, (0, 0), (0, 0), 1234.56)
    assert not coarse.wrong(short, 100.0049) and coarse.wrong(short, 100.0051)
    assert not fine.wrong(short, 100.0009) and fine.wrong(short, 100.0011)
    assert not fine.wrong(long, 1234.5649) and fine.wrong(long, 1234.5651)


@pytest.mark.parametrize(
    ("cells", "right"),
    [
        ([(0, 0), (0, 1), (0, 2), (1, 3), (2, 3)], False),
        ([(0, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3)], True),
        ([(0, 0), (0, 2), (0, 3), (1, 3), (2, 3)], False),
        ([(0, 0), (0, 1), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3)], False),
        ([(0, 0), (0, 1), (1, 1), (1, 2), (1, 3), (2, 3)], False),
        ([(0, 0), (0, 1), (0, 2), (0, 3), (1, 3)], False),
        ([(0, 1), (0, 2), (0, 3), (1, 3), (2, 3)], False),
    ],
)
def test_a_path_is_judged_cell_by_cell(cells: list[tuple[int, int]], right: bool) -> None:
    free = np.ones((4, 4), np.bool_)
    free[1, 1:3] = False
    assert legal(free, np.array(cells, np.int32), (0, 0), (2, 3)) is right


def test_wrong_usage(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match=r"no maps at .*name `movingai` or its parent"):
        read_movingai(tmp_path / "nothing")
    with pytest.raises(UsageError, match="needs maps; name their folder with --data"):
        chosen_sections(["movingai"])
    assert "movingai" in chosen_sections([], folder) and "movingai" not in chosen_sections([])
    (folder / "movingai" / "scenarios" / "mine" / "ring-4-random-1.scen").unlink()
    with pytest.raises(UsageError, match=r"ring-4\.map has no scenarios"):
        read_movingai(folder)
