"""What the control loop runs each period, and whom it tells."""

from __future__ import annotations

from typing import Protocol, TypeVar

Observation = TypeVar("Observation")
Command = TypeVar("Command")


class ControlTask(Protocol[Observation, Command]):
    """A robot's task. Only `decide` and `rehearse` may take long; they run on the lane and touch no actuator.

    All else runs on the loop's thread, also while a late `decide` is still at work.
    """

    @property
    def finished(self) -> bool:
        """Whether the loop may end after this period."""
        ...

    @property
    def levels(self) -> int:
        """How many smaller versions of `decide` there are."""
        ...

    def sense(self, elapsed_s: float) -> Observation:
        """The newest state and scan; `elapsed_s` is the time since the last call (a simulated robot moves on by it)."""
        ...

    def decide(self, observation: Observation, level: int) -> Command:
        """The command wanted for this period; `level` 0 is the work in full, the higher the less is done."""
        ...

    def rehearse(self, level: int) -> None:
        """The heaviest period there is, with nothing kept of it: what is measured before the loop starts."""
        ...

    def hold_shifted(self, observation: Observation, periods: int) -> Command:
        """The last decided plan, `periods` steps on."""
        ...

    def brake(self, observation: Observation) -> Command:
        """The command that stops the robot."""
        ...

    def fallback(self, observation: Observation) -> Command:
        """The command when deciding has failed for long: of something simpler, or again `brake`. A few ms at most."""
        ...

    def guard(self, observation: Observation, command: Command) -> Command:
        """The safety gate: last before every command, whatever its origin."""
        ...

    def act(self, command: Command) -> None:
        """Send the command to the robot."""
        ...

    def prepare(self) -> None:
        """Do ahead what the next `decide` needs whatever will be seen. Called when the command has gone out and no
        `decide` is at work; a millisecond at most.
        """
        ...


class PeriodListener(Protocol):
    """Told twice a period when the loop is at work, in seconds of its clock; must return at once."""

    def period_begins(self, now_s: float, next_release_s: float) -> None:
        """The loop has woken."""
        ...

    def period_ended(self, now_s: float, next_release_s: float) -> None:
        """The command has gone out; nothing is done until the next release."""
        ...


class NobodyListens:
    """The listener of a loop that shares its lane with nobody."""

    def period_begins(self, now_s: float, next_release_s: float) -> None:
        """Nothing."""

    def period_ended(self, now_s: float, next_release_s: float) -> None:
        """Nothing."""
