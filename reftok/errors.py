"""Everything that reftok raises on purpose, as one tree.

    ReftokError
    ├── ModelFormatError        the file is missing, truncated, foreign or contradicts itself
    │   └── UnsupportedFeature    the file is sound, but asks for something reftok does not know
    ├── InvalidText           the text cannot be given to this tokenizer (lone surrogates, bytes, no text at all)
    ├── InvalidIds            an id that is not an id of this tokenizer, or no id at all
    ├── ChatRefused           a conversation that the chat template refuses, or a template that is missing or not sound
    ├── StreamFinished        a stream that has ended was given more
    ├── TrainingStopped       train: an option, a corpus, or a file that cannot be written or gone on with
    │   ├── InvalidOption         an option that is not known, or does not accept its value
    │   └── VocabularyTooLarge    fewer pieces can be made than are asked for
    └── EncodingStopped       encode_files: a file that cannot be read, written or gone on with; a document of it

Besides these only TypeError is raised on purpose, for a callback that cannot be called.

Every message names the file or the argument, the place in it, and the way out.
"""

from __future__ import annotations


class ReftokError(ValueError):
    """Base of every error that reftok raises on purpose."""


class ModelFormatError(ReftokError):
    """A model file that cannot be read.

    >>> str(ModelFormatError("m/tokenizer.json", "model.vocab", "is missing"))
    'm/tokenizer.json: model.vocab: is missing'
    """

    def __init__(self, source: str, place: str, problem: str) -> None:
        self.source, self.place, self.problem = source, place, problem
        super().__init__(": ".join(part for part in (source, place, problem) if part))


class UnsupportedFeature(ModelFormatError):
    """A format key, component or option that reftok does not implement.

    Nothing is guessed: a file that needs what is not there is refused by name.
    """


class InvalidText(ReftokError):
    """Text that the official library refuses as well, or that is too long for a pattern or a trace of the tokenizer.

    The library refuses lone surrogates, bytes where it takes only str, and what is no text at all.
    """


class InvalidIds(ReftokError):
    """A value that is no id for any library, or an id outside the vocabulary of one that refuses it (sentencepiece)."""


class ChatRefused(ReftokError):
    """A conversation that the chat template of the model refuses, a template that is not sound or too much, or none.

    The message of a template's own `raise_exception` comes after its file and line.
    """


class StreamFinished(ReftokError):
    """A stream that was given more after `finish`; `reset` makes it ready for another text."""


class TrainingStopped(ReftokError):
    """Of `train`: what the trainer cannot do with its options, its corpus or its checkpoint."""


class InvalidOption(TrainingStopped):
    """An option of a trainer that is not known, or a value that it does not accept.

    >>> str(InvalidOption("vocab_size", "0 is too few, 1 is the least"))
    'vocab_size: 0 is too few, 1 is the least'
    """

    def __init__(self, option: str, problem: str) -> None:
        self.option, self.problem = option, problem
        super().__init__(f"{option}: {problem}")


class VocabularyTooLarge(TrainingStopped):
    """Fewer pieces can be made than are asked for.

    largest: the largest vocabulary that this corpus and these options can give.
    """

    def __init__(self, vocab_size: int, largest: int) -> None:
        self.largest = largest
        super().__init__(
            f"vocab_size: the corpus gives {largest} pieces, not {vocab_size}; ask for {largest} at most, or set "
            "hard_vocab_limit to false"
        )


class EncodingStopped(ReftokError):
    """Of `encode_files`: a file that cannot be read, written or gone on with, or a document that cannot be encoded."""
