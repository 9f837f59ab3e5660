"""Generators of inputs that know the model, one a file.

Tokenizer ──knowledge──▶ ModelKnowledge ──of──▶ Generator ──draw(chance)──▶ a text, bytes or ids
"""

from __future__ import annotations

from conformance.generators.added_tokens import AddedTokens
from conformance.generators.base import Generator, NothingToDo
from conformance.generators.byte_strings import ByteStrings
from conformance.generators.charsmap import CharsmapRules
from conformance.generators.contractions import Contractions
from conformance.generators.decompositions import Decompositions
from conformance.generators.edges import Edges
from conformance.generators.foreign_tokens import ForeignTokens
from conformance.generators.knowledge import ModelKnowledge
from conformance.generators.long_runs import LongRuns
from conformance.generators.merges import Merges
from conformance.generators.mutation import CorpusMutation, KeptMutation
from conformance.generators.numbers import Numbers
from conformance.generators.reserved_words import ReservedWords
from conformance.generators.scores import ScoreTies
from conformance.generators.seams import Seams
from conformance.generators.split_pattern import SplitPattern
from conformance.generators.symbols import Symbols
from conformance.generators.token_ids import TokenIds
from conformance.generators.unicode_texts import UnicodeTexts
from conformance.generators.vocab import NearMisses, VocabEntries
from conformance.generators.white_space import WhiteSpace

_OF_MODELS = (
    VocabEntries,
    NearMisses,
    Merges,
    ScoreTies,
    SplitPattern,
    CharsmapRules,
    Decompositions,
    AddedTokens,
    ForeignTokens,
    Symbols,
    UnicodeTexts,
    WhiteSpace,
    Numbers,
    Contractions,
    ReservedWords,
    LongRuns,
    Edges,
    ByteStrings,
    TokenIds,
)

NAMES = (Seams.name, *(generator.name for generator in _OF_MODELS), CorpusMutation.name, KeptMutation.name)
"""Every generator, in the order in which they take turns."""


def generators(knowledge: ModelKnowledge, lines: tuple[str, ...]) -> list[Generator | NothingToDo]:
    """The generators for a model, or why there is none, in the order of NAMES, without the first and the last.

    lines: of the corpora. The seams are asked by themselves, and what has reached something new is for `KeptMutation`.
    """
    return [*(generator.of(knowledge) for generator in _OF_MODELS), CorpusMutation.of_inputs(knowledge, lines)]
