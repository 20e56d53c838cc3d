"""Words to a checked plan: catalogue, prompt, grammar, decomposer, validator, evidence, refusals."""
