"""Floor 2: the executor, the language-model engine, and (in `app`) the composition of both with the planners."""
