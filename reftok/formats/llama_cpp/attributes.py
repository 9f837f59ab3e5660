"""The attributes that llama.cpp gives the tokens of a GGUF file.

An attribute follows from the type in the file, overruled by the token's text and the name of the model.
Source: llama.cpp src/llama-vocab.cpp (`llama_vocab::impl::load`), as in llama-cpp-python 0.3.36. "Unused" and "end of
generation" are left out where they change nothing about text and ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.rules.llama_cpp.vocab import CUT_OUT, Attribute

_OF_TYPE = {
    1: Attribute.NORMAL,
    2: Attribute.UNKNOWN,
    3: Attribute.CONTROL,
    4: Attribute.USER_DEFINED,
    5: Attribute.UNUSED,
    6: Attribute.BYTE,
}

_ENDS = frozenset({
    "<|eot_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|flush|>", "<|calls|>", "<end_of_turn>",
    "<|endoftext|>", "</s>", "<|eom_id|>", "<EOT>", "_<EOT>", "[EOT]", "[EOS]", "<|end_of_text|>", "<end_of_utterance>",
    "<eos>", "<turn|>", "<|tool_response>", "<｜end▁of▁sentence｜>", "[e~[",
})  # fmt: skip
"""Tokens that end a generation, known by their text: control tokens, whatever the file says."""

_FILL_IN: Mapping[str, tuple[str, ...]] = {
    "fim_pre": ("<|fim_prefix|>", "<fim-prefix>", "<fim_prefix>", "<｜fim▁begin｜>", "<PRE>", "▁<PRE>",
                "<|code_prefix|>", "<|prefix|>"),
    "fim_suf": ("<|fim_suffix|>", "<fim-suffix>", "<fim_suffix>", "<｜fim▁hole｜>", "<SUF>", "▁<SUF>",
                "<|code_suffix|>", "<|suffix|>"),
    "fim_mid": ("<|fim_middle|>", "<fim-middle>", "<fim_middle>", "<｜fim▁end｜>", "<MID>", "▁<MID>",
                "<|code_middle|>", "<|middle|>"),
    "fim_pad": ("<|fim_pad|>", "<fim-pad>", "<fim_pad>", "<PAD>", "[PAD]"),
    "fim_rep": ("<|fim_repo|>", "<|repo_name|>", "<fim-repo>", "<REPO>", "<reponame>"),
    "fim_sep": ("<|file_sep|>",),
}  # fmt: skip
"""Tokens for filling in the middle, known by their text where the file names no id for them."""

_HEXADECIMAL = frozenset("0123456789ABCDEFabcdef")
_ALWAYS_SHOWN = ("<|channel|>", "<|message|>", "<|start|>", "<|constrain|>")
_NEVER_STRIPPED_IN_PHI3 = ("<unk>", "<s>", "<|endoftext|>")


@dataclass(frozen=True, slots=True)
class Origin:
    """Everything besides the tokens that decides about attributes.

    source: the file's name, for messages.
    name, architecture, pre: `general.name`, `general.architecture` and `tokenizer.ggml.pre`.
    named: the fill-in-the-middle tokens that the file has an id for: fim_pre, fim_suf, …
    end_ids: those of EOS, end of turn and end of message.
    """

    source: str = ""
    name: str = ""
    architecture: str = ""
    pre: str = ""
    named: frozenset[str] = frozenset()
    end_ids: frozenset[int] = frozenset()


def attributes(ids: Mapping[str, int], types: Sequence[int] | None, origin: Origin = Origin()) -> list[Attribute]:
    """The attributes of each token, by id.

    ids: the tokens.
    types: as in `tokenizer.ggml.token_type`; None if the file has none: then every token is a normal one.
    Raises ModelFormatError for a byte that is not written as one and a model named Phi-3 that lacks its tokens,
    UnsupportedFeature if the order of a hash table decides in llama.cpp.

    >>> attributes({"a": 0, "</s>": 1, "<|start|>": 2}, [1, 1, 3])
    [<Attribute.NORMAL: 4>, <Attribute.NORMAL|CONTROL: 12>, <Attribute.USER_DEFINED: 16>]
    """
    found = of_types(types, len(ids))
    for names in _fill_in_names(ids, found, origin):
        found[ids[names]] |= Attribute.CONTROL
    for name in _ENDS & ids.keys():
        found[ids[name]] |= Attribute.CONTROL
    for name in _ALWAYS_SHOWN:
        if name in ids:
            found[ids[name]] = Attribute.USER_DEFINED
    if _end_is_no_end(ids):
        found[ids["<|end|>"]] = Attribute.USER_DEFINED
    if "</s>" in ids and ("<|tool_response>" in ids or ids.get("<|plamo:eos|>") in origin.end_ids):
        found[ids["</s>"]] = Attribute.NORMAL
    _strip(found, ids, origin)
    _refuse_strange_bytes(found, ids, origin)
    return found


def of_types(types: Sequence[int] | None, size: int) -> list[Attribute]:
    """The attributes of `size` tokens by their types alone, as `attributes` starts with them.

    >>> of_types([1, 6, 77, 4], 3), of_types(None, 1)
    ([<Attribute.NORMAL: 4>, <Attribute.BYTE: 32>, <Attribute.UNDEFINED: 0>], [<Attribute.NORMAL: 4>])
    """
    if types is None:
        return [Attribute.NORMAL] * size
    return [_OF_TYPE.get(kind, Attribute.UNDEFINED) for kind in types[:size]]


def is_byte_token(token: str) -> bool:
    """Whether it is written as a byte.

    >>> is_byte_token("<0x0A>"), is_byte_token("<0xA>")
    (True, False)
    """
    return len(token) == 6 and token.startswith("<0x") and set(token[3:5]) <= _HEXADECIMAL and token.endswith(">")


def _refuse_strange_bytes(found: Sequence[Attribute], ids: Mapping[str, int], origin: Origin) -> None:
    for token, index in ids.items():
        if found[index] & Attribute.BYTE and not (len(token[3:5]) == 2 and set(token[3:5]) <= _HEXADECIMAL):
            problem = f"is a byte, but not written as one: {token!r:.60}"
            raise ModelFormatError(origin.source, f"tokenizer.ggml.tokens[{index}]", problem)


def _fill_in_names(ids: Mapping[str, int], found: Sequence[Attribute], origin: Origin) -> list[str]:
    """The one token of each kind that becomes a control token: the first in the hash table of llama.cpp."""
    names: list[str] = []
    for kind, texts in _FILL_IN.items():
        present = [text for text in texts if text in ids and kind not in origin.named]
        names += present[:1]
        if len(present) > 1 and not all(found[ids[text]] & Attribute.CONTROL for text in present):
            both = " and ".join(map(repr, present[:2]))
            problem = f"{both}: which of them is a control token depends on a hash table in llama.cpp"
            raise UnsupportedFeature(origin.source, "tokenizer.ggml.tokens", problem)
    return names


def _end_is_no_end(ids: Mapping[str, int]) -> bool:
    """Whether <|end|> is an ordinary token, as in gpt-oss and Solar Open."""
    has_call = "<|call|>" in ids or "<|calls|>" in ids
    return "<|end|>" in ids and has_call and ("<|return|>" in ids or "<|flush|>" in ids)


def _strip(found: list[Attribute], ids: Mapping[str, int], origin: Origin) -> None:
    """Set which special tokens strip the white space beside them; the name of the model decides."""
    name = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in origin.name)
    jina = any(part in origin.pre for part in ("jina-v2-de", "jina-v2-es", "jina-v2-code"))
    if jina or any(part in origin.architecture for part in ("nomic-bert-moe", "jina-bert-v3")):
        if "<mask>" in ids:
            found[ids["<mask>"]] |= Attribute.LSTRIP
    elif "phi-3" in name or "phi3" in name:
        missing = [token for token in ("</s>", *_NEVER_STRIPPED_IN_PHI3) if token not in ids]
        if missing:
            problem = f"lacks {missing[0]!r}, which every model named Phi-3 must have"
            raise ModelFormatError(origin.source, "tokenizer.ggml.tokens", problem)
        for index, attribute in enumerate(found):
            if attribute & CUT_OUT:
                found[index] |= Attribute.RSTRIP
        found[ids["</s>"]] |= Attribute.RSTRIP
        for token in _NEVER_STRIPPED_IN_PHI3:
            found[ids[token]] &= ~Attribute.RSTRIP
    elif "modern-bert" in name and "[MASK]" in ids:
        found[ids["[MASK]"]] |= Attribute.LSTRIP
