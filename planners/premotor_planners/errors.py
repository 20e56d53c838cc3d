"""Errors of the planners.

PremotorError
├── AnswerError                    an answer of a language model that is not in the plan language
├── MapError                       a map with a value that no map has: not a number, infinite, beyond its range
├── KernelInputError               numbers that a kernel must not compute with: NaN, infinite, out of range
├── UsageError
│   ├── ConfigError
│   │   ├── WorldError    exit 2   a world file that cannot be a world
│   │   └── MapFileError  exit 2   a map file, its image or its scenarios that cannot be read as such
│   └── CatalogueError    exit 2   names that cannot be put into a prompt and a grammar
└── RefusedError          exit 3
    └── TaskRefused                a task that will not be carried out, with its reason
"""

from __future__ import annotations

from premotor_foundation.errors import ConfigError, PremotorError, RefusedError, UsageError


class WorldError(ConfigError):
    """A world file whose content contradicts itself (an unknown room, a place inside a wall, a room cut off)."""


class MapFileError(ConfigError):
    """A map file, the image it names, or a scenario file: missing, cut short, or not what its format says."""


class TaskRefused(RefusedError):
    """A task that was understood well enough to know that it must not, or cannot, be done."""


class CatalogueError(UsageError):
    """A catalogue whose names cannot be told apart from the plan language itself."""


class AnswerError(PremotorError):
    """A text that is not an answer in the plan language; the message is feedback that a model can use."""


class KernelInputError(PremotorError):
    """An input of a kernel with NaN, infinite or absurd numbers: nothing was computed, no command came of it."""


class MapError(PremotorError):
    """An input of a kernel with such a value; nothing is clipped or guessed."""
