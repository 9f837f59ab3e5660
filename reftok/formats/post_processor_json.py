"""The components under the key `post_processor` of tokenizer.json."""

from __future__ import annotations

from collections.abc import Callable

from reftok.errors import UnsupportedFeature
from reftok.formats.chain_json import read_chain
from reftok.formats.fields import Fields, is_id
from reftok.spec.encodings import joined
from reftok.spec.postprocessors import (
    BertProcessing,
    ByteLevel,
    RobertaProcessing,
    Sequence,
    SpecialToken,
    TemplateProcessing,
)
from reftok.spec.stages import PostProcessor

_MOST_INSERTED_IDS = 1_000_000
_SpecialTokens = dict[str, tuple[tuple[int, ...], tuple[str, ...]]]


def read_post_processors(fields: Fields | None) -> tuple[PostProcessor, ...] | None:
    """The post-processors, sequences flattened; None where the file has none.

    Refused where the library panics at every text: a template gets more than two parts of the one before it.
    """
    if fields is None:
        return None
    chain: tuple[PostProcessor, ...] = read_chain(fields, "processors", _POST_PROCESSORS)
    parts = [joined(())]
    for step in chain:
        try:
            parts = step.process(parts, add_special_tokens=True)
        except UnsupportedFeature as error:
            raise UnsupportedFeature(fields.source, fields.place, error.problem) from None
    return chain


def _read_byte_level(fields: Fields) -> ByteLevel:
    """A post-processor of the type ByteLevel."""
    fields.boolean("use_regex", True)
    return ByteLevel(fields.boolean("add_prefix_space"), fields.boolean("trim_offsets"))


def _read_bert(fields: Fields) -> BertProcessing:
    """A post-processor of the type BertProcessing."""
    return BertProcessing(_read_token(fields, "sep"), _read_token(fields, "cls"))


def _read_roberta(fields: Fields) -> RobertaProcessing:
    """A post-processor of the type RobertaProcessing."""
    sep, cls = _read_token(fields, "sep"), _read_token(fields, "cls")
    return RobertaProcessing(sep, cls, fields.boolean("trim_offsets"), fields.boolean("add_prefix_space"))


def _read_token(fields: Fields, key: str) -> tuple[str, int]:
    token = fields.items(key)
    if len(token) != 2 or not isinstance(token[0], str) or not is_id(token[1]):
        raise fields.wrong(key, "is not a token and its id")
    return token[0], token[1]


def _read_template(fields: Fields) -> TemplateProcessing:
    """A post-processor of the type TemplateProcessing; the options of ByteLevel, as Command R+ has them, are unused."""
    for key in ("add_prefix_space", "trim_offsets", "use_regex"):
        fields.any(key, None)
    special = _read_special_tokens(fields.object("special_tokens"))
    single, pair = (tuple(_read_piece(piece, special) for piece in fields.objects(key)) for key in ("single", "pair"))
    if any(isinstance(piece, Sequence) and piece.id == "B" for piece in single):
        raise fields.wrong("single", "asks for a second text (Sequence B)")
    template = TemplateProcessing(single, pair)
    for key in ("single", "pair"):
        if template.added_tokens(key == "pair") > _MOST_INSERTED_IDS:
            raise fields.wrong(key, f"inserts more than {_MOST_INSERTED_IDS} ids")
    return template


def _read_special_tokens(fields: Fields) -> _SpecialTokens:
    special: _SpecialTokens = {}
    for name in fields:
        entry = fields.object(name)
        entry.text("id")
        special[name] = _ids(entry), _tokens(entry)
        if len(special[name][0]) != len(special[name][1]):
            raise entry.wrong("tokens", "has another length than ids")
        entry.done()
    return special


def _ids(fields: Fields) -> tuple[int, ...]:
    ids = fields.items("ids")
    if not all(map(is_id, ids)):
        raise fields.wrong("ids", "holds a value that is not an id")
    return tuple(ids)


def _tokens(fields: Fields) -> tuple[str, ...]:
    tokens = fields.items("tokens")
    if not all(isinstance(token, str) for token in tokens):
        raise fields.wrong("tokens", "holds a value that is not a string")
    return tuple(tokens)


def _read_piece(fields: Fields, special: _SpecialTokens) -> SpecialToken | Sequence:
    if fields.has("Sequence"):
        sequence = fields.object("Sequence")
        piece: SpecialToken | Sequence = Sequence(sequence.choice("id", ("A", "B")), sequence.integer("type_id"))
        sequence.done()
    else:
        token = fields.object("SpecialToken")
        name = token.text("id")
        if name not in special:
            raise token.wrong("id", f"{name!r} is not in special_tokens")
        piece = SpecialToken(*special[name], token.integer("type_id"))
        token.done()
    fields.done()
    return piece


_POST_PROCESSORS: dict[str, Callable[[Fields], PostProcessor]] = {
    "BertProcessing": _read_bert,
    "ByteLevel": _read_byte_level,
    "RobertaProcessing": _read_roberta,
    "TemplateProcessing": _read_template,
}
