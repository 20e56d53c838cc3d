"""Errors of the devices.

PremotorError
├── CompileRefused        exit 1   a kernel this device cannot run, naming operator, rule and remedy
│   └── PlacementDiffers           an engine whose layers do not lie where they were predicted to
├── DeviceUnavailable     exit 1   the device or its vendor package is not there, naming what is missing
├── WrongTensor           exit 1   an array that is missing, or of another shape, type or layout than the kernel's
├── RunFailed             exit 1   the vendor's library gave up during a run
├── NotStored             exit 1   an engine or profile that could not be written: full disk, no right to write
└── LaneFull              exit 1   a lane that already has as many submissions in flight as it takes
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError


class CompileRefused(PremotorError):
    """The device will not run this kernel: nothing falls back silently."""


class PlacementDiffers(CompileRefused):
    """The engine inspector shows layers on another unit than the placement rules said: nothing of it is run."""


class DeviceUnavailable(PremotorError):
    """The device is not present on this machine."""


class WrongTensor(PremotorError):
    """An input or output array that does not match the kernel: nothing is cast, copied or broadcast."""


class RunFailed(PremotorError):
    """A compiled kernel that failed while running; the outputs are undefined."""


class NotStored(PremotorError):
    """A file that could not be written; what was there before is untouched."""


class LaneFull(PremotorError):
    """One submission too many; take the oldest result first."""
