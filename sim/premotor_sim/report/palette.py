"""The colours of the mission picture, told apart also by people who see few colours (after Okabe and Ito)."""

from __future__ import annotations

from premotor_sim.report.canvas import Color

PAPER: Color = (255, 255, 255)
PANEL: Color = (246, 247, 249)
RULE: Color = (218, 222, 228)
INK: Color = (28, 34, 43)
QUIET: Color = (112, 121, 134)
ROOM_NAME: Color = (150, 156, 166)
ROOMS: tuple[Color, ...] = ((248, 246, 240), (241, 246, 248), (245, 248, 241), (249, 244, 244), (246, 244, 249))
WALL: Color = (58, 64, 74)
FURNITURE: Color = (226, 214, 196)
FURNITURE_EDGE: Color = (184, 166, 140)
FURNITURE_NAME: Color = (101, 84, 58)
DOCK: Color = (205, 234, 219)
DOCK_EDGE: Color = (64, 150, 108)
PERSON: Color = (122, 140, 168)
PLANNED: Color = (70, 76, 86)
GOOD: Color = (0, 128, 92)
BAD: Color = (196, 50, 40)
LEGS: tuple[Color, ...] = (
    (0, 114, 178),
    (213, 94, 0),
    (0, 150, 110),
    (190, 90, 150),
    (120, 94, 240),
    (150, 110, 20),
    (40, 150, 200),
    (160, 40, 60),
)


def darker(color: Color) -> Color:
    """The same colour, dark enough for an edge on a light ground."""
    red, green, blue = color
    return (red * 6 // 10, green * 6 // 10, blue * 6 // 10)


def seen_on_paper(color: Color) -> Color:
    """The colour itself, or a darker one where it is too light for a thin line."""
    return color if sum(color) < 480 else darker(color)


def leg_color(leg: int) -> Color:
    """The colour of the robot's drive number `leg` (from 0); they repeat after eight."""
    return LEGS[leg % len(LEGS)]
