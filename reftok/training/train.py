"""The door: texts and options to a tokenizer, `reftok.train`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reftok.formats.huggingface.tokenizer_json import build_rules
from reftok.formats.sentencepiece.model_file import read_sentencepiece_model
from reftok.tokenizer import Tokenizer

if TYPE_CHECKING:
    from reftok.training.watching import TrainingProgress

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
    resume: bool = False,
    overwrite: bool = False,
    progress: Callable[[TrainingProgress], None] | None = None,
    notes: Callable[[str], None] | None = None,
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
    resume: go on from the checkpoint of an interrupted training with the same files, options and output; those
        of sentencepiece keep none.
    overwrite: replace the output, and forget an interrupted training.
    progress: called now and then. notes: told, a sentence each, the largest vocab possible and what looks wrong.
    options: of the trainer, under their own names: see `reftok.training.bpe` and the modules beside it, and
        `reftok.training.sentencepiece.options`. For hf-bpe with
        a byte-level pipeline `initial_alphabet` is that of the bytes, if nothing else is said.

    Where the official result is not a function of the input (see the docstrings of the trainers) the order of the text
    and of code points decides.
    Raises TrainingStopped for an option that the trainer does not take, and what cannot be read, written or gone on
    with; ModelFormatError or UnsupportedFeature for a pipeline that is not sound.

    >>> import reftok
    >>> tokenizer = reftok.train("hf-bpe", ["low lower lowest", "new newer"], vocab_size=262)
    >>> tokenizer.encode("lower newest").tokens
    ['lo', 'wer', 'Ġ', 'ne', 'we', 'st']
    """
    # Importing reftok would take half as long again, for what few programs do.
    from reftok.training.feeding import Texts
    from reftok.training.run import Run
    from reftok.training.training import Training

    source = Texts.of(texts, files, whole_files)
    if trainer in SENTENCEPIECE_TRAINERS:
        from reftok.training.sentencepiece.training import SentencePieceTraining, trained_file

        given = options if pipeline is None else {**options, "pipeline": pipeline}
        of_pieces = SentencePieceTraining.of(trainer, source, **given)
        path = None if output is None else Path(output)
        data = trained_file(of_pieces, path, resume, overwrite, progress, notes)
        return Tokenizer(read_sentencepiece_model(data, str(output or "")))
    training = Training.of(trainer, source, pipeline, **options)
    run = Run(training, None if output is None else Path(output), resume, overwrite, progress, notes)
    return Tokenizer(build_rules(run.run(), str(output or "")))
