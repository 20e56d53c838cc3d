"""Errors of the devices.

PremotorError
├── CompileRefused        exit 1   a kernel this device cannot run, naming operator, rule and remedy
└── DeviceUnavailable     exit 1   the device or its vendor package is not there, naming what is missing
"""

from __future__ import annotations

from premotor_foundation.errors import PremotorError


class CompileRefused(PremotorError):
    """The device will not run this kernel: nothing falls back silently."""


class DeviceUnavailable(PremotorError):
    """The device is not present on this machine."""
