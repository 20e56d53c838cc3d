from __future__ import annotations

from pathlib import Path

import pytest

from premotor_foundation.errors import UsageError
from premotor_foundation.locations import configs_dir, named_config


def test_a_name_means_a_file_of_the_configs_folder() -> None:
    assert named_config("", "laptop") == configs_dir() / "laptop.yaml"


def test_a_path_is_taken_as_given() -> None:
    assert named_config("worlds", "mine/flat.yaml") == Path("mine/flat.yaml")


@pytest.mark.parametrize("name", ["castle", "../laptop", "/etc/passwd"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError, match="known: "):
        named_config("worlds", name)
