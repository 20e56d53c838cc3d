"""The compact record: a line of JSON with everything that was planned by, then the pages of the ring."""

from __future__ import annotations

import dataclasses
import json
import struct
from dataclasses import dataclass
from typing import Any

from premotor_foundation.errors import ConfigError
from premotor_foundation.strict_yaml import parse
from premotor_runtime.scheduler.dispatcher import Dispatcher
from premotor_runtime.scheduler.errors import BadRecord
from premotor_runtime.scheduler.miss_ladder import MissLadder
from premotor_runtime.scheduler.recording import RECORD, Record, records_in
from premotor_runtime.scheduler.task_set import TaskSet

SCHEMA = "premotor.schedule/1"


@dataclass(frozen=True)
class RecordedPage:
    """The state before the first record, and the records."""

    state: Any
    data: bytes

    def records(self) -> list[Record]:
        """Decoded."""
        return list(records_in(self.data))


@dataclass(frozen=True)
class Recording:
    """A file's content."""

    task_sets: tuple[TaskSet, ...]
    ladder: MissLadder
    start_ns: int
    pages: tuple[RecordedPage, ...]

    @property
    def data(self) -> bytes:
        """All records as bytes."""
        return b"".join(page.data for page in self.pages)

    def records(self) -> list[Record]:
        """All records, oldest first."""
        return list(records_in(self.data))


def dump(dispatcher: Dispatcher) -> bytes:
    """What its ring holds now."""
    header = {
        "schema": SCHEMA,
        "task_sets": [dataclasses.asdict(plan.task_set) for plan in dispatcher.plans],
        "ladder": dataclasses.asdict(dispatcher.ladder),
        "start_ns": dispatcher.start_ns,
        "lost": dispatcher.ring.lost,
    }
    parts = [json.dumps(header, separators=(",", ":")).encode(), b"\n"]
    for page in dispatcher.ring.pages():
        parts += [page.state, b"\n", struct.pack("<I", page.size // RECORD.size), page.data]
    return b"".join(parts)


def load(data: bytes) -> Recording:
    """The recording in `data`. Raises BadRecord for anything else, a cut-off file or another schema."""
    try:
        line, _, rest = data.partition(b"\n")
        header = json.loads(line)
        if header.get("schema") != SCHEMA:
            raise BadRecord(f"schema {header.get('schema')!r}; this version reads {SCHEMA}: record it again")
        task_sets = tuple(_parsed(each, TaskSet) for each in header["task_sets"])
        ladder = _parsed(header["ladder"], MissLadder)
        return Recording(task_sets, ladder, int(header["start_ns"]), tuple(_pages(rest)))
    except (ValueError, KeyError, TypeError, AttributeError, struct.error, ConfigError) as error:
        raise BadRecord(f"not a record of schema {SCHEMA} ({error}); dump it again with this version") from error


def _parsed(value: Any, shape: type[Any]) -> Any:
    return parse(json.dumps(value), shape, "the record's header")


def _pages(rest: bytes) -> list[RecordedPage]:
    pages = []
    while rest:
        line, _, rest = rest.partition(b"\n")
        (count,) = struct.unpack_from("<I", rest)
        size = count * RECORD.size
        if len(rest) < 4 + size:
            raise ValueError("the file is cut off")
        pages.append(RecordedPage(json.loads(line), rest[4 : 4 + size]))
        rest = rest[4 + size :]
    return pages
