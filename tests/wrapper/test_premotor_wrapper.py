"""The shell wrapper, run for real in a folder of its own: only Python, pip and the system's installer are stand-ins."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = (
    "cat",
    "chmod",
    "cksum",
    "cp",
    "date",
    "dirname",
    "env",
    "mkdir",
    "mv",
    "readlink",
    "rm",
    "sed",
    "sleep",
    "tail",
)

STAND_IN_PYTHON = Path(__file__).with_name("stand_in_python.sh").read_text(encoding="utf-8")
APT_GET = r"""#!/bin/sh
printf 'apt-get %s\n' "$*" >>"$NOTES"
case "$*" in *install*) : >"$(dirname "$0")/apt-installed" ;; esac
"""
SUDO = '#!/bin/sh\nprintf "sudo\\n" >>"$NOTES"\nexec "$@"\n'


def write_script(path: Path, text: str) -> None:
    """Writes `text` as an executable file."""
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def heed_interrupts() -> None:
    """A test run that was started in the background ignores Ctrl-C, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@dataclass
class Machine:
    """A checkout in `root` on a machine whose whole PATH is `bin`."""

    root: Path
    bin: Path
    settings: dict[str, str] = field(default_factory=dict)

    def add_python(self, name: str, version: str, *, ensurepip: bool = True) -> None:
        """Puts a stand-in for Python on the PATH; version "broken" fails like a pyenv shim of a version not there."""
        settings = f"#!/bin/sh\nVERSION={version} ENSUREPIP={'yes' if ensurepip else 'no'}\n"
        write_script(self.bin / name, settings + STAND_IN_PYTHON)

    def environment(self) -> dict[str, str]:
        """The environment that the wrapper gets."""
        fixed = {"PATH": str(self.bin), "NOTES": str(self.bin / "notes"), "REAL_PYTHON": sys.executable}
        return {**fixed, "PIP_FAILS": "", "PIP_SLEEPS": "", "FAILS": "", **self.settings}

    def start(self, *arguments: str, program: Path | None = None) -> subprocess.Popen[str]:
        """Starts the wrapper from another folder than its own."""
        return subprocess.Popen(
            [str(program or self.root / "premotor"), *arguments], cwd=self.bin, env=self.environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            preexec_fn=heed_interrupts,
        )  # fmt: skip

    def run(self, *arguments: str, program: Path | None = None) -> tuple[int, str, str]:
        """Runs the wrapper; returns exit code, stdout and stderr."""
        process = self.start(*arguments, program=program)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def notes(self) -> list[str]:
        """What the stand-ins were asked so far; forgotten after reading."""
        path = self.bin / "notes"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return lines


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A bare machine, ordinary user, no Python, in a path with spaces."""
    root, binaries = tmp_path / "a check out", tmp_path / "bin"
    for folder in (root, binaries):
        folder.mkdir()
    for name in ("premotor", "pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, root / name)
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None, tool
        (binaries / tool).symlink_to(found)
    write_script(binaries / "id", "#!/bin/sh\nprintf '%s\\n' \"${USER_ID:-1000}\"\n")
    write_script(binaries / "apt-cache", '#!/bin/sh\n[ "$2" = python3.11-venv ]\n')
    write_script(binaries / "apt-get", APT_GET)
    return Machine(root, binaries)


def pip_calls(notes: list[str]) -> list[str]:
    """The pip installations among `notes`."""
    return [note for note in notes if "-m pip install" in note]


def test_first_start_sets_up_and_hands_over(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    code, out, err = machine.run("plan", "two words")
    assert (code, out) == (0, "premotor: plan two words\n")
    assert "making .venv with Python 3.11" in err
    calls = pip_calls(machine.notes())
    assert len(calls) == 3
    assert all("-c constraints.txt" in call for call in calls)
    assert calls[-1].endswith("-e .[planner]")


def test_second_start_runs_no_python(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.run("demo")
    machine.notes()
    assert machine.run("demo", "--seed", "3") == (0, "premotor: demo --seed 3\n", "")
    assert machine.notes() == ["premotor demo --seed 3"]


def test_called_through_a_symlink(machine: Machine, tmp_path: Path) -> None:
    machine.add_python("python3.11", "3.11")
    link, relative = tmp_path / "link", tmp_path / "bin" / "again"
    link.symlink_to(machine.root / "premotor")
    relative.symlink_to("../link")
    assert machine.run("doctor", program=relative)[:2] == (0, "premotor: doctor\n")
    assert (machine.root / ".venv" / "premotor-setup").is_file()


def test_shims_that_fail_and_wrong_versions_are_passed_over(machine: Machine) -> None:
    machine.add_python("python3.11", "broken")
    machine.add_python("python3.12", "3.12", ensurepip=False)
    machine.add_python("python3.10", "3.9")
    machine.add_python("python3", "3.13")
    machine.add_python("python", "3.10")
    code, _, err = machine.run("doctor")
    assert code == 0
    assert "making .venv with Python 3.10" in err


def test_no_python_names_the_package_and_the_command(machine: Machine) -> None:
    machine.add_python("python3", "3.13")
    code, out, err = machine.run("demo")
    assert (code, out) == (2, "")
    assert "python3 (3.13)" in err
    assert "sudo apt-get update && sudo apt-get install -y python3.11-venv" in err
    assert not [note for note in machine.notes() if "apt-get" in note]


def test_missing_venv_module_names_the_package_of_that_python(machine: Machine) -> None:
    machine.add_python("python3", "3.12", ensurepip=False)
    code, _, err = machine.run("demo")
    assert code == 2
    assert "python3 (3.12 without venv)" in err
    assert "apt-get install -y python3.12-venv" in err


def test_root_installs_the_missing_package(machine: Machine) -> None:
    machine.settings["USER_ID"] = "0"
    machine.add_python("python3.11", "3.11", ensurepip=False)
    assert machine.run("doctor")[:2] == (0, "premotor: doctor\n")
    asked = [note for note in machine.notes() if note.startswith(("apt-get", "sudo"))]
    assert asked == ["apt-get update", "apt-get install -y python3.11-venv"]


def test_yes_installs_the_missing_package_with_sudo(machine: Machine) -> None:
    write_script(machine.bin / "sudo", SUDO)
    machine.add_python("python3.11", "3.11", ensurepip=False)
    assert machine.run("--yes", "doctor")[:2] == (0, "premotor: doctor\n")
    asked = [note for note in machine.notes() if note.startswith(("apt-get", "sudo"))]
    assert asked == ["sudo", "apt-get update", "sudo", "apt-get install -y python3.11-venv"]


def test_without_a_known_installer_the_need_is_said(machine: Machine) -> None:
    (machine.bin / "apt-get").unlink()
    code, _, err = machine.run("demo")
    assert code == 2
    assert "Install Python 3.10, 3.11 or 3.12" in err


def test_a_named_python_that_does_not_fit_is_refused(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.add_python("mine", "3.8")
    machine.settings["PREMOTOR_PYTHON"] = str(machine.bin / "mine")
    code, _, err = machine.run("demo")
    assert code == 2
    assert "PREMOTOR_PYTHON does not name a usable Python" in err


def test_failed_set_up_shows_the_log_and_is_repeated(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.settings["PIP_FAILS"] = "*-e*"
    code, out, err = machine.run("demo")
    assert (code, out) == (2, "")
    assert "  | no route to the package index" in err
    assert "could not install premotor" in err
    machine.settings["PIP_FAILS"] = ""
    assert machine.run("demo")[:2] == (0, "premotor: demo\n")


def test_without_the_planner_the_rest_works_and_setup_tries_again(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.settings["PIP_FAILS"] = "*planner*"
    code, out, err = machine.run("demo")
    assert (code, out) == (0, "premotor: demo\n")
    assert "going on with the embedded model" in err
    machine.notes()
    assert machine.run("demo")[2] == ""
    assert pip_calls(machine.notes()) == []
    machine.settings["PIP_FAILS"] = ""
    assert machine.run("setup")[0] == 0
    assert pip_calls(machine.notes())[-1].endswith("-e .[planner]")


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_requirement_is_installed(machine: Machine, name: str) -> None:
    machine.add_python("python3.11", "3.11")
    machine.run("setup", "--dev")
    machine.notes()
    with (machine.root / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert machine.run("demo")[0] == 0
    notes = machine.notes()
    assert any(call.endswith("-e .[dev]") for call in pip_calls(notes))
    assert not any("-m venv" in note for note in notes)


def test_a_moved_folder_gets_a_new_venv(machine: Machine, tmp_path: Path) -> None:
    machine.add_python("python3.11", "3.11")
    machine.run("demo")
    machine.notes()
    machine.root = machine.root.rename(tmp_path / "moved")
    assert machine.run("demo")[0] == 0
    assert any(note.endswith(f"-m venv {machine.root}/.venv") for note in machine.notes())


def test_parallel_starts_set_up_once(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.settings["PIP_SLEEPS"] = "0.3"
    processes = [machine.start("demo") for _ in range(3)]
    answers = [process.communicate(timeout=60)[0] for process in processes]
    assert answers == ["premotor: demo\n"] * 3
    notes = machine.notes()
    assert len([note for note in notes if "-m venv" in note]) == 1
    assert len(pip_calls(notes)) == 3


def test_an_interrupted_set_up_is_repeated(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.settings["PIP_SLEEPS"] = "20"
    process = machine.start("demo")
    for _ in range(1000):
        if (machine.bin / "notes").exists() and pip_calls((machine.bin / "notes").read_text().splitlines()):
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    err = process.communicate(timeout=60)[1]
    assert process.returncode in (130, -signal.SIGINT)
    assert "interrupted" in err
    machine.settings["PIP_SLEEPS"] = ""
    machine.notes()
    assert machine.run("demo")[:2] == (0, "premotor: demo\n")
    assert len(pip_calls(machine.notes())) == 3


def test_extras_are_added_on_first_use_and_kept(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.run("demo")
    machine.notes()
    assert machine.run("test", "quick")[0] == 0
    assert any(call.endswith("-e .[dev]") for call in pip_calls(machine.notes()))
    assert machine.run("test")[0] == 0
    assert any("-e .[dev,torch]" in call or "-e .[torch,dev]" in call for call in pip_calls(machine.notes()))
    assert machine.run("test")[0] == 0
    assert pip_calls(machine.notes()) == []


def test_torch_for_the_tests_only_where_it_is_pinned(machine: Machine) -> None:
    machine.add_python("python3.12", "3.12")
    code, _, err = machine.run("test")
    assert code == 0
    assert "torch is pinned for Python 3.11 only" in err
    assert not any("torch" in call for call in pip_calls(machine.notes()))
    assert machine.run("setup", "--torch")[0] == 0
    assert any("torch" in call for call in pip_calls(machine.notes()))


def test_stages_run_in_order_and_pytest_closes(machine: Machine) -> None:
    machine.add_python("python3.11", "3.11")
    machine.run("setup", "--dev")
    machine.notes()
    code, out, _ = machine.run("test", "quick", "-k", "some name")
    assert code == 0
    assert out.splitlines()[-1] == "3 passed in 0.01s"
    stages = ["ruff check .", "ruff format --check .", "mypy ", "lint-imports "]
    assert machine.notes() == [*stages, "-m pytest -n 2 --dist loadfile --durations 5 -m not slow -k some name"]


@pytest.mark.parametrize(
    ("stage", "code", "ran"), [("ruff", 7, 1), ("mypy", 7, 3), ("lint-imports", 7, 4), ("pytest", 1, 5)]
)
def test_the_first_failure_stops_and_gives_the_exit_code(machine: Machine, stage: str, code: int, ran: int) -> None:
    machine.add_python("python3.11", "3.11")
    machine.run("setup", "--dev")
    machine.notes()
    machine.settings["FAILS"] = stage
    result, out, _ = machine.run("test", "quick")
    assert result == code
    assert "== FAILED: " in out.splitlines()[-1]
    assert len(machine.notes()) == ran


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("peers", "--all"), "unknown argument '--all'; it takes none"),
        (("test", "ros"), "arrives with the ROS 2 nodes"),
        (("test", "all"), "unknown suite 'all'; allowed are quick and slow"),
        (("setup", "--cuda"), "unknown argument '--cuda'; allowed are --torch and --dev"),
    ],
)
def test_what_is_not_there_is_refused_before_any_set_up(
    machine: Machine, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = machine.run(*arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert not (machine.root / ".venv").exists()


@pytest.mark.parametrize("arguments", [(), ("--help",), ("help",)])
def test_help_needs_no_set_up(machine: Machine, arguments: tuple[str, ...]) -> None:
    code, out, err = machine.run(*arguments)
    assert (code, err) == (0, "")
    assert "setup [--torch] [--dev]" in out
    assert not (machine.root / ".venv").exists()
