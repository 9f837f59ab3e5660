"""Works out the version of a subject that states none: its git commit, or a hash of its files. It seeds nothing."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import threading
import time
from pathlib import Path

from conformance.core.run import UNCOMMITTED
from conformance.engine.imported import imported_files
from conformance.files.digest import sha256
from conformance.subjects.definition import definition

_SECONDS = 2.0
"""The time for all calls of git about one subject."""
_MOST_BYTES = 1 << 20
"""The longest output of git that is read."""
_COMMIT = re.compile(rb"^# branch\.oid ([0-9a-f]{40,64})$", re.MULTILINE)
_FILTER = re.compile(r"filter\.[\w-]+\.\w+")


def worked_out_version(name: str) -> str:
    """The commit of the repository in which the file of a user's subject is, or else a hash; "" without a file.

    name: as `definition` takes it. The commit is the one checked out. " + changes": a file that decides the answers
    differs from it: FILE.py with what it imports, or, for a subject.toml, any file that git tracks.
    A file that git does not track has a hash, as outside of git; so it is where git does not answer within 2 s.

    >>> worked_out_version("cat -u")
    ''
    """
    found = definition(name)
    try:
        code = [file.resolve(strict=True) for file in found.code]
        files = [*dict.fromkeys(path for file in code for path in (file, *imported_files(file)))]
        if not files:
            return ""
        # A program may be built from anywhere in its repository; of Python, the imports tell what it is made of.
        paths = [] if found.about else [files[0], *imported_files(files[0])]
        return _commit(files[0], paths) or _hash(files)
    except (OSError, RuntimeError):  # a file that went meanwhile, a link that leads to itself
        return ""


def _hash(files: list[Path]) -> str:
    """Of one file, the beginning of what `sha256sum` says."""
    digests = [sha256(file) for file in files]
    whole = digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode("ascii")).hexdigest()
    return f"sha256 {whole[:8]}"


def _commit(file: Path, paths: list[Path]) -> str:
    """The commit, marked where one of the paths differs from it; "" where git does not track the file."""
    end = time.monotonic() + _SECONDS
    try:
        if not _git(file.parent, end, "ls-files", "--", str(file)):
            return ""
        # `status` would run the filters that the repository's own configuration names, wherever a file looks changed.
        keys = _git(file.parent, end, "config", "--null", "--name-only", "--get-regexp", r"^filter\.")
        filters = [key for key in keys.decode("utf-8", "replace").split("\0") if key]
        if not all(map(_FILTER.fullmatch, filters)):  # `-c` takes no name with "=" in it
            return ""
        off = [word for key in filters for word in ("-c", f"{key}=")]
        said = _git(
            file.parent,
            end,
            *off,
            *("status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames"),
            *("--untracked-files=no", "--ignore-submodules=all", "--", *map(str, paths)),
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    oid = _COMMIT.search(said)
    is_changed = any(not line.startswith(b"#") for line in said.splitlines())
    return f"git {oid[1][:7].decode('ascii')}{UNCOMMITTED if is_changed else ''}" if oid else ""


def _git(folder: Path, end: float, *words: str) -> bytes:
    """Runs git in a folder and gives its output; b"" if it fails. Runs no program of the repository, fetches nothing.

    end: of `time.monotonic`. Raises OSError if git is missing, SubprocessError if the output is late or too long.
    """
    options = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "--no-optional-locks")
    command = ["git", "-C", str(folder), "--no-pager", "--literal-pathspecs", *options, *words]
    # Within a hook of git, its variables name another repository than the folder's.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables |= {"GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    with subprocess.Popen(command, stdin=null, stdout=pipe, stderr=null, env=variables) as git:
        timer = threading.Timer(end - time.monotonic(), git.kill)
        timer.start()
        try:
            assert git.stdout is not None
            said = git.stdout.read(_MOST_BYTES + 1)
            if len(said) > _MOST_BYTES:
                git.kill()
            git.wait()
        finally:
            timer.cancel()
    if len(said) > _MOST_BYTES or time.monotonic() > end:
        raise subprocess.SubprocessError
    return b"" if git.returncode else said
