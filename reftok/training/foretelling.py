"""What can be told of a training before it is made, and what is to be looked at after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from reftok.training.bpe import BpeTrainer
from reftok.training.minbpe import BYTES
from reftok.training.options import contents
from reftok.training.pipelines import Json
from reftok.training.training import Training
from reftok.training.unigram import UnigramTrainer
from reftok.training.wordlevel import WordLevelTrainer
from reftok.training.wordpiece import WordPieceTrainer


def before(training: Training, counts: Mapping[str, int], in_text: Sequence[str]) -> list[str]:
    """The largest vocab possible, and what users stumble over, a sentence each.

    counts: the distinct words. in_text: the special tokens that the text has.
    """
    trainer = training.trainer
    told = [f"{sum(counts.values()):,} words, {len(counts):,} of them distinct"]
    pairs = sum(max(len(word) - 1, 0) for word in counts)
    if isinstance(trainer, WordPieceTrainer | BpeTrainer):
        bpe = trainer.bpe if isinstance(trainer, WordPieceTrainer) else trainer
        told += _of_bpe(bpe, counts, pairs)
    elif isinstance(trainer, WordLevelTrainer):
        words = sum(count >= trainer.min_frequency for count in counts.values())
        special = contents(trainer.special_tokens)
        told.append(f"the largest vocab possible has {len({*special, *counts}):,} tokens, {words:,} words among them")
        twice = [token for token in special if token in counts]
        told += [f"{token!r:.60} is a special token and a word: its first id is a hole" for token in twice]
    elif isinstance(trainer, UnigramTrainer):
        required = len(trainer.required(counts))
        seeds = len(trainer.seeds(counts)) - 1
        special_count = len(trainer.special_tokens) + trainer.adds_unknown
        told.append(f"the largest vocab possible has {seeds + special_count:,} tokens")
        if trainer.vocab_size - special_count <= required <= trainer.vocab_size:  # with more it refuses
            told.append(f"the text has {required:,} characters, no fewer than vocab_size: all pieces stay")
    else:
        told.append(f"the largest vocab possible has at most {BYTES + pairs:,} tokens")
    told += [
        f"the text has the special token {token!r:.60}: its characters are learned, and it is cut out afterwards"
        for token in in_text
    ]
    return told


def _of_bpe(trainer: BpeTrainer, counts: Mapping[str, int], pairs: int) -> list[str]:
    alphabet = trainer.alphabet(counts)
    special = contents(trainer.special_tokens)
    vocab = dict.fromkeys([*special, *alphabet], 0)
    derived = 0
    if trainer.continuing_subword_prefix or trainer.end_of_word_suffix:
        derived = len(trainer.derived(counts, vocab))
    first = len(vocab) + derived
    told = [
        f"the vocab begins with {first:,} tokens ({len(set(special))} special, {len(alphabet):,} characters, "
        f"{derived:,} with a prefix or suffix); the largest possible has at most {first + pairs:,}"
    ]
    if first > trainer.vocab_size:
        told.append(f"that is more than vocab_size, {trainer.vocab_size:,}: nothing is merged")
    if trainer.is_cut_by_chance(counts) and trainer.kept_alphabet is None:
        told.append(
            "limit_alphabet cuts through characters that are equally frequent: the library keeps any of them, "
            "here the smaller code points are kept (kept_alphabet says otherwise)"
        )
    if derived and trainer.derived_order is None:
        told.append(
            "with a prefix or suffix the library gives other ids in every process, often other tokens too; here the "
            "order of the text decides (derived_order says otherwise)"
        )
    if trainer.max_token_length is not None and trainer.max_token_length < 4:
        told.append("max_token_length below 4 still gives tokens of two characters")
    return told


def after(training: Training, counts: Mapping[str, int], value: Json) -> list[str]:
    """What is to be looked at in a trained tokenizer.json."""
    trainer, vocab = training.trainer, value["model"]["vocab"]
    told: list[str] = []
    if len(vocab) != trainer.vocab_size:
        how = "more" if len(vocab) > trainer.vocab_size else "fewer"
        told.append(f"the vocab has {len(vocab):,} tokens, {how} than vocab_size, {trainer.vocab_size:,}")
    if isinstance(trainer, BpeTrainer | WordPieceTrainer):
        seen = {*"".join(counts)}
        unseen = [entry[0] for entry in dict.fromkeys(trainer.initial_alphabet) if entry and entry[0] not in seen]
        if unseen:
            told.append(f"{len(unseen):,} characters of the initial alphabet are not in the text, {unseen[0]!r} first")
    if collided := [token for token in value["added_tokens"] if _collides(token, vocab)]:
        told.append(
            f"{collided[0]['content']!r:.60} was added before the training, and keeps the id {collided[0]['id']}, "
            "which the vocab gives to another token: whoever reads the file gives it a new id"
        )
    for name, ids in _inserted(value["post_processor"]):
        known = {token["content"]: token["id"] for token in value["added_tokens"]}.get(name)
        if known is not None and ids != [known]:
            told.append(f"the post-processor inserts {name!r:.60} as {ids}, and its id is now {known}: change the file")
    return told


def _inserted(stage: Json | None) -> Iterator[tuple[str, list[int]]]:
    """The tokens that the templates of a post-processor insert, with their ids."""
    if stage is None:
        return
    for child in stage.get("processors", ()):
        yield from _inserted(child)
    special = stage.get("special_tokens")
    if isinstance(special, dict):
        yield from ((entry["id"], entry["ids"]) for entry in special.values())


def _collides(token: Json, vocab: Mapping[str, int] | Sequence[tuple[str, float]]) -> bool:
    if not isinstance(vocab, Mapping):
        return bool(token["id"] < len(vocab) and vocab[token["id"]][0] != token["content"])
    known = vocab.get(token["content"])
    return bool(token["id"] < len(vocab) if known is None else token["id"] != known)
