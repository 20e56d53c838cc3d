"""What can be wrong with a checkpoint.

UsageError (exit 2)
└── CheckpointError            a model file is missing, truncated, corrupt or of an unsupported kind
    ├── AdapterError           a LoRA adapter does not fit the checkpoint it is loaded with
    └── ChatTemplateError      a chat template refuses a conversation, or exceeds its limits
"""

from __future__ import annotations

from pathlib import Path

from premotor_foundation.errors import UsageError


class CheckpointError(UsageError):
    """A checkpoint that cannot be loaded; the message names the file, what is wrong and the remedy."""

    def __init__(self, path: Path | str, problem: str, remedy: str) -> None:
        self.path = Path(path)
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{path}: {problem}; {remedy}")


class AdapterError(CheckpointError):
    """An adapter whose shapes, names or base checkpoint do not match."""


class ChatTemplateError(CheckpointError):
    """A conversation that the checkpoint's chat template does not take."""
