"""The native library for one model shape on this machine: compiled once, kept (see foundation's `native_code`)."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from premotor_foundation.cache_folder import cache_folder
from premotor_foundation.kept_file import kept_file
from premotor_foundation.native_code import library as native_library
from premotor_foundation.native_code.compiler import Compiler, flags, processor
from premotor_foundation.native_code.library import (
    compile_object,
    digest,
    found_library,
    kept_library,
    link,
    source_files,
)
from premotor_runtime.models.config import ModelConfig

SOURCE = Path(__file__).parent / "source"
LIBRARY = "libpremotor_native.so"
_UNIT = "unit.cpp"  # all that knows the model's shape
_SHAPELESS = ("linear", "pool")  # sources whose names start so know no shape: one object serves every model
_PARALLEL = 2


def shape_options(config: ModelConfig) -> list[str]:
    """The -D options of `source/shape.h`."""
    values = {
        "HIDDEN": config.hidden_size,
        "INNER": config.intermediate_size,
        "HEADS": config.num_attention_heads,
        "KV_HEADS": config.num_key_value_heads,
        "HEAD_DIM": config.head_dim,
        "QKV_BIAS": config.qkv_bias,
        "QK_NORM": config.qk_norm,
        "POST_NORMS": config.post_norms,
        "GELU": config.activation == "gelu_tanh",
    }
    return [f"-DPREMOTOR_{name}={int(value)}" for name, value in values.items()]


def build(config: ModelConfig, folder: Path | None = None) -> Path:
    """The library for `config`, from the cache under `folder` (default the user's) or compiled now, in seconds.

    Raises BuildError without a compiler, when it fails, or when the cache cannot be written.
    """
    root = _root(folder)
    options = _options(config)

    def make(compiler: Compiler, library: Path) -> None:
        _compile(compiler, options, root / "objects", library)

    return kept_library(root, LIBRARY, [*options, source_digest()], make)


def built(config: ModelConfig, folder: Path | None = None) -> Path | None:
    """The library for `config` where `build` would only find it; nothing is compiled."""
    return found_library(_root(folder), LIBRARY, [*_options(config), source_digest()])


def source_digest(prefix: str | tuple[str, ...] = "") -> str:
    """The hash of all sources whose names start with `prefix`."""
    return native_library.source_digest(SOURCE, prefix)


def _root(folder: Path | None) -> Path:
    return (folder or cache_folder()) / "native"


def _options(config: ModelConfig) -> list[str]:
    return [*flags(), *shape_options(config)]


def _compile(compiler: Compiler, options: Sequence[str], objects: Path, library: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="premotor-native-") as scratch:
        sources = [SOURCE / _UNIT, *(path for path in source_files(SOURCE, _SHAPELESS) if path.suffix == ".cpp")]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            parts = list(pool.map(lambda path: _object(compiler, options, objects, path, Path(scratch)), sources))
        link(compiler, parts, library)


def _object(compiler: Compiler, options: Sequence[str], objects: Path, source: Path, scratch: Path) -> Path:
    if source.name == _UNIT:
        compile_object(compiler, options, source, scratch / f"{source.stem}.o")
        return scratch / f"{source.stem}.o"
    general = [option for option in options if not option.startswith("-D")]
    headers = [path.read_text(encoding="utf-8") for path in source_files(SOURCE) if path.suffix == ".h"]
    what = [*general, compiler.version, processor(), source.name, source.read_text(encoding="utf-8"), *headers]
    name = f"{source.stem}.o"
    return kept_file(objects / digest(what), name, lambda path: compile_object(compiler, general, source, path))
