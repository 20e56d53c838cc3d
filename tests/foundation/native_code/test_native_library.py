"""A small library compiled for real, kept, and made again when damaged; and what happens without a compiler."""

from __future__ import annotations

import ctypes
import stat
from pathlib import Path

import pytest

from premotor_foundation.kept_file import intact, kept_file
from premotor_foundation.native_code.compiler import find_compiler, flags
from premotor_foundation.native_code.errors import BuildError
from premotor_foundation.native_code.library import (
    compile_library,
    digest,
    found_library,
    kept_library,
    source_digest,
    source_files,
)

NAME = "libsix.so"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "six.h").write_text("#pragma once\nint three();\n")
    (folder / "three.cpp").write_text('#include "six.h"\nint three() { return 3; }\n')
    (folder / "six.cpp").write_text('#include "six.h"\nextern "C" int six() { return 2 * three(); }\n')
    (folder / "notes.txt").write_text("not a source")
    return folder


@pytest.fixture
def compiler() -> None:
    try:
        find_compiler()
    except BuildError as error:
        pytest.skip(str(error))


def built(source: Path, cache: Path) -> Path:
    options = [flag for flag in flags() if flag != "-O3"]
    sources = [path for path in source_files(source) if path.suffix == ".cpp"]
    what = [*options, source_digest(source)]
    return kept_library(cache, NAME, what, lambda by, path: compile_library(by, options, sources, path))


def test_built_once_kept_and_made_again_when_damaged(compiler: None, source: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    library = built(source, cache)
    assert ctypes.CDLL(str(library)).six() == 6
    what = [*[flag for flag in flags() if flag != "-O3"], source_digest(source)]
    assert (found_library(cache, NAME, what), found_library(cache, NAME, ["else"])) == (library, None)
    first = library.stat().st_mtime_ns
    assert built(source, cache) == library and library.stat().st_mtime_ns == first
    content = library.read_bytes()
    for damaged in (content[:-1], b""):
        library.unlink()
        library.write_bytes(damaged)
        assert built(source, cache) == library and len(library.read_bytes()) == len(content)
    (source / "three.cpp").write_text('#include "six.h"\nint three() { return 4; }\n')
    changed = built(source, cache)
    assert changed != library and ctypes.CDLL(str(changed)).six() == 8


def test_an_earlier_library_serves_without_a_compiler(
    compiler: None, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = built(source, tmp_path / "cache")
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert built(source, tmp_path / "cache") == library
    with pytest.raises(BuildError, match=r"no-such-compiler.*install g"):
        built(source, tmp_path / "other")


def test_an_error_in_a_source_is_told_and_leaves_nothing(compiler: None, source: Path, tmp_path: Path) -> None:
    (source / "three.cpp").write_text("int three() { return no_such_name; }\n")
    with pytest.raises(BuildError, match="no_such_name") as caught:
        built(source, tmp_path / "cache")
    assert "three.cpp" in caught.value.output
    assert not list((tmp_path / "cache").rglob(NAME))


def test_a_cache_that_cannot_be_written_is_a_build_error(compiler: None, source: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where a folder should be")
    with pytest.raises(BuildError, match=r"cannot be written.*XDG_CACHE_HOME"):
        built(source, tmp_path / "cache")


@pytest.mark.parametrize("given", ["no-such-compiler -m64", "/bin/false"])
def test_a_compiler_that_is_named_and_does_not_run_is_not_replaced(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("CXX", given)
    with pytest.raises(BuildError, match=r"install g\+\+|CXX"):
        find_compiler()


def test_no_compiler_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BuildError, match=r"no C\+\+ compiler"):
        find_compiler()


def test_the_digest_knows_names_and_content_of_sources_only(source: Path) -> None:
    first = source_digest(source)
    (source / "notes.txt").write_text("changed")
    assert source_digest(source) == first
    (source / "six.h").write_text("#pragma once\nint three(); \n")
    assert source_digest(source) != first
    assert digest(["ab", "c"]) != digest(["a", "bc"])


def test_a_kept_file_is_whole_or_absent(tmp_path: Path) -> None:
    made = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text("content")

    kept = kept_file(tmp_path / "place", "name", make)
    assert kept.read_text() == "content" and intact(tmp_path / "place", "name")
    assert kept_file(tmp_path / "place", "name", make) == kept and len(made) == 1
    kept.write_text("other")
    assert kept_file(tmp_path / "place", "name", make).read_text() == "content" and len(made) == 2

    def broken(path: Path) -> None:
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        kept_file(tmp_path / "second", "name", broken)
    assert not (tmp_path / "second").exists() and not list(tmp_path.glob(".make-*"))
    assert stat.S_ISREG(kept.stat().st_mode)
