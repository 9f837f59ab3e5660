"""The adapter that is shown for streams streams, and what is shown is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conformance.checks.stream_decode import STREAM_DECODE
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.inputs.shards import Inputs, Shard
from conformance.runs.models import plan_models
from conformance.runs.shard_work import work

from ..commands import Command, Corpus

README = Path(__file__).parents[3] / "README.md"
ADAPTERS = README.parent / "adapters"
ADAPTER = ADAPTERS / "tiktoken" / "adapter.py"


def test_the_documented_adapter_streams_what_it_decodes(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    corpus = tmp_path / "corpus.jsonl"
    texts = [{"text": "né 漢 <|im_end|> 👩\u200d👧"}, {"tokens": ["Ã", "©", "Ã", "a", "æ", "¼"]}]
    corpus.write_text("".join(json.dumps(text) + "\n" for text in texts), "ascii")
    models = plan_models(("bpe-qwen",))
    plan = Plan(models, (f"{ADAPTER}:Subject",), (STREAM_DECODE.name,), Inputs((corpus,), ("cuts",), 0, 0), 60)
    bench = Bench(plan, models[0])
    try:
        result = work(plan, Shard("bpe-qwen", "cuts", 0, len(texts)), bench)
    finally:
        bench.close()
    name = "adapter.py:Subject"
    assert result.counts[name, STREAM_DECODE.name].compared == len(texts)
    assert [key for key in result.groups if key[0] == name] == []
    assert result.methods[name] == {
        "stream_decode": True,
        "stream_decoder": True,
        "stream_decoder.reset": True,
        "decode_with_callback": False,
    }


def test_the_finding_that_the_readme_shows_is_that_of_the_subject_that_it_shows(
    tmp_path: Path, conformance_here: Command, corpus: Corpus
) -> None:
    told = README.read_text("utf-8")
    (source,) = re.findall(r"```python\n(class Mine:.*?)```", told, re.DOTALL)
    subject = tmp_path / "mine.py"
    subject.write_text(source, "utf-8")
    arguments = ("--corpus", corpus("a\r\nb", "plain"), "--jobs", "1", "--out", tmp_path / "out")
    printed = conformance_here("run", "--model", "bpe-qwen", "--subject", f"{subject}:Mine", "-v", *arguments).stdout
    (shown,) = re.findall(r"^  rule .*^  replay +conformance replay \S+ \w+$", told, re.DOTALL | re.MULTILINE)
    (seen,) = re.findall(r"^  rule .*^  replay +conformance replay \S+ \w+$", printed, re.DOTALL | re.MULTILINE)
    run_folder = re.compile(r"(?<=conformance replay )\S+")
    of_all_corpora = re.compile(r"[\d,]+ of [\d,]+")
    shown, seen = (of_all_corpora.sub("N", run_folder.sub("RUN", text)) for text in (shown, seen))
    # The README's run has natural texts in its own corpora, so it does not look for another one to show.
    of_corpora = ("  natural ", "  also ")
    lines = [[line.rstrip() for line in text.splitlines() if not line.startswith(of_corpora)] for text in (shown, seen)]
    assert lines[0] == lines[1]


def test_the_decoder_that_is_shown_is_that_of_the_adapter() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", (ADAPTERS / "PYTHON.md").read_text("utf-8"), re.DOTALL)
    assert shown.strip() in ADAPTER.read_text("utf-8")
