"""The functions of the built library, typed (see `source/abi.cpp`)."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_void_p
from pathlib import Path

from premotor_foundation.native_code.errors import BuildError

PRECISIONS = {"f32": 0, "bf16": 1, "int8": 2, "int4": 3}
"""As the library numbers them."""

LAYER_FIELDS = (
    "qkv", "output", "gate", "up", "down", "attention_norm", "mlp_norm", "qkv_bias", "query_norm", "key_norm",
    "post_attention_norm", "post_mlp_norm", "window", "local",
)  # fmt: skip


class LayerPlaces(Structure):
    """Where a layer's weights lie: bytes from the start of the packed weights, -1 for none."""

    _fields_ = [(name, c_int64) for name in LAYER_FIELDS]


class ModelPlaces(Structure):
    """Where a model's weights lie, and its constants."""

    _fields_ = [
        ("weights", c_void_p),
        ("layers", POINTER(LayerPlaces)),
        *[
            (name, c_int64)
            for name in ("layer_count", "precision", "table_precision", "vocabulary", "embedding", "head")
        ],
        ("final_norm", c_int64),
        *[(name, c_double) for name in ("epsilon", "embedding_scale", "attention_scale")],
    ]


class RunnerOptions(Structure):
    """What a runner is made with besides the model."""

    _fields_ = [
        ("global_frequencies", POINTER(c_float)),
        ("local_frequencies", POINTER(c_float)),
        ("cores", POINTER(c_int32)),
        *[(name, c_int64) for name in ("core_count", "threads", "blocks", "block_size", "half_cache")],
    ]


_SIGNATURES: dict[str, tuple[object, list[object]]] = {
    "instruction_set": (c_char_p, []),
    "linear_bytes": (c_int64, [c_int, c_int, c_int]),
    "row_step": (c_int, [c_int]),
    "pack": (None, [c_int, c_int, c_int, c_void_p, c_void_p, c_int, c_int]),
    "unpack": (None, [c_int, c_int, c_int, c_void_p, c_int, c_int, c_void_p]),
    "create": (c_void_p, [POINTER(ModelPlaces), POINTER(RunnerOptions)]),
    "destroy": (None, [c_void_p]),
    "add_adapter": (c_int, [c_void_p, c_void_p]),
    "copy_blocks": (c_int, [c_void_p, c_void_p, c_int]),
    "step": (c_int, [c_void_p, c_int, *[c_void_p] * 7]),
    "begin": (c_int, [c_void_p, c_int, *[c_void_p] * 7]),
    "go_on": (c_int, [c_void_p, c_double]),
    "decode": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p]),
    "logits": (c_int, [c_void_p, c_void_p, c_int, c_int, c_int, c_void_p]),
    "chosen_logits": (c_int, [c_void_p, c_void_p, c_int, c_void_p, c_int, c_void_p]),
    "normalizers": (c_int, [c_void_p, c_void_p, c_int, c_int, c_int, c_void_p, c_void_p]),
}


class Library:
    """Calls release the interpreter lock. Pointers are plain integers; nothing is checked here."""

    def __init__(self, path: Path) -> None:
        """Raises BuildError when the file is not such a library."""
        try:
            loaded = ctypes.CDLL(str(path))
            for name, (result, arguments) in _SIGNATURES.items():
                function = getattr(loaded, f"premotor_{name}")
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError) as error:
            raise BuildError(f"{path} cannot be loaded ({error})", "delete it, so that it is built again") from error
        self.path = path
        self.pack = loaded.premotor_pack
        self.unpack = loaded.premotor_unpack
        self.create = loaded.premotor_create
        self.destroy = loaded.premotor_destroy
        self.add_adapter = loaded.premotor_add_adapter
        self.copy_blocks = loaded.premotor_copy_blocks
        self.step = loaded.premotor_step
        self.begin = loaded.premotor_begin
        self.go_on = loaded.premotor_go_on
        self.decode = loaded.premotor_decode
        self.logits = loaded.premotor_logits
        self.chosen_logits = loaded.premotor_chosen_logits
        self.normalizers = loaded.premotor_normalizers
        self._loaded = loaded

    @property
    def instruction_set(self) -> str:
        """What the matrix products were compiled for."""
        return str(self._loaded.premotor_instruction_set().decode())

    def linear_bytes(self, precision: str, rows: int, columns: int) -> int:
        """Bytes of a packed matrix."""
        return int(self._loaded.premotor_linear_bytes(PRECISIONS[precision], rows, columns))

    def row_step(self, precision: str) -> int:
        """Ranges of rows that are packed start at a multiple of this."""
        return int(self._loaded.premotor_row_step(PRECISIONS[precision]))
