from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from premotor_accelerators.dla.commands import register
from premotor_accelerators.dla.errors import DlaUnavailable
from premotor_foundation.errors import PremotorError, UsageError


@pytest.fixture
def model(net: Any, tmp_path: Path) -> Path:
    x = net.op("HardSwish", net.conv("image", 3, 8, 3))
    x = net.op("Flatten", net.op("GlobalAveragePool", x), axis=1)
    file = tmp_path / "m.onnx"
    file.write_bytes(net.model({"image": (1, 3, 16, 16)}, [net.gemm(x, 8, 4)]).SerializeToString())
    return file


def call(*arguments: object) -> Any:
    app = typer.Typer()
    app.callback()(lambda: None)
    register(app)
    return CliRunner().invoke(app, ["check-dla", *map(str, arguments)])


def test_the_report_names_nodes_rules_and_remedies(model: Path) -> None:
    result = call(model)
    assert result.exit_code == 0
    assert "HardSwish x1: HardSwish_2" in result.stdout
    assert "[hard-activation, A]; write it as Mul, Add, Clip" in result.stdout
    assert "rewrite      global-average-pool: GlobalAveragePool_3" in result.stdout


def test_json_follows_the_schema(model: Path) -> None:
    result = call(model, "--json", "--board", "orin_nx_16", "--precision", "int8", "--tensorrt", "8.6.2")
    found = json.loads(result.stdout)
    assert result.exit_code == 0
    assert found["schema"] == "premotor.check_dla/1"
    assert (found["board"], found["precision"], found["tensorrt"]) == ("orin_nx_16", "int8", "8.6.2")
    assert {"name", "op", "verdict", "rule", "remedy"} <= found["nodes"][0].keys()
    assert {node["verdict"] for node in found["nodes"]} <= {"dla", "gpu", "conditional"}
    assert 0 < found["share_on_dla"] < 1
    assert len(found["subgraphs"]) == 1
    assert found["subgraphs"][0]["weight_bytes"] == 3 * 8 * 9 + 4 * 8
    assert found["transitions"] == 1
    assert isinstance(found["problems"], list)
    for node in found["nodes"]:
        rule = found["rules"][node["rule"]]
        assert rule["source"]
        assert rule["confidence"] in "ABC"
        assert node["verdict"] == "dla" or node["remedy"]


def test_rewriting_shows_what_it_brought(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    result = call(model, "--json", "--rewrite", out)
    found = json.loads(result.stdout)["rewritten"]
    assert set(found["applied"]) == {"global-average-pool", "flatten-gemm", "hard-swish"}
    assert found["share_on_dla"] == 1.0
    assert found["largest_difference"] < 1e-4
    assert json.loads(call(out, "--json").stdout)["share_on_dla"] == 1.0
    assert "equal        within" in call(model, "--rewrite", out).stdout


def test_a_board_that_cannot_build_is_refused_with_3_and_still_answers_in_json(model: Path) -> None:
    result = call(model, "--json", "--board", "orin_nano")
    assert isinstance(result.exception, DlaUnavailable)
    assert result.exception.exit_code == 3
    found = json.loads(result.stdout)
    assert (found["schema"], found["nodes"], found["share_on_dla"]) == ("premotor.check_dla/1", [], 0.0)
    assert found["problems"][0]["rule"] == "no-dla-core"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--tensorrt", "ten"),
        ("--board", "laptop"),
        ("--precision", "half"),
        ("--shape", "image"),
        ("--shape", "image=1,3,0,16"),
        ("--shape", "nothing=1,3"),
    ],
)
def test_wrong_usage(model: Path, arguments: tuple[str, str]) -> None:
    result = call(model, *arguments)
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    file.write_text("nonsense")
    result = call(file)
    assert isinstance(result.exception, PremotorError)
    assert result.exception.exit_code == 1


def test_sizes_can_be_given(networks: ModuleType, tmp_path: Path) -> None:
    net = networks.Net()
    file = tmp_path / "m.onnx"
    file.write_bytes(net.model({"x": ("n", 4, 8, 8)}, [net.op("Relu", "x")]).SerializeToString())
    assert isinstance(call(file).exception, PremotorError)
    assert "100.00% of operations" in call(file, "--shape", "x=1,4,8,8").stdout
