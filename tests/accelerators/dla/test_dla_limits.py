"""Limits of whole subgraphs, and what is counted."""

from __future__ import annotations

from typing import Any

import pytest

from premotor_accelerators.dla.checker import check_model, read_layers
from premotor_accelerators.dla.operations import operations
from premotor_accelerators.dla.report import Report
from premotor_accelerators.dla.target import make_target


def check(model: Any, **target: str) -> Report:
    return check_model(model, make_target(**target))


def alternating(net: Any, count: int) -> Any:
    x = "x"
    for _ in range(count):
        x = net.op("Elu", net.op("Relu", x))
    return net.model({"x": (1, 4, 8, 8)}, [x])


@pytest.mark.parametrize(("tensorrt", "most"), [("10.3", 16), ("8.4.1", 4)])
def test_subgraphs_beyond_the_loadables_are_conditional(net: Any, tensorrt: str, most: int) -> None:
    report = check(alternating(net, 20), tensorrt=tensorrt)
    assert (len(report.subgraphs), report.loadables, len(report.placed("conditional"))) == (most, most, 20 - most)
    (problem,) = [problem for problem in report.problems if problem.severity == "error"]
    assert problem.rule.name == "loadables"
    assert f"20 subgraphs, {most} fit" in problem.message


def test_sixteen_subgraphs_fit(net: Any) -> None:
    report = check(alternating(net, 16))
    assert (len(report.subgraphs), report.problems, report.transitions) == (16, (), 31)
    assert report.share_on_dla == pytest.approx(0.5)


def test_a_gibibyte_of_values_inside_is_too_much(net: Any) -> None:
    x = net.op("Relu", net.op("Sigmoid", "x"))
    report = check(net.model({"x": (1, 64, 4096, 4096)}, [x]))
    assert {node.verdict.rule.name for node in report.nodes} == {"internal-memory"}
    assert [problem.severity for problem in report.problems] == ["error"]
    assert report.share_on_dla == 0.0


def test_values_at_the_edge_of_a_subgraph_are_not_inside(net: Any) -> None:
    report = check(net.model({"x": (1, 64, 4096, 4096)}, [net.op("Relu", "x")]))
    assert report.share_on_dla == 1.0
    assert report.subgraphs[0].internal_bytes == 0


def test_narrow_tensors_are_counted_padded_too(net: Any) -> None:
    report = check(net.model({"x": (1, 1, 128, 64)}, [net.op("Relu", net.op("Tanh", "x"))]))
    (part,) = report.subgraphs
    assert (part.internal_bytes, part.padded_bytes) == (128 * 64 * 2, 128 * 64 * 32)


def test_padded_tensors_over_a_gibibyte_are_a_warning(net: Any) -> None:
    report = check(net.model({"x": (1, 1, 8192, 8192)}, [net.op("Relu", net.op("Tanh", "x"))]))
    assert [(problem.severity, problem.rule.name) for problem in report.problems] == [("warning", "padded-memory")]
    assert report.share_on_dla == 1.0


def test_half_a_gibibyte_of_weights_wants_a_larger_pool(net: Any) -> None:
    weights = net.op("ConstantOfShape", net.ints(4096, 8192, 3, 3))
    report = check(net.model({"x": (1, 8192, 4, 4)}, [net.op("Conv", "x", weights)]))
    (node,) = report.placed("conditional")
    assert (node.op, node.verdict.rule.name) == ("Conv", "weight-memory")
    assert [problem.severity for problem in report.problems] == ["warning"]


def test_normalisation_and_activation_behind_a_convolution_cost_no_memory(net: Any) -> None:
    x = net.op("Relu", net.norm(net.conv("x", 4, 4, 3), 4))
    report = check(net.model({"x": (1, 4, 8, 8)}, [net.conv(x, 4, 4, 3)]))
    assert report.nodes[1].verdict.rule.name == "folded-into-convolution"
    assert report.nodes[1].operations == 0
    assert report.subgraphs[0].internal_bytes == 4 * 8 * 8 * 2


def test_a_normalisation_whose_convolution_is_on_the_gpu_stays_a_layer(net: Any) -> None:
    x = net.op("Conv", "x", net.weight(4, 4, 1, 1), strides=[9, 9])
    report = check(net.model({"x": (1, 4, 9, 9)}, [net.norm(x, 4)]))
    assert report.nodes[1].verdict.rule.name == "batch-normalisation"


def test_a_layer_that_is_removed_is_seen_through(net: Any) -> None:
    x = net.op("Relu", net.op("Reshape", net.op("Tanh", "x"), net.ints(1, 4, 8, 8)))
    report = check(net.model({"x": (1, 4, 8, 8)}, [x]))
    assert [node.verdict.rule.name for node in report.nodes] == ["activation", "removed", "activation"]
    assert len(report.subgraphs) == 1
    y = net.op("Elu", net.op("Reshape", net.op("Elu", "x"), net.ints(1, 4, 8, 8)))
    alone = check(net.model({"x": (1, 4, 8, 8)}, [y]))
    assert (len(alone.subgraphs), alone.transitions) == (0, 0)


def test_int8_notes_the_ranges_and_unproven_versions_warn(net: Any) -> None:
    model = net.model({"x": (1, 4, 8, 8)}, [net.op("Add", "x", net.op("Relu", "x"))])
    assert [problem.rule.name for problem in check(model, precision="int8").problems] == ["int8-ranges"]
    assert [problem.rule.name for problem in check(model, tensorrt="10.7").problems] == ["unproven-version"]


@pytest.mark.parametrize(
    ("op", "extra", "expected"),
    [
        ("Conv", (8, 4, 3, 3), 2 * 4 * 9 * 8 * 6 * 6),
        ("ConvTranspose", (4, 8, 3, 3), 2 * 8 * 9 * 4 * 8 * 8),
        ("MatMul", (8, 5), 2 * 8 * 4 * 8 * 5),
        ("Add", (1,), 4 * 8 * 8),
    ],
)
def test_operations(net: Any, op: str, extra: tuple[int, ...], expected: int) -> None:
    (layer,) = read_layers(net.model({"x": (1, 4, 8, 8)}, [net.op(op, "x", net.weight(*extra))]), make_target())
    assert operations(layer) == expected
