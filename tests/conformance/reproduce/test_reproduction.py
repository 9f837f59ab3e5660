"""A reproduction is one file that shows a finding in a fresh process, and shows none where the subject is right."""

from __future__ import annotations

import ast
import base64
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from conformance.causes.asking_again import AskedAgain
from conformance.checks.base import Answers, Difference
from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.errors import InputError
from conformance.core.finding import Finding, Mismatch
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs
from conformance.reproduce import parts
from conformance.reproduce.reproduction import reproduction
from conformance.reproduce.script import Reproduction
from conformance.runs.models import plan_models
from conformance.subjects import adapters
from conformance.subjects.adapters import ADAPTERS, FORMATS
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.units import Unit, in_code_points
from reftok import Tokenizer, embedded_models
from reftok.formats.tiktoken.encodings import ENCODINGS
from reftok.rules.pipeline import Pipeline

from ..commands import Command, Corpus, Findings, said

pytestmark = pytest.mark.usefixtures("subjects_here")

ROOT = Path(__file__).resolve().parents[2]
DEFECTS = ROOT / "planted_defects"
CORRECT = f"{DEFECTS / 'correct.py'}:Subject"
CORRECT_STREAMS = f"{DEFECTS / 'correct_streams.py'}:Subject"
FLUSH = "the end is never given out"
SOURCE = """
from tokenizers import Tokenizer
class Subject:
    def __init__(self, path):
        self.tokenizer = Tokenizer.from_file(path)
    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids{wrong}
    def decode(self, ids, skip_special_tokens):
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
"""


def ran(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Alone: no package of the checkout is found, in a folder that is not the checkout."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, str(path), *arguments],
        cwd=path.parent,
        env=environment,
        capture_output=True,
        encoding="ascii",
        timeout=120,
    )


def constant(path: Path, name: str) -> Any:
    """A constant of the file, read without running it."""
    for node in ast.parse(path.read_text("ascii")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise AssertionError(f"no {name}")


def json_model(path: Path) -> dict[str, Any]:
    """The model of the file."""
    (value,) = (
        node.value
        for node in ast.parse(path.read_text("ascii")).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "MODEL"
    )
    assert isinstance(value, ast.Call)
    assert isinstance(value.func, ast.Attribute)
    root: dict[str, Any] = json.loads(ast.literal_eval(value.func.value))
    return root


def entries(path: Path) -> int:
    return len(json_model(path)["model"]["vocab"])


def made(folder: Path, model: str, subject: str, check: str, rule: str, case: Case, shrinks_model: bool = True) -> Path:
    """The file that reproduces a mismatch of a planted defect."""
    (planned,) = plan_models((model,))
    mismatch = Mismatch(planned.name, subject, check, rule, "other ids", case, "", "")
    finding = Finding(mismatch, 1, (), "", rule, planned.oracle)
    plan = Plan((planned,), (str(DEFECTS / subject),), (check,), Inputs((), ("fuzz",), 0, 0), 60.0)
    path = folder / "reproduction.py"
    path.write_text(reproduction(plan, finding, shrinks_model).text, "ascii")
    return path


def of_ids(folder: Path, subject: str, text: str, model: str = "bpe-qwen", shrinks_model: bool = True) -> Path:
    return made(folder, model, subject, "ids", "other ids", text_case(text, "test"), shrinks_model)


@pytest.mark.parametrize(
    ("model", "subject", "check", "rule", "case"),
    [
        ("bpe-qwen", "no_nfc.py:Subject", "ids", "other ids", text_case("cafe\u0301", "")),
        ("bpe-qwen", "reversed_merges.py:Subject", "ids", "other ids", text_case("hello world", "")),
        ("bpe-qwen", "utf16_offsets.py:Subject", "offsets", "other offsets", text_case("\U0001f600 a", "")),
        ("bpe-qwen", "lossy_decode.py:Subject", "decode", "other text", ids_case((162, 90), "")),
        ("spm-unigram", "wrong_normalizers.py:NoCharsmap", "ids", "other ids", text_case("a\u2460", "")),
    ],
)
def test_it_shows_the_defect_and_agrees_with_a_correct_subject(
    model: str, subject: str, check: str, rule: str, case: Case, tmp_path: Path
) -> None:
    path = made(tmp_path, model, subject, check, rule, case)
    shown = ran(path, str(DEFECTS / subject))
    assert shown.returncode == 1, shown.stderr
    assert shown.stdout.count("\n") == 3
    right = ran(path, CORRECT)
    assert right.returncode == 0, right.stderr + right.stdout
    assert len(path.read_bytes()) < 7_500


def test_a_stream_that_forgets_its_end_is_shown_by_its_chunks(tmp_path: Path) -> None:
    subject = "stream_forgets_flush.py:Subject"
    path = made(tmp_path, "bpe-qwen", subject, "stream encode", FLUSH, text_case("a b", ""))
    assert ran(path, str(DEFECTS / subject)).returncode == 1
    assert ran(path, CORRECT_STREAMS).returncode == 0
    without = ran(path, CORRECT)
    assert without.returncode == 2
    assert "stream_encoder" in without.stderr


def test_a_stream_of_bytes_gives_the_ids_of_their_text(tmp_path: Path) -> None:
    subject, rule = "stream_cuts_bytes.py:Subject", "other ids than those of the whole text"
    path = made(tmp_path, "spm-bpe", subject, "stream encode", rule, text_case("a é", ""))
    assert any(isinstance(chunk, bytes) for chunk in constant(path, "INPUT"))
    shown = ran(path, str(DEFECTS / subject))
    assert shown.returncode == 1, shown.stderr
    assert "Error" not in shown.stdout
    right = ran(path, f"{DEFECTS / 'correct_byte_streams.py'}:Subject")
    assert right.returncode == 0, right.stderr + right.stdout


def test_what_is_refused_as_a_whole_is_no_difference_of_a_stream(tmp_path: Path) -> None:
    path = made(tmp_path, "bpe-qwen", "stream_forgets_flush.py:Subject", "stream encode", FLUSH, text_case("a", ""))
    refusing = tmp_path / "refusing.py"
    refusing.write_text(SOURCE.format(wrong="[None]") + "    def stream_encoder(self, add): return self\n", "ascii")
    shown = ran(path, f"{refusing}:Subject")
    assert shown.returncode == 2
    assert "TypeError" in shown.stderr


def test_a_use_of_a_stream_without_a_short_form_is_refused_and_the_help_says_that_there_are_such(
    tmp_path: Path, conformance_here: Command
) -> None:
    asked = "stream_ignores_stop.py:Subject", "stream decode", "an early stop is ignored"
    with pytest.raises(InputError, match="this use of a stream has no short form"):
        made(tmp_path, "bpe-qwen", *asked, ids_case((64, 65), ""), shrinks_model=False)
    told = " ".join(conformance_here("reproduce", "--help").stdout.split())
    assert "Some findings have no such file" in told
    assert "a stream that is reset, fed beside another one or read by its callback" in told


def test_model_and_text_have_what_the_mismatch_needs_and_no_more(tmp_path: Path) -> None:
    path = of_ids(tmp_path, "reversed_merges.py:Subject", "hello world")
    root = json_model(path)
    assert len(root["model"]["merges"]) == 2
    assert entries(path) == len({*constant(path, "INPUT")}) + 2
    assert all(not root[stage] for stage in ("normalizer", "pre_tokenizer", "post_processor", "decoder"))


def test_the_whole_model_is_held_on_request(tmp_path: Path) -> None:
    path = of_ids(tmp_path, "no_nfc.py:Subject", "cafe\u0301", shrinks_model=False)
    assert len(path.read_bytes()) > 100_000
    assert constant(path, "INPUT") == "cafe\u0301"
    assert ran(path, str(DEFECTS / "no_nfc.py:Subject")).returncode == 1
    assert ran(path, CORRECT).returncode == 0


def test_what_another_official_library_makes_right_is_not_shown_by_the_library_of_the_format() -> None:
    (planned,) = plan_models(("bpe-gpt2",), official="transformers")
    mismatch = Mismatch(planned.name, "tokenizers", "ids", "other ids", "other ids", text_case("a", "test"), "", "")
    plan = Plan((planned,), ("tokenizers",), ("ids",), Inputs((), ("fuzz",), 0, 0), 60.0)
    with pytest.raises(InputError, match="a reproduction asks tokenizers, and here transformers-auto is official"):
        reproduction(plan, Finding(mismatch, 1, (), "", "other ids", "transformers"), True)


def test_it_is_the_same_every_time(tmp_path: Path) -> None:
    first = of_ids(tmp_path, "no_nfc.py:Subject", "cafe\u0301").read_bytes()
    assert of_ids(tmp_path, "no_nfc.py:Subject", "cafe\u0301").read_bytes() == first


def test_its_subject_must_be_named_and_load(tmp_path: Path) -> None:
    path = of_ids(tmp_path, "no_nfc.py:Subject", "e\u0301")
    nobody, missing = ran(path), ran(path, "nowhere.py:Subject")
    assert (nobody.returncode, missing.returncode) == (2, 2)
    assert "name the subject" in nobody.stderr
    assert "nowhere.py" in missing.stderr


@pytest.mark.parametrize("rule", ["timed out", "not asked"])
def test_what_gives_no_answer_in_time_is_not_tried_again(rule: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no reproduction"):
        made(tmp_path, "bpe-qwen", "hangs.py:Subject", "ids", rule, text_case("a", ""))


def test_a_subject_that_reads_more_than_the_model_file_is_told_so(tmp_path: Path) -> None:
    """Fault: it was said to differ no more, while `replay` showed that it does."""
    subject, model = tmp_path / "mine.py", tmp_path / "model" / "tokenizer.json"
    reads = "open(path.replace('tokenizer.json', 'settings')).close()\n        self.tokenizer ="
    subject.write_text(SOURCE.format(wrong=" + [0]").replace("self.tokenizer =", reads, 1), "utf-8")
    model.parent.mkdir()
    model.write_bytes(embedded_models()["bpe-gpt2"].read_bytes())
    model.with_name("settings").touch()
    with pytest.raises(InputError, match=r"cannot take part with a copy of tokenizer\.json alone"):
        made_of(f"{subject}:Subject", "mine.py:Subject", "ids", "other ids", text_case("a b", ""), str(model))


def test_from_a_run_to_the_file_and_to_a_subject_that_is_mended(
    conformance_here: Command, findings: Findings, corpus: Corpus, tmp_path: Path
) -> None:
    subject, folder = tmp_path / "mine.py", tmp_path / "run"
    subject.write_text(SOURCE.format(wrong=" + [0] * (text == 'a b')"), "utf-8")
    asked = ("--model", "bpe-gpt2", "--subject", f"{subject}:Subject", "--check", "ids", "--corpus", corpus("a b"))
    ended = conformance_here("run", *asked, "--inputs", "corpora", "--jobs", "1", "--quiet", "--out", folder)
    assert ended.returncode == 1, ended.stderr
    fingerprint = findings(folder)[0]["fingerprint"]
    written = conformance_here("reproduce", folder, fingerprint[:8])
    path = folder / f"reproduction-{fingerprint}.py"
    assert written.returncode == 0, written.stderr
    assert f"python {path} {subject}:Subject" in written.stdout.replace("\n", " ")
    assert ran(path, f"{subject}:Subject").returncode == 1
    still = conformance_here("replay", folder, fingerprint)
    assert (still.returncode, still.stderr) == (1, "")
    assert "still differs" in still.stdout
    example = findings(folder)[0]["example"]
    assert example["expected"] in still.stdout
    assert example["observed"] in still.stdout
    said(conformance_here("replay", tmp_path / "elsewhere", "0"), 2, "elsewhere: there is no such folder")
    subject.write_text(SOURCE.format(wrong="[1 / 0]"), "utf-8")
    other = conformance_here("replay", folder, fingerprint)
    assert other.returncode == 1
    assert "observed  refused: ZeroDivisionError" in other.stdout
    assert "differs in another way (refused), not by" in other.stdout
    said(conformance_here("reproduce", folder, fingerprint), 2, "fails in another way now (refused: ZeroDivisionError")
    subject.write_text(SOURCE.format(wrong=""), "utf-8")
    assert ran(path, f"{subject}:Subject").returncode == 0
    mended = conformance_here("replay", folder, fingerprint)
    assert mended.returncode == 0, mended.stdout
    assert "differs no more" in mended.stdout
    said(conformance_here("reproduce", folder, fingerprint), 2, "differs no more")
    said(conformance_here("reproduce", folder, "nothing"), 2, "no finding has a fingerprint")


@pytest.mark.parametrize("name", ["reftok", "reftok-spec"])
@pytest.mark.parametrize("model", ["bpe-qwen", "spm-unigram"])
def test_the_reference_is_written_as_itself_and_its_plain_rules_as_themselves(name: str, model: str) -> None:
    """Fault: `reftok-spec` was written as the official library, which was then held against itself."""
    model_format = {"bpe-qwen": "tokenizer.json", "spm-unigram": "sentencepiece"}[model]
    written: dict[str, Any] = {}
    exec("\n".join((parts.HELPERS, FORMATS[model_format].reproduction, ADAPTERS[name].reproduction)), written)
    path = str(embedded_models()[model])
    subject, official = written["Subject"](path), written["Official"](path)
    assert subject.encode("it's ok")["ids"] == official.encode("it's ok")["ids"]
    assert type(subject.tokenizer) is {"reftok": Tokenizer, "reftok-spec": Pipeline}[name]


RANK_SUBJECT = """
import tiktoken, tomllib
from base64 import b64decode
from pathlib import Path
class Subject:
    def __init__(self, path):
        lines = Path(path).read_bytes().splitlines()
        self.ranks = {{b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}}
        encoding = {encoding}
        self.special = encoding["special_tokens"]
        self.tokenizer = tiktoken.Encoding(
            "own", pat_str=encoding["pattern"], mergeable_ranks=self.ranks, special_tokens=self.special
        )
    def encode(self, text, add_special_tokens):
        return self.tokenizer.encode(text{wrong}, allowed_special="all")
    def decode(self, ids, skip_special_tokens):
        kept = [i for i in ids if not (skip_special_tokens and i in self.special.values())]
        return self.tokenizer.decode(kept)
"""
BESIDE_IT = 'tomllib.loads(Path(path).with_suffix(".toml").read_text("utf-8"))["encoding"]'
OWN_ENCODING = """encoding = { pattern = '\\p{L}+|\\P{L}', special_tokens = { "<s>" = 900, "<t>" = 901 } }"""


def rank_finding(
    folder: Path, subject: str, case: Case, encoding: str, check: str = "ids", label: str = ""
) -> tuple[Plan, Finding]:
    """A mismatch of a subject on a rank file of our own. encoding: its name, "" for the .toml beside it."""
    tokens = [*(bytes([byte]) for byte in range(256)), *(b"%c%c" % (one, two) for one in b"abcd" for two in b"abcd")]
    path = folder / "own.tiktoken"
    path.write_bytes(b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens)))
    if not encoding:
        (folder / "own.toml").write_text(OWN_ENCODING, "utf-8")
    (planned,) = plan_models((str(path),), encoding)
    rule = "other ids" if check == "ids" else "other text"
    mismatch = Mismatch(planned.name, label or Path(subject).name, check, rule, "other ids", case, "", "")
    plan = Plan((planned,), (subject,), (check,), Inputs((), ("fuzz",), 0, 0), 60.0)
    return plan, Finding(mismatch, 1, (), "", rule, planned.oracle)


@pytest.mark.parametrize(
    ("encoding", "text", "special", "shrinks_model"),
    [("", "dd <t>abab", "<t>", True), ("cl100k_base", "dd <|endoftext|>abab", "<|endoftext|>", False)],
)
def test_a_rank_file_is_written_with_its_pattern_and_special_tokens(
    tmp_path: Path, encoding: str, text: str, special: str, shrinks_model: bool
) -> None:
    pytest.importorskip("tiktoken")
    subject, right = tmp_path / "wrong.py", tmp_path / "right.py"
    known = ENCODINGS[encoding] if encoding else None
    of = repr({"pattern": known.pattern, "special_tokens": known.special_tokens}) if known else BESIDE_IT
    subject.write_text(RANK_SUBJECT.format(encoding=of, wrong=f'.replace("{special}ab", "c")'), "utf-8")
    right.write_text(RANK_SUBJECT.format(encoding=of, wrong=""), "utf-8")
    plan, finding = rank_finding(tmp_path, f"{subject}:Subject", text_case(text, ""), encoding)
    path = tmp_path / "reproduction.py"
    path.write_text(reproduction(plan, finding, shrinks_model).text, "ascii")
    shown = ran(path, f"{subject}:Subject")
    assert shown.returncode == 1, shown.stderr
    assert shown.stdout.count("\n") == 3
    agreed = ran(path, f"{right}:Subject")
    assert agreed.returncode == 0, agreed.stderr + agreed.stdout
    written = tomllib.loads(constant(path, "ENCODING"))["encoding"]["special_tokens"]
    assert constant(path, "INPUT") == (f"{special}ab" if shrinks_model else text)
    all_special = known.special_tokens if known else {"<s>": 900, "<t>": 901}
    assert written == ({special: all_special[special]} if shrinks_model else all_special)
    if shrinks_model:
        assert ranks_of(path) == 256
        assert len(path.read_bytes()) < 10_000


def ranks_of(path: Path) -> int:
    """How many ranks the model of the file has."""
    written: dict[str, Any] = {}
    exec(path.read_text("ascii").replace("sys.exit(main())", "pass"), written)
    return len(written["MODEL"].splitlines())


@pytest.mark.parametrize("name", ["reftok", "reftok-spec"])
def test_the_reference_on_a_rank_file_reads_the_encoding_beside_it(name: str, tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    plan, _ = rank_finding(tmp_path, name, text_case("", ""), "")
    written: dict[str, Any] = {"base64": base64, "os": os}
    exec("\n".join((parts.HELPERS, FORMATS["tiktoken"].reproduction, ADAPTERS[name].reproduction)), written)
    subject, official = written["Subject"](str(plan.models[0].path)), written["Official"](str(plan.models[0].path))
    assert subject.encode("ab<s>c 1")["ids"] == official.encode("ab<s>c 1")["ids"] == [257, 900, 99, 32, 49]
    assert subject.decode([257, 900]) == official.decode([257, 900]) == ["ab", "ab<s>"]


@pytest.fixture
def programs_of_their_own(subjects_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "IsolatedSubject", IsolatedSubject)


PROGRAM = """
import base64, json, sys
from tokenizers import Tokenizer
print("loading")
def fed(to, chunks):
    if to == "decoder":
        return [*["" for _ in chunks], tokenizer.decode(chunks)[:{cut}]]
    return [*[[] for _ in chunks], tokenizer.encode("".join(chunks)).ids[:{cut}]]
capabilities = {says}
for line in sys.stdin:
    message = json.loads(line)
    operation, items = message["op"], message.get("items", ())
    if operation in ("start", "load"):
        tokenizer = Tokenizer.from_file(message["model"]["path"])
        told = {{"protocol": 1, "subject": {{"name": "mine"}}, "capabilities": capabilities}}
        answer = {{"started": told}}
    elif operation == "encode":
        adds = message["add_special_tokens"] and {adds}
        encoded = [tokenizer.encode(item["text"], add_special_tokens=adds) for item in items]
        results = [{{"ids": one.ids, "offsets": one.offsets}} for one in encoded]
        for result in results:
            {wrong}
        answer = {{"results": results}}
    elif operation == "decode":
        texts = [tokenizer.decode(item["ids"], skip_special_tokens=message["skip_special_tokens"]) for item in items]
        answer = {{"results": [{{"base64": base64.b64encode((text + {more!r}).encode()).decode()}} for text in texts]}}
    elif operation == "stream":
        answer = {{"results": [{{"given": fed(item["to"], item["chunks"])}} for item in items]}}
    else:
        break
    print(json.dumps({{"id": message["id"], **answer}}), flush=True)
"""
STREAMS = {"encode": {}, "decode": {}, "stream_decode": [], "stream_encode": []}
NEVER_ADDS = {"encode": {"add_special_tokens": "never"}, "decode": {"skip_special_tokens": "never"}}


def program(
    folder: Path, wrong: str = "pass", says: Any = None, adds: bool = True, more: str = "", cut: int | None = None
) -> tuple[Path, Path]:
    """A subject.toml, and its program: {PROGRAM} with some of it wrong."""
    script, about = folder / "server.py", folder / "subject.toml"
    script.write_text(
        PROGRAM.format(says=says or {"encode": {}, "decode": {}}, adds=adds, wrong=wrong, more=more, cut=cut), "utf-8"
    )
    about.write_text(f'name = "mine"\ncommand = [{json.dumps(sys.executable)}, "server.py"]\n', "utf-8")
    return about, script


def made_of(name: str, label: str, check: str, rule: str, case: Case, model: str = "bpe-qwen") -> str:
    """The file that reproduces a mismatch of a subject of any kind."""
    (planned,) = plan_models((model,))
    mismatch = Mismatch(planned.name, label, check, rule, "other ids", case, "", "")
    finding = Finding(mismatch, 1, (), "", rule, planned.oracle)
    plan = Plan((planned,), (name,), (check,), Inputs((), ("fuzz",), 0, 0), 60.0)
    return reproduction(plan, finding, True).text


@pytest.mark.usefixtures("programs_of_their_own")
@pytest.mark.parametrize(
    ("check", "rule", "case", "way"),
    [
        (
            "ids",
            "other ids",
            text_case("a b", ""),
            {"wrong": "result['ids'].append(0)", "says": NEVER_ADDS, "adds": False},
        ),
        ("decode", "other text", ids_case((64, 65), ""), {"more": "!", "says": NEVER_ADDS}),
        ("ids", "crashed", text_case("a b", ""), {"wrong": "sys.exit(3)"}),
        ("stream decode", "the end is never given out", ids_case((64, 65), ""), {"cut": -1, "says": STREAMS}),
        ("stream encode", FLUSH, text_case("a b", ""), {"cut": -1, "says": STREAMS}),
    ],
)
def test_a_program_is_started_by_the_file_itself(
    check: str, rule: str, case: Case, way: dict[str, Any], tmp_path: Path
) -> None:
    """Fault: the file wanted FILE.py:FACTORY, which a program has not."""
    about, script = program(tmp_path, **way)
    path = tmp_path / "reproduction.py"
    path.write_text(made_of(str(about), "mine", check, rule, case), "ascii")
    shown = ran(path)
    assert shown.returncode == 1, shown.stderr
    assert shown.stdout.count("\n") == 3
    program(tmp_path, says=way.get("says"), adds=way.get("adds", True))
    agreed = ran(path)
    assert agreed.returncode == 0, agreed.stderr + agreed.stdout
    script.unlink()
    assert ran(path).returncode == 2


@pytest.mark.parametrize("unit", ["scalar", "utf8", "utf16"])
@pytest.mark.parametrize("text", ["", "a", "\U0001f600 \u00e9a", "\ud83d\U0001f600"])
def test_offsets_of_a_program_are_those_that_the_harness_reads(unit: Unit, text: str) -> None:
    written: dict[str, Any] = {}
    exec(parts.SUBJECT_OF_PROGRAM, written)
    spans = tuple((first, end) for first in range(-1, 12) for end in range(first, 12))
    assert tuple(written["in_code_points"](spans, text, unit)) == in_code_points(spans, text, unit)


@pytest.mark.usefixtures("programs_of_their_own")
def test_another_program_than_that_of_the_run_is_named_after_the_file(tmp_path: Path) -> None:
    _, script = program(tmp_path, wrong="result['ids'].append(0)")
    name = f"{sys.executable} {script}"
    label = f"{Path(sys.executable).name} server.py"
    path = tmp_path / "reproduction.py"
    path.write_text(made_of(name, label, "ids", "other ids", text_case("a", "")), "ascii")
    assert ran(path).returncode == 1
    right = tmp_path / "right"
    right.mkdir()
    _, mended = program(right)
    assert ran(path, sys.executable, str(mended)).returncode == 0


@pytest.mark.usefixtures("programs_of_their_own")
def test_another_program_is_named_by_its_subject_toml(tmp_path: Path) -> None:
    """Fault: the subject.toml was started as a program: PermissionError, though every other command takes it."""
    about, _ = program(tmp_path, wrong="result['ids'].append(0)")
    path = tmp_path / "reproduction.py"
    path.write_text(made_of(str(about), "mine", "ids", "other ids", text_case("a", "")), "ascii")
    right = tmp_path / "right"
    right.mkdir()
    mended, _ = program(right, wrong="__import__('os').environ['MENDED']")
    assert "ended with exit code" in ran(path, "right/subject.toml").stdout
    mended.write_text(mended.read_text("utf-8") + "[env]\nMENDED = '1'\n", "utf-8")
    agreed = ran(path, "right/subject.toml")
    assert agreed.returncode == 0, agreed.stderr + agreed.stdout
    for text, message in {
        'factory = "mine.py:Mine"': "mine.toml: has no `command`, a list, and so no program to start",
        'command = "node mine.mjs"': "mine.toml: has no `command`, a list, and so no program to start",
        "command = [": "mine.toml: is not TOML",
    }.items():
        (tmp_path / "mine.toml").write_text(text, "utf-8")
        refused = ran(path, "mine.toml")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
        assert refused.stderr.count("\n") == 1


def test_a_factory_is_named_by_its_subject_toml(tmp_path: Path) -> None:
    """Fault: the file wanted FILE.py:FACTORY, and a subject.toml was loaded as Python without a name."""
    path = of_ids(tmp_path, "wrong_pre_tokenizers.py:NoLookahead", "the\t a")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "mine.py").write_text(SOURCE.format(wrong=""), "utf-8")
    about = tmp_path / "mine" / "subject.toml"
    about.write_text('name = "mine"\nfactory = "mine.py:Subject"\n', "utf-8")
    agreed = ran(path, "mine/subject.toml")
    assert agreed.returncode == 0, agreed.stderr + agreed.stdout
    about.write_text('name = "mine"\ncommand = ["node", "mine.mjs"]\n', "utf-8")
    refused = ran(path, "mine/subject.toml")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "mine/subject.toml: has no `factory`, FILE.py:FACTORY" in refused.stderr


RANK_PROGRAM = """
import json, sys
from base64 import b64decode
import tiktoken
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] in ("start", "load"):
        model = message["model"]
        ranks = {{b64decode(token): int(rank) for token, rank in map(bytes.split, open(model["path"], "rb"))}}
        known = {{"pat_str": model["pattern"], "special_tokens": model.get("special_tokens", {{}})}}
        tokenizer = tiktoken.Encoding("own", mergeable_ranks=ranks, **known)
        answer = {{"started": {{"protocol": 1, "subject": {{"name": "mine"}}, "capabilities": {{"encode": {{}}}}}}}}
    else:
        texts = [item["text"] for item in message["items"]]
        answer = {{"results": [{{"ids": tokenizer.encode(text{wrong}, allowed_special="all")}} for text in texts]}}
    print(json.dumps({{"id": message["id"], **answer}}), flush=True)
"""


NEEDS_A_NAME = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    is_named = is_named if "model" not in message else message["model"].get("encoding") == "cl100k_base"
    answers = [{{"ids": [1, 2, 3]}}]
    if not is_named:
        {broken}
    answer = {{"results": answers * len(message.get("items", ()))}}
    if "model" in message:
        answer = {{"started": {{"protocol": 1, "subject": {{"name": "mine"}}, "capabilities": {{"encode": {{}}}}}}}}
    print(json.dumps({{"id": message["id"], **answer}}), flush=True)
"""


@pytest.mark.usefixtures("programs_of_their_own")
def test_a_program_is_handed_the_pattern_and_the_special_tokens_of_the_smaller_rank_file(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    about, script = program(tmp_path)
    script.write_text(RANK_PROGRAM.format(wrong='.replace("<t>ab", "c")'), "utf-8")
    plan, finding = rank_finding(tmp_path, str(about), text_case("dd <t>abab", ""), "", label="mine")
    path = tmp_path / "reproduction.py"
    path.write_text(reproduction(plan, finding, True).text, "ascii")
    assert (constant(path, "INPUT"), constant(path, "MODEL_FIELDS")["special_tokens"]) == ("<t>ab", {"<t>": 901})
    shown = ran(path)
    assert shown.returncode == 1, shown.stderr
    script.write_text(RANK_PROGRAM.format(wrong=""), "utf-8")
    agreed = ran(path)
    assert agreed.returncode == 0, agreed.stderr + agreed.stdout


@pytest.mark.usefixtures("programs_of_their_own")
@pytest.mark.parametrize("encoding", ["", "cl100k_base"])
def test_a_smaller_rank_file_without_special_tokens_is_told_so_and_has_no_name(encoding: str, tmp_path: Path) -> None:
    """Fault: `load` had the name cl100k_base and no `special_tokens`, which a program read as null."""
    pytest.importorskip("tiktoken")
    about, script = program(tmp_path)
    code = RANK_PROGRAM.replace('model.get("special_tokens", {{}})', 'model["special_tokens"]')
    script.write_text(code.format(wrong='.replace("ab", "c")'), "utf-8")
    plan, finding = rank_finding(tmp_path, str(about), text_case("dd abab", ""), encoding, label="mine")
    path = tmp_path / "reproduction.py"
    made = reproduction(plan, finding, True)
    path.write_text(made.text, "ascii")
    fields = constant(path, "MODEL_FIELDS")
    assert (made.refusal, fields["special_tokens"], "encoding" in fields) == ("", {}, False)
    assert ran(path).returncode == 1


@pytest.mark.usefixtures("programs_of_their_own")
@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("sys.exit('wants the name')", "cannot take part with a copy of own.tiktoken alone"),
        ("answers = [{'refused': {'message': 'a null'}}]", "fails in another way now (refused: a null)"),
    ],
)
def test_a_subject_that_refuses_the_smaller_model_is_shown_on_the_whole_one(
    broken: str, said: str, tmp_path: Path
) -> None:
    """Fault: no file was written, though with --no-shrink-model one was."""
    pytest.importorskip("tiktoken")
    about, script = program(tmp_path)
    script.write_text(NEEDS_A_NAME.format(broken=broken), "utf-8")
    plan, finding = rank_finding(tmp_path, str(about), text_case("dd abab", ""), "cl100k_base", label="mine")
    path = tmp_path / "reproduction.py"
    made = reproduction(plan, finding, True)
    path.write_text(made.text, "ascii")
    assert said in made.refusal
    assert made.refusal.endswith("so this is the whole one, as with --no-shrink-model")
    assert (ranks_of(path), constant(path, "INPUT")) == (272, "dd abab")
    assert constant(path, "MODEL_FIELDS")["encoding"] == "cl100k_base"
    shown = ran(path)
    assert shown.returncode == 1, shown.stderr


@pytest.mark.usefixtures("programs_of_their_own")
def test_a_subject_that_wants_some_special_token_is_shown_on_few_ranks_with_all_of_them(tmp_path: Path) -> None:
    """Fault: an alternation of no special tokens matches everywhere, so that the whole model had to be written."""
    pytest.importorskip("tiktoken")
    about, script = program(tmp_path)
    wants = RANK_PROGRAM.replace(
        'answer = {{"results"', "1 // len(known['special_tokens'])\n        answer = {{\"results\""
    )
    script.write_text(wants.format(wrong='.replace("ab", "c")'), "utf-8")
    plan, finding = rank_finding(tmp_path, str(about), text_case("dd abab", ""), "", label="mine")
    path = tmp_path / "reproduction.py"
    made = reproduction(plan, finding, True)
    path.write_text(made.text, "ascii")
    assert made.refusal.endswith("so this one has all special tokens")
    assert ranks_of(path) == 256
    assert constant(path, "MODEL_FIELDS")["special_tokens"] == {"<s>": 900, "<t>": 901}
    assert ran(path).returncode == 1


def test_a_subject_with_its_own_model_is_not_reproduced_on_a_rank_file(tmp_path: Path) -> None:
    about, _ = program(tmp_path)
    about.write_text(about.read_text("utf-8") + 'model = "own"\n', "utf-8")
    plan, finding = rank_finding(tmp_path, str(about), text_case("a", ""), "", label="mine")
    with pytest.raises(InputError, match="takes its own model by the name of the encoding"):
        reproduction(plan, finding, True)


def test_a_factory_that_needs_its_encodings_name_is_not_reproduced_on_a_rank_file(tmp_path: Path) -> None:
    subject = tmp_path / "mine.py"
    subject.write_text("def make(path, encoding): raise SystemError\n", "utf-8")
    plan, finding = rank_finding(tmp_path, f"{subject}:make", text_case("a", ""), "cl100k_base")
    with pytest.raises(InputError, match="wants `encoding` beside the path"):
        reproduction(plan, finding, True)


@pytest.mark.parametrize("setting", ['python = "venv/bin/python"', "[env]\nA = '1'", "[options]\nlegacy = true"])
def test_a_factory_with_settings_in_its_subject_toml_is_refused_by_name(setting: str, tmp_path: Path) -> None:
    about = tmp_path / "subject.toml"
    (tmp_path / "mine.py").touch()
    about.write_text(f'name = "mine"\nfactory = "mine.py:Subject"\n{setting}\n', "utf-8")
    with pytest.raises(InputError, match="a `python`, `env` or `options` in its"):
        made_of(str(about), "mine", "ids", "other ids", text_case("a", ""))


def test_a_factory_of_a_subject_toml_is_named_as_such(tmp_path: Path) -> None:
    about = tmp_path / "subject.toml"
    (tmp_path / "mine.py").write_text(SOURCE.format(wrong=" + [0]"), "utf-8")
    about.write_text('name = "mine"\nfactory = "mine.py:Subject"\n', "utf-8")
    path = tmp_path / "reproduction.py"
    path.write_text(made_of(str(about), "mine", "ids", "other ids", text_case("a", "")), "ascii")
    assert ran(path, f"{tmp_path / 'mine.py'}:Subject").returncode == 1


HOSTILE = "'\"\"\"\n)\\\\ {x} %s \u202e \ud800 \0 \U0001f600 __import__('os')._exit(0)"


@pytest.mark.parametrize("case", [text_case(HOSTILE, ""), bytes_case(b'\xff\'"""\\\n', ""), ids_case((1, 2), "")])
def test_nothing_that_comes_from_inputs_is_code(case: Case, tmp_path: Path) -> None:
    model = json.dumps({"model": {"vocab": {HOSTILE: 0}}}).encode()
    mismatch = Mismatch("m", HOSTILE, "ids", HOSTILE, "other ids", case, HOSTILE, HOSTILE)
    finding = Finding(mismatch, 1, (), HOSTILE, HOSTILE, "tokenizers")
    shown = AskedAgain("same", Difference(HOSTILE, "other ids", "", ""), Answers(), Answers())
    path = tmp_path / "reproduction.py"
    path.write_text(Reproduction(finding, "tokenizer.json", model, case, shown, True).text, "ascii")
    assert constant(path, "INPUT") == (list(case.ids) or case.data or case.text)
    assert constant(path, "CAUSE") == f"{HOSTILE}: {HOSTILE}"
    assert json_model(path) == json.loads(model)
    kinds = {type(node) for node in ast.parse(path.read_text("ascii")).body}
    assert kinds == {ast.Expr, ast.Import, ast.Assign, ast.FunctionDef, ast.ClassDef, ast.If}
