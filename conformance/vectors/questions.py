"""The inputs that vectors are chosen from: what a model's rules name one by one, drawn inputs, texts of the corpora."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from random import Random
from typing import Any, TypeAlias

from conformance.causes.edits.fault import around
from conformance.causes.edits.unknown_tokens import RULE as NOT_IN_THE_FILE
from conformance.core.resources import corpora_folder
from conformance.generators import generators
from conformance.generators.added_tokens import flags_of
from conformance.generators.alphabets import decomposable
from conformance.generators.base import Drawn, NothingToDo
from conformance.generators.foreign_tokens import ForeignTokens
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.merges import Merges
from conformance.generators.scores import ScoreTies, near_ties
from conformance.generators.seams import BESIDE_ALTERNATIVES, CASED, NEWER, seams
from conformance.inputs.byte_tokens import NO_CHARACTERS, byte_token_cases
from conformance.inputs.corpora import QUICK_PARTS, WRITTEN_PARTS, corpus_files, natural_lines, read_corpus
from conformance.vectors.keys import (
    BUGS,
    BYTES,
    COMPETITIONS,
    COMPOSITIONS,
    EDGES,
    FOREIGN,
    LANGUAGES,
    NOT_UTF8,
    TOKENS,
    Keys,
    own_rule,
)
from conformance.vectors.notes import flag_of
from reftok import Tokenizer
from reftok.rules.byte_level import BYTE_TO_CHARACTER
from reftok.rules.huggingface.normalizers import UnicodeForm
from reftok.rules.types import AddedToken
from reftok.unicode.characters import WHITE_SPACE

DRAWN_OF_EACH = 20
DRAWN_IDS = 160
COMPETING = 400
NEAR_TIES = 200
PACKED_IDS = (8, 12, 16)
"""Bits that one id of a pair may be given in a number for both."""
OF_PACKED_IDS = 20
OF_A_FILE = 12
SHORT_LINE = 16
"""Characters: of the edge cases, so many candidates are short enough to tell one thing."""
RULES_OF_SEVERAL = 1_000
"""Rules of a charsmap for several characters that are tried: most of them say again what those for one say."""
PACKED = 32
"""Rules of a normalizer in one text."""
ONE_BY_ONE = 100
"""So many added tokens with the same flags have a text each."""
_SIZES = (17, 33, 66, 101, 130, 257, 514)
_LONG = (514, 1030, 2050, 4100)
_WHITE = "".join(sorted({*WHITE_SPACE, "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u180e", "\u200b", "\ufeff"}))
NONE_REFUSED, OUTSIDE_REFUSED = "an empty list of ids is refused", "ids outside the vocab are refused"
_OUTSIDE = {"the first behind the vocab": 0, "2^16": 1 << 16, "2^31 - 1": (1 << 31) - 1}


@dataclass(frozen=True, slots=True)
class Question:
    """A text or bytes to encode, or ids to decode.

    keys: what it reaches by where it comes from. comment: for those who read it. links: issues that it is about.
    is_traced: whether what it makes the reference do counts too.
    """

    given: Drawn
    keys: Keys = frozenset()
    comment: str = ""
    links: tuple[str, ...] = ()
    is_traced: bool = True

    @property
    def size(self) -> int:
        """Characters, bytes or ids."""
        return len(self.given)


Questions: TypeAlias = Iterator[Question]


def questions(tokenizer: Tokenizer, knowledge: ModelKnowledge, takes_bytes: bool) -> list[Question]:
    """The candidates, each input once, in an order that hangs on nothing but the model and the corpora.

    takes_bytes: whether the official library takes bytes.
    """
    found: dict[Drawn, Question] = {}
    makers = (
        _known_bugs(knowledge),
        _seams(knowledge),
        _added(knowledge.added),
        _foreign(knowledge),
        _white_space(),
        _competing(knowledge),
        _near_ties(knowledge),
        _packed_ids(tokenizer, knowledge),
        _bytes(knowledge),
        _packed_rules(tokenizer, knowledge),
        _languages(),
        _drawn(knowledge),
        _edge_cases(),
        _long(knowledge),
        _ids(tokenizer, knowledge),
        _not_utf8() if takes_bytes else (),
    )
    for maker in makers:
        for question in maker:
            if isinstance(question.given, bytes) and not takes_bytes:
                continue
            known = found.setdefault(question.given, question)
            if known is not question and question.keys - known.keys:
                merged = Question(known.given, known.keys | question.keys, known.comment, known.links)
                found[question.given] = merged
    return [*found.values()]


def _known_bugs(knowledge: ModelKnowledge) -> Questions:
    ids = {token: token_id for token_id, token in knowledge.tokens.items()}
    for path in sorted((corpora_folder() / "known_bugs").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            bug: dict[str, Any] = json.loads(line)
            given: Drawn
            if "tokens" in bug:
                if not ids.keys() >= set(bug["tokens"]):
                    continue
                given = tuple(ids[token] for token in bug["tokens"])
            else:
                given = bytes.fromhex(bug["bytes_hex"]) if "bytes_hex" in bug else bug["text"]
            keys = frozenset({(BUGS, f"{path.stem}: {bug['id']}")})
            yield Question(given, keys, bug["fault"], tuple(bug["ref"].split(", ")))


def _seams(knowledge: ModelKnowledge) -> Questions:
    """The seams of the model; what those of alternatives reach, their traces show."""
    for seam in seams(knowledge):
        keys = frozenset() if seam.kind == BESIDE_ALTERNATIVES else frozenset({(seam.kind, seam.sort)})
        yield Question(seam.text, keys, is_traced=seam.kind not in (NEWER, CASED))


def _added(added: Sequence[AddedToken]) -> Questions:
    """Each added token beside each neighbour: nothing, white space, a word, something else."""
    for _, some in groupby(sorted(added, key=flags_of), key=flags_of):
        tokens = [token.content for token in some if token.content]
        for content in tokens[:ONE_BY_ONE]:
            keys = frozenset({(TOKENS, content)})
            yield Question(f"{content}a{content}.{content} {content}", keys)
            yield Question(f" \t{content}\n _{content}_1 {content}", keys)
            yield Question(content, keys)
            for form in (content.upper(), content.lower(), f"{content[0]}{content}", f"x{content}", f"{content}x"):
                yield Question(form)
        rest = tokens[ONE_BY_ONE:]
        for start in range(0, len(rest), PACKED):
            some_of_it = rest[start : start + PACKED]
            yield Question("".join(some_of_it), frozenset((TOKENS, content) for content in some_of_it))


def _foreign(knowledge: ModelKnowledge) -> Questions:
    """Each special token that only other models have."""
    maker = ForeignTokens.of(knowledge)
    flag = own_rule(flag_of("AddedTokens", NOT_IN_THE_FILE))
    for content in () if isinstance(maker, NothingToDo) else maker.tokens:
        yield Question(content, frozenset({(FOREIGN, content), flag}))


def _white_space() -> Questions:
    """All white space, and what is taken for it, where patterns see it."""
    for character in _WHITE:
        for text in (f"a{character}b", f"\t\t{character}", f".{character}", f"{character}a", f"a {character}\n"):
            yield Question(text, is_traced=False)


def _competing(knowledge: ModelKnowledge) -> Questions:
    """Lines of texts on which merges or scores compete."""
    for make in (Merges, ScoreTies):
        maker = make.of(knowledge)
        if isinstance(maker, NothingToDo):
            continue
        drawn = [str(maker.draw(Random(f"{maker.name}:lines:{number}"))) for number in range(COMPETING)]
        for start in range(0, len(drawn), COMPETING // 20):
            text = "\n".join(drawn[start : start + COMPETING // 20])
            yield Question(text, frozenset({(COMPETITIONS, f"{maker.name} {start}")}))


def _near_ties(knowledge: ModelKnowledge) -> Questions:
    """Texts whose two best ways are so near that rounded scores take the other one."""
    for text in () if knowledge.pairs else near_ties(knowledge.scores, NEAR_TIES):
        yield Question(knowledge.text(text))


def _packed_ids(tokenizer: Tokenizer, knowledge: ModelKnowledge) -> Questions:
    """Tokens that never merge, beside each other, whose ids packed into one number are those of a merge.

    So they are where the right id of either is too large for its bits, and counts into the left one.
    """
    ids = {token: token_id for token_id, token in knowledge.tokens.items()}
    merges = [(ids[left], ids[right]) for left, right in knowledge.pairs if left in ids and right in ids]
    for bits in PACKED_IDS:
        of_merge = ((left + (right >> bits), right & ((1 << bits) - 1)) for left, right in merges if right >> bits)
        of_pair = ((left - 1, right + (1 << bits)) for left, right in merges)
        for which, pairs in (("a merge", of_merge), ("no merge", of_pair)):
            lines = [*islice(_beside(tokenizer, knowledge, pairs), OF_PACKED_IDS)]
            if lines:
                key = f"the right id of {which} has more than {bits} bits"
                yield Question("\n".join(lines), frozenset({(COMPETITIONS, key)}))


def _beside(tokenizer: Tokenizer, knowledge: ModelKnowledge, pairs: Iterable[tuple[int, int]]) -> Iterator[str]:
    """The texts of two tokens that stand beside each other."""
    for pair in pairs:
        if all(token_id in knowledge.tokens for token_id in pair):
            text = knowledge.text("".join(map(knowledge.tokens.__getitem__, pair)))
            if tuple(tokenizer.encode_ids(text, add_special_tokens=False)) == pair:
                yield text


def _bytes(knowledge: ModelKnowledge) -> Questions:
    """Characters in whose UTF-8 each byte is."""
    seen: set[int] = set()
    for code in (*range(0x800), *range(0x800, 0xD800, 64), *range(0xE000, 0x110000, 4096)):
        data = chr(code).encode("utf-8")
        if not seen.issuperset(data):
            seen.update(data)
            yield Question(f"a{chr(code)}a")
    for byte, token_id in _byte_tokens(knowledge):
        yield Question((token_id,), frozenset({(BYTES, f"{byte:02X} decoded")}))


def _byte_tokens(knowledge: ModelKnowledge) -> list[tuple[int, int]]:
    """Each byte that has a token of its own, with its id."""
    if knowledge.notation == "byte-level":
        bytes_of = {character: byte for byte, character in BYTE_TO_CHARACTER.items()}
        pairs = ((bytes_of[token], token_id) for token_id, token in knowledge.tokens.items() if token in bytes_of)
        return sorted(pairs)
    return sorted((byte, token_id) for token_id, byte in knowledge.byte_ids.items())


def _packed_rules(tokenizer: Tokenizer, knowledge: ModelKnowledge) -> Questions:
    """What the charsmap replaces, and what the Unicode forms of the model change, many in a text."""
    rules = [key for key, _ in knowledge.rules]
    several = [key for key in rules if len(key) > 1]
    chosen = [key for key in rules if len(key) == 1] + several[:: 1 + len(several) // RULES_OF_SEVERAL]
    for start in range(0, len(chosen), PACKED):
        yield Question(" ".join(chosen[start : start + PACKED]))
    forms = [step.form for step in tokenizer.rules.normalizers if isinstance(step, UnicodeForm)]
    compatible = any("K" in form for form in forms)
    changed = [c for c in decomposable() if compatible or not unicodedata.is_normalized("NFD", c)]
    for start in range(0, len(changed) if forms else 0, PACKED):
        some = changed[start : start + PACKED]
        keys = frozenset((COMPOSITIONS, f"U+{ord(character):04X}") for character in some)
        yield Question(" ".join(unicodedata.normalize("NFD", character) for character in some), keys)
        yield Question(" ".join(some), keys)


def _languages() -> Questions:
    """A line of each language and domain of the corpora: the shortest of a fair length."""
    for name, lines in natural_lines(WRITTEN_PARTS).items():
        fair = [line for line in lines if len(line) >= 24] or [*lines]
        yield Question(min(fair, key=lambda line: (len(line), line)), frozenset({(LANGUAGES, name)}))


def _drawn(knowledge: ModelKnowledge) -> Questions:
    makers = [maker for maker in generators(knowledge, ()) if not isinstance(maker, NothingToDo)]
    for number in range(DRAWN_OF_EACH):
        for maker in makers:
            drawn = maker.draw(Random(f"{maker.name}:vectors:{number}"))
            yield Question(drawn)
    for number in range(DRAWN_IDS):
        for maker in makers:
            if maker.name == "ids":
                yield Question(maker.draw(Random(f"more ids:{number}")))


def _edge_cases() -> Questions:
    for path in corpus_files(QUICK_PARTS[:1]):
        short = [case.text for case in read_corpus(path) if case.kind == "text" and len(case.text) <= SHORT_LINE]
        yield from (Question(text, is_traced=False) for text in short[:: 1 + len(short) // OF_A_FILE])


def _long(knowledge: ModelKnowledge) -> Questions:
    """Words and texts that are longer than buffers are."""
    entries = sorted((text for text in knowledge.texts if text.isalpha() and text.isascii()), key=len)
    longest = entries[-1:] if entries else []
    for unit in ("a", "ab", "the", "1", " ", "é", "中", "😀", "e\u0301", *longest):
        for size in _SIZES:
            yield Question(unit * (size // len(unit) + 1))
            yield Question("." + unit * (size // len(unit) + 1))
    words = "the quick brown fox jumps over the lazy dog "
    many = " ".join(min(lines, key=lambda line: (len(line), line)) for lines in natural_lines(WRITTEN_PARTS).values())
    for size in _LONG:
        yield Question((words * (1 + size // len(words)))[:size])
        yield Question(many[:size])


def _ids(tokenizer: Tokenizer, knowledge: ModelKnowledge) -> Questions:
    ids = {token: token_id for token_id, token in knowledge.tokens.items()}
    for case in byte_token_cases():
        if ids.keys() >= set(case.tokens):
            yield Question(tuple(ids[token] for token in case.tokens))
    word = tuple(tokenizer.encode_ids(" a word", add_special_tokens=False)) or tuple(knowledge.tokens)[:1]
    yield Question((), frozenset({(EDGES, "none"), own_rule(flag_of("Any check", NONE_REFUSED))}))
    last = max(knowledge.tokens, default=0) + 1
    refused = own_rule(flag_of("Any check", OUTSIDE_REFUSED))
    for name, token_id in _OUTSIDE.items():
        if (outside := token_id or last) not in knowledge.tokens:
            yield Question((*word, outside, *word), frozenset({(EDGES, name), refused}))
    for start in range(0, len(knowledge.added), 16):
        contents = [token.content for token in knowledge.added[start : start + 16] if token.content in ids]
        mixed = [token_id for content in contents for token_id in (ids[content], *word)]
        yield Question((*word, *mixed), frozenset((TOKENS, f"{content} decoded") for content in contents))
    for token_id in knowledge.special_ids[:ONE_BY_ONE]:
        yield Question((*word, token_id, *word))
        yield Question((token_id,))
    for text in (" ", "  a", "a  b ", "Hello, world ! It 's", "\n\n", "é 中 😀", "\ufeffa", "a\0b", "▁"):
        found = tuple(tokenizer.encode_ids(text))
        yield Question(found)
        yield Question((*found, *found))
        before, after = around(tokenizer)
        yield Question(tuple(found[len(before) : len(found) - len(after)]))


def _not_utf8() -> Questions:
    for data in NO_CHARACTERS:
        for given in (data, b"a" + data + b"b", data + data):
            yield Question(given, frozenset({(NOT_UTF8, data.hex())}))
