"""Which stage is at fault: the reference with one rule changed, until it answers as the subject does.

Each hypothesis is a way to get a tokenizer wrong, as a change to the reference or to its input. The first whose
answer equals the subject's names the stage and the rule, unless other texts speak against it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import accumulate

from conformance.observation import Decoded, Encoded
from reftok import Encoding, Tokenizer
from reftok.added_tokens import AddedVocabulary
from reftok.models.bpe import BPE
from reftok.sentencepiece_normalizer import SentencePieceNormalizer


@dataclass(frozen=True, slots=True)
class Attribution:
    """A stage and what is wrong there; both "" where no hypothesis fits."""

    stage: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One way to get it wrong; `encode` answers like an implementation that does."""

    stage: str
    rule: str
    encode: Callable[[str], Encoding]


def attribute_offsets(text: str, expected: Encoded, observed: Encoded) -> Attribution:
    """What was done to the right offsets."""
    if expected.offsets is None or observed.offsets is None or len(expected.offsets) != len(observed.offsets):
        return Attribution()
    text += " " * max(0, max((end for _, end in expected.offsets), default=0) - len(text))
    width_8 = _widths(text, lambda character: len(character.encode("utf-8")))
    width_16 = _widths(text, lambda character: 1 + (character > "\uffff"))
    rules: list[tuple[str, Callable[[int], int]]] = [
        ("offsets count bytes instead of code points", lambda position: width_8[position]),
        ("offsets count UTF-16 units instead of code points", lambda position: width_16[position]),
        ("offsets are one too high", lambda position: position + 1),
        ("offsets are one too low", lambda position: position - 1),
    ]
    for rule, wrong in rules:
        if all(
            (wrong(start), wrong(end)) == given or (start, end) == given == (0, 0)
            for (start, end), given in zip(expected.offsets, observed.offsets, strict=True)
        ):
            return Attribution("Offsets", rule)
    starts_agree = all(a[0] == b[0] for a, b in zip(expected.offsets, observed.offsets, strict=True))
    return Attribution("Offsets", "ends of offsets differ" if starts_agree else "starts of offsets differ")


def attribute_boundaries(tokenizer: Tokenizer, text: str, observed: Sequence[int]) -> Attribution:
    """Where the tokens of an answer that fits no hypothesis begin and end, against the reference's pre-tokens.

    It says something only of models whose tokens, put together, are the text that the model was given.
    """
    trace = tokenizer.trace(text, add_special_tokens=False)
    special = {token_id for token_id, token in tokenizer.added_tokens.tokens.items() if token.special}
    model = next(index for index, stage in enumerate(trace.stages) if stage.stage == "Model")
    parts = [piece.text for piece in trace.stages[model - 1].pieces if not piece.ids or piece.ids[0] not in special]
    right = [piece.text for piece in trace.stages[model].pieces if piece.ids and piece.ids[0] not in special]
    given = [tokenizer.id_to_token(token_id) or "" for token_id in observed if token_id not in special]
    if "".join(right) != "".join(parts):
        return Attribution()
    if "".join(given) != "".join(parts):
        return Attribution("", "characters are lost or changed")
    if set(accumulate(map(len, parts))) <= set(accumulate(map(len, given))):
        return Attribution("PreTokenizer or Model", "pre-tokens are cut into other tokens")
    return Attribution("PreTokenizer", "the text is cut elsewhere: tokens reach across pre-tokens")


def attribute_decoding(expected: Decoded, observed: Decoded) -> Attribution:
    """What was done to the right text."""
    wanted, given = expected.text, observed.text
    if wanted == given:
        wanted, given = expected.with_special or "", observed.with_special or ""
    rules: dict[str, str | None] = {
        "bytes that are not UTF-8 are dropped": wanted.replace("\ufffd", ""),
        "special tokens are kept": expected.with_special,
        "white space at the ends is stripped": wanted.strip() or None,
    }
    for rule, wrong in rules.items():
        if given == wrong:
            return Attribution("Decoder", rule)
    if given.replace(" ", "") == wanted.replace(" ", ""):
        return Attribution("Decoder", "spaces are added" if len(given) > len(wanted) else "spaces are missing")
    return Attribution()


def _widths(text: str, width: Callable[[str], int]) -> list[int]:
    positions = [0]
    for character in text:
        positions.append(positions[-1] + width(character))
    return positions


def hypotheses(tokenizer: Tokenizer) -> Iterator[Hypothesis]:
    """The ways to get this tokenizer wrong, the likeliest first."""
    yield from _of_input(tokenizer)
    for stage, rule, changed in _of_stages(tokenizer):
        yield Hypothesis(stage, rule, changed.encode)


def _of_input(tokenizer: Tokenizer) -> Iterator[Hypothesis]:
    def on(change: Callable[[str], str]) -> Callable[[str], Encoding]:
        return lambda text: tokenizer.encode(change(text))

    yield Hypothesis("Input", "text ends at the first NUL", on(lambda text: text.partition("\0")[0]))
    yield Hypothesis("Input", "line ends are converted to \\n", on(lambda text: text.replace("\r\n", "\n")))
    yield Hypothesis("Input", "a byte order mark is dropped", on(lambda text: text.removeprefix("\ufeff")))
    yield Hypothesis("Input", "white space at the ends is stripped", on(str.strip))
    yield Hypothesis("Normalizer", "text is brought to NFC", on(lambda text: unicodedata.normalize("NFC", text)))
    yield Hypothesis("Normalizer", "text is brought to NFKC", on(lambda text: unicodedata.normalize("NFKC", text)))
    yield Hypothesis("Normalizer", "text is lower-cased", on(str.lower))
    yield Hypothesis("Normalizer", "a space is added before the text", on(lambda text: " " + text))


def _of_stages(tokenizer: Tokenizer) -> Iterator[tuple[str, str, Tokenizer]]:
    yield from _of_sentencepiece_normalizer(tokenizer)
    for index, step in enumerate(tokenizer.normalizers):
        rest = tokenizer.normalizers[:index] + tokenizer.normalizers[index + 1 :]
        yield "Normalizer", f"{type(step).__name__} is missing", replace(tokenizer, normalizers=rest)
    if tokenizer.added_tokens.tokens:
        without = replace(tokenizer, added_tokens=AddedVocabulary())
        yield "AddedTokens", "added tokens are not matched", without
    for index, split in enumerate(tokenizer.pre_tokenizers):
        others = tokenizer.pre_tokenizers[:index] + tokenizer.pre_tokenizers[index + 1 :]
        yield "PreTokenizer", f"{type(split).__name__} is missing", replace(tokenizer, pre_tokenizers=others)
    yield from _of_bpe(tokenizer)
    if tokenizer.post_processors:
        yield "PostProcessor", "special tokens are not added", replace(tokenizer, post_processors=())


def _of_sentencepiece_normalizer(tokenizer: Tokenizer) -> Iterator[tuple[str, str, Tokenizer]]:
    for step in tokenizer.normalizers:
        if not isinstance(step, SentencePieceNormalizer):
            continue
        options = step.options
        changes = {
            "the dummy prefix is missing" if options.add_dummy_prefix else "a dummy prefix is added": replace(
                options, add_dummy_prefix=not options.add_dummy_prefix
            ),
            "extra spaces are kept" if options.remove_extra_whitespaces else "extra spaces are removed": replace(
                options, remove_extra_whitespaces=not options.remove_extra_whitespaces
            ),
        }
        for rule, changed in changes.items():
            wrong = SentencePieceNormalizer(changed, step.charsmap, step.symbols)
            yield "Normalizer", rule, replace(tokenizer, normalizers=(wrong,))
        plain = SentencePieceNormalizer(options, None, step.symbols)
        yield "Normalizer", "the charsmap is not applied", replace(tokenizer, normalizers=(plain,))


def _of_bpe(tokenizer: Tokenizer) -> Iterator[tuple[str, str, Tokenizer]]:
    model = tokenizer.model
    if not isinstance(model, BPE):
        return
    reversed_ranks = {pair: (-rank, new_id) for pair, (rank, new_id) in model.merges.items()}
    yield (
        "Model",
        "merges are applied in the reverse order",
        replace(tokenizer, model=model.with_merges(reversed_ranks)),
    )
    yield "Model", "no merges are applied", replace(tokenizer, model=model.with_merges({}))
    options = model.options
    for rule, wrong in (
        (_switched("ignore_merges", options.ignore_merges), replace(options, ignore_merges=not options.ignore_merges)),
        (_switched("byte_fallback", options.byte_fallback), replace(options, byte_fallback=not options.byte_fallback)),
        (_switched("fuse_unk", options.fuse_unk), replace(options, fuse_unk=not options.fuse_unk)),
    ):
        changed = copy(model)
        changed.options = wrong
        yield "Model", rule, replace(tokenizer, model=changed.with_merges(model.merges))


def _switched(option: str, value: bool) -> str:
    return f"{option} is {'off' if value else 'on'}"
