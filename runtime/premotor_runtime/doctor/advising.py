"""What about a board's clocks costs speed unnoticed."""

from __future__ import annotations

from premotor_accelerators.board_state import BoardState
from premotor_accelerators.boards import Board
from premotor_runtime.doctor.findings import Advice

_NEAR = 0.97
"""A clock within this share of the board's counts as full: the files round."""


def advise(state: BoardState, board: Board | None) -> tuple[Advice, ...]:
    """The memory clock first: below its maximum every unit waits, and nothing else shows it."""
    found = []
    full = board.memory.clock_mhz if board and board.memory else None
    cap = state.memory.cap_mhz
    if full and cap and cap < _NEAR * full:
        reason = f"capped at {cap:g} of {full:g} MHz: {1 - cap / full:.0%} of the bandwidth is lost"
        found.append(Advice("memory clock", reason, "sudo systemctl restart nvpmodel && sudo nvpmodel -m 0"))
    if state.power_mode and state.power_mode != "MAXN":
        reason = f"{state.power_mode}; profiles of other modes do not count here"
        found.append(Advice("power mode", reason, "sudo nvpmodel -m 0 (MAXN), then measure again"))
    if state.l4t and state.cpu.now_mhz and state.cpu.cap_mhz and state.cpu.now_mhz < _NEAR * state.cpu.cap_mhz:
        reason = f"the CPU idles at {state.cpu.now_mhz:g} of {state.cpu.cap_mhz:g} MHz and speeds up only under load"
        found.append(Advice("clocks", reason, "sudo jetson_clocks"))
    return tuple(found)
