"""From a vocabulary to a tokenizer: which stages llama.cpp puts in a line."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reftok.errors import ModelFormatError
from reftok.formats.gguf_pre_types import PreType
from reftok.spec.llama.attributes import CUT_OUT, attributes, is_byte_token
from reftok.spec.llama.bert import BertText, BertWords
from reftok.spec.llama.bpe import LlamaBPE, LlamaBPEOptions
from reftok.spec.llama.pretokenizers import ByteCharacters
from reftok.spec.llama.special_tokens import LlamaSpecialTokens
from reftok.spec.llama.spm import LlamaSPM
from reftok.spec.llama.stages import BeginAndEnd, Detokenizer, EscapeSpaces, ReadCodePoints, SpacePrefix
from reftok.spec.llama.ugm import LlamaUGM
from reftok.spec.llama.ugm_normalizer import UGMNormalizer
from reftok.spec.llama.vocab import LlamaVocab
from reftok.spec.llama.wpm import LlamaWPM
from reftok.spec.named_ids import TURNS, WELL_KNOWN, first_well_known
from reftok.spec.stages import Model, Normalizer, PreTokenizer
from reftok.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """The settings that all models of GGUF files have in common.

    add_space_prefix: a space before each text; for BPE and WPM it only means that decoding removes one.
    clean_spaces: whether decoded text loses spaces before punctuation.
    source: the file's name, for messages.
    """

    vocab: LlamaVocab
    add_space_prefix: bool
    clean_spaces: bool = False
    source: str = ""


def llama_spm(
    tokens: Sequence[str],
    scores: Sequence[float],
    unk_id: int | None = None,
    bos_id: int | None = None,
    eos_id: int | None = None,
    add_space_prefix: bool = True,
    token_types: Sequence[int] | None = None,
) -> Tokenizer:
    """The tokenizer SPM of llama.cpp from tokens and scores in memory, as in a GGUF file with the model `llama`.

    tokens, scores: by id.
    unk_id, bos_id, eos_id: None where there is none. BOS is added before a text where it is there; EOS is not added.
    add_space_prefix: a space before each text, so that its first word is the same as within.
    token_types: as in GGUF: 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused, 6 byte. None makes the three ids
        above unknown and control tokens, `<0x00>` to `<0xFF>` byte tokens and every other one a normal token.
    Raises ModelFormatError where the lists do not belong together or a token is there twice.

    The unknown token is never given: a character that neither is a token nor has byte tokens raises InvalidText, as
    llama.cpp ends the process over it.

    >>> tokenizer = llama_spm(["<unk>", "<s>", "▁", "h", "i", "hi", "▁hi"], [0, 0, -4, -4, -4, -2, -1], 0, 1)
    >>> tokenizer.encode_ids("hi<s>hi hi")
    [1, 6, 1, 6, 6]
    """
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
    tokenizer = build_spm(LlamaSettings(vocab, add_space_prefix), array("f", scores))
    return replace(tokenizer, named_ids={**tokenizer.named_ids, "unk": unk_id})


def _types(tokens: Sequence[str], unk_id: int | None, control_ids: Sequence[int | None]) -> list[int]:
    types = [6 if is_byte_token(token) else 1 for token in tokens]
    if unk_id is not None:
        types[unk_id] = 2
    for token_id in control_ids:
        if token_id is not None:
            types[token_id] = 3
    return types


def build_spm(settings: LlamaSettings, scores: Sequence[float]) -> Tokenizer:
    """The tokenizer SPM."""
    normalizers = (SpacePrefix(), EscapeSpaces()) if settings.add_space_prefix else (EscapeSpaces(),)
    return _build(settings, LlamaSPM(settings.vocab.ids, scores), normalizers, ())


def build_bpe(settings: LlamaSettings, ranks: Mapping[tuple[str, str], int], pre_type: PreType) -> Tokenizer:
    """The tokenizer BPE."""
    options = LlamaBPEOptions(pre_type.ignore_merges, pre_type.is_byte_level, pre_type.is_gemma4)
    model = LlamaBPE(settings.vocab.ids, ranks, options)
    if pre_type.is_byte_level:
        return _build(settings, model, (ReadCodePoints(),), (*pre_type.steps, ByteCharacters()))
    return _build(settings, model, (EscapeSpaces(), ReadCodePoints()), pre_type.steps)


def build_ugm(settings: LlamaSettings, model: LlamaUGM, normalizer: UGMNormalizer) -> Tokenizer:
    """The tokenizer UGM."""
    return _build(settings, model, (normalizer,), ())


def build_wpm(settings: LlamaSettings, unk_id: int, begin_and_end: tuple[int, int], text: BertText) -> Tokenizer:
    """The tokenizer WPM; its two special tokens go around a text whatever `add_bos_token` and its like say."""
    vocab = settings.vocab
    begin, end = (((token_id, vocab.tokens[token_id]),) for token_id in begin_and_end)
    built = _build(settings, LlamaWPM(vocab.ids, unk_id), (ReadCodePoints(), text), (BertWords(),))
    return replace(built, post_processors=(BeginAndEnd(begin, end),))


def _build(
    settings: LlamaSettings, model: Model, normalizers: Sequence[Normalizer], steps: Sequence[PreTokenizer]
) -> Tokenizer:
    return Tokenizer(
        library="llama.cpp",
        model=model,
        added_tokens=LlamaSpecialTokens(settings.vocab, source=settings.source),
        normalizers=tuple(normalizers),
        pre_tokenizers=tuple(steps),
        post_processors=(_begin_and_end(settings),),
        named_ids=ids_of_llama_vocab(settings.vocab),
        detokenizer=Detokenizer(settings.vocab, settings.add_space_prefix, settings.clean_spaces),
    )


def _begin_and_end(settings: LlamaSettings) -> BeginAndEnd:
    vocab = settings.vocab
    added: list[tuple[tuple[int, str], ...]] = []
    for name, token_id, is_added in (("bos", vocab.bos_id, vocab.add_bos), ("eos", vocab.eos_id, vocab.add_eos)):
        if is_added and token_id is None:
            problem = f"is not there, and add_{name}_token asks for it: llama.cpp ends the process"
            raise ModelFormatError(settings.source, f"tokenizer.ggml.{name}_token_id", problem)
        added.append(((token_id, vocab.tokens[token_id]),) if is_added and token_id is not None else ())
    return BeginAndEnd(*added)


def ids_of_llama_vocab(vocab: LlamaVocab) -> dict[str, int | None]:
    """The named ids of the vocab of a GGUF file, but for unk: pad and the marks of turns are cut out of a text."""
    named = {"bos": vocab.bos_id, "eos": vocab.eos_id}
    contents = {content for name in ("pad", *TURNS) for content in WELL_KNOWN[name] if content in vocab.ids}
    cut_out = {content: vocab.ids[content] for content in contents if vocab.attributes[vocab.ids[content]] & CUT_OUT}
    return named | {name: first_well_known(name, cut_out) for name in ("pad", *TURNS)}
