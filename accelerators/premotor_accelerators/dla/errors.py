"""Errors of the placement checker.

PremotorError
├── ModelUnreadable       exit 1   not an ONNX model, cut short, or not a well-formed graph
│   ├── ModelTooLarge              beyond what one protobuf file may hold
│   └── ExternalDataMissing        weights kept beside the model that are not there, or too short
├── DynamicShapes         exit 1   an input without fixed sizes
├── RewriteRefused        exit 1   the model cannot be rewritten here, or the result could not be shown equal
└── RefusedError
    └── DlaUnavailable    exit 3   this board, TensorRT or precision cannot build for a DLA core at all
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError, RefusedError


class ModelUnreadable(PremotorError):
    """A file that is not an ONNX model one can work with."""


class ModelTooLarge(ModelUnreadable):
    """A model file of more than 2 GiB."""


class ExternalDataMissing(ModelUnreadable):
    """Weights that the model keeps in another file, which is absent, too short or outside the model's folder."""


class DynamicShapes(PremotorError):
    """DLA takes static shapes only."""


class RewriteRefused(PremotorError):
    """No rewritten model was written."""


class DlaUnavailable(RefusedError):
    """Nothing can be built for DLA here; `rule` names why and `remedy` what to do."""

    def __init__(self, rule: str, message: str, remedy: str, source: str) -> None:
        self.rule = rule
        self.message = message
        self.remedy = remedy
        self.source = source
        super().__init__(f"{message}; {remedy}")
