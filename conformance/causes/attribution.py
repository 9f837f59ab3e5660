"""The stage at fault, told from answers: what was done to the right offsets, text or boundaries.

What is wrong with ids is found by `conformance.causes.edits`: the reference with one rule changed, until it answers as
the subject does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise

from conformance.causes.edits import predicted
from conformance.core.observation import Decoded, Encoded
from reftok import ReftokError, Tokenizer
from reftok.rules.huggingface.decoders import byte_of_token
from reftok.rules.huggingface.post_processors import ByteLevel
from reftok.rules.sentencepiece.pieces import SPACE_SYMBOL
from reftok.rules.text import NormalizedString
from reftok.unicode.graphemes import graphemes

Spans = Sequence[tuple[int, int]]

DESCRIPTIONS = frozenset(
    {
        "characters are lost or changed",
        "pre-tokens are cut into other tokens",
        "the text is cut elsewhere: tokens reach across pre-tokens",
        "starts of offsets differ",
        "ends of offsets differ",
        "spaces are added",
        "spaces are missing",
    }
)
"""Rules that say how answers differ, and not what would make them so."""
MOST_PREFIXES = 200
"""The most ids of a text each of whose prefixes is decoded."""
UNSURE = "PreTokenizer or Model"
"""The stage, where tokens are smaller than they should be."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """A stage and what is wrong there; both "" where no fault fits."""

    stage: str = ""
    rule: str = ""


def offset_rules(tokenizer: Tokenizer, text: str, expected: Encoded, observed: Encoded) -> list[str]:
    """The rules that could have changed the right offsets."""
    right, given = expected.offsets, observed.offsets
    if right is None or given is None:
        return []
    return [rule for rule, wrong in wrong_offsets(tokenizer, text, right) if _are_those(given, wrong, right)]


def _are_those(given: Spans, wrong: Spans, right: Spans) -> bool:
    """Whether a rule gives these offsets. A token without any may have some; of other tokens there may be more."""
    if not len(given) == len(wrong) == len(right):
        return [*given] == [*wrong]
    return all(a == b or b == c == (0, 0) for a, b, c in zip(wrong, given, right, strict=True))


def attribute_offsets(tokenizer: Tokenizer, text: str, expected: Encoded, observed: Encoded) -> Attribution:
    """The first rule that could have changed the right offsets; else a description of how they differ."""
    rules = offset_rules(tokenizer, text, expected, observed)
    return Attribution("Offsets", rules[0]) if rules else described_offsets(expected, observed)


def described_offsets(expected: Encoded, observed: Encoded) -> Attribution:
    """The way in which offsets differ; nothing where they are missing, or as many as other tokens have."""
    right, given = expected.offsets, observed.offsets
    if right is None or given is None or len(right) != len(given):
        return Attribution()
    starts_agree = all(a[0] == b[0] for a, b in zip(right, given, strict=True))
    return Attribution("Offsets", "ends of offsets differ" if starts_agree else "starts of offsets differ")


def wrong_offsets(tokenizer: Tokenizer, text: str, right: Spans) -> Iterator[tuple[str, Spans]]:
    """Rule, and what an implementation gives that gets it wrong."""
    text += " " * max(0, max((end for _, end in right), default=0) - len(text))
    width_8 = _widths(text, lambda character: len(character.encode("utf-8")))
    width_16 = _widths(text, lambda character: 1 + (character > "\uffff"))
    yield "offsets count bytes instead of code points", [(width_8[start], width_8[end]) for start, end in right]
    yield "offsets count UTF-16 units instead of code points", [(width_16[a], width_16[b]) for a, b in right]
    yield "offsets count bytes of UTF-16", [(2 * width_16[a], 2 * width_16[b]) for a, b in right]
    yield from _in_clusters(text, right)
    yield "offsets are one too high", [(start + 1, end + 1) for start, end in right]
    yield "offsets are one too low", [(start - 1, end - 1) for start, end in right]
    yield from _of_other_tokenizers(tokenizer, text, right)
    yield "ends of offsets are inclusive", [(start, max(start, end - 1)) for start, end in right]
    yield "a start and a length in place of a span", [(start, end - start) for start, end in right]
    of_entries = _sums(tokenizer, text, len(right))
    if of_entries is not None:
        yield "offsets are sums of the lengths of tokens", of_entries
    yield from _searched(tokenizer, text, right)
    visible = _widths(text, lambda character: not character.isspace())
    yield "offsets do not count white space", [(visible[start], visible[end]) for start, end in right]
    spaces = [len(text[start:end]) - len(text[start:end].lstrip(" ")) for start, end in right]
    without = [(start + count, end) for (start, end), count in zip(right, spaces, strict=True)]
    yield "the space before a word is not part of its offsets", without
    behind = [(start, end + (start < end and text[end : end + 1] == " ")) for start, end in right]
    yield "the space behind a word is part of its offsets", behind
    reaching = [
        (start - (start < end and (start, end) != before and text[start - 1 : start] == " "), end)
        for before, (start, end) in zip([None, *right], right, strict=False)
    ]
    yield "the space before a word is part of the offsets of its first token", reaching
    yield from _in_words(tokenizer, text, right)
    yield "each part of a character counts as one", _one_by_one(right)
    tokens: Sequence[str] = predicted(lambda: tokenizer.encode(text).tokens) or ()
    for parts in ((True,) * len(right), [byte_of_token(token) is not None for token in tokens]):
        if len(parts) == len(right):
            yield "each part of a character counts as one", _moved_on(right, parts)
            yield "of the tokens of a character, only the first has an offset", _only_first_parts(right, parts)
    for blanks in ("\t\n\r ", "\t\n\v\f\r ", None):
        yield "offsets are trimmed of all white space", [_trimmed(text, blanks, *span) for span in right]
    starts = [start for start, _ in right[1:]] + [len(text)]
    whole = [(start, after if start <= after < end else end) for (start, end), after in zip(right, starts, strict=True)]
    yield "of the tokens of a character, only the last ends behind it", whole
    for rule, special in (("end", (len(text),) * 2), ("start", (0, 0))):
        spans = _with_special(tokenizer, text, right, special)
        yield f"special tokens have the offset of the {rule} of the text", spans
    of_prefixes = _of_prefixes(tokenizer, text, right)
    if of_prefixes is not None:
        yield "offsets are lengths of the decoded ids", of_prefixes


def _of_prefixes(tokenizer: Tokenizer, text: str, right: Spans) -> Spans | None:
    """The spans between the lengths of the decoded texts of the first ids, of the first two, and so on."""
    ids = predicted(lambda: tokenizer.encode_ids(text))
    if ids is None or len(ids) != len(right) or len(ids) > MOST_PREFIXES:
        return None
    lengths = [len(tokenizer.decode(ids[: end + 1])) for end in range(len(ids))]
    spans = [(min(before, length), length) for before, length in zip([0, *lengths], lengths, strict=False)]
    special = tokenizer.rules.added_tokens.special_ids()
    return [own if one in special else span for one, own, span in zip(ids, right, spans, strict=True)]


def _in_words(tokenizer: Tokenizer, text: str, right: Spans) -> Iterator[tuple[str, Spans]]:
    words = predicted(lambda: tokenizer.encode(text).word_ids)
    if words is None or len(words) != len(right):
        return
    firsts = {word: start for word, (start, _) in reversed([*zip(words, right, strict=True)]) if word is not None}
    starts = [0 if word is None else firsts[word] for word in words]
    counted = [(start - first, end - first) for (start, end), first in zip(right, starts, strict=True)]
    yield "offsets count from the start of each pre-token", counted
    ids, added = tokenizer.encode_ids(text), tokenizer.rules.added_tokens
    for kind, tokens in (("special", added.special_ids()), ("added", frozenset(added.tokens))):
        ends = accumulate((end * (one in tokens) for one, (_, end) in zip(ids, right, strict=True)), max, initial=0)
        spans = [
            (start, end) if one in tokens else (start - before, end - before)
            for one, (start, end), before in zip(ids, right, ends, strict=False)
        ]
        yield f"offsets count from the {kind} token before", spans


def _one_by_one(right: Spans) -> Spans:
    """The offsets of the tokens of one character one behind the other."""
    spans: list[tuple[int, int]] = []
    before, steps = (0, 0), 0
    for start, end in right:
        steps = steps + 1 if (start, end) == before and start < end else 0
        spans.append((start + steps, end + steps))
        before = (start, end)
    return spans


def _moved_on(right: Spans, parts: Sequence[bool]) -> Spans:
    """Each part of a character counts as one, and shifts all later offsets. Special tokens keep (0, 0).

    parts: which tokens may be parts of one character: all, or byte pieces alone.
    """
    ends = zip(right, right[1:], parts, parts[1:], strict=False)
    same = accumulate((one == other and one[0] < one[1] and all(both) for one, other, *both in ends), initial=0)
    return [(start + by, end + by) if end else (start, end) for (start, end), by in zip(right, same, strict=True)]


def _only_first_parts(right: Spans, parts: Sequence[bool]) -> Spans:
    """Gives the later parts of a character an empty span at its end. parts: see `_moved_on`."""
    before = zip([None, *right], [False, *parts], strict=False)
    return [
        (span[1], span[1]) if both == (span, True) and is_part else span
        for span, is_part, both in zip(right, parts, before, strict=False)
    ]


def _trimmed(text: str, blanks: str | None, start: int, end: int) -> tuple[int, int]:
    """Trims a span. blanks: the characters to trim, None for all white space."""
    start = end - len(text[start:end].lstrip(blanks))
    return start, start + len(text[start:end].rstrip(blanks))


def _sums(tokenizer: Tokenizer, text: str, count: int) -> Spans | None:
    tokens = predicted(lambda: tokenizer.encode(text).tokens)
    if tokens is None or len(tokens) != count:
        return None
    places = _widths(tokens, len)
    return [*pairwise(places)]


def _searched(tokenizer: Tokenizer, text: str, right: Spans) -> Iterator[tuple[str, Spans]]:
    """Offsets by a search for the text of each token, from the end of the one before; empty where it is not found.

    The text is what the token decodes to, with its space or without, or the entry of the vocab. The first word may have
    a space that is not in the text. A part of a character, which decodes to U+FFFD, may be looked for or not.
    """
    encoding = predicted(lambda: tokenizer.encode(text))
    if encoding is None or len(encoding.ids) != len(right):
        return
    entries = [token.replace(SPACE_SYMBOL, " ") for token in encoding.tokens]
    decoded = [_written(tokenizer, token_id) for token_id in encoding.ids]
    whole = ["" if "\ufffd" in one else one for one in decoded]
    for written in (decoded, whole, [one.strip(" ") for one in decoded], entries):
        spans: list[tuple[int, int]] = []
        end, is_first = 0, not text.startswith(" ")
        for token, is_added in zip(written, encoding.special_tokens_mask, strict=True):
            token = token.removeprefix(" ") if is_first else token
            is_first = is_first and bool(is_added)
            start = -1 if is_added or not token else text.find(token, end)
            spans.append((start, start + len(token)) if start >= 0 else (end, end))
            end = spans[-1][1]
        yield "offsets are found again by a search in the text", spans


def _written(tokenizer: Tokenizer, token_id: int) -> str:
    """The text of one token, with its space."""
    plain = tokenizer.encode_ids("a", add_special_tokens=False)
    texts = (predicted(partial(tokenizer.decode, ids, False)) or "" for ids in (plain, [*plain, token_id]))
    before, whole = texts
    return whole.removeprefix(before)


def _with_special(tokenizer: Tokenizer, text: str, right: Spans, special: tuple[int, int]) -> Spans:
    """The offsets with others of special tokens, which the library gives none."""
    mask = predicted(lambda: tokenizer.encode(text).special_tokens_mask)
    if mask is None or len(mask) != len(right):
        return right
    return [special if is_special else span for span, is_special in zip(right, mask, strict=True)]


def _in_clusters(text: str, right: Spans) -> Iterator[tuple[str, Spans]]:
    """Offsets in the characters of Swift: an end within one is behind it, or before it."""
    index = [number for number, cluster in enumerate(graphemes(text)) for _ in cluster]
    index.append(index[-1] + 1 if index else 0)
    rule = "offsets count grapheme clusters instead of code points"
    yield rule, [(index[start], index[end - 1] + 1 if end > start else index[end]) for start, end in right]
    yield rule, [(index[start], index[end]) for start, end in right]


def _of_other_tokenizers(tokenizer: Tokenizer, text: str, right: Spans) -> Iterator[tuple[str, Spans]]:
    """Offsets of the normalized text, and with trimming switched."""
    normalized = NormalizedString(text)
    for normalizer in tokenizer.rules.normalizers:
        normalized = normalizer.normalize(normalized)
    in_normalized = "offsets count the normalized text"
    others = [
        (in_normalized, replace(tokenizer.rules, normalizers=()), normalized.text),
        # A port that normalizes before it calls an encoder that normalizes does it twice.
        (in_normalized, tokenizer.rules, normalized.text),
    ]
    for index, step in enumerate(tokenizer.rules.post_processors or ()):
        if isinstance(step, ByteLevel):
            steps = list(tokenizer.rules.post_processors or ())
            steps[index] = replace(step, trim_offsets=not step.trim_offsets)
            rule = f"trim_offsets is {'off' if step.trim_offsets else 'on'}"
            others.append((rule, replace(tokenizer.rules, post_processors=tuple(steps)), text))
    for rule, other, given in others:
        encoding = predicted(partial(other.encode, given))
        if encoding is not None and list(encoding.offsets) != list(right):
            yield rule, encoding.offsets


def attribute_boundaries(tokenizer: Tokenizer, text: str, observed: Sequence[int]) -> Attribution:
    """The attribution of an answer that fits no fault, by its tokens' ends against the reference's pre-tokens.

    It says something only of models whose tokens, put together, are the text that the model was given.
    """
    try:
        trace = tokenizer.trace(text, add_special_tokens=False)
    except ReftokError:
        return Attribution()
    special = {token_id for token_id, token in tokenizer.rules.added_tokens.tokens.items() if token.special}
    model = next(index for index, stage in enumerate(trace.stages) if stage.stage == "Model")
    parts = [piece.text for piece in trace.stages[model - 1].pieces if not piece.ids or piece.ids[0] not in special]
    right = [piece.text for piece in trace.stages[model].pieces if piece.ids and piece.ids[0] not in special]
    given = [tokenizer.id_to_token(token_id) or "" for token_id in observed if token_id not in special]
    if "".join(right) != "".join(parts):
        return Attribution()
    if "".join(given) != "".join(parts):
        return Attribution("", "characters are lost or changed")
    if set(accumulate(map(len, parts))) <= set(accumulate(map(len, given))):
        return Attribution(UNSURE, "pre-tokens are cut into other tokens")
    return Attribution("PreTokenizer", "the text is cut elsewhere: tokens reach across pre-tokens")


def attribute_decoding(expected: Decoded, observed: Decoded) -> Attribution:
    """The rule that changed the right text, as far as it can be told without the ids."""
    wanted, given = expected.text, observed.text
    if wanted == given:
        wanted, given = expected.with_special or "", observed.with_special or ""
    if given.replace(" ", "") == wanted.replace(" ", ""):
        return Attribution("Decoder", "spaces are added" if len(given) > len(wanted) else "spaces are missing")
    return Attribution()


def refused_ids(tokenizer: Tokenizer, ids: Sequence[int]) -> Attribution:
    """The reason why a list of ids is not decoded.

    >>> import reftok
    >>> refused_ids(reftok.load("bpe-qwen"), [0, 1 << 30]).rule
    'ids outside the vocab are refused'
    """
    if not ids:
        return Attribution("", "an empty list of ids is refused")
    is_known = all(tokenizer.id_to_token(token_id) is not None for token_id in ids)
    return Attribution("", f"ids {'of' if is_known else 'outside'} the vocab are refused")


def refused_text(text: str) -> Attribution:
    """The reason why a text is not encoded; nothing where that is not plain."""
    if not text:
        return Attribution("", "an empty text is refused")
    return Attribution("", "texts with NUL are refused") if "\0" in text else Attribution()


def _widths(text: Iterable[str], width: Callable[[str], int]) -> list[int]:
    positions = [0]
    for character in text:
        positions.append(positions[-1] + width(character))
    return positions
