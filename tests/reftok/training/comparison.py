"""The same training by reftok and by `tokenizers`, and strategies for what is trained."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import tokenizers
from hypothesis import strategies as st
from tokenizers import AddedToken, models, trainers

from reftok.training.bpe import BpeTrainer
from reftok.training.texts import Texts
from reftok.training.training import Training

from ..pipeline_comparison import Tally

Json = dict[str, Any]

OFFICIAL = {
    "hf-bpe": (models.BPE, trainers.BpeTrainer),
    "wordpiece": (models.WordPiece, trainers.WordPieceTrainer),
    "wordlevel": (models.WordLevel, trainers.WordLevelTrainer),
    "hf-unigram": (models.Unigram, trainers.UnigramTrainer),
}


def official(name: str, pipeline: Json, texts: Sequence[str], options: Mapping[str, Any]) -> Json:
    """What the official trainer makes of a tokenizer.json."""
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(pipeline))
    trainer = OFFICIAL[name][1](show_progress=False, **options)
    tokenizer.train_from_iterator(texts, trainer)
    return json.loads(tokenizer.to_str())


def given_choices(name: str, pipeline: Json, texts: Sequence[str], options: Json, result: Json) -> Json:
    """The options with what the official library leaves to chance, read off its result.

    That is the order of characters with prefix or suffix, and the alphabet that a limit leaves.
    """
    choices = dict(options)
    trainer = Training.of(name, Texts.of(texts, None), pipeline, **options).trainer
    if isinstance(trainer, BpeTrainer):
        vocab = result["model"]["vocab"]
        if trainer.limit_alphabet is not None:
            special = {
                token if isinstance(token, str) else token.content for token in options.get("special_tokens", ())
            }
            choices["kept_alphabet"] = [token for token in vocab if len(token) == 1 and token not in special]
            # A special token is there whether its character was kept or not: it is the same id in any case.
        if trainer.continuing_subword_prefix or trainer.end_of_word_suffix:
            choices["derived_order"] = list(vocab)
    return choices


def trained(name: str, pipeline: Json | str, texts: Sequence[str], options: Json) -> tuple[Json, int]:
    """What reftok makes of it, and how many merges the library makes in an order of chance."""
    training = Training.of(name, Texts.of(texts, None), pipeline, **options)
    counts = training.count(texts)
    trainer = training.trainer
    equal = trainer.train(counts).equal_entries if isinstance(trainer, BpeTrainer) else 0
    return training.train(counts), equal


def counted_by(name: str, pipeline: Json | str, texts: Sequence[str], options: Json) -> Counter[str]:
    return Training.of(name, Texts.of(texts, None), pipeline, **options).count(texts)


def check_training(name: str, pipeline: Json, texts: Sequence[str], options: Json, tally: Tally) -> None:
    """Both make the same file, or it is of those that the library makes by chance.

    These are the files for which its queue had two equal entries of one pair: see merging.py.
    """
    expected = official(name, pipeline, texts, options)
    choices = given_choices(name, pipeline, texts, options, expected)
    made, equal = trained(name, pipeline, texts, choices)
    chance = ", with equal entries in the queue" if equal else ""
    if json.dumps(made) == json.dumps(expected):
        tally.compared[f"{name}: identical{chance}"] += 1
    elif equal:
        tally.compared[f"{name}: DIFFERENT{chance}"] += 1
    else:
        question = json.dumps([name, pipeline, texts, options], ensure_ascii=False, default=repr)
        assert made == expected, question
        raise AssertionError(f"another order of keys: {question}")


# --- what is trained

alphabets = st.sampled_from(["a", "ab", "abc", "abcd ", "ab \n", "aé漢 ", "ab#</w>", "xyz 01._", "añß\u0301 "])


@st.composite
def corpora(draw: st.DrawFn) -> list[str]:
    alphabet = draw(alphabets)
    return draw(st.lists(st.text(alphabet, max_size=12), max_size=12)) * draw(st.integers(1, 2))


contents = st.sampled_from(["<s>", "</s>", "a", "ab", "abc", "", "é", "[UNK]", "xy", "#"])
with_flags = st.builds(
    lambda content, flags: tokenizers.AddedToken(content, **flags),
    contents,
    st.dictionaries(st.sampled_from(["single_word", "lstrip", "rstrip", "normalized"]), st.booleans()),
)
special_tokens = st.lists(contents | with_flags, max_size=3)
sizes = st.integers(0, 40)
alphabet_options = {
    "limit_alphabet": st.integers(0, 4),
    "initial_alphabet": st.lists(st.sampled_from(["a", "z", "bc", "é", "漢", ""]), max_size=3),
}
word_options = {
    "vocab_size": sizes,
    "min_frequency": st.integers(0, 4),
    "special_tokens": special_tokens,
}
plain_bpe = st.fixed_dictionaries(
    {},
    optional={
        **word_options,
        "initial_alphabet": alphabet_options["initial_alphabet"],
        "max_token_length": st.integers(0, 6),
    },
)
affixes = st.sampled_from(["##", "</w>", "_", "", "é", "#"])
letters = st.sampled_from(["a", "b", "ab"])
any_bpe = st.fixed_dictionaries(
    {},
    optional={
        **word_options,
        **alphabet_options,
        "max_token_length": st.integers(0, 6),
        "continuing_subword_prefix": affixes | letters,
        "end_of_word_suffix": affixes | letters,
    },
)
wordpiece = st.fixed_dictionaries(
    {}, optional={**word_options, **alphabet_options, "continuing_subword_prefix": affixes}
)
wordlevel = st.fixed_dictionaries({}, optional=word_options)

STRATEGIES = {
    "hf-bpe": plain_bpe,
    "hf-bpe with affixes and limits": any_bpe,
    "wordpiece": wordpiece,
    "wordlevel": wordlevel,
}
"""Options, by the name of the trainer, which is the first word."""

stages = st.sampled_from(
    [
        {},
        {"pre_tokenizer": {"type": "Whitespace"}},
        {"pre_tokenizer": {"type": "WhitespaceSplit"}},
        {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}},
        {"pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}},
        {"normalizer": {"type": "NFD"}, "pre_tokenizer": {"type": "Whitespace"}},
        {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "UnicodeScripts"}},
    ]
)


@st.composite
def pipelines(draw: st.DrawFn, name: str) -> Json:
    """A tokenizer.json of the model, with added tokens or without."""
    tokenizer = tokenizers.Tokenizer(OFFICIAL[name][0]())
    value = {**json.loads(tokenizer.to_str()), **draw(stages)}
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(value))
    for content in draw(
        st.lists(st.sampled_from(["<s>", "ab", "a", "b c"]), max_size=2) if draw(st.booleans()) else st.just([])
    ):
        tokenizer.add_tokens([AddedToken(content, lstrip=draw(st.booleans()), normalized=draw(st.booleans()))])
    return json.loads(tokenizer.to_str())
