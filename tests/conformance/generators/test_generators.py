"""Every generator fires on a model that it has something to work on with, and aims where its name says."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random
from unicodedata import combining

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from conformance.core.slugs import slug
from conformance.generators import NAMES, generators
from conformance.generators.added_tokens import AddedTokens
from conformance.generators.base import Drawn, Generator, NothingToDo
from conformance.generators.byte_strings import ByteStrings
from conformance.generators.charsmap_rules import charsmap_rules
from conformance.generators.contents import NEIGHBOURS, competing
from conformance.generators.continuations import Continuations
from conformance.generators.contractions import Contractions
from conformance.generators.decompositions import Decompositions
from conformance.generators.edges import Edges
from conformance.generators.knowledge import ModelKnowledge, model_knowledge
from conformance.generators.merges import Merges
from conformance.generators.mutation import CorpusMutation, KeptMutation
from conformance.generators.pattern_texts import branches_of, text_maker
from conformance.generators.scores import ScoreTies
from conformance.generators.seams import Seams, seams
from conformance.generators.split_pattern import SplitPattern
from conformance.generators.symbols import Symbols
from conformance.generators.token_ids import TokenIds
from conformance.generators.vocab import VocabEntries
from reftok import Tokenizer, load
from reftok.formats.huggingface.tokenizer_json import build_rules
from reftok.regex_dialects.oniguruma.parser import parse
from reftok.regex_dialects.oniguruma.writer import write
from reftok.rules.huggingface.pre_tokenizers import GPT2_PATTERN
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.rules.types import AddedToken
from tests.conformance.generators.tiny import knowledge_of, tiny_json

LINES = ("hello world", "naïve ☠ don't", "")
KEPT: tuple[Drawn, ...] = ("kept", b"k\xff", (1, 2, 3))
CHANCES = st.randoms(use_true_random=False)


def all_of(knowledge: ModelKnowledge) -> dict[str, Generator | NothingToDo]:
    found = [Seams(seams(knowledge)), *generators(knowledge, LINES), KeptMutation.of_inputs(knowledge, KEPT)]
    return {generator.name: generator for generator in found}


def firing(name: str) -> Generator:
    """The generator of this name for the first of the models that has something for it."""
    if name == "charsmap":
        found = all_of(charsmap_knowledge())[name]
    else:
        of_models = (all_of(knowledge_of(model))[name] for model in ("byte-level", "pieces"))
        found = next(generator for generator in of_models if not isinstance(generator, NothingToDo))
    assert not isinstance(found, NothingToDo)
    return found


_of_charsmap: list[ModelKnowledge] = []


def charsmap_knowledge() -> ModelKnowledge:
    if not _of_charsmap:
        _of_charsmap.append(model_knowledge(load("spm-unigram")))
    return _of_charsmap[0]


def draws(generator: Generator | NothingToDo, count: int = 600) -> list[Drawn]:
    assert not isinstance(generator, NothingToDo)
    chance = Random(0)
    return [generator.draw(chance) for _ in range(count)]


def test_every_generator_has_a_name_of_its_own() -> None:
    assert tuple(all_of(knowledge_of("byte-level"))) == NAMES
    assert len({*map(slug, NAMES)}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_generator_fires(name: str) -> None:
    assert len(set(draws(firing(name)))) > 10


@pytest.mark.parametrize("name", NAMES)
def test_the_same_chance_gives_the_same_inputs(name: str) -> None:
    assert draws(firing(name), 50) == draws(firing(name), 50)


@pytest.mark.parametrize("name", NAMES)
def test_texts_have_no_lone_surrogates_and_ids_are_no_less_than_zero(name: str) -> None:
    generator = firing(name)

    @given(CHANCES)
    def holds(chance: Random) -> None:
        drawn = generator.draw(chance)
        if isinstance(drawn, str):
            drawn.encode("utf-8")
        if isinstance(drawn, tuple):
            assert all(0 <= token_id < 1 << 32 for token_id in drawn)

    holds()


def test_what_has_nothing_to_work_on_says_why() -> None:
    idle = {g.name: g.reason for g in all_of(knowledge_of("pieces")).values() if isinstance(g, NothingToDo)}
    assert idle == {
        "merges": "the model has no merges",
        "split pattern": "no pre-tokenizer cuts by a pattern",
        "charsmap": "the model has no charsmap",
        "added tokens": "the model has no added tokens",
    }
    of_bytes = all_of(knowledge_of("byte-level"))
    assert of_bytes["score ties"] == NothingToDo("score ties", "the vocab has no scores")
    assert of_bytes["symbols"] == NothingToDo("symbols", "the vocab has no symbols and no reserved pieces")


def test_a_corpus_without_lines_and_an_empty_pool_give_nothing_to_mutate() -> None:
    knowledge = knowledge_of("byte-level")
    assert CorpusMutation.of_inputs(knowledge, ("",)) == NothingToDo("corpus mutation", "no corpus was given")
    assert isinstance(KeptMutation.of_inputs(knowledge, ()), NothingToDo)


def test_entries_of_the_vocab_are_drawn_as_text() -> None:
    texts = "\n".join(map(str, draws(VocabEntries.of(knowledge_of("byte-level")))))
    assert " a" in texts
    assert "abc" in texts
    assert "Ġa" not in texts


def test_merges_that_compete_for_a_symbol_are_drawn() -> None:
    texts = set(draws(Merges.of(knowledge_of("byte-level"))))
    assert {"abc", "aab", "aaa"} <= texts


def test_pieces_of_the_same_score_are_drawn_as_one_text() -> None:
    texts = set(draws(ScoreTies.of(knowledge_of("pieces"))))
    assert {"ab", "abab", "aa"} <= texts


@given(CHANCES)
def test_a_text_of_a_pattern_without_lookarounds_matches_it_or_goes_beyond_a_bound(chance: Random) -> None:
    tree = parse(r"[a-c]+|\p{Lu}x?|(?i:st)")
    for branch in branches_of(tree):
        text = text_maker(branch)(chance)
        assert regex.match(write(branch, exact=True), text, regex.V1) is not None


def test_every_alternative_of_a_pattern_and_every_seam_that_can_be_is_drawn() -> None:
    tree = parse(GPT2_PATTERN)
    groups = "|".join(f"(?P<n{number}>{write(branch, True)})" for number, branch in enumerate(branches_of(tree)))
    pattern = regex.compile(groups, regex.V1)
    generator = SplitPattern((tuple(map(text_maker, branches_of(tree))),), Continuations.of(()))
    seen = {m.lastgroup for text in draws(generator, 1500) for m in pattern.finditer(str(text))}
    assert len(seen) == len(branches_of(tree))


def test_every_flag_is_drawn_beside_every_neighbour() -> None:
    texts = "\0".join(map(str, draws(AddedTokens.of(knowledge_of("byte-level")), 4000)))
    for content in ("<s>", "<l>", "<r>", "<w>"):
        assert all(f"{neighbour}{content}" in texts for neighbour in NEIGHBOURS)
        assert all(f"{content}{neighbour}" in texts for neighbour in NEIGHBOURS)
        assert f"{content[:-1]}<" in texts


def test_every_pair_of_added_tokens_that_compete_for_a_place_is_drawn() -> None:
    added = tuple(AddedToken(content) for content in ("tok", "token_1", "x<tok", "_1|"))
    knowledge = replace(knowledge_of("byte-level"), added=added)
    texts = "\0".join(map(str, draws(AddedTokens.of(knowledge))))
    assert all(competing in texts for competing in ("token_1", "x<token_1", "token_1|"))


def test_added_tokens_are_drawn_as_the_normalization_forms_write_them() -> None:
    texts = "\0".join(map(str, draws(AddedTokens.of(knowledge_of("byte-level")))))
    assert "n\u0303o" in texts
    assert "\xf1o" in texts


@cache
def knowledge_of_symbols() -> ModelKnowledge:
    return model_knowledge(load("spm-unigram-symbols"))


def test_symbols_that_the_charsmap_would_rewrite_are_drawn_with_what_it_makes_them_of() -> None:
    knowledge = knowledge_of_symbols()
    texts = "\0".join(map(str, draws(Symbols.of(knowledge), 2000)))
    symbols = ("\ufb01", "STRASSE", "New Delhi", "New\u2581Delhi", "token_1", "ab|cd|ef")
    assert all(symbol in texts for symbol in symbols)
    sources = {key for key, replacement in knowledge.rules if replacement in "token"}
    assert any(source in texts for source in sources - set("token"))


def test_control_unknown_and_byte_pieces_are_written_out_as_text() -> None:
    texts = "\0".join(map(str, draws(Symbols.of(knowledge_of("pieces")), 2000)))
    assert all(name in texts for name in ("<s>", "<unk>", "<0xFF>"))


def test_tokens_reach_across_the_end_of_a_contraction_in_every_case() -> None:
    knowledge = replace(knowledge_of("byte-level"), texts=("some", "Sam", "LOL"))
    for generator in (Contractions.of(knowledge), SplitPattern.of(knowledge)):
        texts = "\0".join(map(str, draws(generator, 3000)))
        assert "'some" in texts, generator
        assert "'Sam" in texts, generator


def test_an_entry_that_no_merge_makes_is_drawn_as_a_whole_pre_token() -> None:
    changed = tiny_json()
    changed["model"]["vocab"] = {**changed["model"]["vocab"], "\u0120whole": 900}
    knowledge = model_knowledge(Tokenizer(build_rules(changed)))
    assert " whole" in knowledge.unmerged
    assert "abc" not in knowledge.unmerged
    assert " whole" in draws(VocabEntries.of(knowledge), 200)


def test_texts_begin_with_a_byte_order_mark_and_end_with_nul() -> None:
    texts = list(map(str, draws(Edges.of(knowledge_of("byte-level")))))
    assert any(text.startswith("\ufeff") for text in texts)
    assert any(text.endswith("\x00") for text in texts)


def test_marks_of_every_combining_class_come_in_the_wrong_order() -> None:
    texts = [str(text) for text in draws(Decompositions(), 2000)]
    pairs = [(combining(one), combining(other)) for text in texts for one, other in pairwise(text)]
    assert len({one for one, other in pairs if one > other > 0}) > 10


def test_bytes_are_truncated_overlong_and_surrogates() -> None:
    data = b"|".join(drawn for drawn in draws(ByteStrings()) if isinstance(drawn, bytes))
    assert all(wrong in data for wrong in (b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xff"))
    assert "\ufffd" in data.decode("utf-8", "replace")


def test_ids_are_special_outside_the_vocab_and_runs_of_bytes() -> None:
    knowledge = knowledge_of("pieces")
    ids = [drawn for drawn in draws(TokenIds.of(knowledge), 3000) if isinstance(drawn, tuple)]
    assert any(max(drawn) >= len(knowledge.tokens) for drawn in ids)
    assert any(set(drawn) & set(knowledge.special_ids) for drawn in ids)
    runs = [bytes(knowledge.byte_ids[i] for i in drawn) for drawn in ids if set(drawn) <= knowledge.byte_ids.keys()]
    assert any(len(run) > 1 and "\ufffd" not in run.decode("utf-8", "replace") for run in runs)
    assert any("\ufffd" in run.decode("utf-8", "replace") for run in runs)


def test_ids_of_parts_of_characters_are_drawn() -> None:
    generator = TokenIds.of(knowledge_of("byte-level"))
    assert not isinstance(generator, NothingToDo)
    assert set(range(128, 256)) <= set(generator.partial)
    assert not set(range(128)) & set(generator.partial)


def test_kept_inputs_of_every_kind_are_changed() -> None:
    changed = {type(drawn) for drawn in draws(KeptMutation.of_inputs(knowledge_of("byte-level"), KEPT))}
    assert changed == {str, bytes, tuple}


def test_the_rules_of_a_charsmap_are_those_that_the_official_library_reads() -> None:
    import sentencepiece

    from reftok import embedded_models

    (normalizer,) = load("spm-unigram").rules.normalizers
    assert isinstance(normalizer, SentencePieceNormalizer)
    assert normalizer.charsmap is not None
    official = sentencepiece.SentencePieceNormalizer(model_file=str(embedded_models()["spm-unigram"]))
    assert charsmap_rules(normalizer.charsmap) == sorted(map(tuple, official.Decompile()))


def test_the_beginnings_of_a_content_of_any_length_are_not_all_kept() -> None:
    assert list(competing(["x" * 100_000, "ab", "bc"])) == ["abc"]
