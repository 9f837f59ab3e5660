"""Where the texts of a training come from: an iterator, or files that are read by lines.

Source: tokenizers 0.23 utils/iter.rs `lines_with_ending`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from reftok.errors import TrainingStopped


@dataclass(frozen=True, slots=True)
class Texts:
    """Where the texts come from.

    files: read by lines, or each as one text (`whole_files`); else `texts`.

    >>> Texts.of(["a", "b"], None).names
    ()
    """

    texts: Iterable[str] = ()
    files: tuple[Path, ...] = ()
    whole_files: bool = False

    @classmethod
    def of(
        cls, texts: Iterable[str] | None, files: str | Path | Iterable[str | Path] | None, whole_files: bool = False
    ) -> Texts:
        """The texts of a caller.

        files: paths; of a folder all files in it and below it that end in .txt, in the order of their paths.
        Raises TrainingStopped for none, both, or what cannot be read.
        """
        if (texts is None) == (files is None):
            raise TrainingStopped("texts or files are needed, and not both")
        if files is None:
            if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
                raise TrainingStopped(f"texts is a list of texts, not {type(texts).__name__}; paths are given as files")
            return cls(texts)
        named = [files] if isinstance(files, str | Path) else list(files)
        found = tuple(path for name in named for path in _files(Path(name)))
        if not found:
            raise TrainingStopped("no files to learn from")
        return cls((), found, whole_files)

    @property
    def names(self) -> tuple[tuple[str, int, int], ...]:
        """Path, size in bytes and time of change of each file."""
        return tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in self.files)

    @property
    def size(self) -> int | None:
        """Bytes of all files; None where nobody knows."""
        return sum(size for _, size, _ in self.names) if self.files else None

    def read(self) -> Iterator[tuple[str, int]]:
        """Each text, and how many bytes have been read up to its end.

        Raises TrainingStopped where a file is not UTF-8 or cannot be read, and for what is no text.
        """
        if not self.files:
            for number, text in enumerate(self.texts):
                if not isinstance(text, str):
                    raise TrainingStopped(f"text {number} is {type(text).__name__}, and no text")
                yield text, 0
            return
        done = 0
        for path in self.files:
            try:
                with open(path, "rb") as file:
                    for number, line in enumerate([file.read()] if self.whole_files else file, 1):
                        done += len(line)
                        yield _text(line, f"{path}: line {number}"), done
            except OSError as error:
                raise TrainingStopped(f"{path}: cannot be read: {error.strerror}") from None


def _text(line: bytes, place: str) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TrainingStopped(f"{place}, byte {error.start} is not UTF-8") from None


def _files(path: Path) -> list[Path]:
    try:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*.txt") if file.is_file())
            if not found:
                raise TrainingStopped(f"{path}: holds no .txt file")
            return found
        path.stat()
    except OSError as error:
        raise TrainingStopped(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise TrainingStopped(f"{path!s:.60}: {error}") from None
    return [path]
