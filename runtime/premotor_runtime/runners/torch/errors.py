"""Why a torch runner cannot be built as asked.

UsageError (exit 2)
└── TorchRunnerError
    ├── MissingPackageError    torch or Triton is not installed
    ├── DeviceError            there is no such device, or the installed torch cannot run on it
    └── DeviceMemoryError      weights, keys and values do not fit
"""

from __future__ import annotations

from premotor_foundation.errors import UsageError


class TorchRunnerError(UsageError):
    """A torch runner that cannot be built; the message names what is there and the remedy."""


class MissingPackageError(TorchRunnerError):
    """A package that an extra of this project brings."""

    def __init__(self, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f'the torch runner needs the package {package}, which is not installed; pip install "premotor[{extra}]"'
        )


class DeviceError(TorchRunnerError):
    """A device that is not there or cannot be used; the message lists those that can."""


class DeviceMemoryError(TorchRunnerError):
    """Too little memory on the device; the message gives what is needed and what is free."""
