"""Set before any test module is imported."""

import os

# Triton reads it when it is first imported, which transformers does too; on the CPU its kernels run interpreted
os.environ.setdefault("TRITON_INTERPRET", "1")
