"""The model of tokenizer.json.

Source: tokenizers 0.23 models/mod.rs and the `Deserialize` implementation of each model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, repeat

from reftok.formats.fields import Fields
from reftok.spec.models.bpe import BPE, BPEOptions
from reftok.spec.models.unigram import Unigram
from reftok.spec.models.wordlevel import WordLevel
from reftok.spec.models.wordpiece import WordPiece
from reftok.spec.stages import Model


def read_model(fields: Fields) -> Model:
    """The model; files older than the key `type` are told apart by their other keys, as in the library."""
    kind = fields.text("type") if fields.has("type") else _kind_of_old_file(fields)
    if kind not in _MODELS:
        raise fields.unsupported("type", kind)
    model = _MODELS[kind](fields)
    fields.done()
    return model


def _kind_of_old_file(fields: Fields) -> str:
    """The first model, in the order of the library, that has all of its keys."""
    if isinstance(fields.any("vocab", None), list):
        return "Unigram"
    if fields.has("merges"):
        return "BPE"
    if all(map(fields.has, ("unk_token", "continuing_subword_prefix", "max_input_chars_per_word"))):
        return "WordPiece"
    return "WordLevel" if fields.has("unk_token") else fields.text("type")


def _read_bpe(fields: Fields) -> BPE:
    if fields.any("dropout", None) is not None and fields.number("dropout"):
        raise fields.unsupported("dropout", "a rate above 0, which makes ids random,")
    options = BPEOptions(
        unk_token=fields.optional_text("unk_token"),
        continuing_subword_prefix=fields.optional_text("continuing_subword_prefix") or "",
        end_of_word_suffix=fields.optional_text("end_of_word_suffix") or "",
        fuse_unk=fields.optional_boolean("fuse_unk"),
        byte_fallback=fields.optional_boolean("byte_fallback"),
        ignore_merges=fields.optional_boolean("ignore_merges"),
    )
    vocab = fields.vocab("vocab")
    merges = _read_merges(fields)
    return BPE(vocab, merges, options, fields.source)


def _read_merges(fields: Fields) -> Sequence[Sequence[str]]:
    """All pairs, or, in older files, all lines of two tokens; lines that start with `#version` are skipped."""
    entries = fields.items("merges")
    types = {*map(type, entries)}
    if types == {list} and {*map(len, entries)} == {2} and {*map(type, chain.from_iterable(entries))} == {str}:
        return entries
    if types == {str}:
        lines = [entry for entry in entries if not entry.startswith("#version")]
        if {*map(str.count, lines, repeat(" "))} == {1}:
            tokens = " ".join(lines).split(" ")
            return [*zip(tokens[::2], tokens[1::2], strict=True)]
    as_lines = bool(entries) and isinstance(entries[0], str)
    merges: list[tuple[str, str]] = []
    for index, entry in enumerate(entries):
        if as_lines and isinstance(entry, str) and entry.startswith("#version"):
            continue
        match entry.split(" ") if as_lines and isinstance(entry, str) else entry:
            case [str() as left, str() as right] if isinstance(entry, str) is as_lines:
                merges.append((left, right))
            case _:
                raise fields.wrong(f"merges[{index}]", f"is not a pair of tokens: {entry!r:.60}")
    return merges


def _read_unigram(fields: Fields) -> Unigram:
    pieces: list[tuple[str, float]] = []
    for index, entry in enumerate(fields.items("vocab")):
        match entry:
            case [str() as piece, (int() | float()) as score] if not isinstance(score, bool):
                pieces.append((piece, float(score)))
            case _:
                raise fields.wrong(f"vocab[{index}]", f"is not a pair of piece and score: {entry!r:.60}")
    unk_id = fields.integer("unk_id", 1 << 64) if fields.any("unk_id", None) is not None else None
    byte_fallback = fields.boolean("byte_fallback", False)
    return Unigram(pieces, unk_id, byte_fallback, fields.source)


def _read_wordpiece(fields: Fields) -> WordPiece:
    return WordPiece(
        fields.vocab("vocab"),
        fields.text("unk_token"),
        fields.text("continuing_subword_prefix"),
        fields.integer("max_input_chars_per_word", 1 << 64),
        fields.source,
    )


def _read_wordlevel(fields: Fields) -> WordLevel:
    return WordLevel(fields.vocab("vocab"), fields.text("unk_token"), fields.source)


_MODELS: dict[str, Callable[[Fields], Model]] = {
    "BPE": _read_bpe,
    "WordPiece": _read_wordpiece,
    "WordLevel": _read_wordlevel,
    "Unigram": _read_unigram,
}
