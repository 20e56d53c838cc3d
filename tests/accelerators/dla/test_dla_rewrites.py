from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from premotor_accelerators.dla import rewriting
from premotor_accelerators.dla.checker import check_model
from premotor_accelerators.dla.errors import RewriteRefused
from premotor_accelerators.dla.proof import Proof
from premotor_accelerators.dla.rewrites.editing import Editor
from premotor_accelerators.dla.rewrites.rewrite import Match, Rewrite
from premotor_accelerators.dla.rewriting import rewrite_file, rewrite_model
from premotor_accelerators.dla.target import make_target

SHAPE = (2, 6, 8, 8)


def rewritten(model: Any) -> tuple[dict[str, Any], list[str]]:
    """What was applied, and the operators afterwards; equality is asserted once more from scratch."""
    before = model.SerializeToString()
    found = rewrite_model(model)
    assert model.SerializeToString() == before
    onnx.checker.check_model(found.model, full_check=True)
    assert Proof(model, seed=7).compare(found.model).is_equal
    assert not found.taken_back
    return dict(found.applied), [node.op_type for node in found.model.graph.node]


@pytest.mark.parametrize("size", [1, 7, 8, 32])
def test_a_global_average_becomes_a_depthwise_convolution(net: Any, size: int) -> None:
    applied, ops = rewritten(net.model({"x": (2, 6, size, size)}, [net.op("GlobalAveragePool", "x")]))
    assert (list(applied), ops) == (["global-average-pool"], ["Conv"])


def test_a_large_one_becomes_a_cascade(net: Any) -> None:
    applied, ops = rewritten(net.model({"x": (1, 3, 56, 64)}, [net.op("GlobalAveragePool", "x")]))
    assert (list(applied), ops) == (["global-average-pool"], ["AveragePool"] * 2)


def test_a_large_prime_is_left_alone(net: Any) -> None:
    applied, ops = rewritten(net.model({"x": (1, 3, 37, 37)}, [net.op("GlobalAveragePool", "x")]))
    assert (applied, ops) == ({}, ["GlobalAveragePool"])


@pytest.mark.parametrize("keep", [0, 1])
def test_a_mean_over_the_map_is_a_global_average(net: Any, keep: int) -> None:
    model = net.model({"x": SHAPE}, [net.op("ReduceMean", "x", axes=[-1, -2], keepdims=keep)])
    assert rewritten(model)[1] == (["Conv"] if keep else ["Conv", "Flatten"])


def test_a_mean_over_channels_is_left_alone(net: Any) -> None:
    assert rewritten(net.model({"x": SHAPE}, [net.op("ReduceMean", "x", axes=[1])]))[0] == {}


@pytest.mark.parametrize("trans", [0, 1])
@pytest.mark.parametrize("size", [1, 4])
def test_flatten_and_gemm_become_a_convolution(net: Any, trans: int, size: int) -> None:
    flat = net.op("Flatten", "x", axis=1)
    inner = 6 * size * size
    weights = net.weight(*((5, inner) if trans else (inner, 5)))
    value = net.op("Gemm", flat, weights, net.weight(5), transB=trans, alpha=0.5, beta=2.0)
    applied, ops = rewritten(net.model({"x": (2, 6, size, size)}, [value]))
    assert (list(applied), ops) == (["flatten-gemm"], ["Conv", "Flatten"])


def test_a_chain_of_products_keeps_four_dimensions_to_the_end(net: Any) -> None:
    x = net.op("Reshape", net.op("GlobalAveragePool", "x"), net.ints(2, -1))
    x = net.op("HardSwish", net.gemm(x, 6, 10))
    model = net.model({"x": SHAPE}, [net.gemm(net.op("Relu", x), 10, 4)])
    ops = rewritten(model)[1]
    assert ops[-1] == "Flatten"
    assert not {"Gemm", "Reshape", "HardSwish", "GlobalAveragePool"} & set(ops)


def test_a_flattening_that_others_read_stays_for_them(net: Any) -> None:
    flat = net.op("Flatten", "x", axis=1)
    ops = rewritten(net.model({"x": SHAPE}, [net.gemm(flat, 6 * 64, 3), net.op("Relu", flat)]))[1]
    assert sorted(ops) == ["Conv", "Flatten", "Flatten", "Relu"]


@pytest.mark.parametrize(("op", "options"), [("HardSwish", {}), ("HardSigmoid", {"alpha": 1 / 6}), ("HardSigmoid", {})])
def test_hard_activations_become_native_ones(net: Any, op: str, options: dict[str, float]) -> None:
    model = net.model({"x": SHAPE}, [net.op(op, "x", **options)])
    applied, ops = rewritten(model)
    assert list(applied) == ["hard-swish"]
    assert set(ops) <= {"Add", "Mul", "Clip"}
    assert check_model(rewrite_model(model).model, make_target()).share_on_dla == 1.0


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_resize_by_sizes_becomes_by_scales(net: Any, mode: str) -> None:
    place = "asymmetric" if mode == "nearest" else "half_pixel"
    options = {"mode": mode, "coordinate_transformation_mode": place, "nearest_mode": "floor"}
    model = net.model({"x": SHAPE}, [net.op("Resize", "x", "", "", net.ints(2, 6, 16, 32), **options)])
    assert list(rewritten(model)[0]) == ["resize-scales"]
    assert check_model(rewrite_model(model).model, make_target()).share_on_dla == 1.0


def test_resize_by_a_broken_ratio_is_left_alone(net: Any) -> None:
    options = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    model = net.model({"x": SHAPE}, [net.op("Resize", "x", "", "", net.ints(2, 6, 12, 16), **options)])
    assert rewritten(model)[0] == {}


def padded(net: Any, pads: list[int], kernel: int = 5, fill: float = 0.0, **options: Any) -> Any:
    x = net.op("Pad", "x", net.ints(*pads), net.constant(fill), **options)
    return net.model({"x": SHAPE}, [net.conv(x, 6, 4, kernel, stride=2, pad=1)])


def test_zeros_around_the_map_become_the_padding_of_the_convolution(net: Any) -> None:
    applied, ops = rewritten(padded(net, [0, 0, 1, 2, 0, 0, 3, 0]))
    assert (list(applied), ops) == (["pad-into-conv"], ["Conv"])


@pytest.mark.parametrize(
    ("pads", "fill", "options"),
    [
        ([0, 1, 0, 0, 0, 0, 0, 0], 0.0, {}),
        ([0, 0, 1, 1, 0, 0, 1, 1], 1.0, {}),
        ([0, 0, 1, 1, 0, 0, 1, 1], 0.0, {"mode": "reflect"}),
        ([0, 0, 4, 4, 0, 0, 4, 4], 0.0, {}),
        ([0, 0, -1, 0, 0, 0, 0, 0], 0.0, {}),
    ],
)
def test_other_paddings_are_left_alone(net: Any, pads: list[int], fill: float, options: dict[str, Any]) -> None:
    cin = 7 if pads[1] else 6
    x = net.op("Pad", "x", net.ints(*pads), net.constant(fill), **options)
    assert rewritten(net.model({"x": SHAPE}, [net.conv(x, cin, 4, 5, pad=1)]))[0] == {}


def test_division_by_a_constant_becomes_a_product(net: Any) -> None:
    applied, ops = rewritten(net.model({"x": SHAPE}, [net.op("Div", "x", net.constant(3.0))]))
    assert (list(applied), ops) == (["division"], ["Mul"])


def test_division_by_zero_is_left_alone(net: Any) -> None:
    assert rewrite_model(net.model({"x": SHAPE}, [net.op("Div", "x", net.constant([0.0, 1.0] * 4))])).applied == {}


def test_half_precision_models_stay_half_precision(networks: ModuleType) -> None:
    net = networks.Net(dtype=np.float16)
    model = net.model({"x": SHAPE}, [net.op("HardSwish", net.op("GlobalAveragePool", "x"))])
    found = rewrite_model(model)
    assert set(found.applied) == {"global-average-pool", "hard-swish"}
    assert {tensor.data_type for tensor in found.model.graph.initializer} == {onnx.TensorProto.FLOAT16}


def test_a_whole_network_comes_onto_dla(networks: ModuleType) -> None:
    model = networks.mobilenet_v3(size=64)
    found = rewrite_model(model)
    assert set(found.applied) == {"global-average-pool", "flatten-gemm", "hard-swish"}
    before, after = check_model(model, make_target()), check_model(found.model, make_target())
    assert [node.op for node in after.nodes if node.verdict.placement != "dla"] == ["Flatten"]
    assert before.share_on_dla < after.share_on_dla == 1.0
    assert (len(after.subgraphs), after.transitions) == (1, 1)


def _wrong(editor: Editor) -> Any:
    for node in editor.nodes:
        if node.op == "Relu":
            other = helper.make_node("Tanh", list(node.inputs), list(node.outputs), name="wrong")
            yield Match(node, lambda node=node, other=other: editor.replace(node, [other]))


def test_a_rewrite_that_changes_results_is_taken_back(net: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriting, "REWRITES", (Rewrite("wrong", _wrong), *rewriting.REWRITES))
    found = rewrite_model(net.model({"x": SHAPE}, [net.op("HardSwish", net.op("Relu", "x"))]))
    assert found.taken_back == ("wrong",)
    assert list(found.applied) == ["hard-swish"]
    assert "Relu" in [node.op_type for node in found.model.graph.node]


def test_what_cannot_be_shown_equal_is_refused(net: Any, networks: ModuleType) -> None:
    with pytest.raises(RewriteRefused, match="ONNX Runtime cannot run"):
        rewrite_model(
            net.model(
                {"x": SHAPE}, [net.op("HardSwish", net.op("Magic", "x", domain="acme")), net.op("HardSwish", "x")]
            )
        )
    old = networks.Net(opset=9)
    with pytest.raises(RewriteRefused, match="opset 9"):
        rewrite_model(old.model({"x": SHAPE}, [old.op("GlobalAveragePool", "x")]))


def test_files_are_written_whole_or_not_at_all(net: Any, tmp_path: Path) -> None:
    file, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    file.write_bytes(net.model({"x": SHAPE}, [net.op("HardSwish", "x")]).SerializeToString())
    assert rewrite_file(file, out).applied
    assert onnx.load(str(out)).graph.node
    with pytest.raises(RewriteRefused, match="the model itself"):
        rewrite_file(file, file)
    blocked = tmp_path / "m.onnx" / "out.onnx"
    with pytest.raises(RewriteRefused, match="no file was left"):
        rewrite_file(file, blocked)


def test_external_weights_are_taken_into_the_rewritten_file(net: Any, tmp_path: Path) -> None:
    model = net.model({"x": SHAPE}, [net.gemm(net.op("Flatten", "x", axis=1), 384, 5)])
    file, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    whole = onnx.ModelProto.FromString(model.SerializeToString())
    onnx.save_model(model, str(file), save_as_external_data=True, location="weights.bin", size_threshold=0)
    rewrite_file(file, out)
    (tmp_path / "weights.bin").unlink()
    assert Proof(whole, 0).compare(onnx.load(str(out))).is_equal


def test_nothing_to_rewrite_writes_no_file(net: Any, tmp_path: Path) -> None:
    file, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    file.write_bytes(net.model({"x": SHAPE}, [net.op("Relu", "x")]).SerializeToString())
    assert not rewrite_file(file, out).applied
    assert not out.exists()
