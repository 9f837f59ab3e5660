"""The keys of semantic coverage: what an input makes the reference do.

Cheap kinds (vocab entries, merges, transitions between categories) are read off the ids and the characters; the others
off the reference's traces, which take as long as encoding itself.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, pairwise, product
from operator import add

import regex

from conformance.fuzzing.coverage import Coverage, Key, Universe
from conformance.generators.added_tokens import flag_names, flags_of
from conformance.generators.base import Drawn, grouped
from conformance.generators.knowledge import ModelKnowledge, tree_of_step
from conformance.generators.pattern_texts import branches_of
from conformance.generators.seams import seams
from reftok import ReftokError, Tokenizer, Trace
from reftok.explain.model_steps import model_steps
from reftok.explain.steps import Merging
from reftok.regex_dialects.oniguruma.writer import write
from reftok.rules.huggingface.bpe import BPE
from reftok.rules.huggingface.decoders import byte_of_token
from reftok.rules.huggingface.normalizers import Precompiled
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.trace import Piece
from reftok.rules.types import AddedToken
from reftok.unicode.characters import RUST
from reftok.unicode.charsmap import Charsmap

ENTRIES, MERGES, TRANSITIONS = "vocab entries", "merges", "category transitions"
ALTERNATIVES, SEAMS = "pattern alternatives", "seams between alternatives"
RULES, FALLBACK, FLAGS = "charsmap rules", "byte fallback", "added-token flags"
STAGES, DECODERS = "stages", "decoder branches"

_CATEGORIES = (
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm",
    "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn",
)  # fmt: skip
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabc"
_NEIGHBOURS = ("nothing", "white space", "a word", "something else")
_FALLBACKS = (
    *(f"a character of {size} bytes became its bytes" for size in (1, 2, 3, 4)),
    "bytes became text",
    "bytes became U+FFFD",
)


class _Categories(dict[int, str]):
    """A table for `str.translate`: a letter for each general category."""

    def __missing__(self, code: int) -> str:
        letter = self[code] = _LETTER_OF.get(unicodedata.category(chr(code)), "c")
        return letter


_LETTER_OF = dict(zip(_CATEGORIES, _LETTERS, strict=True))


def transition_name(key: Key) -> str:
    """A key of category transitions for people.

    >>> transition_name("AB")
    'Lu Ll'
    """
    return " ".join(_CATEGORIES[_LETTERS.index(letter)] for letter in str(key))


class Watcher:
    """Says what inputs exercise in one model.

    universe: all that could be reached, for the kinds where that is known.
    """

    def __init__(self, tokenizer: Tokenizer, knowledge: ModelKnowledge) -> None:
        self._tokenizer = tokenizer
        self._byte_ids = frozenset(knowledge.byte_ids)
        self._categories = _Categories()
        self._merges_of = _MergesOf(tokenizer, knowledge)
        self._branches = {id(step): found for step in tokenizer.rules.pre_tokenizers if (found := _branches(step))}
        self._charsmaps = {
            id(step): rules for step in tokenizer.rules.normalizers if (rules := _charsmap(step)) is not None
        }
        self._places = {seam.text: (seam.kind, seam.place) for seam in seams(knowledge)}
        self.universe = self._universe(knowledge)

    def watch(self, coverage: Coverage, drawn: Drawn, ids: Sequence[int] | None, is_close: bool) -> Coverage:
        """Take what an input reaches; gives what of it is new.

        ids: of a text, None where it is refused. is_close: the reference's traces too.
        """
        new = self.glance(coverage, drawn, ids) if ids is not None and isinstance(drawn, str) else Coverage()
        if is_close:
            new.take(self.look(coverage, drawn).reached)
        return new

    def glance(self, coverage: Coverage, text: str, ids: Sequence[int]) -> Coverage:
        """Take the cheap kinds of a text and its ids; gives what of them is new."""
        letters = text.translate(self._categories)
        new: dict[str, set[Key]] = {}
        if entries := {*ids} - coverage.of(ENTRIES):
            new = {ENTRIES: {*entries}, MERGES: self._merges_of.all_of(entries, coverage.of(MERGES))}
        if (place := self._places.get(text)) is not None:
            new[place[0]] = {place[1]}
        if transitions := {*map(add, letters, letters[1:])} - coverage.of(TRANSITIONS):
            new[TRANSITIONS] = transitions
        return coverage.take(new)

    def look(self, coverage: Coverage, drawn: Drawn) -> Coverage:
        """Take what the trace of a text shows, and that of decoding its ids, or the ids given; gives what of it is new.

        A text that the reference refuses shows nothing.
        """
        if isinstance(drawn, tuple):
            return coverage.take(self._decoding(drawn))
        try:
            trace = self._tokenizer.trace(drawn)
        except ReftokError:
            return Coverage()
        found: dict[str, list[Key]] = {STAGES: [*_stages(trace)], FLAGS: [*self._flags(trace)]}
        found |= {MERGES: [], RULES: [], ALTERNATIVES: [], SEAMS: []}
        before = [Piece(trace.text, (0, len(trace.text)), None)]
        for stage in trace.stages:
            texts = [piece.text for piece in before if piece.ids is None and piece.text]
            if (branches := self._branches.get(id(stage.performer))) is not None:
                for alternatives in (_alternatives(branches, text) for text in texts):
                    found[ALTERNATIVES] += alternatives
                    found[SEAMS] += (f"{first}, {second}" for first, second in pairwise(alternatives))
            if (charsmap := self._charsmaps.get(id(stage.performer))) is not None:
                found[RULES] += chain.from_iterable(_rules_in(charsmap, text) for text in texts)
            if stage.stage == "Model":
                found[MERGES] += chain.from_iterable(map(self._merges_of.explained, texts))
            before = list(stage.pieces)
        decoding = self._decoding(tuple(trace.encoding.ids))
        fallbacks = [*self._fallbacks(trace.encoding.tokens), *decoding[FALLBACK]]
        return coverage.take({**found, **decoding, FALLBACK: fallbacks})

    def _decoding(self, ids: tuple[int, ...]) -> dict[str, list[str]]:
        try:
            trace = self._tokenizer.trace_decode(ids)
        except ReftokError:
            return {DECODERS: ["ids are refused"], FALLBACK: []}
        names = [
            f"{number} {step.component}: {'changed' if step.before != step.after else 'left as it was'}"
            for number, step in enumerate(trace.steps, 1)
        ]
        fallbacks: list[str] = []
        if not self._byte_ids.isdisjoint(ids):
            fallbacks.append(_FALLBACKS[-1] if "\ufffd" in trace.text else _FALLBACKS[-2])
        decodable = [self._tokenizer.id_to_token(token_id) for token_id in ids]
        names += ["an id outside the vocab"] * (None in decodable) + ["U+FFFD comes out"] * ("\ufffd" in trace.text)
        if trace.steps and len(trace.steps[0].before) < len(ids) - decodable.count(None):
            names.append("a special token is skipped")
        return {DECODERS: names, FALLBACK: fallbacks}

    def _fallbacks(self, tokens: Sequence[str]) -> Iterator[str]:
        if self._byte_ids:
            data = bytes(byte for token in tokens if (byte := byte_of_token(token)) is not None)
            for character in data.decode("utf-8", "ignore"):
                yield _FALLBACKS[len(character.encode("utf-8")) - 1]

    def _flags(self, trace: Trace) -> Iterator[str]:
        """The flags of each added token that was found, with what stands on either side."""
        added = self._tokenizer.rules.added_tokens.tokens
        found = {
            (piece.ids[0], piece.span)
            for stage in trace.stages
            if stage.stage == "AddedTokens"
            for piece in stage.pieces
            if piece.ids and piece.ids[0] in added
        }
        for token_id, (start, end) in found:
            yield _flag_key(added[token_id], "before", _neighbour(trace.text[end : end + 1]))
            yield _flag_key(added[token_id], "after", _neighbour(trace.text[max(0, start - 1) : start]))

    def _universe(self, knowledge: ModelKnowledge) -> Universe:
        by_step = [_branch_names(step) for step in self._tokenizer.rules.pre_tokenizers]
        sides = list(product(("before", "after"), _NEIGHBOURS))
        flags = {flags_of(token): token for token in knowledge.added}
        decoders = [type(decoder).__name__ for decoder in self._tokenizer.rules.decoders or ()]
        outcomes = ("changed", "left as it was")
        return {
            ENTRIES: knowledge.tokens.keys(),
            MERGES: self._merges_of.everything,
            ALTERNATIVES: [*chain.from_iterable(by_step)],
            SEAMS: [f"{first}, {second}" for step in by_step for first, second in product(step, step)],
            RULES: dict.fromkeys(key for key, _ in knowledge.rules).keys(),
            FALLBACK: _FALLBACKS if self._byte_ids else (),
            FLAGS: [_flag_key(token, side, neighbour) for token in flags.values() for side, neighbour in sides],
            DECODERS: [f"{n} {name}: {outcome}" for n, name in enumerate(decoders, 1) for outcome in outcomes],
            **grouped(self._places.values()),
            TRANSITIONS: list(map(add, *zip(*product(_LETTERS, _LETTERS), strict=True))),
        }


def _flag_key(token: AddedToken, side: str, neighbour: str) -> str:
    return f"{flag_names(flags_of(token))}; {side} {neighbour}"


def _neighbour(character: str) -> str:
    if not character:
        return _NEIGHBOURS[0]
    return _NEIGHBOURS[1 if RUST.is_space(character) else 2 if RUST.is_word(character) else 3]


def changed(stage: str) -> str:
    """The key in the coverage of `STAGES` of a stage, "number stage component", that changed a text.

    >>> changed("2 Normalizer NFC")
    '2 Normalizer NFC: changed'
    """
    return f"{stage}: changed"


def _stages(trace: Trace) -> Iterator[str]:
    """Each stage by number and component, and whether it changed anything."""
    before: object = ((trace.text, None),) if trace.text else ()
    for number, stage in enumerate(trace.stages, 1):
        after = tuple((piece.text, piece.ids) for piece in stage.pieces)
        name = f"{number} {stage.stage} {stage.component}"
        yield changed(name) if after != before else f"{name}: left as it was"
        before = after


def _branch_names(step: object) -> list[str]:
    tree = tree_of_step(step)
    return [] if tree is None else [f"alternative_{number}" for number in range(1, 1 + len(branches_of(tree)))]


def _branches(step: object) -> regex.Pattern[str] | None:
    """The pattern of a pre-tokenizer with its alternatives as groups with names."""
    tree = tree_of_step(step)
    if tree is None:
        return None
    groups = zip(_branch_names(step), branches_of(tree), strict=True)
    try:
        pattern = "|".join(f"(?P<{name}>{write(branch, exact=True)})" for name, branch in groups)
        return regex.compile(pattern, regex.V1 | regex.MULTILINE)
    except regex.error:  # one that refers back to a group of another alternative
        return None


def _alternatives(branches: regex.Pattern[str], text: str) -> list[str]:
    """The names of the alternatives that match in a text, one after the other."""
    return [match.lastgroup or "" for match in branches.finditer(text)]


def _charsmap(step: object) -> Charsmap | None:
    return step.charsmap if isinstance(step, SentencePieceNormalizer | Precompiled) else None


def _rules_in(charsmap: Charsmap, text: str) -> Iterator[str]:
    """The longest rule at each place of a text."""
    data = text.encode("utf-8", "replace")
    place = 0
    while place < len(data):
        found = charsmap.prefixes(data, place)
        if found:
            yield data[place : place + found[-1][0]].decode("utf-8", "replace")
        place += found[-1][0] if found else 1


class _MergesOf:
    """The merges behind tokens.

    everything: the rank of each merge, or, for models that merge by score, each token that a merge makes.
    """

    def __init__(self, tokenizer: Tokenizer, knowledge: ModelKnowledge) -> None:
        model = tokenizer.rules.model
        self._model = model if knowledge.pairs else None
        self._parts: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        self._by_rank = isinstance(model, BPE)
        self.everything: Sequence[Key] = []
        if isinstance(model, BPE):
            for (left, right), (rank, whole) in model.merges.items():
                self._parts[whole].append((rank, left, right))
            self.everything = sorted(rank for rank, _ in model.merges.values())
        else:
            self.everything = sorted({left + right for left, right in knowledge.pairs})

    def all_of(self, ids: Iterable[int], known: Collection[Key]) -> set[Key]:
        """The merges that must have been made for these tokens: those of tokens that only one merge makes.

        known: merges that are left out, and with them those behind their parts, which were seen with them.
        """
        found: set[Key] = set()
        waiting = [*ids]
        while waiting:
            parts = self._parts.get(waiting.pop(), ())
            if len(parts) == 1:
                ((rank, left, right),) = parts
                if rank not in known and rank not in found:
                    found.add(rank)
                    waiting += (left, right)
        return found

    def explained(self, text: str) -> Iterator[Key]:
        """The merges that the model makes in a text."""
        steps = None if self._model is None else model_steps(self._model, text)
        if isinstance(steps, Merging):
            yield from (int(merge.priority) if self._by_rank else merge.result for merge in steps.merges)
