"""A shared library compiled once for this machine and kept by content.

`<root>/libraries/<what>/<compiler>/` holds one library; `what` is the hash of what the caller names (sources, options)
and of the processor. Where no compiler is found, one that an earlier build left for the same `what` serves.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from premotor_foundation.kept_file import intact, kept_file
from premotor_foundation.native_code.compiler import Compiler, find_compiler, flags, processor, run
from premotor_foundation.native_code.errors import BuildError

_PARALLEL = 2


def kept_library(root: Path, name: str, what: Sequence[str], make: Callable[[Compiler, Path], None]) -> Path:
    """The library called `name`, kept under `root` or made now by `make(compiler, path)`.

    Raises BuildError without a compiler, when `make` fails, or when `root` cannot be written.
    """
    place = root / "libraries" / digest([*what, processor()])
    try:
        compiler = find_compiler()
    except BuildError:
        if earlier := _earlier(place, name):
            return earlier
        raise
    try:
        return kept_file(place / digest([compiler.version]), name, lambda path: make(compiler, path))
    except OSError as error:
        remedy = "free some space, or set XDG_CACHE_HOME to a folder that can be written"
        raise BuildError(f"the cache {root} cannot be written ({error})", remedy) from error


def found_library(root: Path, name: str, what: Sequence[str]) -> Path | None:
    """The library that `kept_library` would return without making one; None where it would have to."""
    place = root / "libraries" / digest([*what, processor()])
    try:
        folder = place / digest([find_compiler().version])
    except BuildError:
        return _earlier(place, name)
    return folder / name if intact(folder, name) else None


def compile_library(compiler: Compiler, options: Sequence[str], sources: Sequence[Path], library: Path) -> None:
    """Compile each source, two at a time, and link them. Raises BuildError, OSError."""
    with tempfile.TemporaryDirectory(prefix="premotor-native-") as scratch:
        parts = [Path(scratch) / f"{source.stem}.o" for source in sources]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            list(pool.map(lambda pair: compile_object(compiler, options, *pair), zip(sources, parts, strict=True)))
        link(compiler, parts, library)


def compile_object(compiler: Compiler, options: Sequence[str], source: Path, target: Path) -> None:
    """One source to one object file. Raises BuildError."""
    run([*compiler.command, *options, "-c", str(source), "-o", str(target)])


def link(compiler: Compiler, objects: Sequence[Path], library: Path) -> None:
    """Objects to a shared library; a cache on another file system never sees a part. Raises BuildError, OSError."""
    with tempfile.TemporaryDirectory(prefix="premotor-native-") as scratch:
        beside = Path(scratch) / library.name
        run([*compiler.command, "-shared", "-pthread", *map(str, objects), "-o", str(beside)])
        shutil.copyfile(beside, library)


def source_files(folder: Path, prefix: str | tuple[str, ...] = "") -> list[Path]:
    """The C++ sources and headers of `folder` whose names start with `prefix`, in order."""
    return sorted(p for p in folder.iterdir() if p.suffix in (".h", ".cpp") and p.name.startswith(prefix))


def source_digest(folder: Path, prefix: str | tuple[str, ...] = "") -> str:
    """The hash of their names and content."""
    files = source_files(folder, prefix)
    return digest([part for path in files for part in (path.name, path.read_text(encoding="utf-8"))])


def digest(parts: Sequence[str]) -> str:
    """24 hexadecimal digits for a sequence of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _earlier(place: Path, name: str) -> Path | None:
    built = sorted(place.iterdir()) if place.is_dir() else []
    return next((folder / name for folder in built if intact(folder, name)), None)


def kept_folder(source: Path, root: Path, name: str, more: Sequence[str] = ()) -> Path:
    """The library `name` of every .cpp in `source` for this processor, kept under `root` or compiled now.

    `more` are options of the compiler beside those that everything is built with. Raises BuildError.
    """
    options = [*flags(), *more]
    sources = [path for path in source_files(source) if path.suffix == ".cpp"]
    return kept_library(
        root,
        name,
        [*options, source_digest(source)],
        lambda compiler, path: compile_library(compiler, options, sources, path),
    )
