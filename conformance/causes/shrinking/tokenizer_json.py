"""Smaller tokenizer.json files: without the entries, merges, added tokens and steps that a mismatch does not need.

What is written has its ids anew, from 0 on without a gap, since `tokenizers` gives an added token the next id after as
many as the vocab has tokens, whatever the file says.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from conformance.causes.shrinking.cases import smallest_part
from conformance.causes.shrinking.charsmap import offer_smaller_charsmaps
from conformance.causes.shrinking.patterns import alternatives, group_around
from conformance.causes.shrinking.search import Search, parts_of
from conformance.core.case import Case

STAGES = {
    "normalizer": "normalizers",
    "pre_tokenizer": "pretokenizers",
    "post_processor": "processors",
    "decoder": "decoders",
}
"""Each stage, and where a Sequence of it has its steps."""
CHARSMAP = "precompiled_charsmap"


class Entry(NamedTuple):
    """An entry of the vocab. id: in the file that was read; score: of Unigram, 0 for other models."""

    id: int
    token: str
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class JsonModel:
    """A tokenizer.json, taken apart.

    root: all of it but entries, merges and added tokens. entries: in the order of their ids.
    known_ids: every id of the file that was read, with its token.
    needed: tokens that are kept: they are the last resort of a model, and without them other things go wrong.
    """

    root: Mapping[str, Any]
    entries: tuple[Entry, ...]
    merges: tuple[tuple[str, str], ...]
    added: tuple[Mapping[str, Any], ...]
    known_ids: Mapping[int, str]
    needed: frozenset[str] = frozenset()

    def written(self, case: Case) -> tuple[bytes, Case] | None:
        """The file, and the case with its ids there; None where a token of the case is not there any more."""
        entries, added = self._renumbered()
        new_ids = {**entries, **added}
        if any(old in self.known_ids and self.known_ids[old] not in new_ids for old in case.ids):
            return None
        model = dict(self.root["model"])
        if model.get("type") == "Unigram":
            model["vocab"] = [[entry.token, entry.score] for entry in self.entries]
            unknown = self.known_ids.get(-1 if model.get("unk_id") is None else model["unk_id"])
            model["unk_id"] = None if unknown is None else entries.get(unknown)
        else:
            model["vocab"] = entries
        if "merges" in model:
            model["merges"] = [list(merge) for merge in self.merges]
        root = {**self.root, "model": model, "added_tokens": [{**t, "id": new_ids[t["content"]]} for t in self.added]}
        root["post_processor"] = _with_ids(root.get("post_processor"), new_ids)
        ids = tuple(new_ids.get(self.known_ids.get(old, ""), old) for old in case.ids)
        return json.dumps(root, ensure_ascii=False).encode("utf-8"), replace(case, ids=ids)

    def _renumbered(self) -> tuple[dict[str, int], dict[str, int]]:
        """The ids of the entries and of the added tokens."""
        entries = {entry.token: number for number, entry in enumerate(self.entries)}
        behind = [token["content"] for token in self.added if token["content"] not in entries]
        return entries, {content: len(entries) + number for number, content in enumerate(dict.fromkeys(behind))}

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens of ids of the file as it is written now."""
        entries, added = self._renumbered()
        known = {number: token for token, number in {**entries, **added}.items()}
        return [known[number] for number in ids if number in known]

    def keeping(self, tokens: Sequence[str]) -> JsonModel:
        """The same, with the letters of these tokens and the unknown token held to be needed."""
        unknown = self.root["model"].get("unk_token")
        unk_id = self.root["model"].get("unk_id")
        names = {unknown} if isinstance(unknown, str) else {self.known_ids.get(-1 if unk_id is None else unk_id, "")}
        apart = names | {token["content"] for token in self.added}
        return replace(self, needed=frozenset(names | {letter for token in {*tokens} - apart for letter in token}))

    def with_entries(self, entries: Iterable[Entry]) -> JsonModel:
        """These entries and those that are needed; a merge whose parts or result are lost goes as well."""
        needed = {entry for entry in self.entries if entry.token in self.needed}
        kept = tuple(sorted({*entries} | needed))
        tokens = {entry.token for entry in kept}
        prefix = self.root["model"].get("continuing_subword_prefix") or ""
        merges = (
            merge
            for merge in self.merges
            if merge[0] in tokens and merge[1] in tokens and merge[0] + merge[1].removeprefix(prefix) in tokens
        )
        return replace(self, entries=kept, merges=tuple(merges))

    def with_root(self, **changes: Any) -> JsonModel:
        """The same with other keys at the top."""
        return replace(self, root={**self.root, **changes})


def json_model(data: bytes) -> JsonModel:
    """A tokenizer.json that the library has loaded."""
    root = json.loads(data)
    model, added = root["model"], root.get("added_tokens") or []
    if isinstance(model["vocab"], list):
        entries = [Entry(number, token, score) for number, (token, score) in enumerate(model["vocab"])]
    else:
        entries = sorted(Entry(number, token) for token, number in model["vocab"].items())
    pairs = [merge.split(" ", 1) if isinstance(merge, str) else merge for merge in model.get("merges", ())]
    known = {token["id"]: token["content"] for token in added} | {entry.id: entry.token for entry in entries}
    root["model"] = {key: value for key, value in model.items() if key != "vocab"}
    return JsonModel(root, tuple(entries), tuple((left, right) for left, right in pairs), tuple(added), known)


def steps(tokens: Sequence[str]) -> list[Callable[[Search[JsonModel]], None]]:
    """The steps that make a model smaller, the boldest first. tokens: what the answers to the case consist of."""

    def keep_parts_of_tokens(search: Search[JsonModel]) -> None:
        parts = parts_of([*tokens, "".join(tokens)])
        prefix = search.model.root["model"].get("continuing_subword_prefix") or ""
        entries = search.model.entries
        near = [entry for entry in entries if entry.token in parts or entry.token.removeprefix(prefix) in parts]
        alphabet = [entry for entry in entries if len(entry.token) == 1 or entry.token.startswith("<0x")]
        if not search.offer(search.model.with_entries(near)):
            search.offer(search.model.with_entries([*near, *alphabet]))

    return [keep_parts_of_tokens, _drop_stages, _drop_added_tokens, _drop_merges, _drop_entries, _drop_rules]


def _drop_stages(search: Search[JsonModel]) -> None:
    for key in ("truncation", "padding", *STAGES):
        if search.model.root.get(key) is not None:
            search.offer(search.model.with_root(**{key: None}))
    for key, inner in STAGES.items():
        stage = search.model.root.get(key)
        if stage is None or stage.get("type") != "Sequence":
            continue

        def offer(part: tuple[Any, ...], key: str = key, stage: Any = stage, inner: str = inner) -> bool:
            return bool(part) and search.offer(search.model.with_root(**{key: {**stage, inner: list(part)}}))

        left = smallest_part(stage[inner], offer)
        if len(left) == 1:
            search.offer(search.model.with_root(**{key: left[0]}))


def _drop_added_tokens(search: Search[JsonModel]) -> None:
    smallest_part(search.model.added, lambda part: search.offer(replace(search.model, added=part)))


def _drop_merges(search: Search[JsonModel]) -> None:
    smallest_part(search.model.merges, lambda part: search.offer(replace(search.model, merges=part)))


def _drop_entries(search: Search[JsonModel]) -> None:
    entries = [entry for entry in search.model.entries if entry.token not in search.model.needed]
    smallest_part(entries, lambda part: search.offer(search.model.with_entries(part)))


def _drop_rules(search: Search[JsonModel]) -> None:
    """Alternatives of patterns, rules of charsmaps."""
    for found in [found for key in STAGES for found in _objects(search.model.root.get(key))]:
        if isinstance(found.get("Regex"), str):
            _drop_alternatives(found["Regex"], _instead_of(search, found, "Regex"))
        elif found.get("type") == "Precompiled":
            _drop_charsmap_rules(search, found)


def _instead_of(search: Search[JsonModel], held: dict[str, Any], key: str) -> Callable[[str], bool]:
    """Offers the model with another text under a key of this object, instead of the last one that was accepted."""

    def offer(text: str) -> bool:
        nonlocal held
        new = {**held, key: text}
        root = {stage: _replaced(search.model.root.get(stage), held, new) for stage in STAGES}
        if not search.offer(search.model.with_root(**root)):
            return False
        held = new
        return True

    return offer


def _drop_charsmap_rules(search: Search[JsonModel], normalizer: dict[str, Any]) -> None:
    offer = _instead_of(search, normalizer, CHARSMAP)
    blob = b64decode(normalizer[CHARSMAP])
    offer_smaller_charsmaps(blob, search.case.readable_text, lambda smaller: offer(b64encode(smaller).decode("ascii")))


def _drop_alternatives(pattern: str, offer: Callable[[str], bool]) -> None:
    def offer_parts(before: str, after: str, parts: Sequence[str]) -> bool:
        return bool(parts) and offer(before + "|".join(parts) + after)

    left = smallest_part(alternatives(pattern), partial(offer_parts, "", ""))
    for number, alternative in enumerate(left):
        if group := group_around(alternative):
            before = "".join(part + "|" for part in left[:number]) + group[0]
            after = ")" + "".join("|" + part for part in left[number + 1 :])
            inner = smallest_part(alternatives(group[1]), partial(offer_parts, before, after))
            left = (*left[:number], group[0] + "|".join(inner) + ")", *left[number + 1 :])


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every object within a value of JSON."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(item)


def _replaced(value: Any, old: Any, new: Any) -> Any:
    """The value of JSON with one object in place of another, wherever it stands."""
    if value == old:
        return new
    if isinstance(value, dict):
        return {key: _replaced(item, old, new) for key, item in value.items()}
    return [_replaced(item, old, new) for item in value] if isinstance(value, list) else value


def _with_ids(post_processor: Any, ids: Mapping[str, int]) -> Any:
    """A post-processor with the ids of its special tokens, where they have some."""
    if not isinstance(post_processor, dict):
        return post_processor
    changed = dict(post_processor)
    if "processors" in changed:
        changed["processors"] = [_with_ids(step, ids) for step in changed["processors"]]
    for key in {"sep", "cls"} & changed.keys():
        token, old = changed[key]
        changed[key] = [token, ids.get(token, old)]
    if isinstance(changed.get("special_tokens"), dict):
        changed["special_tokens"] = {
            name: {**token, "ids": [ids.get(*pair) for pair in zip(token["tokens"], token["ids"], strict=True)]}
            for name, token in changed["special_tokens"].items()
        }
    return changed
