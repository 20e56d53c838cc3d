"""This project's own kernels: what of them a DLA core runs."""

from __future__ import annotations

import onnx
import pytest

from premotor_accelerators.dla.checker import check_model
from premotor_accelerators.dla.report import Report
from premotor_accelerators.dla.target import make_target
from premotor_planners.kernels.cost_to_go import CostToGo
from premotor_planners.kernels.heading_cost_to_go import HeadingCostToGo
from premotor_planners.kernels.mppi import Mppi


def check(graph: bytes, precision: str) -> Report:
    return check_model(onnx.load_from_string(graph), make_target("agx_orin_64", precision, "10.3"))


@pytest.mark.parametrize("precision", ["fp16", "int8"])
@pytest.mark.parametrize("kernel", [CostToGo(), HeadingCostToGo(sweeps=16)], ids=lambda kernel: kernel.name)
def test_cost_to_go_runs_on_dla_alone(kernel: CostToGo | HeadingCostToGo, precision: str) -> None:
    report = check(kernel.onnx(), precision)
    assert not report.placed("gpu")
    assert not report.placed("conditional")
    assert report.share_on_dla == 1.0
    assert (len(report.subgraphs), report.transitions) == (1, 0)
    assert not [problem for problem in report.problems if problem.severity == "error"]


@pytest.mark.parametrize("precision", ["fp16", "int8"])
def test_what_of_mppi_cannot_run_on_dla_is_named(precision: str) -> None:
    report = check(Mppi().onnx(), precision)
    off = {(node.op, node.verdict.rule.name) for node in report.placed("gpu")}
    assert {("Gather", "reconstruction"), ("Cast", "cast"), ("MatMul", "matmul-two-inputs")} <= off
    assert all(node.verdict.remedy for node in report.nodes if node.verdict.placement != "dla")
    assert report.share_on_dla < 0.5
