"""The door: texts and options to a tokenizer, `reftok.train`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from reftok.formats.huggingface.tokenizer_json import build_rules
from reftok.tokenizer import Tokenizer
from reftok.training.checkpoint import carried_out
from reftok.training.explaining import refuse_table, write_table
from reftok.training.monitor import TrainingProgress, TrainingTrace
from reftok.training.sentencepiece.trainer import SentencePieceTraining, rules_of
from reftok.training.texts import Texts
from reftok.training.training import Training

SENTENCEPIECE_TRAINERS = ("sentencepiece-bpe", "unigram", "word", "char")
"""The names of those that make a `.model`."""


def train(
    trainer: str,
    texts: Iterable[str] | None = None,
    *,
    files: str | Path | Iterable[str | Path] | None = None,
    whole_files: bool = False,
    pipeline: str | Path | Mapping[str, Any] | None = None,
    output: str | Path | None = None,
    merge_table: str | Path | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[TrainingProgress], None] | None = None,
    **options: Any,
) -> Tokenizer:
    """A tokenizer that learned its vocab from texts, identical to what the official trainer makes of them.

    trainer: hf-bpe, wordpiece, wordlevel or hf-unigram of `tokenizers`; sentencepiece-bpe, unigram, word or char of
        `sentencepiece`; minbpe, of karpathy/minbpe.
    texts: each is normalized and cut by itself.
    files: in place of texts: paths, or of a folder all .txt files in it, read by lines as the library does; with
        `whole_files` each file is one text.
    pipeline: the stages around the model: the name of a usual one (see `reftok.training.pipelines`), or a
        tokenizer.json whose model is to be trained; by default that of GPT-2, of BERT, words, or words that begin with
        `▁`. Of minbpe `pattern=` in its place, None for no cutting; sentencepiece has none.
    output: tokenizer.json, vocab.json (merges.txt beside it) or a .tiktoken rank file, to be written; FILE.model of
        sentencepiece's trainers.
    merge_table: a file to be written with the merges of a BPE in their order: a line for each, with its number, its two
        tokens, the token that they become and how often they were neighbours, separated by tabs.
    resume: continue from the checkpoint of an interrupted training with the same files, options and output.
    overwrite: replace the output, and discard an interrupted training.
    progress: called twice a second.
    options: of the trainer, under their own names: see `reftok.training.bpe` and the modules beside it, and
        `reftok.training.sentencepiece.options`. For hf-bpe with a byte-level pipeline `initial_alphabet` defaults to
        the characters of all bytes.

    If the official result is not a function of the input (see the docstrings of the trainers), the order of the text
    and of code points decides. A vocab that does not have the size that was asked for is logged as a warning.
    Raises TrainingStopped for an option that the trainer does not take, what cannot be read, written or resumed, and a
    model that sentencepiece could not load, which is not written;
    ModelFormatError or UnsupportedFeature for a pipeline that is not sound.

    >>> import reftok
    >>> tokenizer = reftok.train("hf-bpe", ["low lower lowest", "new newer"], vocab_size=262)
    >>> tokenizer.encode("lower newest").tokens
    ['lo', 'wer', 'Ġ', 'ne', 'we', 'st']
    """
    training = training_of(trainer, Texts.of(texts, files, whole_files), pipeline, options)
    path, place = None if output is None else Path(output), str(output or "")
    if merge_table is not None:
        refuse_table(trainer, Path(merge_table), overwrite)
    trace = None if merge_table is None else TrainingTrace("")  # no single merge is to be explained
    # Each is trained and loaded by its own family; the two results have different types.
    if isinstance(training, Training):
        rules = build_rules(carried_out(training, path, resume, overwrite, progress, trace), place)
    else:
        rules = rules_of(carried_out(training, path, resume, overwrite, progress, trace), path)
    if merge_table is not None and trace is not None:
        write_table(trace, Path(merge_table))
    return Tokenizer(rules)


def training_of(
    trainer: str, texts: Texts, pipeline: str | Path | Mapping[str, Any] | None, options: Mapping[str, Any]
) -> Training | SentencePieceTraining:
    """The training that the arguments of `train` describe. Raises TrainingStopped for an option that is not known."""
    if trainer in SENTENCEPIECE_TRAINERS:
        given = options if pipeline is None else {**options, "pipeline": pipeline}
        return SentencePieceTraining.of(trainer, texts, **given)
    return Training.of(trainer, texts, pipeline, **options)
