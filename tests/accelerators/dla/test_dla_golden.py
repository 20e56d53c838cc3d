"""Expected verdicts of known networks, kept in tests/golden/dla: a line for each operator and rule, with its source."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from premotor_accelerators.dla.checker import check_model
from premotor_accelerators.dla.report import Report
from premotor_accelerators.dla.target import make_target

GOLDEN = Path(__file__).parents[2] / "golden" / "dla"
NAMES = ("resnet18", "resnet50", "mobilenet_v3", "yolo_head", "vit_tiny")


def _lines(report: Report) -> list[str]:
    groups = Counter((node.op, node.verdict.placement, node.verdict.rule) for node in report.nodes)
    shown = [
        f"{op} | {placement} | {rule.name} | {count} | {rule.source} | {rule.confidence}"
        for (op, placement, rule), count in groups.items()
    ]
    best = report.if_conditional
    return [
        *sorted(shown),
        f"on DLA {report.share_on_dla:.4f}, subgraphs {len(report.subgraphs)}, transitions {report.transitions}",
        f"at best {best.share_on_dla:.4f}, subgraphs {best.subgraphs}, transitions {best.transitions}",
    ]


@pytest.mark.parametrize("name", NAMES)
def test_verdicts_are_the_expected_ones(name: str, networks: ModuleType) -> None:
    report = check_model(networks.NETWORKS[name](), make_target("agx_orin_64", "fp16", "10.3"), name)
    expected = (GOLDEN / f"{name}.txt").read_text().splitlines()
    assert _lines(report) == [line for line in expected if line and not line.startswith("#")]


@pytest.mark.parametrize("name", NAMES)
def test_every_golden_file_states_where_its_verdicts_come_from(name: str) -> None:
    lines = (GOLDEN / f"{name}.txt").read_text().splitlines()
    assert any(line.startswith("# source:") for line in lines)
    verdicts = [line.split(" | ") for line in lines if " | " in line and not line.startswith("#")]
    assert verdicts
    for _, placement, _, count, source, confidence in verdicts:
        assert placement in ("dla", "gpu", "conditional")
        assert int(count) > 0
        assert len(source) > 10
        assert confidence in "ABC"


@pytest.mark.parametrize("name", NAMES)
def test_int8_moves_no_verdict_of_these_networks(name: str, networks: ModuleType) -> None:
    model = networks.NETWORKS[name]()
    fp16 = check_model(model, make_target(precision="fp16"), name)
    int8 = check_model(model, make_target(precision="int8"), name)
    assert [(node.name, node.verdict.placement) for node in fp16.nodes] == [
        (node.name, node.verdict.placement) for node in int8.nodes
    ]
