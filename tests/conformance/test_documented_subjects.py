"""The adapter of docs/subjects that is shown for streams streams, and what its README shows of it is what it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from conformance.checks.stream_decode import STREAM_DECODE
from conformance.engines.bench import Bench
from conformance.engines.shard_work import work
from conformance.inputs.plan import Inputs, Shard
from conformance.modelling import plan_models
from conformance.plan import Plan

SUBJECTS = Path(__file__).parents[2] / "docs" / "subjects"
ADAPTER = SUBJECTS / "tiktoken_subject.py"


def test_the_documented_adapter_streams_what_it_decodes(tmp_path: Path) -> None:
    pytest.importorskip("tiktoken")
    corpus = tmp_path / "corpus.jsonl"
    texts = [{"text": "né 漢 <|im_end|> 👩\u200d👧"}, {"tokens": ["Ã", "©", "Ã", "a", "æ", "¼"]}]
    corpus.write_text("".join(json.dumps(text) + "\n" for text in texts), "ascii")
    models = plan_models(("bpe-qwen",))
    plan = Plan(models, (f"{ADAPTER}:Tiktoken",), (STREAM_DECODE.name,), Inputs((corpus,), ("cuts",), 0, 0), 60)
    bench = Bench(plan, models[0])
    try:
        result = work(plan, Shard("bpe-qwen", "cuts", 0, len(texts)), bench)
    finally:
        bench.close()
    name = "tiktoken_subject.py:Tiktoken"
    assert result.counts[name, STREAM_DECODE.name].compared == len(texts)
    assert [key for key in result.groups if key[0] == name] == []
    assert result.methods[name] == {
        "stream_decode": True,
        "stream_decoder": True,
        "stream_decoder.reset": True,
        "decode_with_callback": False,
    }


def test_the_decoder_that_the_readme_shows_is_that_of_the_adapter() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", (SUBJECTS / "README.md").read_text("utf-8"), re.DOTALL)
    assert shown.strip() in ADAPTER.read_text("utf-8")
