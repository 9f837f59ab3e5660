"""Make reports/published/vectors/README.md: what the vectors reach, and which planted defects they kill.

    python tools/publish_vectors.py --models path/to/models

It measures the files that tools/make_vectors.py has made: some minutes. REFTOK_MODELS stands for --models; without it
the real models are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from make_vectors import PUBLISHED, REAL, ROOT, TIMES

from conformance.fuzzing.coverage import Coverage
from conformance.fuzzing.watching import ENTRIES, MERGES, Watcher
from conformance.generators.knowledge import model_knowledge
from conformance.inputs.vector_file import EncodeVector, VectorFile, read_vectors
from reftok import embedded_models, load
from tests.planted_defects.killed import ALL, Planted, failed, is_named

TIERS = ("smoke", "core", "full")
KINDS = {
    "alternatives": "pattern alternatives",
    "seams": "seams between alternatives",
    "charsmap": "charsmap rules",
    "compose": "characters that compose",
    "added tokens": "added tokens",
    "their neighbours": "added-token flags",
    "bytes": "bytes",
    "stages": "stages",
    "decoder": "decoder branches",
    "Unicode": "Unicode ages",
    "bugs": "known bugs",
}
"""Of a file's coverage, under the headings of the table."""
KIN = {
    "llama2": "spm-bpe",
    "mistral-v0.1": "spm-bpe-hf",
    "t5-small": "spm-unigram-hf",
}
"""Real models, and the embedded one whose defects are planted in them as well."""
STAGES = (
    *("Input", "Normalizer", "AddedTokens", "PreTokenizer", "Model", "PostProcessor", "Offsets", "Decoder", "Streams"),
    "",
)


@dataclass(frozen=True)
class Published:
    """A model with its files of vectors. path: of the model."""

    name: str
    path: Path
    folder: Path

    @cached_property
    def files(self) -> Mapping[str, VectorFile]:
        """By tier."""
        return {tier: read_vectors(path) for tier in TIERS if (path := self.packed(tier)).exists()}

    def packed(self, tier: str) -> Path:
        """The file of a tier."""
        return self.folder / self.name / f"{tier}.json.gz"

    def rows(self, took: Mapping[str, float]) -> Iterator[list[str]]:
        """A line of the table of coverage for each tier. took: how long all of them did."""
        encoding = next(iter(self.files.values())).model.encoding
        tokenizer = load(self.path, encoding if isinstance(encoding, str) else None)
        knowledge = model_knowledge(tokenizer)
        watcher = Watcher(tokenizer, knowledge)
        for tier, vectors in self.files.items():
            seen = Coverage()
            for _, test in vectors.tests():
                if isinstance(test, EncodeVector) and isinstance(test.text, str) and isinstance(test.ids, tuple):
                    watcher.glance(seen, test.text, test.ids)
            found = {one.kind: f"{one.reached:,}/{one.total:,}" for one in vectors.coverage}
            everything = {kind: {*watcher.universe[kind]} for kind in (MERGES, ENTRIES)}
            cheap = [
                f"{count:,}/{len(keys):,}" if (count := len(seen.of(kind) & keys)) else ""
                for kind, keys in everything.items()
            ]
            times = [f"{took['seconds']:.0f}", f"{took['processor']:.0f}"] if took and tier == "core" else ["", ""]
            size = self.packed(tier).stat().st_size
            cells = [self.name, tier, f"{vectors.number_of_tests:,}", f"{size:,}", *times, *cheap]
            yield [*cells, *(found.get(kind, "") for kind in KINDS.values())]


@dataclass(frozen=True, slots=True)
class Killed:
    """By which tier a defect is killed first, "" where by none; count: of the vectors of that tier that fail.

    is_named: whether a flag of these is its rule.
    """

    planted: Planted
    tier: str
    count: int
    is_named: bool


def killed(published: Published, planted: Iterable[Planted], say_if_not_planted: bool) -> Iterator[Killed]:
    """Each defect that can be planted in a model, put to its vectors: to core where smoke does not kill it."""
    for one in planted:
        found = Killed(one, "", 0, False)
        try:
            for tier in ("smoke", "core"):
                if outcomes := failed(one, published.path, published.files[tier]):
                    found = Killed(one, tier, len(outcomes), is_named(one.defect, outcomes))
                    break
        except Exception:  # whatever a subject raises that lacks in this model what it gets wrong
            if say_if_not_planted:
                raise
            continue
        yield found


def table(heading: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> Iterator[str]:
    """Markdown. texts: so many columns, the first, hold text; the others hold numbers."""
    yield "| " + " | ".join(heading) + " |"
    yield "|" + "---|" * texts + "--:|" * (len(heading) - texts)
    yield from ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def summary(name: str, some: Sequence[Killed]) -> list[str]:
    """A line of the table of kills."""
    ruled = [one for one in some if one.planted.defect.rule]
    counts = [sum(one.tier == "smoke" for one in some), sum(one.tier != "" for one in some)]
    shares = [f"{count} ({100 * count / len(some):.0f} %)" for count in counts]
    return [name, str(len(some)), *shares, f"{sum(one.is_named for one in ruled)} of {len(ruled)}"]


def page(
    models: Sequence[Published], by_model: Mapping[str, Sequence[Killed]], kin: Mapping[str, Sequence[Killed]]
) -> Iterator[str]:
    """The page. by_model: what is killed in embedded models; kin: in real ones."""
    times = json.loads(TIMES.read_text("ascii")) if TIMES.exists() else {}
    yield "# What the vectors reach and kill\n"
    yield "Made by `python tools/publish_vectors.py` of the files that `python tools/make_vectors.py` makes."
    yield "[docs/vectors.md](../../../docs/vectors.md) says how these come about,"
    yield "[corpora/vectors/](../../../corpora/vectors/README.md) how they are used.\n"
    yield "## Coverage\n"
    yield "Reached of how many; what nothing reaches is listed in each file. The seconds are those of all tiers of a"
    yield "model, on the clock of a busy machine and of processors. Merges and entries that no text can reach are in"
    yield "their total too; a model that merges by rank or score does not say which merge it makes.\n"
    heading = ["model", "tier", "vectors", "bytes", "s", "s of processors", "merges", "entries", *KINDS]
    yield from table(heading, (row for one in models for row in one.rows(times.get(one.name, {}))), 2)
    every = [one for some in by_model.values() for one in some]
    yield "\n## Kills\n"
    yield "Planted defects are subjects with one mistake each (`tests/planted_defects/`). One is killed where a vector"
    yield "fails: of smoke, or else of core, which has what smoke has. Named: the rule that the catalogue has is a flag"
    yield "of a vector that fails; of how many that have a rule.\n"
    heading = ["defects of", "planted", "killed by smoke", "by smoke or core", "named"]
    stages = [(stage, [one for one in every if one.planted.defect.stage == stage]) for stage in STAGES]
    rows = [summary(name, some) for name, some in by_model.items()]
    yield from table(heading, [*rows, summary("**all**", every)], 1)
    yield "\nBy the stage at fault:\n"
    yield from table(heading, [summary(stage or "caches and memory", some) for stage, some in stages if some], 1)
    if kin:
        yield "\nIn real models: those of an embedded model of the same kind, where they can be planted. Not each is a"
        yield "defect there: where no added token looks at its neighbours, a subject that never does is right.\n"
        yield from table(heading, [summary(f"{name} ({KIN[name]})", some) for name, some in kin.items()], 1)
        yield "\nNot killed there:\n"
        yield from (
            f"- {name}: {', '.join(left)}"
            for name, some in kin.items()
            if (left := [one.planted.defect.subject for one in some if not one.tier])
        )
    yield "\n## Survivors\n"
    for one in every:
        if not one.tier:
            yield f"- `{one.planted.name}`"
    if all(one.tier for one in every):
        yield "None of the embedded models."
    yield "\n## Each defect\n"
    yield "How many vectors fail of the tier that kills it.\n"
    rows = [
        [one.planted.name, one.planted.defect.stage, one.tier, "yes" if one.is_named else "", str(one.count)]
        for one in every
    ]
    yield from table(["defect", "stage", "killed by", "named", "vectors"], rows, 4)


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=Path, default=os.environ.get("REFTOK_MODELS"), help="a folder of real models")
    options = parser.parse_args()
    embedded = {
        name: Published(name, path, ROOT / "corpora" / "vectors") for name, path in sorted(embedded_models().items())
    }
    real = {
        name: Published(name, path, PUBLISHED)
        for name, file in REAL.items()
        if options.models and (path := Path(options.models) / file).exists() and (PUBLISHED / name).exists()
    }
    by_model: dict[str, list[Killed]] = {}
    for name, published in embedded.items():
        print(f"{name}: its planted defects", file=sys.stderr)
        some = [one for one in ALL if one.defect.model == name]
        if found := list(killed(published, some, say_if_not_planted=True)):
            by_model[name] = found
    kin: dict[str, list[Killed]] = {}
    for name, kinsman in KIN.items():
        if name in real:
            print(f"{name}: the planted defects of {kinsman}", file=sys.stderr)
            some = [replace(one, defect=replace(one.defect, model=name)) for one in ALL if one.defect.model == kinsman]
            kin[name] = list(killed(real[name], some, say_if_not_planted=False))
    print("what is reached", file=sys.stderr)
    text = "\n".join(page([*embedded.values(), *real.values()], by_model, kin)) + "\n"
    (PUBLISHED / "README.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
