"""A file of vectors for a model: what the official library answers to the fewest inputs that reach everything."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import msgspec
from msgspec import UNSET

from conformance.causes.attribution import UNSURE, wrong_offsets
from conformance.causes.edits.fault import around
from conformance.checks.bare import ALWAYS_ADDED
from conformance.core.errors import InputError
from conformance.core.observation import Decoded, Decoding, Encoded, Encoding, Failure
from conformance.engine.bench import Bench
from conformance.engine.plan import ModelPlan, Plan
from conformance.files.digest import sha256
from conformance.fuzzing.coverage import Key as NumberOrName
from conformance.fuzzing.watching import MERGES, Watcher
from conformance.inputs.shards import Inputs
from conformance.inputs.vector_file import (
    BatchGroup,
    DecodeGroup,
    DecodeVector,
    EncodeGroup,
    EncodeVector,
    Group,
    Oracle,
    Reached,
    Result,
    StreamDecodeGroup,
    StreamEncodeGroup,
    Tier,
    Vector,
    VectorFile,
    VectorModel,
)
from conformance.subjects.adapters import subject_version
from conformance.vectors.batches import batches
from conformance.vectors.choosing import Choice, cover
from conformance.vectors.comparing import asked_and_answered
from conformance.vectors.entries import entry_questions
from conformance.vectors.keys import CORE, ENTRIES, FULL, RULE, Key, Keys, traced, universe
from conformance.vectors.killing import FaultNumber, FaultTable, Rule, killing
from conformance.vectors.notes import flag_of, notes_of
from conformance.vectors.questions import Question, questions
from conformance.vectors.settings_vectors import settings_groups
from conformance.vectors.stream_vectors import decode_streams, encode_streams
from reftok import Tokenizer

SMOKE, SMOKE_OF_STREAMS, SMOKE_OF_SETTINGS = 100, 38, 12
TOLD_BY = 3
"""Each fault is told by so many vectors of core, where there are so many."""
MOST_KILLS = 5
MOST_FLAGS = 4
"""Of what was not chosen for its flags."""
MOST_UNREACHED = 400
MOST_BARE = 12
_GENERIC: Mapping[bool, Rule] = {
    True: (UNSURE, "pre-tokens are cut into other tokens"),
    False: ("", "characters are lost or changed"),
}
"""The flag of a text, or else of ids, that no fault would get wrong."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with the oracle's answer, and what it reaches.

    result: as of a vector; ids that the reference gives otherwise are "acceptable".
    """

    question: Question
    answer: Encoding | Decoding
    result: Result
    keys: Keys = frozenset()
    comment: str = ""


@dataclass(slots=True)
class Maker:
    """What vectors of a model are made from. jobs: processes. say: hears how far it is."""

    plan: ModelPlan
    jobs: int
    say: Say
    bench: Bench = field(init=False)
    watcher: Watcher = field(init=False)
    table: FaultTable = field(init=False)

    def __post_init__(self) -> None:
        nothing = Plan((self.plan,), (), (), Inputs((), (), 0, 0), timeout=60.0)
        self.bench = Bench(nothing, self.plan)
        if self.bench.oracle != self.plan.oracle:
            why = self.bench.unavailable[self.plan.oracle].message
            raise InputError(f"{self.plan.name}: the official library {self.plan.oracle} cannot take part: {why}")
        self.watcher = Watcher(self.tokenizer, self.bench.knowledge)
        self.table = FaultTable(self.tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """The reference."""
        return self.bench.reference.tokenizer

    def made(self, tier: Tier) -> VectorFile:
        """The vectors of a tier."""
        return self.made_tiers((tier,))[tier]

    def made_tiers(self, tiers: Sequence[Tier]) -> dict[Tier, VectorFile]:
        """The vectors of several tiers, each of which has those of the one before it."""
        oracle = self.bench.subjects[self.bench.oracle]
        asked = questions(self.tokenizer, self.bench.knowledge, oracle.takes_bytes)
        self.say(f"{self.plan.name}: {len(asked):,} candidates")
        every = self.with_rules(self.with_keys(self.answered(asked)))
        found: dict[Tier, VectorFile] = {}
        core = self.with_flags(self.chosen(every, CORE))
        if "smoke" in tiers:
            found["smoke"] = self.file("smoke", self.smoke(core), CORE, every)
        if "core" in tiers:
            found["core"] = self.file("core", core, CORE, every)
        if "full" in tiers:
            self.say(f"{self.plan.name}: {len(core):,} vectors of core; every entry and merge follows")
            more = self.with_keys(self.answered(entry_questions(self.tokenizer, self.bench.knowledge, self.watcher)))
            full = [*core, *self.chosen([*core, *more], FULL, known=core)]
            found["full"] = self.file("full", full, FULL, [*every, *more])
        return found

    # --- answers

    def answered(self, asked: Sequence[Question]) -> list[Answered]:
        """What the official library answers. What breaks it down is no vector."""
        oracle, reference = self.bench.subjects[self.bench.oracle], self.bench.reference
        given = [one.given for one in asked]
        texts = [one for one in given if not isinstance(one, tuple)]
        ids = [one for one in given if isinstance(one, tuple)]
        answers: dict[object, tuple[Encoding | Decoding, Encoding | Decoding]] = {}
        encoded = zip(oracle.encode_batch(texts), reference.encode_batch(texts), strict=True)
        decoded = zip(oracle.decode_each(ids), reference.decode_each(ids), strict=True)
        answers.update(zip(texts, encoded, strict=True))
        answers.update(zip(ids, decoded, strict=True))
        found = (_answered(one, *answers[one.given]) for one in asked)
        return [one for one in found if one is not None]

    def with_keys(self, some: Sequence[Answered]) -> list[Answered]:
        """The answers with what each makes the reference do."""
        return [replace(one, keys=one.question.keys | self._traced(one)) for one in some]

    def _traced(self, one: Answered) -> Keys:
        given = one.question.given
        if isinstance(given, bytes) or not one.question.is_traced:
            return frozenset()
        ids = one.answer.ids if isinstance(one.answer, Encoded) else ()
        return traced(self.watcher, self.bench.knowledge, given, ids)

    def with_rules(self, some: Sequence[Answered]) -> list[Answered]:
        """The answers with the rules that each tells: a few short inputs for each fault."""
        by_size = sorted((n for n, one in enumerate(some) if _can_tell(one)), key=lambda n: (some[n].question.size, n))
        given = [some[number].question.given for number in by_size]
        which = self.table.numbers
        self.say(f"{self.plan.name}: {len(which)} faults are looked for")
        told: dict[int, set[Key]] = defaultdict(set)
        texts = [one for one in given if not isinstance(one, bytes)]
        kills = killing(self.table, self.plan, texts, which, MOST_KILLS, self.jobs)
        dated = {fault for fault in which if fault.is_dated}
        of_dates = sorted({n for fault, found in zip(which, kills, strict=True) if fault in dated for n in found})
        short = [texts[number] for number in of_dates]
        again = killing(self.table, self.plan, short, [*dated], None, 1) if dated else []
        all_of = dict(zip(dated, again, strict=True))
        for fault, found in zip(which, kills, strict=True):
            numbers = [of_dates[number] for number in all_of[fault]] if fault in dated else found
            for number in numbers:
                told[by_size[number]].add((RULE, f"{fault.kind}:{fault.number}:{flag_of(*fault.rule)}"))
        count: Counter[str] = Counter()
        for number in by_size:
            for rule in self._offset_rules(some[number]):
                count[rule] += 1
                if count[rule] <= MOST_KILLS:
                    told[number].add((RULE, f"offsets::{flag_of('Offsets', rule)}"))
        return [replace(one, keys=one.keys | told[number]) for number, one in enumerate(some)]

    def with_flags(self, core: Sequence[Answered]) -> list[Answered]:
        """All with the rules of dated tables that they tell, for each such table knows what the ones before it know.

        Those that were chosen for what they reach have other rules as well; of many, those that few tell.
        """
        which = [fault for fault in self.table.numbers if fault.kind != "limit"]
        which = [fault for fault in which if fault.rule[0] != "Input"]
        places = [n for n, one in enumerate(core) if _can_tell(one)]
        bare = [n for n in places if not any(key[0] == RULE for key in core[n].keys)]
        self.say(f"{self.plan.name}: {len(core):,} chosen, {len(bare):,} of them to be flagged")
        more: dict[int, list[Key]] = defaultdict(list)
        for n, some in self._telling(core, places, [fault for fault in which if fault.is_dated]).items():
            more[n] += (key for *_, key in some)
        for n, some in self._telling(core, bare, [fault for fault in which if not fault.is_dated]).items():
            more[n] += (key for *_, key in sorted(some)[:MOST_FLAGS])
        return [replace(one, keys=one.keys.union(more.get(number, ()))) for number, one in enumerate(core)]

    def _telling(
        self, core: Sequence[Answered], places: Sequence[int], which: Sequence[FaultNumber]
    ) -> Mapping[int, Sequence[tuple[int, int, Key]]]:
        """By place, the rules that an input tells: how many inputs do, the place of the fault, and the key."""
        given = [given for n in places if not isinstance(given := core[n].question.given, bytes)]
        told: dict[int, list[tuple[int, int, Key]]] = defaultdict(list)
        kills = killing(self.table, self.plan, given, which, None, self.jobs)
        for number, (fault, found) in enumerate(zip(which, kills, strict=True)):
            key = (RULE, f"{fault.kind}:{fault.number}:{flag_of(*fault.rule)}")
            for place in found:
                told[places[place]].append((len(found), number, key))
        return told

    def _offset_rules(self, one: Answered) -> list[str]:
        given, answer = one.question.given, one.answer
        if not isinstance(given, str) or not isinstance(answer, Encoded) or not answer.offsets:
            return []
        right = answer.offsets
        wrong = wrong_offsets(self.tokenizer, given, right)
        return list(dict.fromkeys(rule for rule, offsets in wrong if tuple(offsets) != right))

    # --- choice

    def chosen(self, some: Sequence[Answered], kinds: Sequence[str], known: Sequence[Answered] = ()) -> list[Answered]:
        """The fewest that reach all of some kinds, and tell each fault. known: what is taken already."""
        reached = {key for one in known for key in one.keys}
        wanted = {*kinds, RULE}
        choices = [
            Choice(one.question.size, frozenset(key for key in one.keys if key[0] in wanted and key not in reached))
            for one in some
        ]
        times = {key: TOLD_BY for one in some for key in one.keys if key[0] == RULE}
        counted = Counter(key for one in choices for key in one.keys)
        return [some[number] for number in cover(choices, {key: min(times[key], counted[key]) for key in times})]

    def smoke(self, core: Sequence[Answered]) -> list[Answered]:
        """Some hundred vectors of core that tell the most faults, and then reach the most."""
        rules = [Choice(one.question.size, frozenset(key for key in one.keys if key[0] == RULE)) for one in core]
        room = SMOKE - SMOKE_OF_STREAMS
        numbers = set(cover(rules, {}, room))
        rest = [Choice(9999 if n in numbers else one.question.size, one.keys) for n, one in enumerate(core)]
        for number in cover(rest, {}, room):
            if len(numbers) < room:
                numbers.add(number)
        return [core[number] for number in sorted(numbers)]

    # --- the file

    def file(self, tier: Tier, some: Sequence[Answered], kinds: Sequence[str], every: Sequence[Answered]) -> VectorFile:
        """The vectors as a file. every: all that was answered, for what can be reached."""
        groups = [*self._encode_groups(tier, some), *self._decode_groups(some), *self._other_groups(tier, some)]
        numbered = numbered_groups(groups)
        number = sum(len(group.tests) for group in numbered)
        links: dict[str, set[str]] = defaultdict(set)
        for one in some:
            for flag in _flags(one):
                links[flag] |= {*one.question.links}
        flags = [flag for group in numbered for test in group.tests for flag in test.flags]
        plan = self.plan
        return VectorFile(
            licence="CC0-1.0",
            tier=tier,
            made_by=f"conformance vectors make --tier {tier}",
            model=VectorModel(
                name=plan.name,
                file=plan.path.name,
                format=plan.format,
                sha256=sha256(plan.path),
                encoding=plan.encoding or UNSET,
            ),
            oracle=Oracle(library=plan.oracle, version=subject_version(plan.oracle)),
            number_of_tests=number,
            notes=notes_of(flags, links),
            coverage=tuple(self._coverage(some, kinds, every)),
            test_groups=tuple(numbered),
        )

    def _encode_groups(self, tier: Tier, some: Sequence[Answered]) -> list[Group]:
        with_pieces = self.plan.format == "sentencepiece"
        tests = [_encode_vector(one, with_pieces) for one in some if not isinstance(one.question.given, tuple)]
        groups: list[Group] = [EncodeGroup(add_special_tokens=True, tests=tuple(tests))]
        if any(around(self.tokenizer)):
            bare = self._bare(some, MOST_BARE // 3 if tier == "smoke" else MOST_BARE)
            groups.append(EncodeGroup(add_special_tokens=False, tests=tuple(bare)))
        return groups

    def _bare(self, some: Sequence[Answered], most: int) -> list[EncodeVector]:
        """A few texts without the special tokens of the template."""
        texts = [one.question.given for one in some if isinstance(one.question.given, str) and one.result == "valid"]
        texts = ["", *texts[: most - 1]]
        oracle = self.bench.subjects[self.bench.oracle].encode_bare(texts)
        flag = flag_of("PostProcessor", ALWAYS_ADDED)
        return [
            EncodeVector(tc_id=0, flags=(flag,), result="valid", text=text, ids=answer.ids)
            for text, answer in zip(texts, oracle or (), strict=False)
            if isinstance(answer, Encoded)
            and answer.ids == tuple(self.tokenizer.encode_ids(text, add_special_tokens=False))
        ]

    def _decode_groups(self, some: Sequence[Answered]) -> list[Group]:
        kept: list[DecodeVector] = []
        skipped: list[DecodeVector] = []
        for one in some:
            given = one.question.given
            if not isinstance(given, tuple):
                continue
            comment = one.comment or UNSET
            if not isinstance(one.answer, Decoded):
                kept.append(DecodeVector(tc_id=0, flags=_flags(one), result=one.result, ids=given, comment=comment))
                continue
            texts = [(kept, False, one.answer.kept)]
            if one.answer.with_special is not None and one.answer.text != one.answer.with_special:
                texts.append((skipped, True, one.answer.text))
            for tests, skips, text in texts:
                flags = _flags(self._telling_decoding(one, given, skips))
                test = DecodeVector(tc_id=0, flags=flags, result=one.result, ids=given, text=text, comment=comment)
                tests.append(test)
        groups: list[Group] = [DecodeGroup(skip_special_tokens=False, tests=tuple(kept))]
        return [*groups, DecodeGroup(skip_special_tokens=True, tests=tuple(skipped))] if skipped else groups

    def _telling_decoding(self, one: Answered, ids: tuple[int, ...], skips: bool) -> Answered:
        """The answer with the rules that show in it where special tokens are skipped, or where they are kept."""

        def tells(key: Key) -> bool:
            kind, number, _ = _place(str(key[1])) if key[0] == RULE else ("", 0, "")
            return kind != "ids" or self.table.tells_decoding(number, ids, skips)

        return replace(one, keys=frozenset(filter(tells, one.keys)))

    def _other_groups(self, tier: Tier, some: Sequence[Answered]) -> list[Group]:
        oracle = self.bench.subjects[self.bench.oracle]
        each = 1 if tier == "smoke" else 3
        valid = [one for one in some if one.result == "valid"]
        texts = [one.question.given for one in valid if isinstance(one.question.given, str)]
        ids = [one.question.given for one in valid if isinstance(one.question.given, tuple)]
        encoders = encode_streams(self.tokenizer, oracle, texts, each)
        decoders = decode_streams(self.tokenizer, oracle, ids, each)
        groups: list[Group] = [StreamEncodeGroup(add_special_tokens=True, tests=tuple(encoders))]
        for skips in (False, True):
            tests = tuple(test for is_skipping, test in decoders if is_skipping == skips)
            groups.append(StreamDecodeGroup(skip_special_tokens=skips, tests=tests))
        found = batches(self.tokenizer, oracle, texts, self.bench.knowledge)
        groups.append(BatchGroup(add_special_tokens=True, tests=tuple(found[: 2 if tier == "smoke" else None])))
        times, most = (1, SMOKE_OF_SETTINGS) if tier == "smoke" else (TOLD_BY, None)
        return [group for group in groups if group.tests] + settings_groups(self.tokenizer, oracle, texts, times, most)

    def _coverage(self, some: Sequence[Answered], kinds: Sequence[str], every: Sequence[Answered]) -> Iterable[Reached]:
        own = frozenset(key for one in every for key in one.keys if key[0] in kinds)
        everything = universe(self.watcher, self.bench.knowledge, own)
        reached: dict[str, set[int | str]] = defaultdict(set)
        for one in some:
            for kind, key in one.keys:
                reached[kind].add(key)
        for kind in kinds:
            keys = dict.fromkeys(everything.get(kind, ()))
            if keys:
                missing = [key for key in keys if key not in reached[kind]]
                shown = _spans(missing) if kind in (MERGES, ENTRIES) else [str(key) for key in missing]
                yield Reached(
                    kind=kind,
                    reached=len(keys) - len(missing),
                    total=len(keys),
                    unreached=tuple(shown[:MOST_UNREACHED]),
                )


def _answered(question: Question, oracle: Encoding | Decoding, reference: Encoding | Decoding) -> Answered | None:
    if isinstance(oracle, Failure):
        if oracle.kind != "refused":
            return None
        is_same = isinstance(reference, Failure)
        return Answered(question, oracle, "refused", comment=question.comment) if is_same else None
    if isinstance(reference, Failure):
        return Answered(question, oracle, "acceptable", comment=f"reftok refuses it: {reference.message}")
    is_same = _is_same(oracle, reference)
    told = question.comment if is_same else _disagreement(question, reference)
    return Answered(question, oracle, "valid" if is_same else "acceptable", comment=told)


def _is_same(oracle: Encoded | Decoded, reference: Encoded | Decoded) -> bool:
    if isinstance(oracle, Decoded) or isinstance(reference, Decoded):
        return oracle == reference
    return oracle.ids == reference.ids and oracle.offsets in (None, reference.offsets)


def _disagreement(question: Question, reference: Encoded | Decoded) -> str:
    said = list(reference.ids) if isinstance(reference, Encoded) else reference.kept
    return f"{question.comment} The official library and its documented rules differ: by these, {said!r:.200}.".strip()


def _can_tell(one: Answered) -> bool:
    return one.result == "valid" and not isinstance(one.question.given, bytes)


def _flags(one: Answered) -> tuple[str, ...]:
    """The flags of a vector: the rules that it tells, the likelier first."""
    told = sorted(_place(str(key)) for kind, key in one.keys if kind == RULE)
    flags = list(dict.fromkeys(flag for _, _, flag in told))
    return tuple(flags) or (flag_of(*_GENERIC[not isinstance(one.question.given, tuple)]),)


def _place(key: str) -> tuple[str, int, str]:
    """The kind and number of a fault, in whose order the likelier stand first, and its flag."""
    kind, number, flag = key.split(":", 2)
    return kind, int(number or 0), flag


def _encode_vector(one: Answered, with_pieces: bool) -> EncodeVector:
    given, answer = one.question.given, one.answer
    is_text = isinstance(given, str)
    made = EncodeVector(
        tc_id=0,
        flags=_flags(one),
        result=one.result,
        comment=one.comment or UNSET,
        text=given if is_text else UNSET,  # type: ignore[arg-type]
        bytes_hex=given.hex() if isinstance(given, bytes) else UNSET,
    )
    if not isinstance(answer, Encoded):
        return made
    values: dict[str, object] = {"ids": answer.ids}
    if with_pieces and answer.tokens is not None:
        values["pieces"] = answer.tokens
    is_of_the_vocab_alone = one.question.comment == "" and (ENTRIES, "packed") in one.question.keys
    if answer.offsets is not None and is_text and not is_of_the_vocab_alone:
        values["offsets"] = answer.offsets
    return msgspec.structs.replace(made, **values)


def numbered_groups(groups: Sequence[Group]) -> list[Group]:
    """The groups with their tests numbered through; what is asked twice is asked once, with the flags of both."""
    numbered: list[Group] = []
    number = 0
    for group in groups:
        known: dict[str, Vector] = {}
        for test in group.tests:
            asked, _ = asked_and_answered(group, test)
            before = known.get(asked, test)
            flags = tuple(dict.fromkeys((*before.flags, *test.flags)))
            known[asked] = msgspec.structs.replace(before, flags=flags)
        tests = [_numbered(test, number + place) for place, test in enumerate(known.values(), 1)]
        number += len(tests)
        numbered.append(_with_tests(group, tests))
    return numbered


def _numbered(test: Vector, number: int) -> Vector:
    return msgspec.structs.replace(test, tc_id=number)


def _with_tests(group: Group, tests: Sequence[Vector]) -> Group:
    values = {name: getattr(group, name) for name in group.__struct_fields__}
    return type(group)(**{**values, "tests": tuple(tests)})


def _spans(keys: Sequence[NumberOrName]) -> list[str]:
    """Numbers that follow one another as "first-last".

    >>> _spans([1, 2, 3, 7, "ab"])
    ['1-3', '7', 'ab']
    """
    found: list[list[int]] = []
    for key in keys:
        if isinstance(key, int):
            if found and found[-1][1] == key - 1:
                found[-1][1] = key
            else:
                found.append([key, key])
    numbers = [str(first) if first == last else f"{first}-{last}" for first, last in found]
    return numbers + [key for key in keys if isinstance(key, str)]
