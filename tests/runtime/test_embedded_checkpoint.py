"""The committed embedded planner: small enough, whole, and the same model to our engine as to transformers."""

from __future__ import annotations

from functools import cache

import llguidance
import numpy as np
import numpy.typing as npt
import pytest

from premotor_runtime.app.checkpoints import embedded_checkpoint
from premotor_runtime.models.checkpoint import Checkpoint
from premotor_runtime.models.hf_checkpoint import load_hf
from premotor_runtime.models.packed import layout
from premotor_runtime.models.tokenizer import Tokenizer
from premotor_runtime.runners.protocol import Chunk
from premotor_runtime.runners.reference import ReferenceRunner

CATALOGUE = """Skills: go, pick, place, give, say, wait, inspect, dock
Rooms: kitchen, study, living room
Places: kitchen counter (kitchen); study desk (study); sofa (living room); dock (kitchen)
Objects: red mug (kitchen counter); blue mug (study desk); newspaper (sofa)
People: user (sofa); Anna (study desk)
Holding: nothing
"""
QUESTION = "Task: take the red mug from the kitchen to the study desk\nPlan:"
ANSWER = " pick red mug; place study desk\n"


@cache
def checkpoint() -> Checkpoint:
    return load_hf(embedded_checkpoint())


@cache
def tokenizer() -> Tokenizer:
    loaded = checkpoint()
    config = loaded.config
    return Tokenizer(loaded.tokenizer_json, loaded.path, config.bos_token_id, config.eos_token_ids)


def reference_logits(ids: list[int]) -> npt.NDArray[np.float32]:
    runner = ReferenceRunner(checkpoint(), num_blocks=len(ids) // 16 + 1)
    chunk = Chunk(ids, 0, range(runner.num_blocks), range(len(ids)))
    return runner.logits(runner.step([chunk])[0].hidden)


def test_the_whole_folder_is_at_most_four_megabytes() -> None:
    files = {path.name: path.stat().st_size for path in embedded_checkpoint().iterdir()}
    assert {"README.md", "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} == set(files)
    assert sum(files.values()) <= 4_000_000


def test_loads_with_our_loader_and_every_weight_is_finite() -> None:
    loaded = checkpoint()
    places = [place for _, _, place in layout(loaded.config)]
    assert loaded.flat.size == places[-1].stop
    assert np.isfinite(loaded.flat).all()
    assert np.isfinite(loaded.embedding.rows(slice(None))).all()
    assert loaded.head is loaded.embedding
    assert loaded.config.max_position_embeddings == 1024


def test_the_tokenizer_covers_any_text_and_adds_nothing() -> None:
    assert tokenizer().vocab_size == checkpoint().config.vocab_size
    for text in (CATALOGUE, QUESTION, ANSWER, "Zoë's 3 € mug — \t«x»\n", ""):
        assert tokenizer().decode(tokenizer().encode(text)) == text
    assert tokenizer().encode_blocks([QUESTION])[0] == checkpoint().config.bos_token_id


def test_a_common_word_is_one_token_with_its_blank_and_a_digit_stands_alone() -> None:
    assert len(tokenizer().encode(" pick red mug; place study desk\n")) == 9
    assert [tokenizer().decode([token]) for token in tokenizer().encode(" wait 45")] == [" wait", " 4", "5"]


def test_the_grammar_compiler_reads_the_tokenizer() -> None:
    reader = llguidance.LLTokenizer(tokenizer().json, n_vocab=tokenizer().vocab_size, eos_token=[1])
    assert reader.vocab_size == tokenizer().vocab_size
    assert list(reader.tokenize_str(ANSWER)) == tokenizer().encode(ANSWER)


def test_the_right_answer_is_likelier_than_another_object_wrong_roles_and_scrambled_words() -> None:
    def logprob(answer: str) -> float:
        asked, wanted = tokenizer().encode_blocks([CATALOGUE, QUESTION]), tokenizer().encode(answer)
        logits = reference_logits(asked + wanted)[len(asked) - 1 : -1].astype(np.float64)
        shifted = logits - logits.max(-1, keepdims=True)
        scores = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        return float(scores[np.arange(len(wanted)), wanted].sum())

    right = logprob(ANSWER)
    for wrong in (
        " pick newspaper; place study desk\n",
        " give red mug; pick study desk\n",
        " mug pick red place; desk study\n",
    ):
        assert right > logprob(wrong) + 3.0


@pytest.mark.torch
def test_logits_are_those_of_transformers() -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = str(embedded_checkpoint())
    model = transformers.LlamaForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = tokenizer().encode_blocks([CATALOGUE, QUESTION, ANSWER])
    assert transformers.AutoTokenizer.from_pretrained(folder)(CATALOGUE).input_ids == tokenizer().encode(CATALOGUE)
    with torch.no_grad():
        theirs = model(torch.tensor([ids])).logits[0].numpy()
    ours = reference_logits(ids)
    np.testing.assert_allclose(ours, theirs, atol=2e-4 * float(np.abs(theirs).max()))
    assert (ours.argmax(-1) == theirs.argmax(-1)).all()
