"""Floor 3: the simulated house and robot, and the reports of a mission."""
