"""The one place that imports ONNX Runtime, with its telemetry off.

From 1.29 on its Linux packages send usage data to their maker, from threads of their own, unless they are told not to
before they are loaded. A robot's process opens no connection that nobody asked for. Who wants it sets
ORT_DISABLE_TELEMETRY=0.
"""

from __future__ import annotations

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime  # noqa: TID251

__all__ = ["onnxruntime"]
