"""From a vocabulary to the rules: which stages llama.cpp puts in a line."""

from __future__ import annotations

from array import array
from collections.abc import Sequence as Items
from dataclasses import replace

from reftok.errors import ModelFormatError
from reftok.formats.llama_cpp.attributes import attributes, is_byte_token
from reftok.formats.named_ids import CONTENTS, TURNS, well_known_ids
from reftok.rules.huggingface.normalizers import Prepend, Replace
from reftok.rules.huggingface.post_processors import Sequence, SpecialToken, TemplateProcessing
from reftok.rules.llama_cpp.special_tokens import LlamaSpecialTokens
from reftok.rules.llama_cpp.spm import LlamaSPM
from reftok.rules.llama_cpp.stages import Detokenizer
from reftok.rules.llama_cpp.vocab import CUT_OUT, LlamaVocab
from reftok.rules.pipeline import Pipeline
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.stages import Model, Normalizer, PreTokenizer


def llama_spm_rules(
    tokens: Items[str],
    scores: Items[float],
    unk_id: int | None = None,
    bos_id: int | None = None,
    eos_id: int | None = None,
    add_space_prefix: bool = True,
    token_types: Items[int] | None = None,
) -> Pipeline:
    """The rules of `reftok.llama_spm`, with its arguments and errors."""
    size = len(tokens)
    ids = {token: index for index, token in enumerate(tokens)}
    if len(scores) != size or len(ids) != size or (token_types is not None and len(token_types) != size):
        raise ModelFormatError("", "tokens", "must be different, with one score and one type each")
    for name, token_id in (("unk_id", unk_id), ("bos_id", bos_id), ("eos_id", eos_id)):
        if token_id is not None and not 0 <= token_id < size:
            raise ModelFormatError("", name, f"{token_id} is not in the vocab")
    if any(score != score for score in scores):
        raise ModelFormatError("", "scores", "has what is not a number")
    types = _types(tokens, unk_id, (bos_id, eos_id)) if token_types is None else token_types
    found = attributes(ids, types)
    vocab = LlamaVocab(tokens, ids, found, "spaces escaped", bos_id, eos_id, bos_id is not None, add_eos=False)
    rules = spm_rules(vocab, array("f", scores), add_space_prefix)
    return replace(rules, named_ids={**rules.named_ids, "unk": unk_id})


def _types(tokens: Items[str], unk_id: int | None, control_ids: Items[int | None]) -> list[int]:
    types = [6 if is_byte_token(token) else 1 for token in tokens]
    if unk_id is not None:
        types[unk_id] = 2
    for token_id in control_ids:
        if token_id is not None:
            types[token_id] = 3
    return types


def spm_rules(vocab: LlamaVocab, scores: Items[float], add_space_prefix: bool, source: str = "") -> Pipeline:
    """The rules of the tokenizer SPM.

    Quirk: llama.cpp puts the space before a text at the start or behind a special token, which is every text there is.
    """
    escape = Replace(" ", SPACE_SYMBOL)
    normalizers = (Prepend(" "), escape) if add_space_prefix else (escape,)
    return llama_rules(vocab, LlamaSPM(vocab.ids, scores), normalizers, (), add_space_prefix, source=source)


def llama_rules(
    vocab: LlamaVocab,
    model: Model,
    normalizers: tuple[Normalizer, ...],
    pre_tokenizers: tuple[PreTokenizer, ...],
    add_space_prefix: bool,
    clean_spaces: bool = False,
    source: str = "",
) -> Pipeline:
    """The rules of a model of llama.cpp: BOS before the text and EOS behind it, as the file says.

    add_space_prefix: the first piece that is decoded loses a space; only SPM and UGM put one before a text.
    clean_spaces: whether decoded text loses spaces before punctuation.
    source: the file's name, for messages.
    Quirk: a BOS or EOS that the text itself has is not looked at; llama.cpp only warns that there are two.
    """
    for name, token_id, is_added in (("bos", vocab.bos_id, vocab.add_bos), ("eos", vocab.eos_id, vocab.add_eos)):
        if is_added and token_id is None:
            problem = f"is not there, and add_{name}_token asks for it: llama.cpp ends the process"
            raise ModelFormatError(source, f"tokenizer.ggml.{name}_token_id", problem)
    begin, end = vocab.bos_id if vocab.add_bos else None, vocab.eos_id if vocab.add_eos else None
    return Pipeline(
        library="llama.cpp",
        model=model,
        added_tokens=LlamaSpecialTokens(vocab, source=source),
        normalizers=normalizers,
        pre_tokenizers=pre_tokenizers,
        post_processors=(begin_and_end(vocab, begin, end),),
        named_ids=ids_of_llama_vocab(vocab),
        detokenizer=Detokenizer(vocab, add_space_prefix, clean_spaces),
    )


def begin_and_end(vocab: LlamaVocab, begin: int | None, end: int | None) -> TemplateProcessing:
    """One token before a text and one behind it, or none."""
    ids = [() if token_id is None else (token_id,) for token_id in (begin, end)]
    before, after = (SpecialToken(found, tuple(map(vocab.tokens.__getitem__, found)), 0) for found in ids)
    return TemplateProcessing((before, Sequence("A", 0), after))


def ids_of_llama_vocab(vocab: LlamaVocab) -> dict[str, int | None]:
    """The named ids of the vocab of a GGUF file, but for unk: pad and the marks of turns are cut out of a text."""
    named = {"bos": vocab.bos_id, "eos": vocab.eos_id}
    found = {content: vocab.ids[content] for content in CONTENTS if content in vocab.ids}
    cut_out = {content: token_id for content, token_id in found.items() if vocab.attributes[token_id] & CUT_OUT}
    return named | well_known_ids(cut_out, ("pad", *TURNS))
