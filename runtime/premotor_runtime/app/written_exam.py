"""A written set of instructions with the catalogue of the world that it names."""

from __future__ import annotations

from pathlib import Path

from premotor_foundation.locations import named_config
from premotor_planners.corpus.examination import Exam
from premotor_planners.task.exams.evaluation import load_cases
from premotor_runtime.app.planning import load_catalogue
from premotor_runtime.app.settings import RuntimeSettings


def written_exam(path: Path, settings: RuntimeSettings) -> Exam:
    """Read `path`; raises ConfigError (exit 2) with file and line."""
    file = load_cases(path)
    return Exam(load_catalogue(named_config("worlds", file.world), settings), file.cases)
