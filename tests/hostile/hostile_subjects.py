"""Subjects that harm: each a factory for `conformance run --subject FILE.py:FACTORY`, by what it attacks.

Each answers rightly but where it attacks: most do on a text with an "o" in it, those that lie of offsets on any longer
than one character, so that they are loaded and asked first.
Importing this file does nothing, except under the name `AtImport.py`.
"""

from __future__ import annotations

import atexit
import builtins
import ctypes
import itertools
import json
import os
import random
import resource
import signal
import subprocess
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
    seconds: the most that the command takes. options: more of them. unrepeated: whether it does not repeat its answers.
    alone: whether the other subjects are not compared either: no model is read by what is to be tested.
    """

    told: str
    code: int = 1
    seconds: float = 60
    options: tuple[str, ...] = ()
    unrepeated: bool = False
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


@promise("does not read bpe-qwen: ValueError: [1, 2]", alone=True)
class RaisesAtLoad(Right):
    def __init__(self, path: str) -> None:
        raise ValueError([1, 2])


class Odd(BaseException):
    """No Exception."""


@promise("cannot be loaded: its process ended with exit code 1", code=2)
class RaisesNoExceptionAtLoad(Right):
    def __init__(self, path: str) -> None:
        raise Odd(MARKUP)


@promise("cannot be loaded: its process ended with exit code 0", code=2)
class ExitsAtLoad(Right):
    def __init__(self, path: str) -> None:
        raise SystemExit(0)


@promise("cannot be loaded: its process was killed by SIGINT", code=2)
class InterruptsAtLoad(Right):
    def __init__(self, path: str) -> None:
        raise KeyboardInterrupt


@promise("cannot be loaded: it had not loaded the model after 60 s", code=2, seconds=70)
class HangsAtLoad(Right):
    def __init__(self, path: str) -> None:
        time.sleep(1e6)


@promise("no method encode and no method decode", code=2)
class GivesNoSubject(Right):
    def __new__(cls, path: str) -> Any:
        return [MARKUP]


@promise("", code=0)
class VersionOfOddCharacters(Right):
    version = MARKUP + "9" * 10_000_000


@promise("", code=0)
class VersionIsNoText(Right):
    version = (10**400, MARKUP)


@promise("does not read bpe-qwen: RuntimeError: no version", alone=True)
class VersionRaises(Right):
    @property
    def version(self) -> str:
        raise RuntimeError("no version")


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


@promise("", code=0)
class VersionWithTricks(Right):
    version = TextWithTricks("1.0")


@promise("does not read bpe-qwen: RuntimeError", alone=True)
class FeaturesRaise(Right):
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(MARKUP)


# Errors


class NoWords(Exception):
    """An error whose words cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


@promise("refused: NoWords: (an error that cannot be shown)")
class RaisesWithoutWords(Right):
    def wrong(self, text: str) -> Any:
        raise NoWords


class ExitsInWords(Exception):
    """An error whose words end the process."""

    def __str__(self) -> str:
        raise SystemExit(3)


@promise("its process ended with exit code 3")
class RaisesWhatExits(Right):
    def wrong(self, text: str) -> Any:
        raise ExitsInWords


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


@promise("its process ended with exit code 5")
class Exits(Right):
    def wrong(self, text: str) -> Any:
        raise SystemExit(5)


@promise("its process was killed by SIGINT")
class Interrupts(Right):
    def wrong(self, text: str) -> Any:
        raise KeyboardInterrupt


@promise("its process ended with exit code 1")
class RaisesNoException(Right):
    def wrong(self, text: str) -> Any:
        raise Odd


# Deaths


@promise("its process ended with exit code 0")
class EndsAtOnce(Right):
    def wrong(self, text: str) -> Any:
        os._exit(0)


@promise("its process was killed by SIGABRT")
class Aborts(Right):
    def wrong(self, text: str) -> Any:
        os.abort()


@promise("its process was killed by SIGKILL")
class KillsItself(Right):
    def wrong(self, text: str) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)


@promise("no answer within 1 s")
class StopsItself(Right):
    def wrong(self, text: str) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)


@promise("its process was killed by SIGSEGV")
class ReadsNull(Right):
    def wrong(self, text: str) -> Any:
        return ctypes.string_at(1)


def _deep(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


@promise("its process was killed by SIGSEGV", options=("--timeout", "30"), seconds=300)
class OverflowsTheStack(Right):
    def wrong(self, text: str) -> Any:
        sys.setrecursionlimit(1 << 30)
        return repr(_deep(10_000_000))


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
class HangsInEncode(Right):
    def wrong(self, text: str) -> Any:
        time.sleep(1e6)


@promise("no answer within 1 s")
class HangsInDecode(Right):
    def decode(self, ids: Ids, skip_special_tokens: bool) -> Any:
        while len(ids) > 1:
            pass
        return super().decode(ids, skip_special_tokens)


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


@promise("no answer within 1 s")
class ExitsAndSleeps(Right):
    def wrong(self, text: str) -> Any:
        atexit.register(time.sleep, 1e6)
        raise SystemExit


@promise("", code=0)
class LeavesAThread(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        for _ in range(20):
            threading.Thread(target=time.sleep, args=(1e6,)).start()


# Other processes


@promise("", code=0)
class Forks(Right):
    def wrong(self, text: str) -> Any:
        if os.fork() == 0:
            time.sleep(1e6)
        return self.right(text)


@promise("", code=0)
class ForksIntoSessions(Right):
    def wrong(self, text: str) -> Any:
        if os.fork() == 0:
            os.setsid()
            time.sleep(1e6)
        return self.right(text)


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


@promise("", code=0)
class DaemonisesAnotherProgram(Right):
    def wrong(self, text: str) -> Any:
        subprocess.Popen(["setsid", "sleep", "1000000"], start_new_session=True)
        return self.right(text)


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


@promise("nonsense: a list with more than 8,388,608 items came")
class TenMillionIds(Right):
    def wrong(self, text: str) -> Any:
        return [1] * 10_000_000


@promise("its answer is longer than 16 MB", options=("--timeout", "30"), seconds=300)
class EightMillionIds(Right):
    def wrong(self, text: str) -> Any:
        return [(1 << 63) + 1] * 8_000_000


def _answers(name: str, told: str, value: Callable[[], Any]) -> None:
    """A subject whose answer to a text is a value."""

    def wrong(self: Right, text: str) -> Any:
        return value()

    globals()[name] = promise(told)(type(name, (Right,), {"wrong": wrong}))


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


class HostileArray:
    """What looks like an array of numpy."""

    __array_interface__ = {"shape": (1 << 62,), "typestr": "<i8", "data": (1, False), "version": 3}  # noqa: RUF012
    dtype = "int64"

    def __len__(self) -> int:
        return -1

    def __iter__(self) -> Iterator[Any]:
        return itertools.chain([1, 2], (HostileNumber() for _ in range(3)))

    def __getitem__(self, key: Any) -> Any:
        return self

    def tolist(self) -> Any:
        os._exit(13)


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


_answers("HugeId", "nonsense: an id is an int of at most 64 bits", lambda: [10**400])
_answers("NegativeIds", "-1", lambda: [-1, -(1 << 63)])
_answers("NotANumber", "nonsense: an id is an int", lambda: [float("nan"), float("inf")])
_answers("FloatIds", "nonsense: an id is an int", lambda: [1.0, 2.0])
_answers("BoolIds", "nonsense: an id is an int", lambda: [True, False])
_answers("TextsAsIds", "nonsense: an id is an int", lambda: ["1", MARKUP])
_answers("ATextAsIds", "nonsense: ", lambda: MARKUP)
_answers("NoneAsIds", "nonsense: ", lambda: None)
_answers("EndlessIds", "nonsense: a list with more than 8,388,608 items came", lambda: itertools.repeat(1))
_answers("SlowIds", "no answer within 1 s", lambda: (time.sleep(0.1) or 1 for _ in itertools.count()))
_answers("NestedIds", "nonsense: an id is an int", lambda: [[1], [2, [3]]])
_answers("DeepIds", "nonsense: an id is an int", lambda: _deep(100_000))
_answers("HostileArrays", "refused: RuntimeError", HostileArray)
_answers("HostileNumbers", "refused: RuntimeError", lambda: [HostileNumber()])
_answers("ChangingNumbers", "bits", lambda: [ChangingNumber(1)] * 64)
_answers("ListsWithTricks", "", lambda: ListWithTricks([1]))
_answers("LyingClass", "", Lies)


class _Decodes(Right):
    def decode(self, ids: Ids, skip_special_tokens: bool) -> Any:
        right = super().decode(ids, skip_special_tokens)
        return self.text(right) if len(ids) > 1 else right

    def text(self, right: str) -> Any:
        """The answer to several ids."""
        return right


@promise("")
class DecodesMarkup(_Decodes):
    def text(self, right: str) -> Any:
        return MARKUP


@promise("its answer is longer than 16 MB", options=("--timeout", "30"), seconds=300)
class DecodesAtLength(_Decodes):
    def text(self, right: str) -> Any:
        return "x" * 100_000_000


@promise("", code=0)
class DecodesTricks(_Decodes):
    def text(self, right: str) -> Any:
        return TextWithTricks(right)


@promise("", code=0)
class DecodesBytes(_Decodes):
    def text(self, right: str) -> Any:
        return right.encode()


@promise("\ufffd")
class DecodesBytesOfNoText(_Decodes):
    def text(self, right: str) -> Any:
        return b"\xff\xc0\x80\xed\xa0\x80" + right.encode()


@promise("nonsense: a text is expected, NoneType")
class DecodesNone(_Decodes):
    def text(self, right: str) -> Any:
        return None


# Tokens, offsets, masks, batches


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


@promise("")
class OffsetsOutside(_Offsets):
    def offset(self, start: int, end: int) -> Any:
        return start + (1 << 40), end + (1 << 63)


@promise("")
class OffsetsNegative(_Offsets):
    def offset(self, start: int, end: int) -> Any:
        return -start - 1, -(1 << 62)


@promise("")
class OffsetsReversed(_Offsets):
    def offset(self, start: int, end: int) -> Any:
        return end, start


@promise("the end of an offset is an int")
class OffsetsOfTexts(_Offsets):
    def offset(self, start: int, end: int) -> Any:
        return str(start), MARKUP


@promise("an offset is a pair of ints")
class OffsetsOfThree(_Offsets):
    def offset(self, start: int, end: int) -> Any:
        return start, end, end


@promise("")
class TokensOfMarkup(_Offsets):
    def changed(self, ids: Ids, tokens: Any, offsets: Any) -> Any:
        return ids, [MARKUP] * len(tokens), offsets


@promise("")
class MarksOfAnySize(_Offsets):
    def changed(self, ids: Ids, tokens: Any, offsets: Any) -> Any:
        return ids, tokens, offsets, [7] * len(ids)


@promise("batch")
class BatchesShort(Right):
    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> Any:
        """One encoding too few."""
        return [self.right(text) for text in texts[1:]]


@promise("no answer within", seconds=300)
class BatchesHang(Right):
    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> Any:
        """Nothing."""
        time.sleep(1e6)


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


@promise("no answer within 1 s")
class HangsInFeed(_Stream):
    def feed(self, token_id: int) -> Any:
        time.sleep(1e6)


# Output and pipes


@promise("", code=0)
class PrintsMuch(Right):
    def wrong(self, text: str) -> Any:
        for number in (1, 2):
            for _ in range(100):
                os.write(number, b"\x1b[31mx\n" * (1_000_000 // 7))
        return self.right(text)


@promise("", code=0)
class WritesBinary(Right):
    def wrong(self, text: str) -> Any:
        os.write(1, bytes(range(256)) * 100)
        print(MARKUP.encode("utf-8", "surrogatepass"), file=sys.stderr)
        return self.right(text)


@promise("", code=0)
class ClosesStandardStreams(Right):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        for number in (0, 1, 2):
            os.close(number)


@promise("its process ended")
class ClosesEverything(Right):
    def wrong(self, text: str) -> Any:
        os.closerange(0, 1 << 12)
        return self.right(text)


def _write_everywhere(data: bytes) -> None:
    for number in range(3, 100):
        with suppress(OSError):
            os.write(number, data)


@promise("noise on standard output", code=0)
class WritesEverywhere(Right):
    def wrong(self, text: str) -> Any:
        _write_everywhere(b'{"ids": [1], "number": 1}\n\xff' + b"[" * 100_000 + b"\n")
        return self.right(text)


@promise("it answers message 1 where ")
class ForgesAnswers(Right):
    def wrong(self, text: str) -> Any:
        _write_everywhere(b'{"id": 1, "results": [{"ids": [1]}]}\n')
        return self.right(text)


@promise("its answer is no JSON")
class BeginsAnAnswer(Right):
    """The right answer is lost in the line."""

    def wrong(self, text: str) -> Any:
        _write_everywhere(b'{"id": ')
        return self.right(text)


@promise("its answer is longer than 16 MB")
class AnswersWithoutEnd(Right):
    def wrong(self, text: str) -> Any:
        while True:
            for number in range(3, 20):
                with suppress(OSError):
                    os.write(number, b"x" * 65536)


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


@promise("its process ended with exit code 1")
class PatchesJson(Right):
    def wrong(self, text: str) -> Any:
        json.dumps = lambda *_, **__: MARKUP
        return self.right(text)


@promise("no answer within 1 s")
class PatchesJsonWithWords(Right):
    """No line is an answer any more: each is passed over."""

    def wrong(self, text: str) -> Any:
        json.dumps = lambda *_, **__: '{"ids": [1], "number": 1e400, "failure": NaN}'
        return self.right(text)


@promise("its answer has another form")
class PatchesJsonWithAnAnswer(Right):
    def wrong(self, text: str) -> Any:
        json.dumps = lambda *_, **__: '{"id": 1e400, "results": [{"ids": [NaN]}]}'
        return self.right(text)


@promise("PatchesTheHarness: nothing is encoded: nonsense: its answer has another form", code=2)
class PatchesTheHarness(Right):
    def wrong(self, text: str) -> Any:
        server = sys.modules["conformance.subjects.serve"].Server
        server.answer = lambda *_: {"refused": [MARKUP], "results": MARKUP, "error": MARKUP}
        return self.right(text)


@promise("its process ended with exit code 1")
class PatchesBuiltins(Right):
    def wrong(self, text: str) -> Any:
        for name in ("isinstance", "len", "getattr", "str"):
            setattr(builtins, name, lambda *_: 1 / 0)
        return self.right(text)


# Files and limits


@promise(".py: cannot be read: No such file or directory", code=2)
class DeletesItselfAtOnce(Right):
    """In the first look: before there is a plan."""

    def wrong(self, text: str) -> Any:
        Path(__file__).unlink(missing_ok=True)
        os._exit(0)


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
class OpensTenThousandFiles(Right):
    def wrong(self, text: str) -> Any:
        self.files = []
        with suppress(OSError):
            self.files += [open(os.devnull) for _ in range(10_000)]  # noqa: SIM115
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


# Answers that do not repeat


class _Unrepeated(Right):
    """Wrong where `is_wrong`, on any text."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.calls = 0

    def encode(self, text: str, add_special_tokens: bool) -> Any:
        self.calls += 1
        ids = self.right(text)
        return ids[:-1] if self.is_wrong(text) else ids

    def is_wrong(self, text: str) -> bool:
        """Whether this call is answered wrongly."""
        raise NotImplementedError


@promise("its answer changes when it is asked the same again", unrepeated=True)
class WrongEveryOtherTime(_Unrepeated):
    def is_wrong(self, text: str) -> bool:
        return random.random() < 0.5


@promise("its answer changes when it is asked the same again", unrepeated=True)
class WrongOnceInAHundred(_Unrepeated):
    def is_wrong(self, text: str) -> bool:
        return random.random() < 0.01


@promise("its answer changes when it is asked the same again", unrepeated=True)
class WrongByTheClock(_Unrepeated):
    def is_wrong(self, text: str) -> bool:
        return int(time.time() * 1000) % 7 == 0


@promise("its answer depends on what else it was asked", unrepeated=True)
class WrongByItsCount(_Unrepeated):
    def encode(self, text: str, add_special_tokens: bool) -> Any:
        self.calls += 1
        return [*self.right(text), self.calls % 100]


@promise("its answer depends on what else it was asked", unrepeated=True)
class WrongAfterThreeHundred(_Unrepeated):
    def is_wrong(self, text: str) -> bool:
        return self.calls > 300


@promise("its answer depends on what else it was asked", unrepeated=True)
class WrongByACoarseCache(_Unrepeated):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.known: dict[tuple[str, int], Ids] = {}

    def encode(self, text: str, add_special_tokens: bool) -> Any:
        return self.known.setdefault((text[:2], len(text)), self.right(text))
