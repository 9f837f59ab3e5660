"""Trainers with one defect each: `conformance train --subject tests/planted_defects/trainers.py:NAME`.

They are made of the official trainers with other options, or of plain loops that count everything anew for each merge.
"""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import sentencepiece
import tokenizers
from tokenizers import trainers

from reftok.formats.sentencepiece.protobuf import read_fields
from reftok.rules.byte_level import CHARACTER_TO_BYTE
from reftok.training.sentencepiece.corpus import Corpus, counted_words, prepared
from reftok.training.sentencepiece.meta_pieces import meta_pieces
from reftok.training.sentencepiece.model_file import ScoredPiece, model_file
from reftok.training.sentencepiece.normalization import charsmap_blob, normalizer_of
from reftok.training.sentencepiece.options import TrainerOptions, trainer_options
from reftok.training.sentencepiece.shape import PieceShapes

Options = dict[str, Any]
Pair = tuple[str, str]
HF = {
    "hf-bpe": trainers.BpeTrainer,
    "wordpiece": trainers.WordPieceTrainer,
    "wordlevel": trainers.WordLevelTrainer,
    "hf-unigram": trainers.UnigramTrainer,
}


def official(texts: Sequence[str], options: Options) -> bytes:
    """The official trainer."""
    given = {name: value for name, value in options.items() if name not in ("trainer", "pipeline")}
    kind = options["trainer"]
    if kind not in HF:
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts), model_writer=model, model_type=kind.removeprefix("sentencepiece-"),
            minloglevel=3, **given,
        )  # fmt: skip
        return model.getvalue()
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(options["pipeline"]))
    tokenizer.train_from_iterator(texts, HF[kind](show_progress=False, **given))
    return str(tokenizer.to_str()).encode()


# --- BPE of tokenizers: a plain loop


def words_of(texts: Iterable[str], pipeline: Options) -> Counter[str]:
    """The words of the texts, in their order."""
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(pipeline))
    found: Counter[str] = Counter()
    for text in texts:
        normal = tokenizer.normalizer.normalize_str(text) if tokenizer.normalizer else text
        splits = tokenizer.pre_tokenizer.pre_tokenize_str(normal) if tokenizer.pre_tokenizer else [(normal, None)]
        found.update(word for word, _ in splits if word)
    return found


def counted(symbols: Sequence[str]) -> Counter[Pair]:
    return Counter(pairwise(symbols))


def by_code_point(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts)


def smallest_ids(pairs: Sequence[Pair], ids: Mapping[str, int]) -> Pair:
    return min(pairs, key=lambda pair: (ids[pair[0]], ids[pair[1]]))


def merged(symbols: Sequence[str], pair: Pair, token: str) -> list[str]:
    made: list[str] = []
    place = 0
    while place < len(symbols):
        if tuple(symbols[place : place + 2]) == pair:
            made.append(token)
            place += 2
        else:
            made.append(symbols[place])
            place += 1
    return made


def bpe(
    texts: Sequence[str],
    options: Options,
    choose: Callable[[Sequence[Pair], Mapping[str, int]], Pair] = smallest_ids,
    count: Callable[[Sequence[str]], Counter[Pair]] = counted,
    alphabet: Callable[[Mapping[str, int]], list[str]] = by_code_point,
    frequency: Callable[[int], int] = int,
    removes_prefix: bool = True,
) -> bytes:
    """BpeTrainer and WordPieceTrainer; refuses other options than those below."""
    known = {"trainer", "pipeline", "vocab_size", "min_frequency", "special_tokens", "initial_alphabet"}
    if options["trainer"] not in ("hf-bpe", "wordpiece"):
        return official(texts, options)
    if options.keys() - known - {"continuing_subword_prefix"}:
        raise ValueError("this trainer has no such option")
    words = {word: frequency(times) for word, times in words_of(texts, options["pipeline"]).items()}
    is_wordpiece = options["trainer"] == "wordpiece"
    prefix = options.get("continuing_subword_prefix", "##" if is_wordpiece else None) or ""
    characters: Counter[str] = Counter()
    for word, times in words.items():
        for character in word:
            characters[character] += times
    characters.update({entry[0]: 1 << 60 for entry in options.get("initial_alphabet", ()) if entry})
    ids: dict[str, int] = {}
    for token in [*options.get("special_tokens", ()), *alphabet(characters)]:
        ids.setdefault(token, len(ids))
    rows = [(list(word[:1]) + [prefix + character for character in word[1:]], times) for word, times in words.items()]
    for symbols, _ in rows:
        for symbol in symbols:
            ids.setdefault(symbol, len(ids))
    merges: list[Pair] = []
    while len(ids) < options.get("vocab_size", 30000):
        counts: Counter[Pair] = Counter()
        for symbols, times in rows:
            for pair, seen in count(symbols).items():
                counts[pair] += seen * times
        most = max(counts.values(), default=0)
        if most < max(options.get("min_frequency", 0), 1):
            break
        pair = choose([pair for pair, times in counts.items() if times == most], ids)
        token = pair[0] + (pair[1].removeprefix(prefix) if removes_prefix else pair[1])
        ids.setdefault(token, len(ids))
        merges.append(pair)
        rows = [(merged(symbols, pair, token), times) for symbols, times in rows]
    value = json.loads(official(["a"], {**options, "vocab_size": 1}))
    value["model"]["vocab"] = ids
    if not is_wordpiece:
        value["model"]["merges"] = [list(pair) for pair in merges]
    return json.dumps(value).encode()


def none(texts: Sequence[str], options: Options) -> bytes:
    """No defect."""
    return bpe(texts, options) if options["trainer"] == "hf-bpe" else official(texts, options)


def ties_by_string(texts: Sequence[str], options: Options) -> bytes:
    """Of equally frequent pairs that of smaller strings."""
    return bpe(texts, options, choose=lambda pairs, ids: min(pairs))


def ties_first_seen(texts: Sequence[str], options: Options) -> bytes:
    """Of equally frequent pairs the first of the text."""
    return bpe(texts, options, choose=lambda pairs, ids: pairs[0])


def ties_of_larger_ids(texts: Sequence[str], options: Options) -> bytes:
    """Of equally frequent pairs that of larger ids."""
    return bpe(texts, options, choose=lambda pairs, ids: max(pairs, key=lambda pair: (ids[pair[0]], ids[pair[1]])))


def overlaps_counted_once(texts: Sequence[str], options: Options) -> bytes:
    """`aaa` has one pair `aa`."""

    def once(symbols: Sequence[str]) -> Counter[Pair]:
        counts: Counter[Pair] = Counter()
        last = -1
        for place, pair in enumerate(pairwise(symbols)):
            if pair[0] == pair[1] and place and symbols[place - 1] == symbols[place] and last == place - 1:
                continue
            counts[pair] += 1
            last = place
        return counts

    return bpe(texts, options, count=once)


def alphabet_by_count(texts: Sequence[str], options: Options) -> bytes:
    """The most frequent character has the first id."""
    return bpe(texts, options, alphabet=lambda counts: sorted(counts, key=lambda c: (-counts[c], c)))


def words_counted_once(texts: Sequence[str], options: Options) -> bytes:
    """How often a word occurs is forgotten."""
    return bpe(texts, options, frequency=lambda times: 1)


def prefix_not_removed(texts: Sequence[str], options: Options) -> bytes:
    """`##a` and `##b` become `##a##b`."""
    return bpe(texts, options, removes_prefix=False)


def changed(texts: Sequence[str], options: Options, name: str, change: Callable[[Any], Any]) -> bytes:
    """The official trainer with another value of an option that is given."""
    return official(texts, {**options, name: change(options[name])} if name in options else options)


def without(texts: Sequence[str], options: Options, name: str) -> bytes:
    """The official trainer without an option."""
    return official(texts, {key: value for key, value in options.items() if key != name})


def frequency_must_be_more(texts: Sequence[str], options: Options) -> bytes:
    """A pair or word of min_frequency is not enough."""
    return changed(texts, options, "min_frequency", lambda least: max(least, 1) + 1)


def frequency_ignored(texts: Sequence[str], options: Options) -> bytes:
    """min_frequency has no effect."""
    return without(texts, options, "min_frequency")


def frequency_of_2(texts: Sequence[str], options: Options) -> bytes:
    """min_frequency is 2 in any case, which is the default of the tokenizers that the library's Python door trains."""
    if options["trainer"] not in ("hf-bpe", "wordpiece", "wordlevel"):
        return official(texts, options)
    return official(texts, {**options, "min_frequency": 2})


def frequency_of_2_by_default(texts: Sequence[str], options: Options) -> bytes:
    """min_frequency is 2 where it is not given."""
    return official(texts, options) if "min_frequency" in options else frequency_of_2(texts, options)


def special_tokens_beside(texts: Sequence[str], options: Options) -> bytes:
    """vocab_size does not count special tokens."""
    more = len({*options.get("special_tokens", ())})
    return changed(texts, options, "vocab_size", lambda size: size + more)


def length_at_most(texts: Sequence[str], options: Options) -> bytes:
    """A token may be as long as max_token_length."""
    return changed(texts, options, "max_token_length", lambda most: most + 1)


def initial_alphabet_ignored(texts: Sequence[str], options: Options) -> bytes:
    """Only the text's characters are in the alphabet."""
    return without(texts, options, "initial_alphabet")


def words_first_seen(texts: Sequence[str], options: Options) -> bytes:
    """WordLevel: equally frequent words in the order of the text."""
    return word_level(texts, options, lambda counts: sorted(counts, key=lambda word: -counts[word]))


def special_word_twice(texts: Sequence[str], options: Options) -> bytes:
    """WordLevel: a word that is a special token keeps the first id, and takes no second place."""
    special = options.get("special_tokens", ())
    return word_level(
        texts,
        options,
        lambda counts: [word for word in sorted(counts, key=lambda w: (-counts[w], w)) if word not in special],
    )


def word_level(texts: Sequence[str], options: Options, order: Callable[[Counter[str]], list[str]]) -> bytes:
    if options["trainer"] != "wordlevel":
        return official(texts, options)
    counts = words_of(texts, options["pipeline"])
    words = [word for word in order(counts) if counts[word] >= options.get("min_frequency", 0)]
    entries = [*options.get("special_tokens", ()), *words][: options.get("vocab_size", 30000)]
    value = json.loads(official(texts, options))
    value["model"]["vocab"] = {token: token_id for token_id, token in enumerate(entries)}
    for token in value["added_tokens"]:
        token["id"] = value["model"]["vocab"].get(token["content"], token["id"])
    value["added_tokens"].sort(key=lambda token: token["id"])
    return json.dumps(value).encode()


# --- sentencepiece: the corpus as reftok prepares it, and plain loops


def pieces_of(
    texts: Sequence[str], options: Options, learn: Callable[[Corpus, int, TrainerOptions], list[ScoredPiece]]
) -> bytes:
    """A model of learned pieces. learn: of the corpus and of how many pieces there is room for."""
    given = {name: value for name, value in options.items() if name != "trainer"}
    read = trainer_options(model_type=options["trainer"].removeprefix("sentencepiece-"), **given)
    meta, charsmap = meta_pieces(read), charsmap_blob(read)
    official(texts, options)  # refuses what there is no model for
    corpus = prepared([text.rstrip("\r\n") for text in texts], read, normalizer_of(read, charsmap), meta)
    return model_file(learn(corpus, read.vocab_size - len(meta), read), meta, read, charsmap, read.vocab_size)


def piece_merges(
    corpus: Corpus, most: int, options: TrainerOptions, key: Callable[[str], Any], least: int = 0
) -> list[str]:
    """The pieces of merges in their order. key: the smaller, the better of equally frequent ones."""
    shapes = PieceShapes(options)
    words = counted_words(corpus.sentences, options) if options.split_by_whitespace else corpus.sentences
    rows = [(list(text), times) for text, times in words]
    known: set[Pair] = set()
    made: dict[str, None] = {}
    while len(made) < most:
        counts: Counter[Pair] = Counter()
        for symbols, times in rows:
            for pair in pairwise(symbols):
                if shapes.is_valid(pair[0] + pair[1]):
                    counts[pair] += times
        known |= counts.keys()
        left = [pair for pair in known if pair[0] + pair[1] not in made and counts[pair] >= least]
        if not left:
            break
        best = min(left, key=lambda pair: (-counts[pair], key(pair[0] + pair[1])))
        token = best[0] + best[1]
        made[token] = None
        for symbols, _ in rows:
            if best not in pairwise(symbols):
                continue
            for place in range(len(symbols)):
                # While it is merged from the left, a piece has what is not merged yet behind it.
                between = merged(symbols[:place], best, token) + symbols[place:]
                known |= {pair for pair in pairwise(between) if shapes.is_valid(pair[0] + pair[1])}
        rows = [(merged(symbols, best, token), times) for symbols, times in rows]
    return list(made)


def piece_bpe(
    texts: Sequence[str],
    options: Options,
    key: Callable[[str], Any] = lambda piece: (len(piece), piece),
    least: int = 0,
    characters: Callable[[Mapping[str, int]], list[str]] = lambda counts: sorted(counts, key=lambda c: (-counts[c], c)),
) -> bytes:
    if options["trainer"] != "sentencepiece-bpe" or options.get("auto_character_coverage"):
        return official(texts, options)

    def learn(corpus: Corpus, size: int, read: TrainerOptions) -> list[ScoredPiece]:
        made = piece_merges(corpus, size - len(corpus.required), read, key, least) + characters(corpus.required)
        return [(piece, -float(place)) for place, piece in enumerate(made)]

    return pieces_of(texts, options, learn)


def no_defect_in_pieces(texts: Sequence[str], options: Options) -> bytes:
    return piece_bpe(texts, options)


def piece_ties_by_string(texts: Sequence[str], options: Options) -> bytes:
    """Of equally frequent pieces the smaller string, however long."""
    return piece_bpe(texts, options, key=lambda piece: piece)


def pieces_must_occur(texts: Sequence[str], options: Options) -> bytes:
    """Pieces of count 0 are left out."""
    return piece_bpe(texts, options, least=1)


def characters_by_code_point(texts: Sequence[str], options: Options) -> bytes:
    """The required characters in the order of their code points."""
    return piece_bpe(texts, options, characters=sorted)


def one_thread(texts: Sequence[str], options: Options) -> bytes:
    """Unigram: sums as one thread makes them."""
    return official(texts, {**options, "num_threads": 1} if options["trainer"] == "unigram" else options)


def coverage_ignored(texts: Sequence[str], options: Options) -> bytes:
    """Every character is required, however rare."""
    return changed(texts, options, "character_coverage", lambda coverage: 1.0)


def double_logarithms(texts: Sequence[str], options: Options) -> bytes:
    """Word models: scores are not rounded to float32 before the difference."""
    if options["trainer"] != "word":
        return official(texts, options)

    def learn(corpus: Corpus, size: int, read: TrainerOptions) -> list[ScoredPiece]:
        words = counted_words(corpus.sentences, TrainerOptions())
        total = math.log(sum(times for _, times in words))
        known = [(word, math.log(times) - total) for word, times in words if "▅" not in word]
        return known if read.use_all_vocab else known[:size]

    return pieces_of(texts, options, learn)


def ties_by_bytes(texts: Sequence[str], options: Options) -> bytes:
    """Of equally frequent pairs that of smaller bytes."""
    return bpe(texts, options, choose=lambda pairs, ids: min(pairs, key=lambda pair: tuple(map(byte_values, pair))))


def byte_values(token: str) -> bytes:
    known = CHARACTER_TO_BYTE.keys() >= {*token}
    return bytes(CHARACTER_TO_BYTE[one] for one in token) if known else token.encode()


def special_after_the_alphabet(texts: Sequence[str], options: Options) -> bytes:
    """The alphabet has the first ids."""
    if options["trainer"] not in ("hf-bpe", "wordpiece"):
        return official(texts, options)
    special = options.get("special_tokens", [])
    rest = {name: value for name, value in options.items() if name != "special_tokens"}
    return with_added(
        bpe(texts, rest, alphabet=lambda counts: [*sorted(counts), *(one for one in special if one not in counts)]),
        texts,
        options,
    )


def special_at_the_end(texts: Sequence[str], options: Options) -> bytes:
    """Special tokens have the last ids."""
    if options["trainer"] not in ("hf-bpe", "wordpiece"):
        return official(texts, options)
    special = dict.fromkeys(options.get("special_tokens", []))
    size = max(options.get("vocab_size", 30000) - len(special), 0)
    made = json.loads(bpe(texts, {**options, "special_tokens": [], "vocab_size": size}))
    for token in special:
        made["model"]["vocab"].setdefault(token, len(made["model"]["vocab"]))
    return with_added(json.dumps(made).encode(), texts, options)


def with_added(made: bytes, texts: Sequence[str], options: Options) -> bytes:
    """The file with the added tokens of the official one, with the ids of its own."""
    value = json.loads(made)
    value["added_tokens"] = json.loads(official(texts, options))["added_tokens"]
    for token in value["added_tokens"]:
        token["id"] = value["model"]["vocab"][token["content"]]
    return json.dumps(value).encode()


def pieces_across_words(texts: Sequence[str], options: Options) -> bytes:
    """Sentencepiece: words are not split, but the file says that they were."""
    return pieces_learned_otherwise(texts, options, "split_by_whitespace", False)


def pieces_learned_otherwise(texts: Sequence[str], options: Options, name: str, value: Any) -> bytes:
    """Sentencepiece's trainer with another value of an option, and the specs of the right one."""
    made = official(texts, options)
    if options["trainer"] in HF:
        return made
    other = official(texts, {**options, name: value})
    pieces = b"".join(wire(*one) for one in read_fields(other, "") if one[0] == 1)
    return pieces + b"".join(wire(*one) for one in read_fields(made, "") if one[0] != 1)


def surface_ignored(texts: Sequence[str], options: Options) -> bytes:
    return without(texts, options, "unk_surface")


def control_symbols_ignored(texts: Sequence[str], options: Options) -> bytes:
    return without(texts, options, "control_symbols")


def white_space_pieces_ignored(texts: Sequence[str], options: Options) -> bytes:
    return without(texts, options, "allow_whitespace_only_pieces")


def delimiter_ignored(texts: Sequence[str], options: Options) -> bytes:
    return without(texts, options, "pretokenization_delimiter")


def two_at_once(texts: Sequence[str], options: Options) -> bytes:
    """Ties by strings, and min_frequency is always 2."""
    if options["trainer"] != "hf-bpe":
        return official(texts, options)
    return ties_by_string(texts, {**options, "min_frequency": 2})


# --- what is written beside the vocab, and the texts that are read


def stripped_json(texts: Sequence[str], options: Options, **values: Any) -> bytes:
    """A tokenizer.json with other values of its keys; those of the model are prefixed with model_."""
    made = official(texts, options)
    if options["trainer"] not in HF:
        return made
    value = json.loads(made)
    for name, other in values.items():
        part, key = (value["model"], name.removeprefix("model_")) if name.startswith("model_") else (value, name)
        if key in part:
            part[key] = other
    return json.dumps(value).encode()


def stripped_pieces(texts: Sequence[str], options: Options, part: int = 0, field: int = 0, inner: int = 1) -> bytes:
    """A `.model` without a part, or of the parts `inner` without a field."""
    made = official(texts, options)
    if options["trainer"] in HF:
        return made
    written = b""
    for number, _, _, message in read_fields(made, ""):
        assert isinstance(message, bytes)
        if number == inner and field:
            message = b"".join(wire(*one) for one in read_fields(message, "") if one[0] != field)
        if number != part:
            written += wire(number, 2, 0, message)
    return written


def wire(number: int, kind: int, _: int, value: int | bytes) -> bytes:
    """A field of protobuf as it is written."""
    size = b"" if isinstance(value, int) or kind != 2 else varint(len(value))
    return varint(number << 3 | kind) + size + (varint(value) if isinstance(value, int) else value)


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def added_tokens_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_json(texts, options, added_tokens=[])


def normalizer_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_json(texts, options, normalizer=None)


def pre_tokenizer_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_json(texts, options, pre_tokenizer=None)


def unk_id_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_json(texts, options, model_unk_id=None)


def types_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_pieces(texts, options, field=3)


def trainer_spec_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_pieces(texts, options, part=2)


def normalizer_spec_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_pieces(texts, options, part=3)


def charsmap_not_written(texts: Sequence[str], options: Options) -> bytes:
    return stripped_pieces(texts, options, field=2, inner=3)


def fails_on(texts: Sequence[str], options: Options, part: str) -> bytes:
    if any(part in text for text in texts):
        raise ValueError("unexpected character")
    return official(texts, options)


def fails_on_meta_symbols(texts: Sequence[str], options: Options) -> bytes:
    return fails_on(texts, options, "▁")


def fails_on_tabs(texts: Sequence[str], options: Options) -> bytes:
    return fails_on(texts, options, "\t")


def fails_on_carriage_returns(texts: Sequence[str], options: Options) -> bytes:
    return fails_on(texts, options, "\r")


def fails_on_long_lines(texts: Sequence[str], options: Options) -> bytes:
    if any(len(text.encode()) > 4192 for text in texts):
        raise ValueError("line too long")
    return official(texts, options)


LEARNED_RULES = {
    "ties_by_string": "of equally frequent pairs the smaller strings win",
    "ties_first_seen": "of equally frequent pairs the first of the text wins",
    "ties_of_larger_ids": "of equally frequent pairs the larger ids win",
    "overlaps_counted_once": "overlapping pairs are counted once",
    "alphabet_by_count": "the alphabet is in the order of counts",
    "words_counted_once": "each distinct word counts once",
    "prefix_not_removed": "the prefix is not removed from the right token of a merge",
    "frequency_must_be_more": "a count must be more than min_frequency",
    "frequency_ignored": "min_frequency is ignored",
    "frequency_of_2": "min_frequency is always 2",
    "frequency_of_2_by_default": "min_frequency is 2 where it is not given",
    "special_tokens_beside": "special tokens are not counted in vocab_size",
    "length_at_most": "a token may be as long as max_token_length",
    "initial_alphabet_ignored": "initial_alphabet is ignored",
    "words_first_seen": "equally frequent words are in the order of the text",
    "special_word_twice": "a word that is a special token keeps the first id",
    "piece_ties_by_string": "of equally frequent pairs the smaller string wins, however long",
    "pieces_must_occur": "pieces of count 0 are left out",
    "characters_by_code_point": "required characters are in the order of code points",
    "one_thread": "num_threads is 1",
    "coverage_ignored": "character_coverage is 1",
    "double_logarithms": "logarithms are float64",
}
"""The rule that a finding of each names, where something else is learned."""

RULES = {
    **LEARNED_RULES,
    "ties_by_bytes": "of equally frequent pairs that of the smaller byte values wins",
    "special_after_the_alphabet": "special tokens come after the alphabet",
    "special_at_the_end": "special tokens come at the end",
    "pieces_across_words": "pieces are made across words",
    "surface_ignored": "unk_surface is ignored",
    "control_symbols_ignored": "control_symbols is ignored",
    "white_space_pieces_ignored": "allow_whitespace_only_pieces is ignored",
    "delimiter_ignored": "pretokenization_delimiter is ignored",
    "added_tokens_not_written": "added_tokens is not written",
    "normalizer_not_written": "normalizer is not written",
    "pre_tokenizer_not_written": "pre_tokenizer is not written",
    "unk_id_not_written": "model.unk_id is not written",
    "types_not_written": "pieces.type is 'NORMAL'",
    "trainer_spec_not_written": "trainer_spec is not written",
    "normalizer_spec_not_written": "normalizer_spec is not written",
    "charsmap_not_written": "normalizer_spec.precompiled_charsmap is not written",
    "fails_on_meta_symbols": "training fails on texts with ▁ (U+2581)",
    "fails_on_tabs": "training fails on texts with a tab",
    "fails_on_carriage_returns": "training fails on texts with a carriage return",
    "fails_on_long_lines": "training fails on lines of more than 4,192 bytes",
}
"""The rule that a finding of each names."""
