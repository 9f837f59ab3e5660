r"""What an official library and another one answer to an input, each in a fresh process of its own.

    python tools/both_answers.py --model llama2/tokenizer.model --subject adapters/kitoken/subject.toml '"caf\u00e9"'

The input is JSON: a text, a list of ids to decode, or {"hex": "ff"} for bytes. Prints both answers and says whether
they differ; exit code 1 where they do. The official library is asked by tools/official_answer.py, without the harness.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.engine.plan import ModelPlan
from conformance.generators.knowledge import vocab_by_id
from conformance.report.console import give
from conformance.runs.models import plan_models
from conformance.subjects.adapters import load_subject
from conformance.subjects.base import Subject
from conformance.subjects.special_tokens import special_tokens
from reftok import load
from reftok.formats.tiktoken.rank_file import rank_encoding

OFFICIAL = Path(__file__).with_name("official_answer.py")
SECONDS = 20.0
"""For an answer."""
MOST_SECONDS = 300
"""For all answers of the official library."""
PARTS = {
    "ids": "ids",
    "tokens": "tokens",
    "offsets": "offsets",
    "special-token mask": "special_tokens_mask",
    "decode": "decoded",
    "round trip": "round trip",
}
"""The part of an answer that a check compares; the other checks hold a library against itself."""
Answer = dict[str, Any]


def official_answers(model: ModelPlan, inputs: Sequence[Answer]) -> list[Answer]:
    """The answers of the official library alone. Raises CalledProcessError where it does not start."""
    command = [sys.executable, str(OFFICIAL), model.format, str(model.path)]
    if model.format == "tiktoken":
        encoding = rank_encoding(model.path.read_bytes(), model.path, model.encoding or None)
        command.append(json.dumps({"pattern": encoding.pattern, "special_tokens": dict(encoding.special_tokens)}))
    asked = subprocess.run(
        command, input=json.dumps(list(inputs)), capture_output=True, text=True, timeout=MOST_SECONDS, check=True
    )
    return [completed(answer) for answer in json.loads(asked.stdout)]


def completed(answer: Answer) -> Answer:
    """An answer of which the text of the ids of a text is its round trip."""
    decoded = answer.get("decoded")
    return answer if decoded is None else {**answer, "round trip": {"kept": decoded.get("kept", decoded.get("text"))}}


def subject_answers(model: ModelPlan, name: str, inputs: Sequence[Answer], official: Sequence[Answer]) -> list[Answer]:
    """The answers of a subject, in the same form. Raises UnavailableError where it cannot be asked."""
    tokens = special_tokens(load(model.path, model.encoding or None))
    subject = load_subject(name, model.path, model.format, SECONDS, model.encoding, special_tokens=tokens)
    try:
        return [_answer(subject, item, right) for item, right in zip(inputs, official, strict=True)]
    finally:
        subject.close()


def _answer(subject: Subject, item: Answer, right: Answer) -> Answer:
    """To ids their text; to a text its encoding, the text of the official ids, and that of its own."""
    if "ids" in item:
        return _decoding(subject.decode(item["ids"]))
    given: str | bytes = item["text"] if "text" in item else bytes.fromhex(item["hex"])
    if isinstance(given, bytes) and not subject.takes_bytes:
        given = given.decode("utf-8", "replace")
    answer = _encoding(subject.encode(given))
    if "ids" in right:
        answer["decoded"] = _decoding(subject.decode(right["ids"]))
    if "ids" in answer:
        own = _decoding(subject.decode(answer["ids"]))
        answer["round trip"] = own if "refused" in own else {"kept": own.get("kept", own["text"])}
    return answer


def _encoding(found: Encoding) -> Answer:
    if isinstance(found, Failure):
        return {"refused": f"{found.kind}: {found.message}"}
    assert isinstance(found, Encoded)
    parts = {
        "ids": found.ids,
        "tokens": found.tokens,
        "offsets": found.offsets and [list(span) for span in found.offsets],
        "special_tokens_mask": found.special_tokens_mask,
    }
    return {name: list(part) for name, part in parts.items() if part is not None}


def _decoding(found: Decoding) -> Answer:
    if isinstance(found, Failure):
        return {"refused": f"{found.kind}: {found.message}"}
    assert isinstance(found, Decoded)
    return {"text": found.text, **({} if found.with_special is None else {"kept": found.with_special})}


def differ(check: str, official: Answer, subject: Answer) -> bool | None:
    """Whether the two differ in what a check compares, as far as both tell it; None for a check of other things."""
    if check not in PARTS:
        return None
    if check == "decode" and "decoded" not in official:  # ids, whose answers are texts
        return _differ(official, subject)
    part = PARTS[check]
    if part not in official or part not in subject:
        return ("refused" in official) != ("refused" in subject)
    one, other = official[part], subject[part]
    return _differ(one, other) if isinstance(one, dict) else bool(one != other)


def _differ(official: Answer, subject: Answer) -> bool:
    if "refused" in official or "refused" in subject:
        return ("refused" in official) != ("refused" in subject)
    return any(official[name] != subject[name] for name in official.keys() & subject.keys())


def parsed(text: str) -> Answer:
    """An input from the command line. Raises ValueError for anything else."""
    value = json.loads(text)
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, list) and all(type(item) is int for item in value):
        return {"ids": value}
    if isinstance(value, dict) and value.keys() == {"hex"}:
        bytes.fromhex(value["hex"])
        return value
    raise ValueError('is neither a text, nor a list of ids, nor {"hex": ...}')


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask both and print what they say."""
    parser = argparse.ArgumentParser(description="Ask an official library and another one the same.")
    parser.add_argument("--model", required=True, help="A file.")
    parser.add_argument("--encoding", default="", help="Of a rank file.")
    parser.add_argument("--subject", required=True, help="As of `conformance run`.")
    parser.add_argument("--check", default="ids", choices=PARTS, help="What is compared.")
    parser.add_argument(
        "input",
        nargs="?",
        type=parsed,
        help="JSON: a text, a list of ids, or an object with bytes as hex. Default: a list of checks and inputs on "
        "standard input, of which only whether each differs, and has ids that the model lacks, is printed, as JSON.",
    )
    options = parser.parse_args(arguments)
    (model,) = plan_models((options.model,), options.encoding)
    if options.input is None:
        asked = json.load(sys.stdin)
        inputs = [item for _, item in asked]
        official = official_answers(model, inputs)
        subject = subject_answers(model, options.subject, inputs, official)
        vocab = vocab_by_id(load(model.path, model.encoding or None))
        found = [
            (differ(check, *both), not {*item.get("ids", ())} <= vocab.keys())
            for (check, item), *both in zip(asked, official, subject, strict=True)
        ]
        give(json.dumps(found) + "\n")
        return int(any(differs for differs, _ in found))
    official = official_answers(model, [options.input])
    subject = subject_answers(model, options.subject, [options.input], official)
    differs = bool(differ(options.check, official[0], subject[0]))
    give(f"{model.oracle}  {json.dumps(official[0])}\n{options.subject}  {json.dumps(subject[0])}\n")
    give(f"{options.check}: {'they differ' if differs else 'no difference'}\n")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main())
