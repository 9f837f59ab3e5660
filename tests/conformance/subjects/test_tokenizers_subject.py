from __future__ import annotations

import json
from pathlib import Path

from conformance.core.observation import Encoded
from conformance.subjects.tokenizers_subject import TokenizersSubject


def test_a_file_that_pads_is_asked_text_by_text_so_that_the_batch_decides_nothing(tmp_path: Path) -> None:
    padding = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
    config = {
        "version": "1.0",
        "padding": {**padding, "pad_id": 1, "pad_type_id": 0, "pad_token": "b"},
        "added_tokens": [],
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []},
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(config), "utf-8")
    subject = TokenizersSubject(path, "tokenizer.json")
    assert not subject.has_batch
    answers = subject.encode_batch(["a", "aaa"])
    assert [answer.ids for answer in answers if isinstance(answer, Encoded)] == [(0,), (0, 0, 0)]
