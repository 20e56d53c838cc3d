"""pytorch-mppi on the model and the costs of our kernel `mppi` (differential motion). Needs only its package and numpy.

It is given every advantage that its interface allows: its noise is drawn beforehand, as ours is; one thread, rollouts
batched; states whose columns are contiguous; no states kept for a terminal cost; two ways to sample the map, each with
and without its own `compile`, of which the fastest is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from itertools import product
from statistics import median
from typing import Any

import numpy as np

_TRIES = 5
_EDGE = 1e-3


class Window:
    """The two planes of the map, sampled at points by gathering, or by torch's grid_sample."""

    def __init__(self, torch: Any, fields: Any, resolution: float, gathers: bool) -> None:
        self._torch, self._resolution = torch, resolution
        self._planes = torch.from_numpy(fields)[None]
        _, self._rows, self._cols = fields.shape
        self._cells = torch.from_numpy(fields.reshape(2, -1).T.copy())
        self.sample = self._gathered if gathers else self._grid_sampled

    def _grid_sampled(self, x: Any, y: Any) -> Any:
        torch = self._torch
        across = x * (2.0 / (self._resolution * (self._cols - 1))) - 1.0
        up = y * (2.0 / (self._resolution * (self._rows - 1))) - 1.0
        points = torch.stack((across, up), -1)[None, None]
        found = torch.nn.functional.grid_sample(self._planes, points, padding_mode="border", align_corners=True)
        return found[0, :, 0]

    def _gathered(self, x: Any, y: Any) -> Any:
        col = (x / self._resolution).clamp(0.0, self._cols - 1 - _EDGE)
        row = (y / self._resolution).clamp(0.0, self._rows - 1 - _EDGE)
        c, r = col.long(), row.long()
        right, up, corner = (col - c)[:, None], (row - r)[:, None], r * self._cols + c
        cells = self._cells
        low = cells[corner].lerp(cells[corner + 1], right)
        high = cells[corner + self._cols].lerp(cells[corner + self._cols + 1], right)
        return low.lerp(high, up).T


class Model:
    """Dynamics and cost. A state is x, y, yaw, v, w and the last change of v and w; columns are contiguous."""

    def __init__(self, torch: Any, given: Mapping[str, Any], window: Window) -> None:
        self._torch, self._given, self._window = torch, given, window
        self._low, self._high = torch.tensor(given["low"]), torch.tensor(given["high"])
        self._most = torch.tensor(given["rate"]) * given["dt_s"]

    def step(self, state: Any, control: Any) -> Any:
        """The next states, (rollouts, 7)."""
        torch, dt = self._torch, self._given["dt_s"]
        wanted = torch.minimum(torch.maximum(control, self._low), self._high)
        before = state[:, 3:5]
        change = torch.minimum(torch.maximum(wanted - before, -self._most), self._most)
        v, w = (before + change).unbind(1)
        x, y, yaw = state[:, 0], state[:, 1], state[:, 2]
        turned = w * dt
        middle, moved = yaw + 0.5 * turned, v * dt
        reached = (x + moved * middle.cos(), y + moved * middle.sin(), yaw + turned, v, w, change[:, 0], change[:, 1])
        return torch.stack(reached).T

    def score(self, state: Any) -> tuple[Any, Any]:
        """The cost of being in the states after a step, and the cost-to-go there."""
        given = self._given
        clearance, guide = self._window.sample(state[:, 0], state[:, 1])
        near = ((given["safe_m"] - clearance) * (1.0 / (given["safe_m"] - given["radius_m"]))).clamp(0.0, 1.0)
        hit = ((given["radius_m"] - clearance) * (1.0 / given["hit_ramp_m"])).clamp(0.0, 1.0)
        rate = given["guide"] * guide + given["near"] * near * near + given["hit"] * hit
        v, w = given["change_cost"]
        return rate * given["dt_s"] + v * state[:, 5] ** 2 + w * state[:, 6] ** 2, guide


class PytorchMppi:
    """A scene, and the way of solving it that was fastest."""

    def __init__(self, path: str, given: Mapping[str, Any], compiled: bool) -> None:
        self._torch = torch = import_module("torch")
        self._package = import_module("pytorch_mppi")
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        self._given = given
        with np.load(path) as scene:
            self._scene = {name: scene[name] for name in ("state", "nominal", "noise", "fields")}
        deviation = np.array(given["deviation"], np.float32)
        self._noise = torch.from_numpy(np.ascontiguousarray(self._scene["noise"].transpose(2, 0, 1)) * deviation)
        self._nominal = torch.from_numpy(self._scene["nominal"])
        self._state = torch.from_numpy(np.append(self._scene["state"], np.zeros(2, np.float32)))
        self._ways = {
            f"{'gathering' if gathers else 'grid_sample'}{', compiled' if compiles else ''}": self._planner(
                gathers, compiles
            )
            for gathers, compiles in product((True, False), (False, True) if compiled else (False,))
        }
        self._failed: dict[str, str] = {}
        self._fastest = ""

    def solve(self, repeats: int) -> list[float]:
        """Seconds of each of `repeats` solutions of the scene."""
        self._fastest = self._fastest or self._choose()
        return [self._timed(self._ways[self._fastest]) for _ in range(repeats)]

    def answer(self) -> dict[str, float]:
        """What it found, to be held to ours."""
        self._fastest = self._fastest or self._choose()
        planner = self._ways[self._fastest]
        self._timed(planner)
        return {
            "best_cost": float(planner.cost_total.min()),
            "expected_cost": float((planner.omega * planner.cost_total).sum()),
        }

    def describe(self) -> dict[str, Any]:
        """The way taken, and what kept others from running."""
        return {"way": self._fastest, "failed": self._failed, "torch": self._torch.__version__}

    def _planner(self, gathers: bool, compiles: bool) -> Any:
        given, torch = self._given, self._torch
        window = Window(torch, self._scene["fields"], given["resolution_m"], gathers)
        model = Model(torch, given, window)
        step: Callable[..., Any] = torch.compile(model.step) if compiles else model.step
        score: Callable[..., Any] = torch.compile(model.score) if compiles else model.score
        last = len(self._nominal) - 1

        def cost(state: Any, _: Any, at: int) -> Any:
            found, guide = score(state)
            return found + given["terminal"] * guide if at == last else found

        planner = self._package.MPPI(
            lambda state, control, at: step(state, control), cost, 7,
            torch.diag(torch.tensor(given["deviation"]) ** 2), num_samples=len(self._noise), horizon=last + 1,
            lambda_=given["temperature"], U_init=self._nominal, step_dependent_dynamics=True,
        )  # fmt: skip
        planner._sample_noise = lambda _: self._noise
        return planner

    def _timed(self, planner: Any) -> float:
        planner.U = self._nominal
        began = time.perf_counter()
        planner.command(self._state, shift_nominal_trajectory=False)
        return time.perf_counter() - began

    def _choose(self) -> str:
        seconds: dict[str, float] = {}
        for way, planner in self._ways.items():
            try:
                self._timed(planner)
                seconds[way] = median(self._timed(planner) for _ in range(_TRIES))
            except Exception as error:  # torch.compile's failures share no narrower base
                self._failed[way] = f"{type(error).__name__}: {error}"[:300]
        return min(seconds, key=lambda way: seconds[way])


def open_engine(path: str, given: dict[str, Any], compiled: bool) -> PytorchMppi:
    """The scene in the .npz file at `path`, with the parameters of the kernel; `compiled`: try `torch.compile` too."""
    return PytorchMppi(path, given, compiled)
