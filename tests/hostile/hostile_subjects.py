"""Subjects that harm: each a factory for `conformance run --subject FILE.py:FACTORY`, by what it attacks.

Each answers rightly but where it attacks: most do on a text with an "o" in it, those that lie of offsets on any longer
than one character, so that they are loaded and asked first.
Importing this file does nothing, except under the name `AtImport.py`.
"""

from __future__ import annotations

import atexit
import itertools
import os
import random
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import tokenizers

if Path(__file__).stem == "AtImport":
    raise ValueError("at import")

Ids = list[int]
_Factory = TypeVar("_Factory", bound=Callable[[str], Any])


@dataclass(frozen=True, slots=True)
class Promise:
    """What becomes of a command with this subject.

    told: words that the run has of it, "" where it does no harm. code: the exit code of the command.
    seconds: the most that the command takes. options: more of them.
    alone: whether the other subjects are not compared either: no model is read by what is to be tested.
    """

    told: str
    code: int = 1
    seconds: float = 60
    options: tuple[str, ...] = ()
    alone: bool = False


PROMISES: dict[str, Promise] = {}
"""By the name of the factory."""


def promise(told: str, **others: Any) -> Callable[[_Factory], _Factory]:
    """Write down what becomes of a command with this factory's subject."""

    def write(factory: _Factory) -> _Factory:
        PROMISES[factory.__name__] = Promise(told, **others)
        return factory

    return write


class Right:
    """The official library; `wrong` stands for its ids of a text with an "o"."""

    def __init__(self, path: str) -> None:
        self.tokenizer = tokenizers.Tokenizer.from_file(path)

    def encode(self, text: str, add_special_tokens: bool) -> Any:
        """The ids of a text."""
        return self.wrong(text) if "o" in text else self.right(text)

    def decode(self, ids: Ids, skip_special_tokens: bool) -> Any:
        """The text of ids."""
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)

    def right(self, text: str) -> Ids:
        """The right ids."""
        ids: Ids = self.tokenizer.encode(text).ids
        return ids

    def wrong(self, text: str) -> Any:
        """The answer to a text with an "o"."""
        return self.right(text)


MARKUP = (
    "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\u2066\r\b [/b][bold] <script>alert(1)</script> ]]> &lt; `|` ]( \x00\ud800"
)
"""Every kind of character that may not come through as it is: of terminals, of Rich, HTML, XML and Markdown."""


# Loading


@promise("cannot be loaded: ValueError: at import", code=2)
class AtImport(Right):
    pass


class Odd(BaseException):
    """No Exception."""


@promise("cannot be loaded: its process ended with exit code 1", code=2)
class RaisesNoExceptionAtLoad(Right):
    def __init__(self, path: str) -> None:
        raise Odd(MARKUP)


@promise("", code=0)
class VersionOfOddCharacters(Right):
    version = MARKUP + "9" * 10_000_000


class TextWithTricks(str):
    """A text that gives no item, no length and no words."""

    def __getitem__(self, key: Any) -> Any:
        return TextWithTricks(MARKUP * 100_000)

    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __iter__ = __format__ = __eq__ = __str__

    def __hash__(self) -> int:
        raise RuntimeError("no hash")

    def __reduce__(self) -> Any:
        return os._exit, (9,)


@promise("does not read bpe-qwen: RuntimeError", alone=True)
class FeaturesRaise(Right):
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(MARKUP)


# Errors


@promise("refused: ValueError: xxxxx")
class RaisesAtLength(Right):
    def wrong(self, text: str) -> Any:
        raise ValueError("x" * 10_000_000)


@promise("refused: ValueError: ")
class RaisesMarkup(Right):
    def wrong(self, text: str) -> Any:
        raise ValueError(MARKUP)


@promise("refused: ")
class RaisesUnderMarkup(Right):
    def wrong(self, text: str) -> Any:
        raise type(MARKUP.replace("\0", "").replace("\ud800", ""), (Exception,), {})


# Deaths


@promise("a worker died (exit code -9)", code=3)
class KillsTheWorker(Right):
    """That the harness survives this is not promised, but that its end is told and that nothing is left.

    It spares short texts, as those of the first look, for which the harness itself asks.
    """

    def wrong(self, text: str) -> Any:
        if len(text) < 30:
            return self.right(text)
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1e6)


# Hangs


@promise("no answer within 1 s")
class HangsDeafToSignals(Right):
    def wrong(self, text: str) -> Any:
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            with suppress(OSError):
                signal.signal(number, signal.SIG_IGN)
        time.sleep(1e6)


@promise("", code=0)
class SleepsAtExit(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        atexit.register(time.sleep, 1e6)


@promise("", code=0)
class LeavesAThread(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        for _ in range(20):
            threading.Thread(target=time.sleep, args=(1e6,)).start()


# Other processes


@promise("", code=0)
class ForksFifty(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        for _ in range(50):
            if os.fork() == 0:
                os.setsid()
                time.sleep(1e6)


@promise("", code=0)
class Daemonises(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        if os.fork() == 0:
            os.setsid()
            if os.fork():
                os._exit(0)
            time.sleep(1e6)
        os.wait()


@promise("its process ended with exit code 0")
class AnswersFromAFork(Right):
    """The parent ends, and its child goes on where it was."""

    def wrong(self, text: str) -> Any:
        if os.fork():
            os._exit(0)
        return self.right(text)


# Memory


@promise("MemoryError", options=("--memory", "2048", "--timeout", "30"), seconds=300)
class TakesMemory(Right):
    def wrong(self, text: str) -> Any:
        return [bytearray(1 << 26) for _ in itertools.count()]


# Answers


def _lies(name: str, told: str, base: type[Right] = Right, *, code: int = 1, **answers: Callable[..., Any]) -> None:
    """A subject with other answers in the place of those of its base."""
    methods = {method: staticmethod(answer) for method, answer in answers.items()}
    globals()[name] = promise(told, code=code)(type(name, (base,), methods))


class HostileNumber:
    """A number that is none."""

    def __index__(self) -> int:
        raise RuntimeError(MARKUP)

    def __repr__(self) -> str:
        return MARKUP * 1_000_000

    def __eq__(self, other: object) -> bool:
        os._exit(11)

    def __hash__(self) -> int:
        os._exit(11)

    def __reduce__(self) -> Any:
        return os._exit, (12,)


class ChangingNumber(int):
    """A number that is another whenever it is asked."""

    def __index__(self) -> int:
        return random.choice([1, 10**400])

    def __repr__(self) -> str:
        return MARKUP

    def bit_length(self) -> int:
        return 1

    def __lt__(self, other: object) -> bool:
        return True

    __gt__ = __le__ = __ge__ = __lt__


class Lies:
    """What says that it is a list."""

    @property
    def __class__(self) -> Any:
        return list

    @__class__.setter
    def __class__(self, value: Any) -> None: ...

    def __len__(self) -> int:
        return 3


class ListWithTricks(list):
    """A list that says nothing of itself that is true."""

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Any]:
        return itertools.repeat(MARKUP)

    def __repr__(self) -> str:
        os._exit(14)


_lies("ATextAsIds", "nonsense: ", wrong=lambda text: MARKUP)
_lies("SlowIds", "no answer within 1 s", wrong=lambda text: (time.sleep(0.1) or 1 for _ in itertools.count()))
_lies("HostileNumbers", "refused: RuntimeError", wrong=lambda text: [HostileNumber()])
_lies("ChangingNumbers", "bits", wrong=lambda text: [ChangingNumber(1)] * 64)
_lies("ListsWithTricks", "", wrong=lambda text: ListWithTricks([1]))
_lies("LyingClass", "", wrong=lambda text: Lies())


class _Decodes(Right):
    def decode(self, ids: Ids, skip_special_tokens: bool) -> Any:
        right = super().decode(ids, skip_special_tokens)
        return self.text(right) if len(ids) > 1 else right

    def text(self, right: str) -> Any:
        """The answer to several ids."""
        return right


_lies("DecodesMarkup", "", _Decodes, text=lambda right: MARKUP)
_lies("DecodesTricks", "", _Decodes, code=0, text=TextWithTricks)


# Tokens, offsets, masks


class _Offsets(Right):
    """Lies of each text of more than one character: of few texts that a session makes offsets are asked for."""

    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> Any:
        """Ids, tokens, offsets, mask."""
        found = self.tokenizer.encode(text)
        answer = found.ids, found.tokens, found.offsets
        return self.changed(*answer) if len(text) > 1 else answer

    def changed(self, ids: Ids, tokens: Any, offsets: Any) -> Any:
        """The answer to such a text."""
        return ids, tokens, [self.offset(start, end) for start, end in offsets]

    def offset(self, start: int, end: int) -> Any:
        """One offset."""
        return start, end


_lies("OffsetsOutside", "", _Offsets, offset=lambda start, end: (start + (1 << 40), end + (1 << 63)))
_lies("TokensOfMarkup", "", _Offsets, changed=lambda ids, tokens, offsets: (ids, [MARKUP] * len(tokens), offsets))


# Streams


class _Stream(Right):
    def stream_decoder(self, skip_special_tokens: bool) -> Any:
        """A stream, which is the subject itself."""
        return self

    def feed(self, token_id: int) -> Any:
        """A text."""
        return ""

    def finish(self) -> Any:
        """A text."""
        return ""


@promise("")
class HoldsForEver(_Stream):
    held = 1 << 62


@promise("RuntimeError")
class RaisesAtFinish(_Stream):
    def finish(self) -> Any:
        raise RuntimeError(MARKUP)


@promise("")
class YieldsForEver(Right):
    def stream_decode(self, ids: Ids, skip_special_tokens: bool) -> Any:
        """Texts without end."""
        return itertools.repeat("o")


@promise("")
class CallsBackForEver(Right):
    def decode_with_callback(self, ids: Ids, callback: Callable[..., Any]) -> None:
        """Calls without end."""
        while True:
            callback("o", 1, False)


# Output and pipes


@promise("", code=0)
class PrintsMuch(Right):
    def wrong(self, text: str) -> Any:
        for number in (1, 2):
            for _ in range(100):
                os.write(number, b"\x1b[31mx\n" * (1_000_000 // 7))
        return self.right(text)


@promise("", code=0)
class ClosesStandardStreams(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        for number in (0, 1, 2):
            os.close(number)


def _write_everywhere(data: bytes) -> None:
    for number in range(3, 100):
        with suppress(OSError):
            os.write(number, data)


@promise("noise on standard output", code=0)
class WritesEverywhere(Right):
    def wrong(self, text: str) -> Any:
        _write_everywhere(b'{"ids": [1], "number": 1}\n\xff' + b"[" * 100_000 + b"\n")
        return self.right(text)


@promise("its answer is longer than 16 MB", options=("--timeout", "30"), seconds=300)
class AnswersOfManyParts(Right):
    """A few bytes of the answer are a list of their own for who reads it."""

    def wrong(self, text: str) -> Any:
        for number in range(3, 20):
            with suppress(OSError):
                os.write(number, b'{"ids": [')
                for _ in range(80):
                    os.write(number, b"[]," * 1_000_000)
                os.write(number, b"[]]}\n")
        time.sleep(1e6)


# The interpreter


@promise("", code=0)
class ChangesItsWorld(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        os.chdir("/")
        os.environ.clear()
        sys.path[:] = []
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        sys.setrecursionlimit(60)
        os.umask(0o777)


@promise("nonsense: a list is expected, NoneType None came")
class ForgetsModules(Right):
    def wrong(self, text: str) -> Any:
        sys.modules.clear()
        return None


@promise("PatchesTheHarness: nothing is encoded: nonsense: its answer has another form", code=2)
class PatchesTheHarness(Right):
    def wrong(self, text: str) -> Any:
        server = sys.modules["conformance.subjects.serve"].Server
        server.answer = lambda *_: {"refused": [MARKUP], "results": MARKUP, "error": MARKUP}
        return self.right(text)


# Files and limits


@promise("cannot be loaded")
class DeletesItself(Right):
    """It spares short texts, as those of the first look."""

    def wrong(self, text: str) -> Any:
        if len(text) < 30:
            return self.right(text)
        Path(__file__).unlink(missing_ok=True)
        os._exit(0)


@promise("", code=0)
class WritesIntoTheRun(Right):
    """The folder of the run is beside the file: what it holds at the end is the harness's all the same."""

    def wrong(self, text: str) -> Any:
        for name in ("report.html", "run.json", "summary.md", "junit.xml", "findings.jsonl"):
            (Path(__file__).parent / "run" / name).write_text(MARKUP, "utf-8", "surrogatepass")
        return self.right(text)


@promise("", code=0)
class UsesAllDescriptors(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        with suppress(OSError):
            while True:
                os.dup(0)


@promise("its process was killed by")
class SetsLimits(Right):
    def wrong(self, text: str) -> Any:
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (0, 0))
        while True:
            pass
