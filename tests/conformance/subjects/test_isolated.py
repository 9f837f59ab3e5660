"""A subject in a process of its own: whatever it does, the harness gets an answer to every question and goes on."""

from __future__ import annotations

import math
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.streaming import Feeding, Streamed
from conformance.subjects import protocol_subject
from conformance.subjects.base import UnavailableError
from conformance.subjects.protocol_subject import MOST_DEATHS, TIME_IS_UP
from conformance.subjects.strays import MARK

from .isolated_subjects import ONE_ID, WHOLE, Make, failure, isolated


def test_right_answers_come_through(make: Make) -> None:
    subject = make()
    assert subject.encode_batch(["a", "☠\n\0", ""]) == [Encoded((1,)), Encoded((3,)), Encoded((0,))]
    assert subject.decode([1, 2]) == Decoded("skipped", "kept")
    assert subject.stream([ONE_ID, Feeding("encoder", ("a",))]) == [None, None]


def test_offsets_tokens_and_streams_come_through(make: Make) -> None:
    subject = make(
        """
        class Subject:
            def __init__(self, path): self.path = path
            def encode(self, text, special): raise AssertionError
            def encode_with_offsets(self, text, special): return (i for i in (1, 2)), ["a", "☠"], [[0, 1], (1, 2)]
            def decode(self, ids, skip): return self.path
            def stream_decode(self, ids, skip):
                yield from ("a", "b")
        """
    )
    assert subject.encode("x") == Encoded((1, 2), ("a", "☠"), ((0, 1), (1, 2)))
    assert subject.stream([ONE_ID]) == [Streamed(("a", "b"))]
    decoded = subject.decode([1])
    assert isinstance(decoded, Decoded)
    assert decoded.text.endswith("mödel")


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ("signal.raise_signal(signal.SIGSTOP)", "timed out", "no answer within 1 s"),
        # Fault: it "closed its answers", which was waited for far longer than for an answer.
        ("import atexit; atexit.register(time.sleep, 600); sys.exit()", "timed out", "no answer within 1 s"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed", "its process was killed by SIGSEGV"),
        ("os.kill(os.getpid(), 40)", "crashed", "its process was killed by signal 40"),
        ("sys.exit(4)", "crashed", "its process ended with exit code 4"),
        ("raise KeyboardInterrupt", "crashed", "its process was killed by SIGINT"),
        ("os.closerange(0, 64); os._exit(5)", "crashed", "its process ended with exit code 5"),
        ("raise ValueError('two\\nlines')", "refused", "ValueError: two lines"),
        ("return (lambda f: f(f))(lambda f: f(f))", "refused", "RecursionError"),
        (
            "raise type('Bad', (Exception,), {'__str__': lambda error: 1 // 0})",
            "refused",
            "Bad: (an error that cannot be",
        ),
    ],
)
def test_the_rest_of_a_batch_is_answered_after_a_failure(make: Make, wrong: str, kind: str, message: str) -> None:
    subject = make(wrong=wrong, timeout=1.0 if kind == "timed out" else 20.0)
    before, failed, after, last = subject.encode_batch(["a", "wrong", "bb", "ccc"])
    assert (before, after, last) == (Encoded((1,)), Encoded((2,)), Encoded((3,)))
    assert failure(failed).kind == kind
    assert message in failure(failed).message


def test_what_is_no_exception_is_told_in_one_line_not_by_the_frames_of_the_harness(make: Make) -> None:
    failed, _ = make(wrong="raise type('Odd', (BaseException,), {})('why')").encode_batch(["wrong", "a"])
    assert failure(failed).message == "its process ended with exit code 1; it said: Odd: why"


def test_noise_disturbs_nothing(make: Make) -> None:
    wrong = """print('{"ids": [9]}', flush=True); os.write(1, b'x' * 200_000); os.write(2, b'y' * 200_000)"""
    assert make(wrong=wrong).encode_batch(["wrong", "a"]) == [Encoded((5,)), Encoded((1,))]


def test_a_subject_that_reads_standard_input_finds_it_empty(make: Make) -> None:
    assert make(wrong="return list(sys.stdin.buffer.read())").encode_batch(["wrong", "a"]) == [
        Encoded(()),
        Encoded((1,)),
    ]


def test_a_fork_has_no_voice(make: Make) -> None:
    subject = make(wrong="os.fork()")
    assert subject.encode_batch(["wrong", "a", "wrong", "bb"]) == [Encoded((n,)) for n in (5, 1, 5, 2)]


def test_a_long_text_comes_through(make: Make) -> None:
    assert make(timeout=60).encode("☠" * 5_000_000) == Encoded((5_000_000,))


def test_given_up_after_the_most_deaths_and_taken_up_again(make: Make) -> None:
    subject = make(wrong="os._exit(3)")
    answers = subject.encode_batch(["wrong"] * MOST_DEATHS + ["a", "wrong"])
    assert [failure(answer).kind for answer in answers] == ["crashed"] * MOST_DEATHS + ["not asked"] * 2
    assert failure(subject.decode([1])).kind == "not asked"
    subject.renew()
    assert subject.encode("a") == Encoded((1,))


PANIC = "raise type('PanicException', (BaseException,), {})('index out of bounds')"


def test_a_panic_is_a_crash_that_says_why_and_after_which_the_process_goes_on(make: Make) -> None:
    """Fault: the panics of a library in Rust ended the process, and after five of them nothing was asked any more."""
    panicked = Failure("crashed", "PanicException: index out of bounds")
    subject = make(wrong=PANIC)
    answers = subject.encode_batch(["a", *["wrong"] * (MOST_DEATHS + 1), "bb"])
    assert answers == [Encoded((1,)), *[panicked] * (MOST_DEATHS + 1), Encoded((2,))]


def test_a_subject_that_panics_when_it_is_loaded_says_why(make: Make) -> None:
    """Fault: all that was said was that its process ended with exit code 1."""
    with pytest.raises(UnavailableError, match="cannot be loaded: PanicException: index out of bounds"):
        make(f"def Subject(path): {PANIC}")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import a_module_that_nobody_has", "ModuleNotFoundError: No module named 'a_module_that_nobody_has'"),
        ("import sys; sys.exit('bye')", "its process ended with exit code 1"),
        ("import os; os.kill(os.getpid(), 9)", "its process was killed by SIGKILL"),
        ("Other = list", "has no callable Subject"),
        ("def Subject(path): raise ValueError('no')", "ValueError: no"),
        ("def Subject(path): return None", "no method encode and no method decode"),
        (
            "class Subject:\n  version = property(lambda s: 1 / 0)\n  __init__ = encode = decode = lambda *_: None",
            "ZeroDivisionError",
        ),
        ("class Subject:\n  def __init__(self, p): pass\n  def encode(self, t, s): return []", "no method decode"),
    ],
)
def test_what_cannot_be_loaded_says_why(make: Make, source: str, message: str) -> None:
    with pytest.raises(UnavailableError, match=r"sübject file\.py:Subject cannot be loaded") as caught:
        make(source)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_beside_the_subject_can_be_imported(make: Make, tmp_path: Path) -> None:
    (tmp_path / "its_helper.py").write_text("IDS = [4]", "utf-8")
    subject = make(
        """
        import its_helper
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): return its_helper.IDS
            def decode(self, ids, skip): return ""
        """
    )
    assert subject.encode("a") == Encoded((4,))


HOLDER = """
import os, sys, time
class Subject:
    def __init__(self, path):
        parent = os.getpid()
        os.fork()
        self.held = os.open(path + ".fifo", os.O_WRONLY)
        if os.getpid() != parent:
            time.sleep(600)
    def encode(self, text, special):
        if text == "exit":
            os._exit(3)
        return [1]
    def decode(self, ids, skip):
        return ""
"""


@pytest.mark.parametrize("last_text", ["a", "exit"])
def test_the_process_and_what_it_started_are_gone_after_close(make: Make, tmp_path: Path, last_text: str) -> None:
    fifo = tmp_path / "mödel.fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    subject = make(HOLDER)
    subject.encode(last_text)
    subject.close()
    assert select.select([reader], [], [], 60)[0]  # the end of the file: nobody holds the other end any more
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_close_twice_does_no_harm(make: Make) -> None:
    subject = make()
    subject.close()
    subject.close()
    assert subject.encode("a") == Encoded((1,))


@pytest.mark.parametrize(
    ("always", "kind"),
    [("time.sleep(600)", "timed out"), ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed")],
)
def test_a_subject_that_fails_on_the_plainest_text_is_asked_nothing_else(make: Make, always: str, kind: str) -> None:
    subject = make(
        f"""
        import os, signal, time
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special): {always}
            def decode(self, ids, skip): return ""
        """,
        timeout=1.0,
    )
    answers = [failure(answer) for answer in subject.encode_batch(["x", "y"])]
    assert [answer.kind for answer in answers] == [kind, kind]
    assert all("on the text 'a' already" in answer.message for answer in answers)
    assert failure(subject.decode([1])).kind == kind


BATCH = """
import os, time
class Subject:
    def __init__(self, path): pass
    def encode(self, text, special):
        if text == "poison": raise ValueError("poison")
        return [len(text)]
    def encode_batch(self, texts, special):
        {batch}
    def decode(self, ids, skip): return ""
"""


def test_the_batch_call_of_a_subject_is_used(make: Make) -> None:
    subject = make(BATCH.format(batch="return [[len(text), len(texts)] for text in texts]"))
    assert subject.has_batch
    assert subject.encode_batch(["a", "bb", "c"]) == [Encoded((1, 3)), Encoded((2, 3)), Encoded((1, 3))]
    assert subject.encode("a") == Encoded((1,))
    assert [len(answer.ids) for answer in subject.encode_batch(["x"] * 150) if isinstance(answer, Encoded)] == [2] * 150
    assert not make().has_batch


def test_a_batch_call_beside_offsets_gives_the_ids_and_the_single_call_the_rest(make: Make) -> None:
    offsets = "def encode_with_offsets(self, text, special): return [1], ['t'], [(0, 1)]"
    subject = make(BATCH.format(batch=f"return [[5], [1]]\n    {offsets}"))
    assert subject.encode_batch(["a", "b"]) == [Encoded((5,), ("t",), ((0, 1),)), Encoded((1,), ("t",), ((0, 1),))]


def test_a_text_that_makes_a_batch_fail_is_found_among_the_others(make: Make) -> None:
    subject = make(BATCH.format(batch="return [self.encode(text, special) for text in texts]"))
    before, poison, after = subject.encode_batch(["a", "poison", "bb"])
    assert (before, after) == (Encoded((1,)), Encoded((2,)))
    assert failure(poison).kind == "refused"


@pytest.mark.parametrize(
    ("batch", "kind"),
    [
        ("raise ValueError('no')", "refused"),
        ("return None", "nonsense"),
        ("os._exit(3)", "crashed"),
        ("time.sleep(600)", "timed out"),
    ],
)
def test_a_batch_call_that_fails_by_its_own_fault_is_seen_once(make: Make, batch: str, kind: str) -> None:
    first, second, third = make(BATCH.format(batch=batch), timeout=1.0).encode_batch(["a", "bb", "ccc"])
    assert failure(first).kind == kind
    assert "encode_batch of 3 texts" in failure(first).message
    assert (second, third) == (Encoded((2,)), Encoded((3,)))


COUNTING = """
class Subject:
    def __init__(self, path):
        self.asked = 0
    def encode(self, text, special):
        self.asked += 1
        return [self.asked]
    def decode(self, ids, skip): return ""
"""


def test_what_a_subject_remembers_is_gone_when_it_is_renewed(make: Make) -> None:
    subject = make(COUNTING, timeout=60)
    subject.renew()
    assert subject.encode_batch(["a", "b"]) == [Encoded((1,)), Encoded((2,))]
    subject.next_shard()
    assert subject.encode("a") == Encoded((3,))
    subject.renew()
    assert subject.encode("a") == Encoded((1,))


def test_answers_that_depend_on_their_order_end_the_process_with_the_shard(make: Make) -> None:
    subject = make(COUNTING, timeout=60)
    subject.encode_batch([f"text {number}" for number in range(300)])
    assert subject.anew
    subject.next_shard()
    assert subject.encode("a") == Encoded((1,))


def test_the_time_to_start_is_not_that_of_an_answer(make: Make) -> None:
    assert make("__version__ = '1.2'" + WHOLE.format(wrong="pass"), timeout=0.001).version == "1.2"


def test_a_subject_that_does_not_start_in_its_time_is_told_so(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_subject, "START_SECONDS", 0.1)
    with pytest.raises(UnavailableError, match=r"cannot be loaded: it had not loaded the model after 0\.1 s"):
        make("import time\ntime.sleep(600)")


@pytest.mark.parametrize(
    ("source", "version"),
    [
        (WHOLE, ""),
        ("__version__ = '1.2'" + WHOLE + "    version = '3.4'\n", "3.4"),
        (WHOLE + "    version = (3, 4)\n", ""),
    ],
)
def test_a_subject_may_tell_its_version(make: Make, source: str, version: str) -> None:
    assert make(source.format(wrong="pass")).version == version


def test_a_version_is_a_short_text_whatever_its_type_makes_of_a_part_of_it(make: Make) -> None:
    """Faults: ten million characters stood in every report; they were cut off by the methods of the version's type."""
    subject = make(
        """
        class Version(str):
            def __getitem__(self, key): return "2." * 10_000_000
        class Subject:
            version = Version("1." * 1000)
            def __init__(self, path): pass
            def encode(self, text, special): return [1]
            def decode(self, ids, skip): return "a"
        """
    )
    assert subject.version == "1." * 50


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")
def test_what_a_subject_starts_in_a_group_of_its_own_ends_with_it(make: Make, tmp_path: Path) -> None:
    """Fault: such a process went on when the run had ended."""
    started = tmp_path / "started"
    subject = make(
        f"""
        import subprocess
        class Subject:
            def __init__(self, path):
                child = subprocess.Popen(["sleep", "600"], start_new_session=True)
                open({str(started)!r}, "w").write(str(child.pid))
            def encode(self, text, special): return [1]
            def decode(self, ids, skip): return "a"
        """
    )
    ended = os.pidfd_open(int(started.read_text("ascii")))
    try:
        assert not select.select([ended], [], [], 0)[0]
        subject.close()
        assert select.select([ended], [], [], 10)[0]
    finally:
        os.close(ended)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there is no /proc")
def test_what_a_subject_starts_in_a_group_of_its_own_ends_with_the_requests(tmp_path: Path) -> None:
    """Fault: such a process went on where nobody closed the subject, as at the end of every worker."""
    held, other_end = os.pipe()
    file = tmp_path / "subject.py"
    file.write_text(
        "import subprocess\n"
        "class Subject:\n"
        "    def __init__(self, path):\n"
        f"        subprocess.Popen(['sleep', '600'], start_new_session=True, pass_fds=[{other_end}])\n"
        "    encode = decode = print\n",
        "ascii",
    )
    start = b'{"id": 0, "op": "start", "model": {"path": "model"}}\n'
    said = subprocess.run(
        [sys.executable, "-m", "conformance.subjects.serve", file, "Subject"],
        input=start,
        stdout=subprocess.PIPE,
        pass_fds=[other_end],
        env={**os.environ, MARK: "of a test"},
        start_new_session=True,
    )
    os.close(other_end)
    assert b"started" in said.stdout
    with os.fdopen(held, "rb") as pipe:
        assert select.select([pipe], [], [], 10)[0]  # the end of the file: nobody holds the other end any more
        assert pipe.read() == b""


@pytest.mark.skipif(sys.platform != "linux", reason="the memory of a process is bounded on Linux alone")
def test_memory_beyond_the_bound_is_refused(tmp_path: Path) -> None:
    """Fault: a subject could take all memory of the machine."""
    file = tmp_path / "subject.py"
    file.write_text(
        "class Subject:\n"
        "    def __init__(self, path): pass\n"
        "    def encode(self, text, special): return [len(bytearray(len(text) << 20)) >> 20]\n"
        "    def decode(self, ids, skip): return 'a'\n",
        "ascii",
    )
    subject = isolated(f"{file}:Subject", tmp_path, 60.0, memory=256)
    try:
        assert subject.encode("x" * 8) == Encoded((8,))
        assert failure(subject.encode("x" * 400)).message.startswith("MemoryError")
    finally:
        subject.close()


def test_a_subject_that_is_slow_with_many_texts_is_at_no_fault(make: Make) -> None:
    """Fault: many texts in a message had the time of one, and were said to have hung once."""
    subject = make(
        """
        import time
        class Subject:
            def __init__(self, path): pass
            def encode(self, text, special):
                time.sleep(0.4 if len(text) > 1 else 0)
                return [len(text)]
            def decode(self, ids, skip): return ""
        """,
        timeout=1.0,
    )
    texts = ["a", "bb", "ccc", "dddd", "eeeee", "ffffff"]
    assert subject.encode_batch(texts) == [Encoded((len(text),)) for text in texts]


def test_a_question_for_which_there_was_no_time_is_not_tested_and_no_time_out(make: Make) -> None:
    """Fault: a session went on for as long as one answer may take, and called the subject slow."""
    subject = make(wrong="time.sleep(1e6)", timeout=60)
    subject.until = time.monotonic() + 0.3
    assert subject.encode_batch(["wrong", *"abcdefghijklm"]) == [TIME_IS_UP] * 14
    assert subject.decode_each([(1,)]) == [TIME_IS_UP]
    bulk = subject.in_bulk()
    assert bulk is not None
    assert bulk.ids(["a"]) == [None]
    subject.until = math.inf
    assert isinstance(subject.encode("a"), Encoded), "it is started again when there is time"
