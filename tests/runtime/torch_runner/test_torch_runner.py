"""The torch runner on the CPU gives what the reference runner gives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from premotor_runtime.models.adapter import AdapterInfo, Factors, LoraAdapter
from premotor_runtime.runners.protocol import Chunk, ChunkOutput
from premotor_runtime.runners.reference import ReferenceRunner
from premotor_runtime.runners.torch import TorchSettings, torch_memory

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

FAMILIES = pytest.mark.parametrize("family", ["llama", "gemma3", "qwen2", "qwen3"])
BOTH = pytest.mark.parametrize("family", ["llama", "gemma3"])
TOKENS = [int(token) for token in np.random.default_rng(3).integers(0, 97, 70)]
SCATTERED = [int(block) for block in np.random.default_rng(5).permutation(24)]


def _make(checkpoint: Any, blocks: int = 24, block_size: int = 16, **options: Any) -> Any:
    from premotor_runtime.runners.torch.runner import TorchRunner

    adapters, capture = options.pop("adapters", None), options.pop("capture", None)
    settings = TorchSettings(**{"device": "cpu", "dtype": "float32", **options})
    return TorchRunner(checkpoint, blocks, block_size, adapters, settings, capture)


def _same(got: list[ChunkOutput], expected: list[ChunkOutput], tolerance: float = 2e-5) -> None:
    for mine, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(mine.hidden, theirs.hidden, atol=tolerance, rtol=tolerance)
        assert mine.hidden.dtype == np.float32
        assert mine.token == theirs.token
        np.testing.assert_allclose(mine.logprob, theirs.logprob, atol=tolerance)
        assert (mine.logits is None) == (theirs.logits is None)
        if theirs.logits is not None:
            np.testing.assert_allclose(mine.logits, theirs.logits, atol=10 * tolerance, rtol=tolerance)


def _mixed_steps() -> list[list[Chunk]]:
    """Three sequences: a prompt in pieces, two that decode beside it, with every kind of question."""
    few, many = np.array([3, 4, 17, 90]), np.arange(0, 97, 2)
    long, short, other = SCATTERED[:5], SCATTERED[5:7], SCATTERED[7:9]
    return [
        [
            Chunk(TOKENS[:33], 0, long),
            Chunk(TOKENS[:15], 0, short, range(15), "greedy"),
            Chunk(TOKENS[20:29], 0, other),
        ],
        [
            Chunk(TOKENS[15:16], 15, short, (0,), "greedy", few),
            Chunk(TOKENS[33:60], 33, long, (0, 26), "logits", many),
            Chunk(TOKENS[29:30], 9, other, (), "greedy", many),
        ],
        [Chunk(TOKENS[16:17], 16, short, (), "logits"), Chunk(TOKENS[60:61], 60, long, (0,), "greedy")],
        [Chunk(TOKENS[30:31], 10, other, (), "logits", few), Chunk(TOKENS[61:62], 61, long, (), "greedy")],
        [Chunk(TOKENS[17:18], 17, short, (), "greedy"), Chunk(TOKENS[62:63], 62, long, (), "greedy")],
        [Chunk(TOKENS[31:32], 11, other, (0,), "nothing")],
    ]


@FAMILIES
def test_equals_the_reference(make_checkpoint: Any, family: str) -> None:
    checkpoint = make_checkpoint(family)
    ours, reference = _make(checkpoint), ReferenceRunner(checkpoint, 24)
    for batch in _mixed_steps():
        _same(ours.step(batch), reference.step(batch))


@BOTH
def test_triton_kernels_in_the_model_equal_the_reference(make_checkpoint: Any, family: str) -> None:
    pytest.importorskip("triton")
    checkpoint = make_checkpoint(family)
    ours, reference = _make(checkpoint, kernels="triton"), ReferenceRunner(checkpoint, 24)
    few = np.array([3, 4, 17, 90])
    steps = [
        [Chunk(TOKENS[:9], 0, [5], (8,), "greedy"), Chunk(TOKENS[:3], 0, [2])],
        [Chunk(TOKENS[9:18], 9, [5, 1]), Chunk(TOKENS[3:4], 3, [2], (), "greedy", few)],
        [Chunk(TOKENS[18:19], 18, [5, 1], (0,), "greedy"), Chunk(TOKENS[4:5], 4, [2], (), "logits")],
    ]
    for batch in steps:
        _same(ours.step(batch), reference.step(batch))


@BOTH
def test_batch_equals_single(make_checkpoint: Any, family: str) -> None:
    checkpoint = make_checkpoint(family)
    together, alone = _make(checkpoint), _make(checkpoint)
    for batch in _mixed_steps():
        _same(together.step(batch), [alone.step([chunk])[0] for chunk in batch])


@BOTH
@pytest.mark.parametrize("size", [1, 5, 16])
def test_chunked_equals_whole(make_checkpoint: Any, family: str, size: int) -> None:
    checkpoint = make_checkpoint(family)
    (whole,) = _make(checkpoint).step([Chunk(TOKENS, 0, SCATTERED[:5], range(len(TOKENS)))])
    runner, parts = _make(checkpoint, block_size=32, blocks=12), []
    for start in range(0, len(TOKENS), size):
        piece = TOKENS[start : start + size]
        parts += [output.hidden for output in runner.step([Chunk(piece, start, [7, 2, 9], range(len(piece)))])]
    np.testing.assert_allclose(np.concatenate(parts), whole.hidden, atol=2e-5, rtol=2e-5)


def _adapter(checkpoint: Any, seed: int) -> LoraAdapter:
    random, config = np.random.default_rng(seed), checkpoint.config
    shapes = {
        "self_attn.k_proj": (config.kv_size, config.hidden_size),
        "self_attn.o_proj": (config.hidden_size, config.query_size),
        "mlp.up_proj": (config.intermediate_size, config.hidden_size),
        "mlp.down_proj": (config.hidden_size, config.intermediate_size),
    }  # fmt: skip
    factors = {
        f"layers.{layer}.{target}": Factors(
            random.normal(0, 0.2, (2, columns)).astype(np.float32),
            random.normal(0, 0.2, (rows, 2)).astype(np.float32),
            1.5,
        )
        for layer in range(config.num_hidden_layers)
        for target, (rows, columns) in shapes.items()
    }
    return LoraAdapter(AdapterInfo(2, 3.0, ""), factors)


def test_each_chunk_takes_its_own_adapter(make_checkpoint: Any) -> None:
    checkpoint = make_checkpoint("gemma3")
    adapters = {"a": _adapter(checkpoint, 1), "b": _adapter(checkpoint, 2)}
    ours, reference = _make(checkpoint, adapters=adapters), ReferenceRunner(checkpoint, 24, adapters=adapters)
    assert ours.adapter_names == ("a", "b")
    for start, stop in ((0, 9), (9, 10)):
        batch = [
            Chunk(TOKENS[start:stop], start, [number], range(stop - start), "greedy", adapter=adapter)
            for number, adapter in enumerate(["a", None, "b"])
        ]
        _same(ours.step(batch), reference.step(batch))


def _rerun(work: Any) -> Any:
    """Stands in for a CUDA graph: does the captured work again, into the tensors of the first time."""
    results = work()

    def replay() -> None:
        for old, new in zip(results, work(), strict=True):
            old.copy_(new)

    return results, replay


@BOTH
def test_captured_decodes_equal_the_reference(make_checkpoint: Any, family: str) -> None:
    checkpoint = make_checkpoint(family)
    ours = _make(checkpoint, graph_sizes=(1, 4), capture=_rerun)
    reference = ReferenceRunner(checkpoint, 24)
    prompts = [Chunk(TOKENS[n : n + 20 + n], 0, SCATTERED[3 * n : 3 * n + 3]) for n in range(6)]
    for count in (6, 3, 1, 4, 5):  # 5 and 6 sequences are more than was captured for
        _same(ours.step(prompts), reference.step(prompts))
        for at in range(3):
            batch = [
                Chunk([TOKENS[n + at]], 20 + n + at, SCATTERED[3 * n : 3 * n + 3], (0,) * (n % 2), "greedy")
                for n in range(count)
            ]
            _same(ours.step(batch), reference.step(batch))
        asked = [Chunk([5], 25, SCATTERED[:3], (0,), "logits", np.array([2, 7])), Chunk([6], 9, SCATTERED[3:6])]
        _same(ours.step(asked), reference.step(asked))


def test_warming_up_leaves_the_cache_alone(make_checkpoint: Any) -> None:
    checkpoint = make_checkpoint("gemma3")
    stages: list[tuple[str, float]] = []
    warm, cold = (_make(checkpoint, graph_sizes=(1, 2), capture=_rerun) for _ in range(2))
    first = [Chunk(TOKENS[:40], 0, [0, 1, 2])]
    warm.step(first), cold.step(first)
    warm.warm_up(lambda stage, share: stages.append((stage, share)))
    then = [Chunk(TOKENS[40:41], 40, [0, 1, 2], (0,), "greedy")]
    _same(warm.step(then), cold.step(then), 0.0)
    assert stages[0] == ("kernels", 0.0) and stages[-1] == ("ready", 1.0)
    assert [share for _, share in stages] == sorted(share for _, share in stages) and len(stages) == 6


@pytest.mark.parametrize(("dtype", "tolerance"), [("bfloat16", 0.15), ("float16", 0.02)])
@BOTH
def test_sixteen_bits_stay_close(make_checkpoint: Any, family: str, dtype: str, tolerance: float) -> None:
    checkpoint = make_checkpoint(family)
    everything = [Chunk(TOKENS, 0, SCATTERED[:5], range(len(TOKENS)))]
    (ours,), (reference,) = (
        _make(checkpoint, dtype=dtype).step(everything),
        ReferenceRunner(checkpoint, 24).step(everything),
    )
    assert np.abs(ours.hidden - reference.hidden).max() < tolerance * np.abs(reference.hidden).max()


def test_logits_of_all_some_and_a_slice(make_checkpoint: Any) -> None:
    checkpoint = make_checkpoint("qwen2")
    ours, reference = _make(checkpoint), ReferenceRunner(checkpoint, 24)
    hidden = np.random.default_rng(0).normal(0, 1, (5, 32)).astype(np.float32)
    for ids in (None, slice(3, 50), np.array([9, 1, 9]), np.array([], np.int64)):
        got = ours.logits(hidden, ids)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, reference.logits(hidden, ids), atol=1e-5)


def test_what_is_not_finite_or_empty_picks_nothing(make_checkpoint: Any) -> None:
    checkpoint = make_checkpoint("qwen2")
    checkpoint.head.matrix[5] = math.inf
    runner = _make(checkpoint)
    allowed: list[Any] = [None, np.arange(97), np.array([4, 5]), np.array([6, 7]), np.array([], np.int64)]
    tokens = [runner.step([Chunk(TOKENS[:4], 0, [0], (), "greedy", among)])[0] for among in allowed]
    assert [output.token >= 0 for output in tokens] == [False, False, False, True, False]
    assert [math.isnan(output.logprob) for output in tokens] == [True, True, True, False, True]


@pytest.mark.parametrize(
    "chunk",
    [
        Chunk([97], 0, [0]), Chunk([-1], 0, [0]), Chunk([3], 0, [24]), Chunk([3], 16, [0]), Chunk([3, 4], 0, [0], (2,)),
        Chunk([3], 0, [0], (), "greedy", np.array([97])),
    ],
)  # fmt: skip
def test_what_would_reach_foreign_memory_is_refused(make_checkpoint: Any, chunk: Chunk) -> None:
    runner = _make(make_checkpoint("llama"))
    with pytest.raises(IndexError):
        runner.step([chunk])
    assert runner.step([Chunk([3], 0, [0], (), "greedy")])[0].token >= 0


def test_unknown_adapter_is_refused(make_checkpoint: Any) -> None:
    with pytest.raises(ValueError, match="no adapter is called"):
        _make(make_checkpoint("llama")).step([Chunk([3], 0, [0], adapter="x")])


def test_a_choice_of_torch_makes_this_runner(make_checkpoint: Any) -> None:
    from premotor_runtime.runners.native.choice import RunnerChoice, latest_choice

    choice = RunnerChoice("torch", torch_settings=TorchSettings("cpu", "float32"))
    checkpoint = make_checkpoint("llama")
    assert choice.kept(checkpoint, 4, 16, {}) is None
    made = choice(checkpoint, 4, 16, {})
    _same(made.step([Chunk(TOKENS[:9], 0, [1])]), ReferenceRunner(checkpoint, 4).step([Chunk(TOKENS[:9], 0, [1])]))
    latest = latest_choice()
    assert latest is not None and (latest.runner, latest.detail) == ("torch", "cpu, float32")


@BOTH
def test_copied_blocks_go_on_like_their_source(make_checkpoint: Any, family: str) -> None:
    ours = _make(make_checkpoint(family))
    ours.step([Chunk(TOKENS[:20], 0, [0, 1])])
    ours.copy_blocks([(0, 2), (1, 3)])
    (first,) = ours.step([Chunk([5], 20, [0, 1], [0])])
    (other,) = ours.step([Chunk([6], 20, [2, 3], [0])])
    (again,) = ours.step([Chunk([5], 20, [2, 3], [0])])
    np.testing.assert_array_equal(first.hidden, again.hidden)
    assert not np.array_equal(first.hidden, other.hidden)
    with pytest.raises(IndexError, match="block"):
        ours.copy_blocks([(0, 24)])


def test_what_it_will_take_is_known_beforehand(make_checkpoint: Any) -> None:
    made = make_checkpoint("llama")
    settings = TorchSettings(device="cpu", dtype="float32")
    said = torch_memory(made, 16, settings)
    cache = _make(made, blocks=1)._caches[0]
    assert said.block_bytes == made.config.num_hidden_layers * cache.numel() * 4
    assert said.weight_bytes >= made.flat.nbytes and said.available_bytes is None
