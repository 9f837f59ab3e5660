"""What a subject says of itself decides what it is asked, and how its answers are read."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reftok
from conformance.core.observation import Decoded, Encoded, Failure
from conformance.core.streaming import Feeding, Streamed
from conformance.subjects import protocol_subject
from conformance.subjects.adapters import load_subject
from conformance.subjects.connection import LocalConnection
from conformance.subjects.definition import Definition
from conformance.subjects.in_process import InProcessSubject
from conformance.subjects.process import NoAnswer
from conformance.subjects.protocol import (
    Answer,
    Encode,
    EncodeBatch,
    Model,
    Request,
    StreamResult,
    schema,
)
from conformance.subjects.protocol_subject import BATCH_TEXTS, FIRST_ITEMS, ProtocolSubject
from conformance.subjects.serve import Server
from conformance.subjects.special_tokens import SpecialTokens, special_tokens
from conformance.subjects.units import in_code_points
from reftok.formats.tiktoken.encodings import ENCODINGS, RankEncoding

from .isolated_subjects import TIMEOUT, Make, failure
from .served_here import ServedHere

TOKENS = SpecialTokens(
    frozenset({1, 2}),
    ("<s>", "</s>"),
    Encoded((1,), ("<s>",), ((0, 0),), (1,)),
    Encoded((2,), ("</s>",), ((0, 0),), (1,)),
)
SAYS = """
class Subject:
    capabilities = {says}
    def __init__(self, path): pass
    def encode(self, text, special):
        return [*([1] if special else []), *(list(text) if isinstance(text, bytes) else map(ord, text))]
    def decode(self, ids, skip):
        return {decoded}
"""


def test_the_published_schema_is_that_of_the_types() -> None:
    text = files("conformance.subjects").joinpath("schema", "protocol-1.json").read_text("utf-8")
    assert json.loads(text) == json.loads(json.dumps(schema()))


def test_bytes_of_a_decoding_are_read_as_the_official_library_does(make: Make) -> None:
    subject = make(SAYS.format(says={}, decoded="b'a\\xf0\\x9f\\x98'"))
    assert subject.decode([5]) == Decoded("a\ufffd", "a\ufffd")
    subject._model = msgspec.structs.replace(subject._model, format="sentencepiece")
    assert subject.decode([5]) == Decoded("a\ufffd\ufffd\ufffd", "a\ufffd\ufffd\ufffd")


def test_a_subject_that_never_adds_special_tokens_has_them_added(make: Make) -> None:
    subject = make(
        SAYS.replace("[1] if special", "[] if special").format(
            says={"encode": {"add_special_tokens": "never"}}, decoded="''"
        )
    )
    subject._special_tokens = TOKENS
    assert subject.encode("a") == Encoded((1, 97, 2))


@pytest.mark.parametrize(("says", "first"), [("choice", 0), ("never", 1)])
def test_a_subject_that_never_adds_special_tokens_is_told_to_add_them_all_the_same(says: str, first: int) -> None:
    """Fault: asked for ids without special tokens it was told false, against docs/protocol.md."""

    class Told(NeverAdds):
        capabilities: ClassVar = {"encode": {"add_special_tokens": says}}

        def encode(self, text: str, add_special_tokens: bool) -> list[int]:
            return [int(add_special_tokens)]

    assert InProcessSubject(Told()).encode_bare(["a"]) == [Encoded((first,))]


class NeverAdds:
    """Its streams give an id a character."""

    capabilities: ClassVar = {"encode": {"add_special_tokens": "never"}, "stream_encode": ["beside"]}

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [*map(ord, text)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return "".join(map(chr, ids))

    def stream_encoder(self, add_special_tokens: bool) -> NeverAdds:
        return self

    def feed(self, text: str) -> list[int]:
        return [*map(ord, text)]

    def finish(self) -> list[int]:
        return []


def test_the_streams_of_a_subject_that_never_adds_special_tokens_have_them_added() -> None:
    subject = InProcessSubject(NeverAdds())
    subject._special_tokens = TOKENS
    (two,) = subject.stream([Feeding("encoder", ("a", "b"), beside=("c",))])
    assert two == Streamed(((1, 97), (98,), (2,)), ((1, 99), (2,)))


def test_a_stream_that_gave_nothing_at_all_gives_nothing_with_a_template(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = InProcessSubject(NeverAdds())
    subject._special_tokens = TOKENS
    monkeypatch.setattr(subject, "_ask", lambda make, items: [StreamResult(given=())])
    assert subject.stream([Feeding("encoder", ("a",))]) == [Streamed(())]


def test_a_subject_that_never_skips_special_tokens_is_not_given_them_to_skip(make: Make) -> None:
    subject = make(SAYS.format(says={"decode": {"skip_special_tokens": "never"}}, decoded="str(ids)"))
    subject._special_tokens = TOKENS
    assert subject.decode([1, 5, 2]) == Decoded("[5]", "[1, 5, 2]")


def test_control_pieces_of_sentencepiece_are_skipped_and_are_text_in_a_text() -> None:
    tokens = special_tokens(reftok.load("spm-bpe"))
    assert tokens.without([1, 5, 2]) == [5]
    assert tokens.in_text("<s>") == ""


def test_a_subject_that_always_skips_special_tokens_is_not_asked_to_keep_them(make: Make) -> None:
    subject = make(SAYS.format(says={"decode": {"skip_special_tokens": "always"}}, decoded="str(skip)"))
    assert subject.decode([1]) == Decoded("True")


@pytest.mark.parametrize("taken_as", ["text", "refused"])
def test_a_special_token_in_a_text_is_not_asked_where_that_is_a_choice(make: Make, taken_as: str) -> None:
    subject = make(SAYS.format(says={"encode": {"special_in_text": taken_as, "bytes": True}}, decoded="''"))
    subject._special_tokens = TOKENS
    skipped, skipped_too, asked = subject.encode_batch(["a<s>b", b"\xff<s>", "a"])
    assert failure(skipped).kind == failure(skipped_too).kind == "skipped"
    assert asked == Encoded((1, 97))


def test_lone_surrogates_are_for_those_who_take_them(make: Make) -> None:
    assert make(SAYS.format(says={}, decoded="''")).encode("\ud83d") == Encoded((1, 0xD83D))
    subject = make(SAYS.format(says={"encode": {"utf16": False}}, decoded="''"))
    assert failure(subject.encode("\ud83d")).kind == "refused"


def test_bytes_are_for_those_who_take_them(make: Make) -> None:
    subject = make(SAYS.format(says={"encode": {"bytes": True}}, decoded="''"))
    assert subject.takes_bytes
    assert subject.encode(b"\xff") == Encoded((1, 255))
    other = make(SAYS.format(says={}, decoded="''"))
    assert not other.takes_bytes
    assert failure(other.encode(b"a")).kind == "skipped"


def test_what_is_not_promised_is_not_asked(make: Make) -> None:
    subject = make(SAYS.format(says={"encode": None, "decode": None}, decoded="''"))
    assert failure(subject.encode("a")).kind == "skipped"
    assert failure(subject.decode([1])).kind == "skipped"
    assert subject.stream([Feeding("decoder", (1,))]) == [None]
    bulk = subject.in_bulk()
    assert bulk is not None
    assert (bulk.ids(["a"]), bulk.texts([[1]])) == ([None], [None])


class Streaming:
    def __init__(self, capabilities: dict[str, object]) -> None:
        self.capabilities = capabilities

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [*map(ord, text)]

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return "".join(map(chr, ids))

    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> list[str]:
        return [*map(chr, ids), ""]


def test_a_stream_that_never_skips_special_tokens_is_not_given_them_to_skip() -> None:
    subject = InProcessSubject(Streaming({"decode": {"skip_special_tokens": "never"}, "stream_decode": ["beside"]}))
    subject._special_tokens = TOKENS
    skipping, keeping = Feeding("decoder", (65, 1)), Feeding("decoder", (65, 1), skip_special_tokens=False)
    beside = Feeding("decoder", (65,), skip_special_tokens=False, beside=(1,))
    found = subject.stream([skipping, keeping, beside, Feeding("decoder", (65,))])
    assert [given is not None for given in found] == [False, True, False, True]


def test_a_stream_is_fed_only_as_it_can_be() -> None:
    subject = InProcessSubject(Streaming({"stream_decode": []}))
    plain, with_reset = Feeding("decoder", (97,)), Feeding("decoder", (97,), forgotten=(98,))
    assert subject.stream([plain, with_reset]) == [Streamed(("a", "")), None]


@given(st.text(min_size=1), st.data())
def test_offsets_in_other_units_are_those_in_code_points(text: str, data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    for unit, size in (
        ("utf8", lambda part: len(part.encode())),
        ("utf16", lambda part: len(part.encode("utf-16-le")) // 2),
    ):
        span = (size(text[:start]), size(text[:end]))
        assert in_code_points((span,), text, unit) == ((start, end),)


def test_what_begins_or_ends_within_a_code_point_has_the_whole_of_it() -> None:
    assert in_code_points(((0, 2), (2, 4)), "\U0001f600", "utf8") == ((0, 1), (0, 1))
    assert in_code_points(((0, 1), (1, 3)), "e\u0301a", "grapheme") == ((0, 2), (2, 4))


def test_the_special_tokens_of_a_model_are_those_of_its_template() -> None:
    """A text within them is what the file's own template makes of it."""
    tokenizer = reftok.load("bpe-llama3")
    tokens = special_tokens(tokenizer)
    bare, whole = (tokenizer.encode("b c", add_special_tokens=added) for added in (False, True))
    assert tokens.before.tokens == ("<|begin_of_text|>",)
    assert {*tokens.before.ids} <= tokens.ids
    assert tokens.around(Encoded(tuple(bare.ids))).ids == tuple(whole.ids)
    assert tokens.in_text("a<|begin_of_text|>b") == "<|begin_of_text|>"


class _Counted(LocalConnection):
    """Counts the items of messages; has no answer in time to one of more than some."""

    def __init__(self, server: Server, most: int, otherwise: Failure | None = None) -> None:
        super().__init__(server)
        self.sizes: list[int] = []
        self._most = most
        self._otherwise = otherwise

    def receive(self, request: Request, seconds: float) -> Answer:
        items = getattr(request, "items", ())
        self.sizes.append(len(items))
        if len(items) > self._most:
            if self._otherwise is not None:
                super().receive(request, seconds)
                raise NoAnswer(self._otherwise, is_over=False)
            raise NoAnswer(Failure("timed out", f"no answer within {seconds:g} s"))
        return super().receive(request, seconds)


class _Plain:
    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [len(text)]

    def decode(self, ids: Sequence[int], skip_special_tokens: bool) -> str:
        return "a" * ids[0]


def _counted(
    monkeypatch: pytest.MonkeyPatch, most: int, otherwise: Failure | None = None
) -> tuple[ServedHere, _Counted]:
    """A subject whose messages are counted; most: the items of those that it answers in time, or as it should."""
    connection = _Counted(Server(lambda: lambda path: _Plain()), most, otherwise)
    monkeypatch.setattr(ServedHere, "_connect", lambda self: connection)
    return ServedHere(Definition("mine", ("mine",), ()), Model(path="", format="", sha256=""), TIMEOUT), connection


def test_what_decodes_at_once_is_not_asked_to_encode_hundreds_of_texts_in_its_next_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol_subject, "_MESSAGE_SECONDS", 1e9)
    subject, connection = _counted(monkeypatch, most=10_000)
    subject.decode_each([(1,)] * 1000)
    assert max(connection.sizes) > FIRST_ITEMS
    connection.sizes.clear()
    subject.encode_batch(["a"] * 1000)
    assert connection.sizes[0] <= FIRST_ITEMS


def test_a_message_that_has_no_answer_in_time_is_followed_by_smaller_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a subject that is slow is given up, though it answers each text."""
    monkeypatch.setattr(protocol_subject, "_MESSAGE_SECONDS", 0.0)
    monkeypatch.setattr(protocol_subject, "FIRST_ITEMS", 64)
    subject, connection = _counted(monkeypatch, most=16)
    subject._most_items.clear()
    answers = subject.encode_batch(["a"] * 1000)
    assert [failure(one).kind for one in answers if not isinstance(one, Encoded)] == ["timed out once"]
    assert connection.sizes.count(64) == 1


def test_nonsense_of_several_items_is_told_though_each_alone_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was passed over: a result was left out of every message, and all answers were right."""
    few = Failure("nonsense", "a result too few")
    subject, _ = _counted(monkeypatch, most=1, otherwise=few)
    subject._most_items.clear()
    first, *others = subject.encode_batch(["a"] * FIRST_ITEMS)
    assert failure(first) == Failure("adapter error", "a result too few")
    assert others == [Encoded((1,))] * (FIRST_ITEMS - 1)


def test_a_batch_call_of_other_ids_does_not_depend_on_the_order(make: Make) -> None:
    """It is a finding of its own check, and no reason to start the subject for each shard."""
    subject = make(
        SAYS.format(says={}, decoded="''") + "    def encode_batch(self, texts, special): return [[7]] * len(texts)"
    )
    assert subject.encode_batch([f"text {number}" for number in range(300)]) == [Encoded((7,))] * 300
    assert not subject.anew


class _Timed(LocalConnection):
    """Has no answer in time to a batch call; notes how long it was waited for."""

    def __init__(self, server: Server, seconds_each: float) -> None:
        super().__init__(server)
        self.waited: list[float] = []
        self.now = 0.0
        self._seconds_each = seconds_each

    def receive(self, request: Request, seconds: float) -> Answer:
        if isinstance(request, EncodeBatch):
            self.waited.append(seconds)
            raise NoAnswer(Failure("timed out", f"no answer within {seconds:g} s"))
        if isinstance(request, Encode):
            self.now += self._seconds_each * len(request.items)
        return super().receive(request, seconds)


class _Batches(_Plain):
    def encode_batch(self, texts: Sequence[str], add_special_tokens: bool) -> list[list[int]]:
        return [[len(text)] for text in texts]


def _timed(monkeypatch: pytest.MonkeyPatch, seconds_each: float) -> tuple[ServedHere, _Timed]:
    """A subject whose batch call has no answer in time, and whose texts take so long each."""
    connection = _Timed(Server(lambda: lambda path: _Batches()), seconds_each)
    monkeypatch.setattr(ServedHere, "_connect", lambda self: connection)
    monkeypatch.setattr(protocol_subject, "time", SimpleNamespace(monotonic=lambda: connection.now))
    return ServedHere(Definition("mine", ("mine",), ()), Model(path="", format="", sha256=""), TIMEOUT), connection


def test_a_batch_call_that_hangs_is_waited_for_as_long_as_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was given that time for each of its 64 texts: minutes."""
    subject, connection = _timed(monkeypatch, seconds_each=0.0)
    first, *others = subject.encode_batch(["a"] * BATCH_TEXTS)
    assert connection.waited == [TIMEOUT]
    assert failure(first) == Failure(
        "timed out", f"encode_batch of {BATCH_TEXTS} texts: no answer within {TIMEOUT:g} s"
    )
    assert others == [Encoded((1,))] * (BATCH_TEXTS - 1)


def test_a_batch_call_of_a_subject_that_is_slow_with_each_text_is_at_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    subject, connection = _timed(monkeypatch, seconds_each=TIMEOUT / 10)
    assert subject.encode_batch(["a"] * BATCH_TEXTS) == [Encoded((1,))] * BATCH_TEXTS
    assert connection.waited == [TIMEOUT]


RANKS = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
OF_RANKS = """
class Subject:
    def __init__(self, path, encoding, pattern, special_tokens):
        self.version = repr((encoding, pattern, special_tokens))
    def encode(self, text, special): return [0]
    def decode(self, ids, skip): return ""
"""


def test_a_subject_is_handed_the_pattern_and_the_special_tokens_of_a_rank_file(tmp_path: Path) -> None:
    """Fault: it was handed the name of an encoding, if that, and had to know what the encoding is."""
    ranks, subject = tmp_path / "own.tiktoken", tmp_path / "mine.py"
    ranks.write_bytes(RANKS)
    ranks.with_suffix(".toml").write_text('[encoding]\npattern = "a|b"\nspecial_tokens = { "<s>" = 256 }\n', "utf-8")
    subject.write_text(OF_RANKS, "utf-8")
    asked = load_subject(f"{subject}:Subject", ranks, "tiktoken", TIMEOUT)
    assert isinstance(asked, ProtocolSubject)
    assert asked.version == repr(("", "a|b", {"<s>": 256}))
    smaller = RankEncoding("own.toml", "a", {})
    asked.load(ranks, SpecialTokens(), smaller)
    assert asked.version == repr(("", "a", {}))
    asked.close()
    named = load_subject(f"{subject}:Subject", ranks, "tiktoken", TIMEOUT, "gpt2")
    assert isinstance(named, ProtocolSubject)
    assert named.version[:20] == repr(("gpt2", ENCODINGS["gpt2"].pattern))[:20]
    named.close()


SAYS_ITS_MODEL = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    path = asked["model"]["path"] if asked["op"] in ("start", "load") else ""
    subject = {"name": "mine", "version": path, "language": ""}
    started = {"protocol": 1, "subject": subject, "capabilities": {}}
    print(json.dumps({"id": asked["id"], "started": started}), flush=True)
"""


def test_a_program_that_runs_in_another_folder_is_told_where_the_model_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: it runs in a folder of its own, and was given a path that it did not find."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/subject.toml").write_text('name = "mine"\ncommand = ["python3", "mine.py"]\n', "utf-8")
    (tmp_path / "mine/mine.py").write_text(SAYS_ITS_MODEL, "utf-8")
    for name in ("one.json", "other.json"):
        (tmp_path / name).write_text("{}", "utf-8")
    monkeypatch.chdir(tmp_path)
    subject = load_subject("mine/subject.toml", Path("one.json"), "tokenizer.json", TIMEOUT)
    assert isinstance(subject, ProtocolSubject)
    assert subject.version == str(tmp_path / "one.json")
    subject.load(Path("other.json"), SpecialTokens())
    assert subject.version == str(tmp_path / "other.json")
    subject.close()
