"""`import conformance`: a Python object of this process, held against the official library of a model."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

import pytest

import conformance
from conformance.api import INPUTS
from conformance.core.errors import InputError
from conformance.engine import bench
from conformance.inputs.corpora import PARTS
from conformance.report.run import view
from conformance.report.run.folder import read_run_folder
from conformance.subjects.base import UnavailableError
from conformance.subjects.versions import installed_version
from reftok import Tokenizer, embedded_models, load
from tests.conformance.generators.tiny import byte_level, tiny_json

HEAVY = {"click", "hypothesis", "jinja2", "numpy", "pebble", "regex", "reftok", "rich", "sentencepiece", "tokenizers"}
SMALL: dict[str, Any] = {"corpora": ["known_bugs"], "fuzz": 40}


class Right:
    """What the reference gives."""

    version = "7.1"

    def __init__(self, model: str = "bpe-qwen") -> None:
        self.tokenizer: Tokenizer = load(model)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.tokenizer.encode_ids(text, add_special_tokens=add_special_tokens)

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)


class LosesCarriageReturns(Right):
    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return super().encode(text.replace("\r\n", "\n"), add_special_tokens)


class Refuses(Right):
    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        raise ValueError("no text is good enough")


class Nonsense(Right):
    def decode(self, ids: list[int], skip_special_tokens: bool) -> Any:
        return b"bytes"


class Batches(Right):
    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        return [self.encode(text, add_special_tokens)[:1] for text in texts]


class FailsInBatches(Right):
    def encode_batch(self, texts: list[str], add_special_tokens: bool) -> list[list[int]]:
        raise ValueError("too many texts")


class Offsets(Right):
    def encode_with_offsets(self, text: str, add_special_tokens: bool) -> tuple[Any, ...]:
        encoding = self.tokenizer.encode(text, add_special_tokens=add_special_tokens)
        return encoding.ids, encoding.tokens, [(start, end + 1) for start, end in encoding.offsets]


class Streams(Right):
    """Its stream gives each id's text alone, so that characters are cut."""

    def stream_decode(self, ids: list[int], skip_special_tokens: bool) -> Iterator[str]:
        return (self.decode([token_id], skip_special_tokens) for token_id in ids)


class Exits(Right):
    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        raise KeyboardInterrupt


def test_the_package_alone_imports_nothing_else() -> None:
    code = f"import sys, conformance; print({HEAVY!r} & sys.modules.keys(), *sorted(conformance.__all__))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True).stdout
    assert printed.startswith("set() ")
    assert all(getattr(conformance, name) for name in conformance.__all__)
    with pytest.raises(AttributeError, match="no attribute 'finding'"):
        attrgetter("finding")(conformance)


def test_nothing_is_found_in_what_is_right() -> None:
    assert conformance.findings(Right(), "bpe-qwen") == ()


def test_a_finding_is_shrunk_and_names_stage_rule_and_both_answers() -> None:
    (found,) = conformance.findings(LosesCarriageReturns(), "bpe-qwen")
    assert (found.stage, found.rule, found.example.case.text) == ("Input", r"CR LF is converted to \n", "\r\n")
    assert (found.example.model, found.example.subject) == ("bpe-qwen", "LosesCarriageReturns")
    asked = found.weight.whole.asked if found.weight.whole else 0
    assert conformance.describe([found]).splitlines()[1:] == [
        r"  rule      Input: CR LF is converted to \n (INP005)",
        r'  usually   `replace("\r\n", "\n")`, or a file that C opens in text mode on Windows',
        f"  wrong     the subject: tokenizers {installed_version('tokenizers')}, reftok and its plain rules agree",
        f"  weight    natural text: 100 % of windows-line-ends texts (6 of 6); of all natural texts 6 of {asked:,}",
        f"  scope     {found.scope}",
        f"  foretold  {view.confidence(found)}",
        "  input     ␍␊",
        "  natural   Bof…␍␊ (windows-line-ends)",
        "  also      .␍␊b, ␠␍␊␠, a␍␊b",
        "  right     the nearest input: ␊␊",
        r"  expected  201 '\r', 198 '\n'",
        r"  observed  198 '\n'",
    ]


def test_one_input_is_compared_as_it_is() -> None:
    mine = LosesCarriageReturns()
    assert conformance.compare(mine, "bpe-qwen", "one\nline") == ()
    for given in ("two\r\nlines", b"two\r\nlines\xff"):
        (found,) = conformance.compare(mine, "bpe-qwen", given)
        text = given if isinstance(given, str) else given.decode("utf-8", "replace")
        assert (found.stage, found.rule, found.example.case.text) == ("Input", r"CR LF is converted to \n", text)
    assert conformance.compare(mine, "bpe-qwen", [2, 3, 5000, 1 << 31]) == ()


class Counts(LosesCarriageReturns):
    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        self.asked += 1
        return super().encode(text, add_special_tokens)


def test_hundreds_of_comparisons_of_one_object_seek_its_cause_once() -> None:
    subject = Counts()
    asked = []
    for text in ("two\r\nlines", "three\r\nother\r\nlines", "q\r\nzz", "q\r\nz"):
        subject.asked = 0
        (found,) = conformance.compare(subject, "bpe-qwen", text)
        asked.append(subject.asked)
        assert (found.stage, found.rule) == ("Input", r"CR LF is converted to \n")
        assert found.confidence is not None
        assert found.confidence.tried == found.confidence.foretold
    assert max(asked[1:]) < asked[0] / 2


def test_what_one_object_does_says_nothing_of_another_of_its_class() -> None:
    first, second = Counts(), Counts()
    conformance.compare(first, "bpe-qwen", "two\r\nlines")
    asked, first.asked = first.asked, 0
    conformance.compare(second, "bpe-qwen", "two\r\nlines")
    assert (first.asked, second.asked) == (0, asked)


def test_one_comparison_does_not_depend_on_those_before_it() -> None:
    first = conformance.compare(LosesCarriageReturns(), "bpe-qwen", "a\r\nb")
    conformance.compare(Refuses(), "bpe-qwen", "a\r\nb")
    for text in ("\r\n", "\r\n\r\n", "plain"):
        conformance.compare(LosesCarriageReturns(), "bpe-qwen", text)
    assert conformance.compare(LosesCarriageReturns(), "bpe-qwen", "a\r\nb") == first


@pytest.mark.parametrize(
    ("subject", "given", "check"),
    [
        (Refuses, "a", "ids"),
        (Nonsense, [1], "decode"),
        (Batches, "ab cd", "batch = single"),
        (FailsInBatches, "a", "batch = single"),
        (Offsets, "a b", "offsets"),
        (Streams, "漢字", "stream decode"),
    ],
)
def test_what_a_subject_may_have_is_asked_and_judged(subject: type[Right], given: str | list[int], check: str) -> None:
    found = conformance.compare(subject(), "bpe-qwen", given)
    assert check in {one.example.check for one in found}, found


def test_what_is_meant_for_the_process_is_not_taken_for_an_answer() -> None:
    with pytest.raises(KeyboardInterrupt):
        conformance.compare(Exits(), "bpe-qwen", "a")
    assert conformance.compare(Right(), "bpe-qwen", "a") == ()


def test_a_run_is_what_reports_are_made_of(tmp_path: Path) -> None:
    done = conformance.run(LosesCarriageReturns(), "bpe-qwen", out=tmp_path / "out", **SMALL)
    assert read_run_folder(tmp_path / "out") == done
    assert (tmp_path / "out" / "report.html").is_file()
    assert (done.verdict, done.fuzz, done.seed, done.sources) == ("unexpected findings", 40, 0, INPUTS)
    assert {(info.name, info.role, info.version) for info in done.subjects} >= {
        ("LosesCarriageReturns", "subject", "7.1")
    }
    assert not any(finding.replay for finding in done.findings)


def test_the_same_seed_gives_the_same_run_and_another_one_another() -> None:
    def found(seed: int) -> object:
        done = conformance.run(LosesCarriageReturns(), "bpe-qwen", inputs=["fuzz"], fuzz=300, seed=seed)
        return done.cells, done.findings

    assert found(1) == found(1) != found(2)


def test_a_model_that_was_written_anew_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    shutil.copyfile(embedded_models()["bpe-qwen"], path)
    assert conformance.compare(Right(), path, "cafe\u0301") == ()
    path.write_text(json.dumps(tiny_json()), "utf-8")
    assert conformance.compare(Right(), path, "cafe\u0301") != ()
    (model,) = conformance.run(Right(), path, inputs=["fuzz"], fuzz=1, corpora=[]).models
    assert model.vocab_size == len(byte_level().rules.model.vocab) + len(byte_level().rules.added_tokens.tokens)


def test_what_proved_nothing_is_no_success() -> None:
    with pytest.raises(conformance.UsageError, match="Right was compared on nothing with bpe-qwen"):
        conformance.findings(Right(), "bpe-qwen", checks=["stream encode"], **SMALL)
    with pytest.raises(conformance.UsageError, match="nothing is proved"):
        conformance.findings(Right(), "bpe-qwen", inputs=[])


@pytest.mark.parametrize(("given", "check"), [("a", "stream encode"), ([1], "ids"), ("a", "batch = single")])
def test_one_input_that_proved_nothing_is_no_success(given: str | list[int], check: str) -> None:
    with pytest.raises(conformance.UsageError, match=f"{check} was asked for, but"):
        conformance.compare(Right(), "bpe-qwen", given, checks=[check])
    assert conformance.compare(Right(), "bpe-qwen", given, checks=[check, "ids", "decode"]) == ()


def test_one_input_compared_with_no_official_library_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str, *_: object) -> Any:
        raise UnavailableError(f"{name} is not installed")

    path = tmp_path / "tokenizer.json"  # a model of its own, whose bench nobody else has used
    shutil.copyfile(embedded_models()["bpe-qwen"], path)
    monkeypatch.setattr(bench, "load_subject", missing)
    message = "was not compared with its official library: tokenizers is not installed"
    with pytest.raises(conformance.UsageError, match=message):
        conformance.compare(Right(), path, "a")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"subject": object()}, "a object has no method encode and no method decode"),
        ({"checks": ["idz"]}, r"checks=\['idz'\]: is no list of some of ids"),
        ({"checks": [["ids"]]}, r"checks=\[\['ids'\]\]: is no list of some of ids"),
        ({"checks": "ids"}, "checks='ids': is no list"),
        ({"inputs": ["corpus"]}, "is no list of some of corpora, vocab"),
        ({"corpora": "languages"}, "corpora='languages': is no list"),
        ({"corpora": ["nowhere"]}, f"nowhere: no such file or folder, nor one of {', '.join(PARTS)}"),
        ({"fuzz": -1}, "fuzz=-1: is no whole number between 0"),
        ({"fuzz": 1.5}, r"fuzz=1\.5: is no whole number between 0"),
        ({"fuzz": "3"}, "fuzz='3': is no whole number between 0"),
        ({"encoding": "gpt2"}, "none of the models is a rank file"),
    ],
)
def test_a_mistake_is_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(conformance.UsageError, match=message):
        conformance.run(**{"subject": Right(), "model": "bpe-qwen", **arguments})


def test_a_folder_that_is_not_free_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    for name in ("file", "full/file"):
        (tmp_path / name).write_text("mine", "utf-8")
    for out, message in (("full", "is not empty"), ("file", "cannot be written"), ("file/in", "cannot be")):
        with pytest.raises(InputError, match=f"{out}: {message}"):
            conformance.run(Exits(), "bpe-qwen", out=tmp_path / out, **SMALL)
    assert {path.name: path.read_text("utf-8") for path in tmp_path.rglob("file")} == {"file": "mine"}


def test_a_check_has_the_name_of_the_reports_or_of_the_command_line() -> None:
    for name in ("batch = single", "batch-single"):
        (found,) = conformance.compare(Batches(), "bpe-qwen", "ab cd", checks=[name])
        assert found.example.check == "batch = single"


def test_a_folder_with_two_models_and_an_input_that_is_none_are_named(tmp_path: Path) -> None:
    for name in ("bpe-qwen", "spm-char"):
        path = embedded_models()[name]
        shutil.copyfile(path, tmp_path / path.name)
    with pytest.raises(conformance.UsageError, match=r"holds 2 models, .*; name one"):
        conformance.findings(Right(), tmp_path)
    with pytest.raises(conformance.UsageError, match="character 1 is a lone surrogate"):
        conformance.compare(Right(), "bpe-qwen", "a\ud800")
    with pytest.raises(conformance.UsageError, match="an id is an int"):
        conformance.compare(Right(), "bpe-qwen", cast(list[int], [1.5]))
