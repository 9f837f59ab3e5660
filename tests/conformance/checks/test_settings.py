"""Ports that get pairs, truncation or padding wrong are found by the check of settings, told once, and named."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
import tokenizers

import conformance
from conformance.causes import weight
from conformance.core.errors import UsageError
from conformance.core.finding import NO_RULE
from conformance.core.observation import Failure
from conformance.core.settings import Answer, Question
from conformance.engine.settings import Settings
from conformance.engine.settings_edits import EDITS, Edit
from conformance.inputs.corpora import corpus_files
from conformance.inputs.shards import corpus_cases
from conformance.subjects.base import refusal
from conformance.subjects.reftok_subject import ReftokSubject
from conformance.subjects.tiktoken_subject import TiktokenSubject
from conformance.subjects.tokenizers_subject import TokenizersSubject
from reftok import ReftokError, embedded_models, load
from tests.conformance.generators.tiny import tiny_json

PARTS = ("ids", "type_ids", "attention_mask", "special_tokens_mask", "word_ids", "offsets", "sequence_ids")
OF_HUGGINGFACE = sorted(name for name, path in embedded_models().items() if path.suffix == ".json")
TEXTS = (
    "abc aab bca",
    "a b c aa bb cc abcabc",
    "one two three",
    "b a",
    "a, b. c!",
    "aaaa bbbb cccc dddd eeee",
    "x",
    "é aé",
    "😀b 😀",
)
"""For each some twenty questions are drawn."""


def templated() -> dict[str, Any]:
    """The tiny model with a template that has the second text in the segment 1."""
    model = tiny_json()
    ids = {token["content"]: token["id"] for token in model["added_tokens"]}
    model["post_processor"] = {"type": "BertProcessing", "cls": ["<s>", ids["<s>"]], "sep": ["<w>", ids["<w>"]]}
    return model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    path.write_text(json.dumps(templated()), "utf-8")
    return path


class Alone:
    """The official library, asked for ids and texts alone."""

    def __init__(self, path: Path) -> None:
        self.tokenizer = tokenizers.Tokenizer.from_file(str(path))

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=add_special_tokens).ids
        return ids

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        text: str = self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)
        return text


class Port(Alone):
    """The same with settings, and with mistakes."""

    def taken(self, settings: dict[str, Any]) -> None:
        """Change what is asked for."""

    def given(self, encoding: dict[str, Any]) -> None:
        """Change what is answered."""

    def encode_with(self, inputs: list[Any], settings: dict[str, Any]) -> list[dict[str, Any]]:
        settings = {name: dict(value) if isinstance(value, dict) else value for name, value in settings.items()}
        self.taken(settings)
        encodings = [*map(parts, self.encoded(inputs, settings))]
        for encoding in encodings:
            self.given(encoding)
        return encodings

    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        if "truncation" in settings:
            self.tokenizer.enable_truncation(**settings["truncation"])
        if "padding" in settings:
            self.tokenizer.enable_padding(**settings["padding"])
        names = ("is_pretokenized", "add_special_tokens")
        try:
            encodings: list[Any] = self.tokenizer.encode_batch(inputs, **{name: settings[name] for name in names})
        finally:
            self.tokenizer.no_truncation()
            self.tokenizer.no_padding()
        return encodings


def parts(encoding: Any) -> dict[str, Any]:
    if isinstance(encoding, dict):
        return encoding
    overflowing = [other.ids for other in encoding.overflowing]
    return {**{part: getattr(encoding, part) for part in PARTS}, "overflowing": overflowing}


class SingleTemplates(Port):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        special = [(token, self.tokenizer.token_to_id(token)) for token in ("<s>", "<w>")]
        template = tokenizers.processors.TemplateProcessing("<s> $A <w>", "<s> $A <w> <s> $B <w>", special)
        # The stubs know no common type of post-processors.
        self.tokenizer.post_processor = template  # type: ignore[assignment]


class CutsLast(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        if "truncation" not in settings or "padding" in settings:
            return super().encoded(inputs, settings)
        truncation = settings.pop("truncation")
        for encoding in (found := super().encoded(inputs, settings)):
            encoding.truncate(truncation["max_length"], direction=truncation["direction"])
        return [{part: getattr(one, part) for part in PARTS} for one in found]


class Unbatched(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        return [one for each in inputs for one in super(Unbatched, self).encoded([each], settings)]


class Uncounted(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        if "truncation" in settings and settings["add_special_tokens"]:
            is_pair = isinstance(inputs[0], tuple)
            settings["truncation"]["max_length"] += self.tokenizer.num_special_tokens_to_add(is_pair)
        return super().encoded(inputs, settings)


class JoinedOffsets(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        found = [*map(parts, super().encoded(inputs, settings))]
        for one, texts in zip(found, inputs, strict=True):
            if isinstance(texts, tuple) and not settings["is_pretokenized"]:
                starts = [len(texts[0]) if text else 0 for text in one["sequence_ids"]]
                one["offsets"] = [(a + start, b + start) for (a, b), start in zip(one["offsets"], starts, strict=True)]
        return found


class FirstTextAlone(Port):
    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        found = super().encoded(inputs, settings)
        if settings["is_pretokenized"]:
            return found
        texts = [(one,) if isinstance(one, str) else one for one in inputs]
        tokens = [
            [[*map(one.char_to_token, range(len(text)))] for text in some]
            for one, some in zip(found, texts, strict=True)
        ]
        return [{**parts(one), "char_to_token": each} for one, each in zip(found, tokens, strict=True)]


class Utf16(Port):
    """Offsets in UTF-16 units, and the text that each is of. Fault: words came as a tuple, which is a pair."""

    capabilities: ClassVar = {"encode": {"offsets_unit": "utf16"}}

    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        found = [*map(parts, super().encoded(inputs, settings))]
        for one, given in zip(found, inputs, strict=True):
            texts = given if isinstance(given, tuple) else (given,)
            sources = [
                "" if text is None else texts[text] if isinstance(texts[text], str) else texts[text][word]
                for text, word in zip(one["sequence_ids"], one["word_ids"], strict=True)
            ]
            pairs = zip(one["offsets"], sources, strict=True)
            one["offsets"] = [tuple(len(text[:end].encode("utf-16-le")) // 2 for end in span) for span, text in pairs]
        return found


def takes(name: str, **changes: Any) -> type[Port]:
    """A port that takes settings for others; a function of one gives another."""

    def taken(self: Port, settings: dict[str, Any]) -> None:
        for field, value in changes.items() if name in settings else ():
            settings[name][field] = value(settings[name][field]) if callable(value) else value

    return type("Takes", (Port,), {"taken": taken})


def ignores(name: str) -> type[Port]:
    return type("Ignores", (Port,), {"taken": lambda self, settings: settings.pop(name, None)})


def gives(part: str, change: Callable[[list[Any]], list[Any]]) -> type[Port]:
    def given(self: Port, encoding: dict[str, Any]) -> None:
        encoding[part] = change(encoding[part])

    return type("Gives", (Port,), {"given": given})


DEFECTS: tuple[tuple[type[Port], str, str], ...] = (
    (SingleTemplates, "PostProcessor", "a pair is encoded as two single texts"),
    (gives("type_ids", lambda ids: [0] * len(ids)), "PostProcessor", "type ids are all 0"),
    (
        gives("word_ids", lambda ids: [word if word is None else word + 1 for word in ids]),
        "PostProcessor",
        "word ids are one too high",
    ),
    (ignores("truncation"), "Truncation", "truncation is ignored"),
    (takes("truncation", direction="right"), "Truncation", "truncation always cuts on the right"),
    (takes("truncation", strategy="longest_first"), "Truncation", "pairs are always cut longest_first"),
    (takes("truncation", stride=lambda stride: max(0, stride - 1)), "Truncation", "stride is one too low"),
    (takes("truncation", stride=0), "Truncation", "stride is ignored"),
    (Uncounted, "Truncation", "special tokens are not counted in max_length"),
    (CutsLast, "Truncation", "truncation cuts what the template has added"),
    (gives("overflowing", lambda ids: []), "Truncation", "what overflows is dropped"),
    (ignores("padding"), "Padding", "padding is ignored"),
    (takes("padding", direction="right"), "Padding", "padding is always on the right"),
    (takes("padding", pad_to_multiple_of=None), "Padding", "pad_to_multiple_of is ignored"),
    (takes("padding", pad_id=0), "Padding", "pad_id is always 0"),
    (Unbatched, "Padding", "each text of a batch is padded by itself"),
    (gives("attention_mask", lambda mask: [1] * len(mask)), "Padding", "attention_mask is 1 for padding"),
    (JoinedOffsets, "PostProcessor", "offsets of the second text go on after the first"),
    (FirstTextAlone, "PostProcessor", "char_to_token looks in the first text alone"),
    (
        gives("sequence_ids", lambda ids: [text or 0 for text in ids]),
        "PostProcessor",
        "sequence ids of inserted tokens are 0",
    ),
)


@pytest.mark.parametrize(("defect", "stage", "rule"), DEFECTS, ids=[rule for *_, rule in DEFECTS])
def test_a_planted_defect_is_told_once_and_named(model: Path, defect: type[Port], stage: str, rule: str) -> None:
    port = defect(model)
    found = [one for text in TEXTS for one in conformance.compare(port, model, text, checks=["settings"])]
    assert {(one.stage, one.rule) for one in found} == {(stage, rule)}


class Edited(ReftokSubject):
    """The reference with an edit."""

    def __init__(self, path: Path, edit: Edit) -> None:
        super().__init__(load(path))
        self.edit, self.ask = edit, Settings(self.tokenizer)._ask

    def encode_with(self, questions: Sequence[Question]) -> list[Answer]:
        return [*map(self.answer, questions)]

    def answer(self, question: Question) -> Answer:
        try:
            return self.edit.answer(self.ask, self.tokenizer.rules, question)
        except ReftokError as error:
            return refusal(error)


@pytest.mark.parametrize("edit", [one for one in EDITS if one.stage != "AddedTokens"], ids=lambda edit: edit.rule)
def test_every_edit_is_told_from_all_others(model: Path, edit: Edit) -> None:
    settings, subject = Settings(load(model)), Edited(model, edit)
    due = settings.due(ReftokSubject(load(model)), dict(enumerate(TEXTS)))
    given, _ = settings.given(subject, due)
    wrong = [one for asked in given.values() for one in asked if one.differs and isinstance(one.given, tuple)]
    assert {one.cause for one in wrong} == {edit.rule}


def rank_file(folder: Path, *special: str) -> Path:
    """A rank file of single bytes with these special tokens."""
    path = folder / "own.tiktoken"
    path.write_bytes(b"".join(b64encode(bytes([one])) + b" %d\n" % one for one in range(256)))
    listed = "".join(f'"{one}" = {number}\n' for number, one in enumerate(special, 256))
    own = f'[encoding]\npattern = "."\n[encoding.special_tokens]\n{listed}'
    path.with_suffix(".toml").write_text(own, "ascii")
    return path


@pytest.fixture(scope="module")
def ranks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return rank_file(tmp_path_factory.mktemp("ranks"), "<e>", "<f>", "<g>")


SPECIAL_TEXTS = ("a<e>b<f>", "<f>", "x<g><e>", "none")


@pytest.mark.parametrize("edit", [one for one in EDITS if one.stage == "AddedTokens"], ids=lambda edit: edit.rule)
def test_every_edit_of_special_tokens_in_the_text_is_told_from_all_others(ranks: Path, edit: Edit) -> None:
    settings, subject = Settings(load(ranks)), Edited(ranks, edit)
    due = settings.due(TiktokenSubject(ranks), dict(enumerate(SPECIAL_TEXTS)))
    given, _ = settings.given(subject, due)
    assert {one.cause for asked in given.values() for one in asked if one.differs} == {edit.rule}


class TiktokenPort:
    """The official library, asked for ids and texts, and for special tokens in the text with a mistake."""

    def __init__(self, path: Path) -> None:
        self.encoding = TiktokenSubject(path)._encoding

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.encoding.encode(text, allowed_special="all")

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.encoding.decode([one for one in ids if one < 256 or not skip_special_tokens])

    def encode_with_special(self, text: str, allowed_special: Any, disallowed_special: Any) -> list[int]:
        return self.encoding.encode(text, allowed_special=allowed_special, disallowed_special=())


class AlwaysRefuses(TiktokenPort):
    def encode_with_special(self, text: str, allowed_special: Any, disallowed_special: Any) -> list[int]:
        return self.encoding.encode(text, allowed_special=allowed_special)


@pytest.mark.parametrize(
    ("port", "rule"),
    [
        (TiktokenPort, "disallowed special tokens are not refused"),
        (AlwaysRefuses, "disallowed_special is ignored"),
    ],
)
def test_a_port_of_tiktoken_is_asked_which_special_tokens_a_text_may_hold(
    ranks: Path, port: type[TiktokenPort], rule: str
) -> None:
    found = [one for text in SPECIAL_TEXTS for one in conformance.compare(port(ranks), ranks, text)]
    assert {one.rule for one in found} == {rule}


class WrongByte(TiktokenPort):
    """Gives wrong ids with and without settings: the check of ids reports them."""

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return [one ^ (one == 97) for one in super().encode(text, add_special_tokens)]

    def encode_with_special(self, text: str, allowed_special: Any, disallowed_special: Any) -> list[int]:
        found = self.encoding.encode(text, allowed_special=allowed_special, disallowed_special=disallowed_special)
        return [one ^ (one == 97) for one in found]


def test_wrong_ids_of_a_port_of_tiktoken_are_not_reported_again(ranks: Path) -> None:
    found = conformance.compare(WrongByte(ranks), ranks, "a<e>b<f>")
    assert "settings" not in {one.example.check for one in found}
    assert found


def test_a_special_token_may_be_a_word_of_what_is_always_asked(tmp_path: Path) -> None:
    """Fault: the run crashed if the reference refused a text."""
    path = rank_file(tmp_path, "fox")
    (found,) = conformance.compare(TiktokenPort(path), path, "a fox", checks=["settings"])
    assert found.rule == "disallowed special tokens are not refused"


def test_the_reference_answers_for_special_tokens_in_the_text_as_tiktoken_does(ranks: Path) -> None:
    reference = ReftokSubject(load(ranks))
    settings = Settings(reference.tokenizer)
    due = settings.due(TiktokenSubject(ranks), dict(enumerate(SPECIAL_TEXTS)))
    given, _ = settings.given(reference, due)
    assert [len(asked) for asked in given.values()] == [9, 9, 9]
    assert [one for asked in given.values() for one in asked if one.differs or one.given is None] == []
    assert {isinstance(one.due, Failure) for asked in given.values() for one in asked} == {True, False}


class Pairs(Alone):
    """Pairs alone, with the type ids of both texts 0."""

    def encode_pair(self, text: str, pair: str, add_special_tokens: bool) -> dict[str, Any]:
        encoding = self.tokenizer.encode(text, pair, add_special_tokens=add_special_tokens)
        return {"ids": encoding.ids, "type_ids": [0] * len(encoding.ids)}


class TwoMistakes(Port):
    """Both in each truncated pair."""

    def taken(self, settings: dict[str, Any]) -> None:
        if "truncation" in settings:
            settings["truncation"]["direction"] = "right"

    def given(self, encoding: dict[str, Any]) -> None:
        encoding["type_ids"] = [0] * len(encoding["ids"])


class NoRule(Port):
    """A mistake that nobody has thought of, in padding alone."""

    def given(self, encoding: dict[str, Any]) -> None:
        encoding["ids"] = [value for value in encoding["ids"] if value != 7]


class TooFew(Port):
    def encode_with(self, inputs: list[Any], settings: dict[str, Any]) -> list[dict[str, Any]]:
        return super().encode_with(inputs, settings)[1:]


class NoAccents(Port):
    """Other ids without any setting, which other checks tell."""

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return super().encode(text.replace("b", ""), add_special_tokens)

    def encoded(self, inputs: list[Any], settings: dict[str, Any]) -> list[Any]:
        return super().encoded(json.loads(json.dumps(inputs).replace("b", "")), settings)


def rules(subject: object, model: Path) -> list[str]:
    """What is told of all texts."""
    found = [one for text in TEXTS for one in conformance.compare(subject, model, text, checks=["settings"])]
    return sorted({one.rule for one in found})


@pytest.mark.parametrize(
    ("subject", "due"),
    [
        (Port, []),
        (Utf16, []),
        (Pairs, ["type ids of the second text are 0"]),
        (TwoMistakes, ["truncation always cuts on the right", "type ids are all 0"]),
        (NoRule, [f"{NO_RULE}: other ids with settings"]),
    ],
)
def test_what_a_port_offers_is_compared(model: Path, subject: type[Alone], due: list[str]) -> None:
    assert rules(subject(model), model) == due


def test_encodings_that_are_too_few_are_no_answer(model: Path) -> None:
    (finding,) = conformance.compare(TooFew(model), model, "a b", checks=["settings"])
    assert (finding.rule, finding.example.severity) == ("nonsense", "no answer")
    assert "0 encodings for 1 inputs" in finding.example.observed


def test_a_port_without_settings_is_right_and_told_to_have_none(model: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "texts.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS), "ascii")
    done = conformance.run(Alone(model), model, corpora=[corpus], inputs=["corpora"])
    assert done.verdict == "as expected"
    (about,) = [one for one in done.subjects if one.role == "subject"]
    assert [one for one in about.untested if one.startswith("encode_with")] == ["encode_with"]


def test_other_ids_without_settings_are_not_told_again(model: Path) -> None:
    with pytest.raises(UsageError, match="gives nothing to compare"):
        conformance.compare(NoAccents(model), model, "a b c", checks=["settings"])


def test_a_finding_is_shrunk_and_shows_the_question(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weight, "LINES_IN_STREAMS", 0)
    corpus = tmp_path / "texts.jsonl"
    corpus.write_text(json.dumps({"text": TEXTS[4]}) + "\n", "ascii")
    port = takes("truncation", direction="right")(model)
    done = conformance.run(port, model, corpora=[corpus], inputs=["corpora"], checks=["settings"])
    (finding,) = [one for one in done.findings if one.status == "new"]
    assert finding.rule == "truncation always cuts on the right"
    assert finding.verdict.startswith("the subject: tokenizers ")
    assert finding.verdict.endswith("reftok and its plain rules agree")
    assert len(finding.example.case.text) <= 3
    assert "direction=left" in finding.example.observed


@pytest.mark.parametrize("name", ["bert", *OF_HUGGINGFACE])
def test_the_reference_answers_drawn_questions_as_the_official_library(model: Path, name: str) -> None:
    """Some hundreds of each; 31,000 were asked when this was written."""
    path = model if name == "bert" else embedded_models()[name]
    official, reference = TokenizersSubject(path, "tokenizer.json"), ReftokSubject(load(path))
    settings = Settings(reference.tokenizer)
    texts = [case.text for case in corpus_cases(tuple(corpus_files(("edge_cases",)))) if case.text][::60]
    due = settings.due(official, dict(enumerate(texts)))
    given, errors = settings.given(reference, due)
    assert not errors
    assert sum(map(len, due.values())) > 400
    assert [one for asked in given.values() for one in asked if one.differs or one.given is None] == []


def test_words_are_asked_where_the_library_has_no_numpy_to_take_them_with(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fault: the library panicked on each of them, with half a million lines of stack traces in a run."""
    monkeypatch.setattr("conformance.subjects.tokenizers_subject.find_spec", lambda name: None)
    asked = Settings(load(model)).due(TokenizersSubject(model, "tokenizer.json"), {0: TEXTS[0]})[0]
    assert any(one.question.is_pretokenized for one in asked)
