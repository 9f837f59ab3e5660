"""One training: a trainer with its options, the tokenizer that is trained, and what it learns from."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

from reftok.errors import TrainingStopped
from reftok.fast.encoder import FastEncoder
from reftok.formats.huggingface.tokenizer_json import build_rules
from reftok.rules.byte_level import bytes_to_unicode
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN
from reftok.rules.pipeline import Pipeline
from reftok.training.bpe import BpeTrainer
from reftok.training.minbpe import MinbpeTrainer
from reftok.training.monitor import UNWATCHED, Monitor
from reftok.training.options import trainer_of
from reftok.training.pipelines import BYTE_LEVEL, DEFAULT_PIPELINES, GPT4_PATTERN, Json, pipeline_of, split_bytes
from reftok.training.texts import Texts
from reftok.training.unigram import UnigramTrainer
from reftok.training.wordlevel import WordLevelTrainer
from reftok.training.wordpiece import WordPieceTrainer
from reftok.training.written import added_tokens, tiktoken_files, tokenizer_json, vocab_and_merges

Trainer = BpeTrainer | WordLevelTrainer | UnigramTrainer | MinbpeTrainer

TRAINERS: Mapping[str, tuple[type[Trainer], str]] = {
    "hf-bpe": (BpeTrainer, "BPE"),
    "wordpiece": (WordPieceTrainer, "WordPiece"),
    "wordlevel": (WordLevelTrainer, "WordLevel"),
    "hf-unigram": (UnigramTrainer, "Unigram"),
    "minbpe": (MinbpeTrainer, "BPE"),
}
"""By name: the trainer, and the type of the model that it trains."""

_LOGGER = logging.getLogger("reftok.training")

WHOLE_TEXT = r"[\s\S]+"
RANK_FILE_PATTERNS = {"byte-level": GPT2_PATTERN, "byte-level-unsplit": WHOLE_TEXT}
"""What a rank file says of a pipeline by its name."""


@dataclass(frozen=True, slots=True)
class Training:
    """One training, its options checked.

    name: of the trainer. trainer: with its options.
    pipeline: the tokenizer.json whose model is trained.
    texts: to learn from.
    pattern: what cuts the text, for a rank file; None for a pipeline that no rank file can have.
    """

    name: str
    trainer: Trainer
    pipeline: Json
    texts: Texts
    pattern: str | None = None

    @classmethod
    def of(
        cls, name: str, texts: Texts, pipeline: str | Path | Mapping[str, Any] | None = None, **options: Any
    ) -> Training:
        """As `train` has the arguments. Raises TrainingStopped for those that mean nothing."""
        if name not in TRAINERS:
            raise TrainingStopped(f"trainer {name!r:.60} is none of {', '.join(TRAINERS)}")
        kind, model = TRAINERS[name]
        if name == "minbpe":
            if pipeline is not None:
                raise TrainingStopped("minbpe has no option pipeline: pattern says what cuts the text")
            pattern = options.pop("pattern", GPT4_PATTERN)
            stages = pipeline_of(split_bytes(pattern), model)
            return cls(name, trainer_of(kind, name, options), stages, texts, pattern or WHOLE_TEXT)
        chosen = DEFAULT_PIPELINES[name] if pipeline is None else pipeline
        if name == "hf-bpe" and chosen in BYTE_LEVEL and "initial_alphabet" not in options:
            options = {**options, "initial_alphabet": sorted(bytes_to_unicode().values())}
        pattern = RANK_FILE_PATTERNS.get(chosen) if isinstance(chosen, str) else None
        return cls(name, trainer_of(kind, name, options), pipeline_of(chosen, model), texts, pattern)

    @property
    def identity(self) -> Json:
        """What must be equal for another run to resume this one."""
        options = {field.name: repr(getattr(self.trainer, field.name)) for field in fields(self.trainer)}
        digest = sha256(json.dumps(self.pipeline, sort_keys=True).encode("utf-8")).hexdigest()
        inputs = [*map(list, self.texts.names), self.texts.whole_files]
        return {"trainer": self.name, **options, "pipeline": digest, "inputs": inputs}

    def untrained(self) -> Pipeline:
        """The rules before it is trained; where it has added tokens, with their ids."""
        empty = {"type": "BPE", "vocab": {}, "merges": []}
        return build_rules(self.pipeline if self.pipeline["added_tokens"] else {**self.pipeline, "model": empty})

    def words(self) -> Callable[[str], Iterable[str]]:
        """Cuts a text into the words that are counted, by the stages of the pipeline up to its model.

        Source: tokenizers 0.23 tokenizer/mod.rs `train`, `train_from_files`, and `feed` of each trainer.

        Quirks: Each text is normalized and cut by itself. A file is read by lines, each with its line feed, and a
        carriage return before it; a text that comes from an iterator has what the caller left of them. Where no
        pre-tokenizer takes line ends off the words, files and iterators so give other words. Added tokens that the
        tokenizer has already are cut out first, and are then words themselves: their characters are counted, and
        merged. The trainer's own special tokens are added afterwards, and cut nothing.
        """
        pipeline = self.untrained()
        encoder = FastEncoder(pipeline)
        return lambda text: encoder.pre_tokens(pipeline.checked_text(text))

    def count(self, texts: Iterable[str]) -> Counter[str]:
        """The distinct words of texts in their order, with how often each occurs.

        Raises InvalidText for a text that the library refuses.
        """
        return Counter(chain.from_iterable(map(self.words(), texts)))

    def run(self, monitor: Monitor = UNWATCHED) -> Json:
        """The trained tokenizer.json. The state of the monitor has the words so far, or all and that of the trainer."""
        state = monitor.state or {}
        counts: Counter[str] = Counter(state.get("words"))
        if "trainer" not in state:
            done, words = state.get("texts", 0), self.words()
            size, unit = self.texts.size, "bytes" if self.texts.files else "texts"
            for number, (text, read) in enumerate(self.texts.read(), 1):
                if number > done:
                    counts.update(words(text))
                    current = partial(dict[str, Any], words=counts, texts=number)
                    monitor.report("counting words", read or number, size, unit, current)
        value = self.train(counts, monitor.of_trainer({"words": counts}))
        for warning in _warnings(value, self.trainer.vocab_size):
            _LOGGER.warning(warning)
        return value

    def train(self, counts: Mapping[str, int], monitor: Monitor = UNWATCHED) -> Json:
        """The tokenizer.json with the trained model. counts: the distinct words in the order of the text."""
        model = {**self.pipeline["model"], **self.trainer.model(counts, monitor)}
        vocab = model["vocab"]
        ids = vocab if isinstance(vocab, dict) else {piece: piece_id for piece_id, (piece, _) in enumerate(vocab)}
        added = added_tokens(self.untrained().added_tokens, self.trainer.special_tokens, ids, len(vocab))
        return {**self.pipeline, "added_tokens": added, "model": model}

    def check_output(self, path: Path) -> None:
        """Raises TrainingStopped if the result cannot be written under this name."""
        if output_format(path) == "tiktoken":
            self.checked_pattern(path)

    def beside(self, path: Path) -> Sequence[Path]:
        """The other files that are written with the one at `path`."""
        return [path.with_name("merges.txt")] if output_format(path) == "vocab.json" else []

    def checked_pattern(self, output: Path) -> str:
        """What a rank file says that cuts the text. Raises TrainingStopped where it cannot say it."""
        if self.pattern is None:
            raise TrainingStopped(f"{output}: a rank file is for minbpe, or for --pipeline {' or '.join(BYTE_LEVEL)}")
        return self.pattern

    def files(self, value: Json, output: Path) -> dict[Path, str | bytes]:
        """The content of each file that the output has, by path; the output is the last.

        Raises TrainingStopped where it cannot hold the tokenizer.
        """
        match output_format(output):
            case "vocab.json":
                found = vocab_and_merges(value)
            case "tiktoken":
                found = tiktoken_files(value, output.name, self.checked_pattern(output))
            case _:
                found = {output.name: tokenizer_json(value)}
        return {output.with_name(name): content for name, content in found.items()}


def output_format(output: Path) -> str:
    """The format of an output by its name. Raises TrainingStopped for a name that tells none."""
    if output.name == "vocab.json":
        return "vocab.json"
    if output.suffix in (".json", ".tiktoken"):
        return "tokenizer.json" if output.suffix == ".json" else "tiktoken"
    known = "tokenizer.json, vocab.json (with merges.txt beside it) or FILE.tiktoken"
    raise TrainingStopped(f"{output}: the output is {known}")


def _warnings(value: Json, vocab_size: int) -> Iterator[str]:
    """What would harm the user of a trained tokenizer.json."""
    vocab = value["model"]["vocab"]
    if len(vocab) != vocab_size:
        how = "more" if len(vocab) > vocab_size else "fewer"
        yield f"the vocab has {len(vocab):,} tokens, {how} than vocab_size, {vocab_size:,}"
    ids = vocab if isinstance(vocab, dict) else {piece: piece_id for piece_id, (piece, _) in enumerate(vocab)}
    added = {token["content"]: token["id"] for token in value["added_tokens"]}
    for content, token_id in added.items():
        if ids.get(content, token_id) != token_id or (content not in ids and token_id < len(vocab)):
            yield (
                f"{content!r:.60} was added before the training, and keeps the id {token_id}, which the vocab gives to "
                "another token: whoever reads the file gives it a new id"
            )
    for name, inserted in _inserted(value["post_processor"]):
        if name in added and inserted != [added[name]]:
            yield f"the post-processor inserts {name!r:.60} as {inserted}, but its id is {added[name]}: change the file"


def _inserted(stage: Json | None) -> Iterator[tuple[str, list[int]]]:
    """The tokens that the templates of a post-processor insert, with their ids."""
    if stage is None:
        return
    for child in stage.get("processors", ()):
        yield from _inserted(child)
    special = stage.get("special_tokens")
    if isinstance(special, dict):
        yield from ((entry["id"], entry["ids"]) for entry in special.values())
