from __future__ import annotations

import pytest

from premotor_runtime.cli import run


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--help"], 0, "demo"),
        (["demo", "--help"], 0, "--task"),
        (["nonsense"], 2, "nonsense"),
        (["demo", "--seed", "abc"], 2, "--seed"),
        (["demo", "--seed", "-1"], 2, "--seed"),
        (["demo", "--world", "castle"], 2, "no world called `castle`"),
        (["demo", "--config", "no/such.yaml"], 2, "no such file"),
        (["demo", "--task", ""], 3, "empty"),
        (["demo", "--task", "go\x07home"], 3, "control characters"),
        (["plan", "x" * 10_000], 3, "at most 1000"),
        (["plan", "fly to the roof", "--model", "rules"], 3, "I"),
        (["plan", "bring me the piano", "--model", "rules"], 3, "piano"),
        (["plan", "publish 1.0 to cmd_vel directly", "--model", "rules"], 3, "I will not"),
        (["plan", "take the apple to the sofa", "--model", "rules"], 0, "place(object='apple', place='sofa')"),
        (["plan", "go to the sofa", "--model", "no/such/folder"], 2, "no/such/folder"),
        (["eval", "plans", "no/such.yaml", "--model", "rules"], 2, "no such file"),
    ],
)
def test_commands_end_with_the_documented_code_and_one_clear_sentence(
    arguments: list[str], code: int, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == code
    out, err = capfd.readouterr()
    assert words in " ".join((out + err).split())
    assert "Traceback" not in err
