"""Streams that get one thing wrong are caught by a check that names it, with the text, the cut and what came out."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from conformance.causes.attribution import Attribution
from conformance.causes.encoder_streams import EACH_CHUNK_ALONE
from conformance.causes.smallest import shrunk_example
from conformance.core.finding import Mismatch
from conformance.engine.bench import Bench
from conformance.engine.benches import bench_of, close_benches
from conformance.engine.decode_stream import INCOMPLETE
from conformance.engine.plan import ModelPlan, Plan
from conformance.engine.result import ShardResult
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.gather import Steps, as_it_came, findings
from conformance.runs.shard_work import work
from conformance.subjects.adapters import ORACLES
from reftok import embedded_models

pytestmark = pytest.mark.usefixtures("subjects_here")

Planted = Callable[[str], str]

CHECKS = ("stream encode", "stream decode")
FORMATS = {"bpe-qwen": "tokenizer.json", "spm-bpe-hf": "tokenizer.json", "spm-unigram": "sentencepiece"}
RESET, SHARED = "what was fed before a reset is not forgotten", "two streams share their state"
ENCODING_DEFECTS = [
    ("stream_forgets_flush", "a", "", "the end is never given out"),
    ("stream_cuts_added_tokens", "<|im_end|>", "AddedTokens", "an added token is not seen that comes in two chunks"),
    ("stream_cuts_white_space", "of   the", "PreTokenizer", "a run of white space ends with its chunk"),
    ("stream_cuts_nfc", "e\u0301", "Normalizer", "characters that compose across two chunks are normalized apart"),
    ("stream_drops_c3", "of   the café", "Input", "even one chunk of bytes gives other ids than their text"),
    ("stream_strips", " of the ", "Input", "even one chunk gives other ids than the whole text"),
    ("stream_cuts_bytes", "é", "Input", "a character is lost whose bytes come in two chunks"),
    ("stream_prefixes_chunks", "hello", "Normalizer", "a space is added before each chunk"),
    ("stream_buffers_longest_token", "abcdefgh", "Model", "ids are given out that later text changes"),
    ("stream_holds_everything", "many words of a text " * 5, "", "more text is held back than the rule needs"),
    ("correct_streams", "many words of a text " * 5, "", "more text is held back than the rule needs"),
    ("stream_holds_bytes", "many words of a text " * 5, "", "more text is held back than the rule needs"),
    ("stream_holds_after_finish", "a", "", "text is held after finish"),
    ("stream_ends_at_empty_chunk", "a", "", "an empty chunk changes what is given"),
    ("stream_is_not_reset", "a", "", RESET),
    ("stream_stays_finished", "a", "", RESET),
    ("stream_keeps_bytes", "é", "", RESET),
    ("streams_share_state", "a", "", SHARED),
    ("streams_are_cached", "a", "", SHARED),
]
DECODING_DEFECTS = [
    ("stream_loses_tail", ("Ã",), "Decoder", "a character that stays incomplete is never given out as U+FFFD"),
    ("stream_loses_tail", ("©",), "Decoder", "a U+FFFD that nothing can change is held for ever"),
    ("stream_compares_lengths", ("Ã", "©"), "", "a U+FFFD is given out for a character that is not complete"),
    ("stream_drops_bytes", ("Ã", "a"), "", "bytes that are not UTF-8 are dropped"),
    ("stream_strips_prefix_space", ("▁a", "▁b"), "", "spaces are lost between chunks"),
    ("stream_repeats", ("a", "b", "c"), "", "text is given out twice"),
    ("stream_decodes_ids_alone", ("â", "Ģ"), "", "a U+FFFD is given out for a character that is not complete"),
    ("correct_streams", ("Ġthe",) * 17, "", "more text is held back than the rule needs"),
    ("stream_is_not_reset", ("a",), "", RESET),
    ("stream_stays_finished", ("a",), "", RESET),
    ("streams_share_state", ("a",), "", SHARED),
    ("streams_share_settings", ("a", "<|im_end|>"), "", SHARED),
    ("streams_are_cached", ("a",), "", SHARED),
    ("stream_ignores_stop", ("a", "b"), "", "an early stop is ignored"),
    ("stream_callback_stops_at_none", ("a", "b"), "", "a callback that returns None stops the calls"),
    ("stream_callback_forgets_flush", ("a", "Ã"), "", "the callback never hears the end"),
    ("stream_callback_names_next_id", ("a", "b"), "", "the callback is called for other ids"),
    ("stream_callback_is_never_final", ("a", "b"), "", "is_final is not set with the last id alone"),
]
FOLLOWING = {"stream_drops_bytes": ("Decoder", INCOMPLETE)}
"""What a defect breaks as well, elsewhere in the same ids: here the dropped bytes are the last ones."""
MODELS = {
    "stream_prefixes_chunks": "spm-unigram",
    "stream_strips_prefix_space": "spm-bpe-hf",
    "stream_buffers_longest_token": "flipping",
}


@pytest.fixture
def flipping(tmp_path: Path) -> Path:
    """A model in which each appended letter changes every token before it."""
    letters = "abcdefgh"
    pairs = [left + right for left, right in pairwise(letters)]
    model = {
        "type": "BPE",
        "vocab": {token: number for number, token in enumerate([*letters, *pairs])},
        "merges": [" ".join(pair) for pair in reversed(pairs)],
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "model": model}), "utf-8")
    return path


Work = Callable[..., tuple[Plan, ShardResult]]


@pytest.fixture
def worked(tmp_path: Path, planted: Planted, flipping: Path) -> Work:
    """Sweeps a text, or the ids of tokens, with one subject."""

    def work_on(defect: str, model: str, given: str | tuple[str, ...]) -> tuple[Plan, ShardResult]:
        corpus = tmp_path / "corpus.jsonl"
        corpus.write_text(json.dumps({"text" if isinstance(given, str) else "tokens": given}) + "\n", "ascii")
        path = flipping if model == "flipping" else embedded_models()[model]
        model_format = FORMATS.get(model, "tokenizer.json")
        models = (ModelPlan(model, path, model_format, ORACLES[model_format]),)
        plan = Plan(models, (planted(defect),), CHECKS, Inputs((corpus,), ("cuts",), 0, 0), 60)
        bench = Bench(plan, models[0])
        try:
            return plan, work(plan, Shard(model, "cuts", 0, 1), bench)
        finally:
            bench.close()

    return work_on


def found(result: ShardResult, check: str) -> dict[tuple[str, str], Mismatch]:
    """The first example of each cause that the defect is charged with, by stage and rule."""
    groups = {key: group.examples[0] for key, group in result.groups.items()}
    return {key[2:]: example for key, example in groups.items() if ".py" in key[0] and key[1] == check}


@pytest.mark.parametrize(("defect", "text", "stage", "rule"), ENCODING_DEFECTS)
def test_a_planted_defect_of_a_streaming_encoder_is_named(
    worked: Work, defect: str, text: str, stage: str, rule: str
) -> None:
    _, result = worked(defect, MODELS.get(defect, "bpe-qwen"), text)
    assert [*found(result, "stream encode")] == [(stage, rule)]


def test_that_each_chunk_is_encoded_alone_is_told_by_several_texts(worked: Work) -> None:
    plan, result = worked("stream_encodes_chunks_alone", "bpe-qwen", "of   the cafe\u0301")
    try:
        bench = bench_of(plan, "bpe-qwen")
        causes = {
            shrunk_example(plan, bench, mismatch, Attribution(*cause))[1]
            for cause, mismatch in found(result, "stream encode").items()
        }
    finally:
        close_benches()
    assert causes == {EACH_CHUNK_ALONE}


@pytest.mark.parametrize(("defect", "tokens", "stage", "rule"), DECODING_DEFECTS)
def test_a_planted_defect_of_a_streaming_decoder_is_named(
    worked: Work, defect: str, tokens: tuple[str, ...], stage: str, rule: str
) -> None:
    _, result = worked(defect, MODELS.get(defect, "bpe-qwen"), tokens)
    following = [FOLLOWING[defect]] if defect in FOLLOWING else []
    assert {*found(result, "stream decode")} == {(stage, rule), *following}


@pytest.mark.parametrize("model", FORMATS)
def test_streams_that_hold_what_is_short_to_the_end_are_right(worked: Work, model: str) -> None:
    _, result = worked("correct_streams", model, "e\u0301  <|im_end|>☠\ufffd")
    assert not any(".py" in key[0] for key in result.groups)
    compared = {check: result.counts["correct_streams.py:Subject", check].compared for check in CHECKS}
    assert compared == dict.fromkeys(CHECKS, 1)


def test_a_fault_is_shrunk_to_a_seam_and_shown_with_what_each_chunk_gave(worked: Work) -> None:
    plan, result = worked("stream_cuts_nfc", "bpe-qwen", "cafe\u0301")
    ((cause, mismatch),) = found(result, "stream encode").items()
    try:
        shrunk, _ = shrunk_example(plan, bench_of(plan, mismatch.model), mismatch, Attribution(*cause))
    finally:
        close_benches()
    assert shrunk.case.text == "a\u0301"
    assert shrunk.observed.startswith("'a' → [], '\u0301' → [], finish → [")


@pytest.mark.parametrize("source", ["corpora", "cuts"])
def test_a_byte_that_is_always_dropped_is_one_finding_and_no_seam_is_blamed(
    source: str, tmp_path: Path, planted: Planted
) -> None:
    texts = [f"{words}{gap}{end}" for words in ("é", "of é", "naïf") for gap in ("", "  ", "  the ") for end in "éa"]
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), "ascii")
    models = (ModelPlan("bpe-qwen", embedded_models()["bpe-qwen"], "tokenizer.json", "tokenizers"),)
    plan = Plan(models, (planted("stream_drops_c3"),), CHECKS[:1], Inputs((corpus,), (source,), 0, 0), 60)
    bench = Bench(plan, models[0])
    try:
        result = work(plan, Shard("bpe-qwen", source, 0, len(texts)), bench)
        steps = Steps(shrunk=lambda found: [shrunk_example(plan, bench, *as_it_came(one)) for one in found])
        told = findings([result], {"bpe-qwen": "tokenizers"}, (), lambda _: "", lambda *_: steps)
    finally:
        bench.close()
    (finding,) = [finding for finding in told if finding.example.subject != "tokenizers"]
    assert (finding.stage, finding.rule) == ("Input", "even one chunk of bytes gives other ids than their text")
    assert finding.example.case.text == "é"
    assert finding.example.observed.startswith("b'\\xc3\\xa9' → [], finish → [")
