"""The mistakes of a streaming encoder: what stands at the seam of two chunks where ids go astray.

An encoder that takes each chunk for a text of its own goes astray at seams of all kinds: that is told by what it does
with several texts and cuts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

from conformance.causes.attribution import Attribution
from conformance.core.streaming import Chunks, FedStream, Streamed
from reftok import Encoding, ReftokError, Tokenizer
from reftok.rules.huggingface.normalizers import Precompiled, UnicodeForm
from reftok.rules.sentencepiece.normalizer import NormalizerOptions, SentencePieceNormalizer
from reftok.rules.stages import Normalizer
from reftok.rules.text import NormalizedString
from reftok.unicode.characters import WHITE_SPACE

MOST_CUTS = 12
"""Ways to cut one text that are looked at."""
_SPACES = "▁Ġ "

EACH_CHUNK_ALONE = Attribution("Input", "each chunk is encoded on its own")


def are_chunks_encoded_alone(tokenizer: Tokenizer, entries: Sequence[FedStream]) -> bool:
    """Whether each entry gave the ids of its chunks as texts, and its faults would else go by several rules.

    entries: plain ones, of texts that the reference does not refuse. Special tokens are added to each chunk or to none.
    """
    rules: set[Attribution] = set()
    try:
        if not any(all(_given(entry) == _alone(tokenizer, entry, adds) for entry in entries) for adds in (True, False)):
            return False
        for entry in entries:
            if _given(entry) != entry.whole:
                text = "".join(chunk for chunk in entry.feeding.chunks if isinstance(chunk, str))
                rules.add(attribute_stream_encoding(tokenizer, text, entry))
            if len(rules) > 1:
                return True
    except ReftokError:
        pass
    return False


def plain_entries(entries: Iterable[FedStream]) -> list[FedStream]:
    """A few of the streams that were fed text, not bytes, in chunks that are not empty."""
    found = [entry for entry in entries if _is_of_text(entry)]
    return found[:: 1 + len(found) // MOST_CUTS]


def _is_of_text(entry: FedStream) -> bool:
    is_text = all(isinstance(chunk, str) and chunk for chunk in entry.feeding.chunks)
    return is_text and entry.feeding.is_plain and isinstance(entry.streaming, Streamed)


def _given(entry: FedStream) -> tuple[int, ...]:
    assert isinstance(entry.streaming, Streamed)
    return tuple(token_id for part in entry.streaming.given for token_id in part if isinstance(token_id, int))


def _alone(tokenizer: Tokenizer, entry: FedStream, adds: bool) -> tuple[int, ...]:
    texts = (chunk for chunk in entry.feeding.chunks if isinstance(chunk, str))
    return tuple(token_id for text in texts for token_id in tokenizer.encode(text, add_special_tokens=adds).ids)


def attribute_stream_encoding(tokenizer: Tokenizer, text: str, fed: FedStream) -> Attribution:
    """The mistake at the seam of a text, or of the bytes of its UTF-8, that was fed in chunks."""
    assert isinstance(fed.streaming, Streamed)
    observed = _given(fed)
    chunks = fed.feeding.chunks
    encoding = tokenizer.encode(text)
    ends = list(accumulate(len(chunk) for chunk in chunks if not isinstance(chunk, int)))[:-1]
    widths = [len(text[:position].encode("utf-8")) for position in range(1 + len(text))]
    places = range(1 + len(text)) if isinstance(chunks[0], str) else widths
    seams = [(end, sum(place <= end for place in places) - 1) for end in ends]
    if not seams:
        return _without_seam(tokenizer, text, chunks, observed)
    wrong = next((n for n, pair in enumerate(zip(encoding.ids, observed, strict=False)) if pair[0] != pair[1]), -1)
    start = encoding.offsets[wrong][0] if encoding.ids else 0
    end, seam = next((pair for pair in seams if pair[1] >= start), seams[-1])
    if end not in places:
        return Attribution("Input", "a character is lost whose bytes come in two chunks")
    return _at_seam(tokenizer, text, seam, encoding, observed)


def _without_seam(tokenizer: Tokenizer, text: str, chunks: Chunks, given: Sequence[int]) -> Attribution:
    """The rule where one chunk already goes wrong: no seam is at fault."""
    if not chunks:
        return Attribution()
    for place in (place for place, character in enumerate(text) if place and character.isspace()):
        apart = [tokenizer.encode_ids(part, add_special_tokens=False) for part in (text[:place], text[place:])]
        if [*chain.from_iterable(apart)] == [*given]:
            is_line = text[place - 1] == "\n"
            part = "each line" if is_line else "the last word that has come"
            return Attribution("Input", f"{part} is encoded on its own")
    is_text = isinstance(chunks[0], str)
    what = "gives other ids than the whole text" if is_text else "of bytes gives other ids than their text"
    return Attribution("Input", f"even one chunk {what}")


def _at_seam(tokenizer: Tokenizer, text: str, seam: int, encoding: Encoding, given: Sequence[int]) -> Attribution:
    """given: all ids that came out."""
    added = tokenizer.rules.added_tokens.tokens
    around = list(zip(encoding.ids, encoding.offsets, strict=True))
    if any(token_id in added and start < seam < end for token_id, (start, end) in around):
        return Attribution("AddedTokens", "an added token is not seen that comes in two chunks")
    special = {token_id for token_id, token in added.items() if token.special}
    if any(given.count(token_id) > encoding.ids.count(token_id) for token_id in special):
        stage = "PostProcessor" if any(encoding.special_tokens_mask) else "Input"
        return Attribution(stage, "special tokens are added to each chunk")
    before, after = text[:seam], text[seam:]
    if any(_joins(step, before, after) for step in tokenizer.rules.normalizers):
        return Attribution("Normalizer", "characters that compose across two chunks are normalized apart")
    if tokenizer.rules.pre_tokenizers and before[-1:] in WHITE_SPACE:
        return Attribution("PreTokenizer", "a run of white space ends with its chunk")
    if _spaces(tokenizer, given) > _spaces(tokenizer, encoding.ids):
        return Attribution(_adding_spaces(tokenizer), "a space is added before each chunk")
    return Attribution("Model", "ids are given out that later text changes")


def _joins(step: Normalizer, before: str, after: str) -> bool:
    """Whether a normalizer that composes characters gives other text for both together than for each alone."""
    if isinstance(step, SentencePieceNormalizer):
        step = SentencePieceNormalizer(NormalizerOptions(False, False, False), step.charsmap, step.symbols)
    elif not isinstance(step, UnicodeForm | Precompiled):
        return False
    apart, together = (
        "".join(step.normalize(NormalizedString(part)).text for part in parts)
        for parts in ((before, after), (before + after,))
    )
    return apart != together


def _adding_spaces(tokenizer: Tokenizer) -> str:
    """The stage of the model that puts a space before a word; that of the input where none does."""
    for stage in tokenizer.trace("a", add_special_tokens=False).stages:
        if stage.stage in ("Normalizer", "PreTokenizer") and _count_spaces(piece.text for piece in stage.pieces):
            return stage.stage
    return "Input"


def _spaces(tokenizer: Tokenizer, ids: Sequence[int]) -> int:
    """The number of spaces in the tokens, in any notation."""
    return _count_spaces(tokenizer.id_to_token(token_id) or "" for token_id in ids)


def _count_spaces(texts: Iterable[str]) -> int:
    return sum(map("".join(texts).count, _SPACES))
