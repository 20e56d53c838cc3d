"""Proves the torch runner's CUDA path and measures it, in under six minutes: `python tests/gpu/gpu_llm.py`.

Prints one JSON document (`--json FILE` also writes it): every check with its error and the error allowed, then rates.
Exit 0: all checks hold; 1: one does not; 2: there is no CUDA device. `--models S,M,L` and `--rounds N` narrow the
measurement. Needs torch >= 2.8 with CUDA, Triton, numpy, gguf, safetensors and tokenizers; nothing is installed or
downloaded, and the pretrained Gemma is checked where its package is there.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.pop("TRITON_INTERPRET", None)
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "runtime"), str(ROOT / "foundation")]

import numpy as np  # noqa: E402
import torch  # noqa: E402

from premotor_runtime.models.checkpoint import Checkpoint  # noqa: E402
from premotor_runtime.models.config import ModelConfig  # noqa: E402
from premotor_runtime.models.embedding import DenseTable  # noqa: E402
from premotor_runtime.models.features import features  # noqa: E402
from premotor_runtime.models.packed import layout, packed_size  # noqa: E402
from premotor_runtime.models.random_checkpoint import SHAPES  # noqa: E402
from premotor_runtime.runners.protocol import Chunk  # noqa: E402
from premotor_runtime.runners.reference import ReferenceRunner  # noqa: E402
from premotor_runtime.runners.torch import TorchSettings  # noqa: E402

DEVICE = "cuda"
CONTEXT, PROMPT = 256, 512
TINY = dataclasses.replace(
    SHAPES["S"], vocab_size=311, hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4,
    num_key_value_heads=2, head_dim=16, attention_scale=0.25,
)  # fmt: skip
SLIDING: dict[str, Any] = {"sliding_window": 23, "sliding_layers": (True, False, True), "rope_local_theta": 1000.0}
TINY_MODELS = {
    "llama": TINY,
    "gemma3": dataclasses.replace(TINY, architecture="gemma3", **SLIDING, **features("gemma3", 64)),
    "qwen2": dataclasses.replace(TINY, architecture="qwen2", num_key_value_heads=1, **features("qwen2", 64)),
    "qwen3": dataclasses.replace(TINY, architecture="qwen3", head_dim=24, **features("qwen3", 64)),
}
# heads, key-value heads, head_dim, window: Gemma 3 270M twice, SmolLM2-135M, Qwen2.5-0.5B, an odd one
HEADS = [(4, 1, 256, 512), (4, 1, 256, 0), (9, 3, 64, 0), (14, 2, 64, 0), (5, 5, 24, 37)]


def random_model(config: ModelConfig, seed: int = 1) -> Checkpoint:
    """Random weights in memory; a million drawn values are repeated, which is as good and much faster."""
    random = np.random.default_rng(seed)
    drawn = random.standard_normal(1 << 20, np.float32)
    flat = np.empty(packed_size(config), np.float32)
    for number, (_, shape, place) in enumerate(layout(config)):
        size = place.stop - place.start
        if len(shape) == 1:
            flat[place] = random.uniform(0.8, 1.2, size)
        else:
            flat[place] = np.resize(np.roll(drawn, 7919 * number), size) * np.float32(shape[1] ** -0.5)
    table = DenseTable(np.resize(drawn, (config.vocab_size, config.hidden_size)))
    return Checkpoint(Path("random"), "0" * 64, config, flat, table, table, "")


def runner(checkpoint: Checkpoint, blocks: int = 320, **options: Any) -> Any:
    from premotor_runtime.runners.torch.runner import TorchRunner

    return TorchRunner(checkpoint, blocks, 16, None, TorchSettings(DEVICE, **options))


def tables(count: int, length: int) -> list[list[int]]:
    """Block tables of `count` sequences, scattered."""
    each = -(-length // 16)
    order = np.random.default_rng(0).permutation(count * each).tolist()
    return [order[n * each : (n + 1) * each] for n in range(count)]


def distance(got: Any, expected: Any) -> float:
    got, expected = (torch.as_tensor(value).double().flatten().cpu() for value in (got, expected))
    return float((got - expected).norm() / expected.norm().clamp_min(1e-30))


# --- checks ---------------------------------------------------------------------------------------------------------


def kernel_checks() -> Iterator[tuple[str, float, float]]:
    from premotor_runtime.runners.torch.definition import TorchOperations
    from premotor_runtime.runners.torch.operations import HeadShape
    from premotor_runtime.runners.torch.plan import StepTensors, plan_step
    from premotor_runtime.runners.torch.triton_operations import TritonOperations

    kernels, definition = TritonOperations(torch.cuda.get_device_properties(0).multi_processor_count), TorchOperations()
    torch.manual_seed(0)
    for heads, kv_heads, head_dim, window in HEADS:
        shape = HeadShape(heads, kv_heads, head_dim, 1e-6)
        lengths = [(0, 1), (16, 1), (299, 1), (2048, 1), (100, 333), (0, 5)]
        order = iter(np.random.default_rng(1).permutation(400).tolist())
        chunks = [
            Chunk([0] * size, start, [next(order) for _ in range(-(-(start + size) // 16))]) for start, size in lengths
        ]
        plan = plan_step(chunks, 16, kernels.tile_tokens(shape))
        views = plan.packing.views(torch.from_numpy(plan.packing.joined()).to(DEVICE))
        step = StepTensors.of(views, plan.prefills, plan.longest_decode)
        rows = len(step.tokens)
        for dtype, allowed in ((torch.float32, 1e-5), (torch.bfloat16, 1e-2), (torch.float16, 2e-3)):
            name = f"heads {heads}/{kv_heads} x {head_dim}, window {window}, {str(dtype)[6:]}"
            cache = torch.randn(2, 400, 16, kv_heads, head_dim, device=DEVICE).to(dtype)
            projected = torch.randn(rows, (heads + 2 * kv_heads) * head_dim, device=DEVICE).to(dtype)
            norms, angles = (
                torch.rand(2, head_dim, device=DEVICE) + 0.5,
                torch.randn(rows, head_dim // 2, device=DEVICE),
            )
            turn, mine, theirs = (angles.cos(), angles.sin()), cache.clone(), cache.clone()
            query = kernels.rotate_and_store(projected, shape, norms, turn, mine, step.slots)
            expected = definition.rotate_and_store(projected, shape, norms, turn, theirs, step.slots)
            yield f"rotate and store: {name}", max(distance(query, expected), distance(mine, theirs)), allowed
            got = kernels.attend(query, shape, mine, step, window, head_dim**-0.5)
            expected = definition.attend(query, shape, mine, step, window, head_dim**-0.5)
            decodes = slice(0, 4)
            yield f"attend, decode: {name}", distance(got[decodes], expected[decodes]), allowed
            yield f"attend, prefill: {name}", distance(got[4:], expected[4:]), allowed
    for dtype, allowed in ((torch.float32, 1e-6), (torch.bfloat16, 6e-3)):
        residual, change = torch.randn(33, 640, device=DEVICE), torch.randn(33, 640, device=DEVICE).to(dtype)
        weight, gate_up = torch.rand(640, device=DEVICE), torch.randn(33, 4096, device=DEVICE).to(dtype)
        got, expected = (
            each.add_norm(residual.clone(), change, weight, weight, 1e-6, dtype) for each in (kernels, definition)
        )
        yield f"sum and norm: {str(dtype)[6:]}", distance(got, expected), allowed
        for gelu in (True, False):
            error = distance(kernels.gate(gate_up, gelu), definition.gate(gate_up, gelu))
            yield f"gate, {'gelu' if gelu else 'silu'}: {str(dtype)[6:]}", error, allowed


def greedy(run: Any, prompts: list[list[int]], count: int) -> tuple[list[list[int]], Any]:
    """Greedy continuations of the prompts, all decoded together, and the hidden states on the way."""
    places = tables(len(prompts), max(map(len, prompts)) + count + 1)
    given = [
        Chunk(prompt, 0, place, (len(prompt) - 1,), "greedy") for prompt, place in zip(prompts, places, strict=True)
    ]
    outputs = run.step(given)
    found, hidden = [[output.token] for output in outputs], [output.hidden for output in outputs]
    for at in range(count):
        batch = [
            Chunk([tokens[-1]], len(prompt) + at, place, (0,), "greedy")
            for tokens, prompt, place in zip(found, prompts, places, strict=True)
        ]
        for tokens, output in zip(found, run.step(batch), strict=True):
            tokens.append(output.token)
            hidden.append(output.hidden)
    return found, np.concatenate(hidden)


def runner_checks() -> Iterator[tuple[str, float, float]]:
    random = np.random.default_rng(2)
    for name, config in TINY_MODELS.items():
        checkpoint = random_model(config)
        prompts = [random.integers(0, config.vocab_size, size).tolist() for size in (40, 7, 90)]
        expected, hidden = greedy(ReferenceRunner(checkpoint, 320), prompts, 40)
        for label, sizes in (("eager", ()), ("graphs", (1, 2, 4))):
            found, mine = greedy(runner(checkpoint, dtype="float32", graph_sizes=sizes), prompts, 40)
            yield f"tokens as the reference: {name}, float32, {label}", float(found != expected), 0.0
            yield f"hidden as the reference: {name}, float32, {label}", distance(mine, hidden), 1e-4
        chunk = [Chunk(prompts[2], 0, list(range(6)), range(90))]
        (reference,), (half,) = ReferenceRunner(checkpoint, 8).step(chunk), runner(checkpoint, 8).step(chunk)
        yield f"hidden as the reference: {name}, bfloat16", distance(half.hidden, reference.hidden), 5e-2


def graph_checks(checkpoint: Checkpoint) -> Iterator[tuple[str, float, float]]:
    """On a model of real size in bfloat16; the two cut the context into other splits, so they differ in rounding."""
    random = np.random.default_rng(3)
    with_graphs, without = runner(checkpoint, 640), runner(checkpoint, 640, graph_sizes=())
    for batch in (1, 3, 8):
        places = tables(batch, 300)
        prompts = [Chunk(random.integers(0, 1000, 290).tolist(), 0, place) for place in places]
        asked = [Chunk([7 + n], 290, place, (0,), "greedy") for n, place in enumerate(places)]
        got, expected = ([run.step(prompts), run.step(asked)][1] for run in (with_graphs, without))
        pairs = zip(got, expected, strict=True)
        yield f"graph as eager, batch {batch}", max(distance(one.hidden, other.hidden) for one, other in pairs), 2e-2


def gemma_checks() -> Iterator[tuple[str, float, float]]:
    from premotor_runtime.models.errors import CheckpointError
    from premotor_runtime.models.registry import PRETRAINED, load_checkpoint, load_model

    try:
        model, checkpoint = load_model(PRETRAINED, num_blocks=64), load_checkpoint(PRETRAINED)
    except CheckpointError as error:
        sys.stderr.write(f"Gemma 3 270M is not checked: {error}\n")
        return
    prompts = [model.tokenizer.encode_blocks([text]) for text in ("The capital of France is", "Robots move by")]
    expected, hidden = greedy(model.runner, prompts, 24)
    found, mine = greedy(runner(checkpoint, 64, dtype="float32"), prompts, 24)
    yield "tokens as the reference: Gemma 3 270M, float32, graphs", float(found != expected), 0.0
    yield "hidden as the reference: Gemma 3 270M, float32, graphs", distance(mine, hidden), 1e-3
    chunk = [Chunk(prompts[0], 0, [0, 1], (len(prompts[0]) - 1,), "logits")]
    (half,), (full,) = runner(checkpoint, 8).step(chunk), model.runner.step(chunk)
    assert half.logits is not None and full.logits is not None
    best = set(np.argsort(full.logits)[-5:].tolist())
    yield "bfloat16's choice is in the reference's top 5", float(int(half.logits.argmax()) not in best), 0.0


# --- measurement ----------------------------------------------------------------------------------------------------


def median_s(work: Callable[[], object], rounds: int) -> float:
    """Median wall time; a step waits for the device itself."""
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def rates(name: str, checkpoint: Checkpoint, rounds: int) -> Iterator[dict[str, Any]]:
    for graphs in (True, False):
        begun = time.perf_counter()
        run = runner(checkpoint, 640, **({} if graphs else {"graph_sizes": ()}))
        run.warm_up()
        seconds = time.perf_counter() - begun
        for row in [{"phase": "start", "seconds": seconds}, *decode_rates(run, rounds), prefill_rate(run, rounds)]:
            yield {"model": name, "precision": "bfloat16", "graphs": graphs, **row}
        del run
        torch.cuda.empty_cache()


def decode_rates(run: Any, rounds: int) -> Iterator[dict[str, Any]]:
    for batch in (1, 8):
        places = tables(batch, CONTEXT + 1)
        run.step([Chunk([5] * CONTEXT, 0, place) for place in places])
        asked = [Chunk([7 + n], CONTEXT, place, (), "greedy") for n, place in enumerate(places)]
        step = median_s(functools.partial(run.step, asked), rounds)
        yield {"phase": "decode", "batch": batch, "tok_s": batch / step, "step_ms": step * 1e3}


def prefill_rate(run: Any, rounds: int) -> dict[str, Any]:
    prompt = [Chunk(list(range(PROMPT)), 0, list(range(PROMPT // 16)), (), "greedy")]
    step = median_s(functools.partial(run.step, prompt), rounds)
    return {"phase": "prefill", "batch": 1, "tok_s": PROMPT / step, "step_ms": step * 1e3}


def planner_latency(checkpoint: Checkpoint) -> list[dict[str, Any]]:
    """How long a small kernel of a planner takes, alone and beside endless prefill, at equal and at higher priority."""
    run, stop = runner(checkpoint, 640), threading.Event()
    prompt = [Chunk(list(range(PROMPT)), 0, list(range(PROMPT // 16)))]
    run.step(prompt)

    def load() -> None:
        while not stop.is_set():
            run.step(prompt)

    def measure(priority: int, beside: bool) -> dict[str, Any]:
        stream, x, times = torch.cuda.Stream(priority=priority), torch.randn(256, 256, device=DEVICE), []
        with torch.cuda.stream(stream):
            for _ in range(300):
                begun = time.perf_counter()
                x @ x
                stream.synchronize()
                times.append(time.perf_counter() - begun)
        p50, p99 = (float(np.quantile(times, share)) * 1e6 for share in (0.5, 0.99))
        return {"priority": priority, "beside_prefill": beside, "p50_us": p50, "p99_us": p99}

    rows = [measure(-1, False)]
    thread = threading.Thread(target=load)
    thread.start()
    try:
        rows += [measure(0, True), measure(-1, True)]
    finally:
        stop.set()
        thread.join()
    return rows


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write the document here")
    parser.add_argument("--models", default="S,M,L", help="which to measure")
    parser.add_argument("--rounds", type=int, default=50, help="timed steps a row")
    options = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        sys.stderr.write("there is no CUDA device; this script proves and measures the CUDA path only\n")
        return 2
    begun = time.perf_counter()
    checks = []
    measured = random_model(SHAPES["M"])
    for source in (kernel_checks(), runner_checks(), graph_checks(measured), gemma_checks()):
        for name, error, allowed in source:
            checks.append({"name": name, "error": error, "allowed": allowed, "passed": bool(error <= allowed)})
    rows = [
        row for name in options.models.split(",") for row in rates(name, random_model(SHAPES[name]), options.rounds)
    ]
    properties = torch.cuda.get_device_properties(0)
    document = {
        "schema": "premotor.gpu_llm/1",
        "machine": {
            "gpu": properties.name, "capability": [properties.major, properties.minor],
            "multiprocessors": properties.multi_processor_count, "memory_bytes": properties.total_memory,
            "torch": torch.__version__, "cuda": torch.version.cuda, "context": CONTEXT, "prompt": PROMPT,
        },
        "passed": all(check["passed"] for check in checks),
        "checks": checks,
        "rates": rows,
        "planner_kernel": planner_latency(measured),
        "seconds": time.perf_counter() - begun,
    }  # fmt: skip
    text = json.dumps(document, indent=1)
    sys.stdout.write(text + "\n")
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0 if document["passed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
