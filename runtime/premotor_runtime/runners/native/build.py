"""The native library for one model shape on this machine: compiled once, kept by content.

`<cache>/native/libraries/<what>/<compiler>/` holds one library; `what` is the hash of sources, flags, shape and
processor. Where no compiler is found, one that an earlier build left for the same `what` serves.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from premotor_runtime.models.cache_folder import cache_folder
from premotor_runtime.models.config import ModelConfig
from premotor_runtime.runners.native.compiler import Compiler, find_compiler, flags, processor, run
from premotor_runtime.runners.native.errors import BuildError
from premotor_runtime.runners.native.kept import intact, kept_file

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
    root = (folder or cache_folder()) / "native"
    options = [*flags(), *shape_options(config)]
    place = root / "libraries" / _digest([*options, processor(), source_digest()])
    try:
        compiler = find_compiler()
    except BuildError:
        if earlier := _earlier(place):
            return earlier
        raise
    try:
        return kept_file(
            place / _digest(compiler.version), LIBRARY, lambda path: _compile(compiler, options, root / "objects", path)
        )
    except OSError as error:
        remedy = "free some space, or set XDG_CACHE_HOME to a folder that can be written"
        raise BuildError(f"the cache {root} cannot be written ({error})", remedy) from error


def source_digest(prefix: str | tuple[str, ...] = "") -> str:
    """The hash of all sources whose names start with `prefix`."""
    return _digest([part for path in _files(prefix) for part in (path.name, path.read_text(encoding="utf-8"))])


def _compile(compiler: Compiler, options: Sequence[str], objects: Path, library: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="premotor-native-") as scratch:
        sources = [SOURCE / _UNIT, *(path for path in _files(_SHAPELESS) if path.suffix == ".cpp")]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            parts = list(pool.map(lambda path: _object(compiler, options, objects, path, Path(scratch)), sources))
        beside = Path(scratch) / LIBRARY
        run([*compiler.command, "-shared", "-pthread", *map(str, parts), "-o", str(beside)])
        shutil.copyfile(beside, library)


def _object(compiler: Compiler, options: Sequence[str], objects: Path, source: Path, scratch: Path) -> Path:
    if source.name == _UNIT:
        _compile_one(compiler, options, source, scratch / f"{source.stem}.o")
        return scratch / f"{source.stem}.o"
    general = [option for option in options if not option.startswith("-D")]
    headers = [path.read_text(encoding="utf-8") for path in _files("") if path.suffix == ".h"]
    what = [*general, compiler.version, processor(), source.name, source.read_text(encoding="utf-8"), *headers]
    name = f"{source.stem}.o"
    return kept_file(objects / _digest(what), name, lambda path: _compile_one(compiler, general, source, path))


def _compile_one(compiler: Compiler, options: Sequence[str], source: Path, target: Path) -> None:
    run([*compiler.command, *options, "-c", str(source), "-o", str(target)])


def _files(prefix: str | tuple[str, ...]) -> list[Path]:
    return sorted(p for p in SOURCE.iterdir() if p.suffix in (".h", ".cpp") and p.name.startswith(prefix))


def _earlier(place: Path) -> Path | None:
    built = sorted(place.iterdir()) if place.is_dir() else []
    return next((folder / LIBRARY for folder in built if intact(folder, LIBRARY)), None)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
