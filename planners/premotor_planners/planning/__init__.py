"""Global planning: the best way over a grid, straightened, or one of Nav2's reasons why there is none."""
