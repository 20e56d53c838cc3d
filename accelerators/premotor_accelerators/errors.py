"""Errors of the devices.

PremotorError
├── CompileRefused        exit 1   a kernel this device cannot run, naming operator, rule and remedy
├── DeviceUnavailable     exit 1   the device or its vendor package is not there, naming what is missing
├── WrongTensor           exit 1   an array that is missing, or of another shape, type or layout than the kernel's
└── RunFailed             exit 1   the vendor's library gave up during a run
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError


class CompileRefused(PremotorError):
    """The device will not run this kernel: nothing falls back silently."""


class DeviceUnavailable(PremotorError):
    """The device is not present on this machine."""


class WrongTensor(PremotorError):
    """An input or output array that does not match the kernel: nothing is cast, copied or broadcast."""


class RunFailed(PremotorError):
    """A compiled kernel that failed while running; the outputs are undefined."""
