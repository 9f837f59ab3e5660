"""The journal of a run: its progress on disk, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from reftok.encode_files.output import write_durably
from reftok.errors import EncodingStopped

VERSION = 1


@dataclass(frozen=True, slots=True)
class Done:
    """The progress of a run, as it stands in the files.

    units: of work; the same inputs are cut into the same ones. seen: the hash of the inputs up to the last of them.
    bytes, code_points: of the documents' texts, without separators.
    replaced: documents in which bytes that are not UTF-8 were replaced.
    is_complete: nothing is left to be done but to put the files in their place.
    """

    units: int = 0
    seen: str = ""
    documents: int = 0
    bytes: int = 0
    code_points: int = 0
    tokens: int = 0
    replaced: int = 0
    is_complete: bool = False


def write_journal(path: Path, options: Mapping[str, Any], done: Done) -> None:
    """Put down what was done; what is counted must be on the disk already."""
    write_durably(path, json.dumps({"version": VERSION, "options": options, "done": asdict(done)}))


def read_journal(path: Path, options: Mapping[str, Any]) -> Done:
    """The progress of a run with the same options and inputs; none where there is no journal.

    Raises EncodingStopped where the options or the sizes of the inputs were others.
    """
    try:
        value = json.loads(path.read_bytes())
        if value["version"] != VERSION:
            raise ValueError
        before, done = dict(value["options"]), Done(**value["done"])
    except FileNotFoundError:
        return Done()
    except (ValueError, KeyError, TypeError):
        raise EncodingStopped(f"{path}: cannot be gone on with; --overwrite begins anew") from None
    if before.get("errors") == "strict":
        # Nothing had to be replaced so far.
        before["errors"] = options["errors"]
    for name in sorted(options.keys() | before.keys()):
        then, now = before.get(name), options.get(name)
        if then != now:
            raise EncodingStopped(
                f"{path.parent}: an interrupted run had another {name}{_changed(name, then, now)}: repeat it as it "
                "was, or begin anew with --overwrite"
            )
    return done


def _changed(name: str, then: Any, now: Any) -> str:
    """The change of an option, in parentheses; of a model only hashes are known, which say nothing."""
    if name == "model":
        return " (its files were others)"
    return f" ({changed_input(then, now) if name == 'inputs' else f'{then!r:.60} then, {now!r:.60} now'})"


def changed_input(then: Any, now: Any) -> str:
    """The first input that is another one, or another size.

    >>> changed_input([["a.txt", 3]], [["a.txt", 4]])
    'a.txt of 3 bytes then, a.txt of 4 bytes now'
    """
    inputs = [[*list(then or ()), None], [*list(now or ()), None]]
    differing = next(pair for pair in zip(*inputs, strict=False) if pair[0] != pair[1])
    first, second = (
        "none" if one is None else one[0] if one[1] is None else f"{one[0]} of {one[1]} bytes" for one in differing
    )
    return f"{first} then, {second} now"
