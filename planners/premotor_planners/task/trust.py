"""How sure a language model must be: probabilities of the whole answer, before the grammar's mask, 0 to 1."""

from __future__ import annotations

REFUSAL_TRUST = 0.9
"""A model's refusal as unsafe or unsupported outweighs what the rules understood when it was at least this sure."""

REFUSAL_TRUST_WITH_HAZARDS = 0.5
"""The same, where the plan of the rules takes a dangerous thing."""

OVERRULE_TRUST = 0.85
"""A model's plan, with nothing against it, is taken before a different one of the rules when it was this sure."""

GOOD_PLAN_TRUST = 0.2
"""The least certainty of a model's plan against which nothing speaks, but that the rules could not make."""

PLAN_TRUST = 0.3
"""A model's plan overrules mild doubts, and rules that did not understand, when the model was at least this sure."""

REASON_TRUST = 0.5
"""Below this the reason for a refusal is the one of the rules, even if they only say that they do not understand."""
