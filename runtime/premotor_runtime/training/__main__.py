"""Nothing to run here: `premotor train-planner` starts a training run."""

raise SystemExit("start training with: premotor train-planner --out DIR --minutes M --seed S --threads T")
