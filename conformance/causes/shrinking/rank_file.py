"""Smaller rank files of tiktoken: without the ranks that a mismatch does not need. The others keep their numbers.

Every byte keeps its rank: some text would have no ids else. Pattern and special tokens are in a .toml beside it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.causes.shrinking.cases import smallest_part
from conformance.causes.shrinking.search import Search
from conformance.core.case import Case
from reftok.formats.tiktoken.encodings import RankEncoding
from reftok.formats.tiktoken.rank_file import read_ranks


@dataclass(frozen=True, slots=True)
class RankModel:
    """A rank file, taken apart. ranks: of tokens of several bytes or none. known_ids: of the file that was read."""

    byte_ranks: Mapping[bytes, int]
    ranks: Mapping[bytes, int]
    known_ids: frozenset[int]

    def written(self, case: Case) -> tuple[bytes, Case] | None:
        """The file, and the case as it is; None where a token of the case is not there any more."""
        ranks = {**self.byte_ranks, **self.ranks}
        if not self.known_ids.intersection(case.ids) <= {*ranks.values()}:
            return None
        in_order = sorted(ranks.items(), key=lambda entry: entry[1])
        return b"".join((b64encode(token) or b"=") + b" %d\n" % rank for token, rank in in_order), case

    def tokens(self, ids: Iterable[int]) -> list[bytes]:
        """The tokens of ids that are ranks."""
        known = {rank: token for token, rank in {**self.byte_ranks, **self.ranks}.items()}
        return [known[rank] for rank in ids if rank in known]

    def keeping(self, tokens: Sequence[bytes]) -> RankModel:
        """The same: besides the bytes, none is needed."""
        return self

    def with_ranks(self, tokens: Iterable[bytes]) -> RankModel:
        """The same with these tokens of several bytes only."""
        return replace(self, ranks={token: self.ranks[token] for token in tokens})


def rank_model(data: bytes) -> RankModel:
    """A rank file that the library has loaded."""
    ranks = read_ranks(data)
    of_bytes = {token: rank for token, rank in ranks.items() if len(token) == 1}
    others = {token: rank for token, rank in ranks.items() if len(token) != 1}
    return RankModel(of_bytes, others, frozenset(ranks.values()))


def steps(tokens: Sequence[bytes]) -> list[Callable[[Search[RankModel]], None]]:
    """The steps that make a model smaller, the boldest first. tokens: what the answers to the case consist of."""

    def keep_parts_of_tokens(search: Search[RankModel]) -> None:
        text = b"".join(tokens)
        search.offer(search.model.with_ranks(token for token in search.model.ranks if token in text))

    return [keep_parts_of_tokens, _drop_ranks]


def _drop_ranks(search: Search[RankModel]) -> None:
    smallest_part([*search.model.ranks], lambda part: search.offer(search.model.with_ranks(part)))


def encoding_for(encoding: RankEncoding, case: Case) -> RankEncoding:
    """The encoding without the special tokens that are not in a case: they change no answer to it.

    It has no name any more: who goes by the name would take the published ranks and special tokens.

    >>> encoding_for(RankEncoding("own", ".", {"<a>": 300, "<b>": 301}), Case("text", "x", text="1<b>")).special_tokens
    {'<b>': 301}
    """
    text = case.readable_text
    needed = {
        name: number
        for name, number in encoding.special_tokens.items()
        if name in text or name in case.tokens or number in case.ids
    }
    return replace(encoding, name="", special_tokens=needed)


def encoding_toml(encoding: RankEncoding) -> str:
    r"""The .toml beside a rank file. Of special tokens with one id it has that which the id decodes to.

    >>> print(encoding_toml(RankEncoding("own", r"\w+", {"<é>": 300})), end="")
    [encoding]
    pattern = "\\w+"
    special_tokens = { "<\U000000E9>" = 300 }
    """
    by_id = {number: name for name, number in encoding.special_tokens.items()}
    special_tokens = ", ".join(f"{_string(name)} = {number}" for number, name in by_id.items())
    return f"[encoding]\npattern = {_string(encoding.pattern)}\nspecial_tokens = {{ {special_tokens} }}\n"


def _string(text: str) -> str:
    """A string of TOML, in ASCII."""
    return '"' + "".join(_character(character) for character in text) + '"'


def _character(character: str) -> str:
    if character == "\\":
        return r"\\"
    if character.isascii() and character.isprintable() and character != '"':
        return character
    return f"\\U{ord(character):08X}"
