"""Where the project's own configuration lies, in a checkout and in an installed wheel."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from premotor_foundation.errors import UsageError


def configs_dir() -> Path:
    """The folder `configs`: the checkout's, or the copy inside the wheel. Raises UsageError when neither is there."""
    package = Path(str(files("premotor_foundation")))
    for candidate in (package.parent.parent / "configs", package / "configs"):
        if (candidate / "worlds").is_dir():
            return candidate
    raise UsageError(f"no configs folder beside {package}; reinstall premotor, or name files by their path")


def named_config(kind: str, name_or_path: str) -> Path:
    """The YAML file meant by `house` (configs/<kind>/house.yaml) or by a path such as `my/world.yaml`.

    Raises UsageError listing the known names when there is no such file.
    """
    given = Path(name_or_path)
    if given.suffix in (".yaml", ".yml"):
        return given
    folder = configs_dir() / kind if kind else configs_dir()
    path = folder / f"{name_or_path}.yaml"
    if name_or_path == given.name and path.is_file():
        return path
    known = ", ".join(sorted(entry.stem for entry in folder.glob("*.yaml"))) or "none"
    what = kind.removesuffix("s") or "configuration"
    raise UsageError(f"there is no {what} called `{name_or_path}`; known: {known}; or give a .yaml file")
