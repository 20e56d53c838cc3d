"""Words to a checked plan: limits, guards, the language model under a grammar, evidence, one repair, the rules.

The guards and the rules need no model. The rules plan only what they understand completely, so where they and the
model both plan but differ, the rules' plan is taken and reported as `fallback`.
"""

from __future__ import annotations

from premotor_planners.task.catalogue import Catalogue
from premotor_planners.task.decomposition import Decision, Decomposition
from premotor_planners.task.deliberation import Deliberation
from premotor_planners.task.evidence.judge import Situation
from premotor_planners.task.language_model import LanguageModel
from premotor_planners.task.normalize import normalize
from premotor_planners.task.outcome import Refusal
from premotor_planners.task.reading.reading import read


class Decomposer:
    """Turns tasks into plans for one robot. `model` None: rules only (said in the decisions)."""

    def __init__(self, model: LanguageModel | None = None) -> None:
        self.model = model

    def decompose(self, task: str, catalogue: Catalogue, situation: Situation | None = None) -> Decomposition:
        """The plan or the problem for one task. Deterministic; raises CatalogueError for names that cannot be used."""
        text = normalize(task)
        name = self.model.name if self.model else "none"
        if isinstance(text, Refusal):
            return Decomposition(task, None, text, decisions=(Decision("normalize", text.reason),), model=name)
        work = Deliberation(text, read(text, catalogue), situation or Situation(), self.model)
        judged, problem = work.run()
        plan = judged.plan if judged else None
        return Decomposition(text, plan, problem, tuple(work.generations), tuple(work.decisions), name)
