"""One mismatch on trial: does it show with another model and another case?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

from conformance.causes.asking_again import AskedAgain, ask_again
from conformance.causes.attribution import Attribution
from conformance.causes.one_answer import attributor_of
from conformance.causes.shrinking.rank_file import encoding_toml
from conformance.checks.base import Difference
from conformance.core.case import Case
from conformance.core.errors import InputError
from conformance.core.finding import Mismatch
from conformance.core.observation import Encoded, Encoding
from conformance.engine.bench import Bench
from conformance.engine.plan import Plan
from conformance.subjects.adapters import subject_label
from conformance.subjects.base import UnavailableError
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.special_tokens import SpecialTokens, special_tokens
from reftok.errors import ReftokError
from reftok.formats.tiktoken.encodings import RankEncoding

_UNKNOWN = Attribution()


class Trials:
    """Asks the oracle and the subject of a mismatch about one model after another; to be used in a `with` statement.

    cause: what the mismatch is attributed to; where that explains it, it must explain it with each other model too, so
        that a subject with several mistakes is not shrunk from one to another.
    encoding: of each rank file, which lies beside it as a .toml; None for other formats.
    refused: why the last model could not be asked about, "" where it could.
    differs_otherwise: how the check fails now, where that is in another way: the rule, or what the subject refused.
    Raises InputError where one of them cannot take part with the model of the run.
    """

    def __init__(
        self, plan: Plan, mismatch: Mismatch, cause: Attribution = _UNKNOWN, encoding: RankEncoding | None = None
    ) -> None:
        self._model = next(model for model in plan.models if model.name == mismatch.model)
        names = tuple(name for name in plan.subjects if subject_label(name) == mismatch.subject)
        self._plan = replace(plan, models=(self._model,), subjects=names)
        self._mismatch = mismatch
        self._kept: IsolatedSubject | None = self._kept_subject()
        self._folder = TemporaryDirectory()
        self._file: Path | None = None
        self._known: tuple[bytes, Bench | None] = (b"", None)
        self.refused = ""
        self.differs_otherwise = ""
        self._most_lost: int | None = None
        self._cause = cause
        self._encoding = encoding
        self._explained = _UNKNOWN

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *error: object) -> None:
        if self._kept is not None:
            self._kept.close()
        self._folder.cleanup()

    def _kept_subject(self) -> IsolatedSubject | None:
        bench = Bench(self._plan, self._model)
        missing = {self._model.oracle, self._mismatch.subject} & bench.unavailable.keys()
        if missing:
            bench.close()
            raise InputError(f"{min(missing)} cannot take part now: {bench.unavailable[min(missing)].message}")
        subject = bench.subjects.get(self._mismatch.subject)
        return subject if isinstance(subject, IsolatedSubject) else None

    def fails(self, data: bytes, case: Case) -> bool:
        """Whether the mismatch shows."""
        return self.shown(data, case) is not None

    def shown(self, data: bytes, case: Case) -> AskedAgain | None:
        """The mismatch, where it is the same; None where not, or where a model is refused.

        A model for which more of the text is lost than for the first shows another mismatch: a letter is missing.
        """
        bench = self._bench(data)
        if bench is None:
            return None
        asked = ask_again(bench, self._mismatch, case, self._plan.inputs.closest_depth, self._explained)
        self.differs_otherwise = _told(asked.difference) if asked.verdict == "other" and asked.difference else ""
        if asked.verdict != "same":
            return None
        lost = _lost(asked.expected.encoding, case)
        if self._most_lost is None:
            self._most_lost = lost
            answers = asked.expected, asked.observed
            if attributor_of(bench).explains(self._cause, self._mismatch.subject, self._mismatch.check, case, *answers):
                self._explained = self._cause
        return asked if lost <= self._most_lost else None

    def special_tokens(self, data: bytes) -> SpecialTokens:
        """Those of a model that nobody refuses."""
        bench = self._bench(data)
        return SpecialTokens() if bench is None else special_tokens(bench.reference.tokenizer)

    def _bench(self, data: bytes) -> Bench | None:
        """The bench of a model file; None where somebody refuses it."""
        if self._known[0] != data:
            self._known = data, self._loaded(data)
        return self._known[1]

    def _loaded(self, data: bytes) -> Bench | None:
        if self._file is not None:
            self._file.unlink()
        # Each file in a folder of its own: a subject may keep what it has read by path.
        self._file = Path(mkdtemp(dir=self._folder.name)) / self._model.path.name
        self._file.write_bytes(data)
        model = replace(self._model, path=self._file)
        if self._encoding is not None:
            self._file.with_suffix(".toml").write_text(encoding_toml(self._encoding), "ascii")
            model = replace(model, encoding="")
        plan = self._plan if self._kept is None else replace(self._plan, subjects=())
        try:
            bench = Bench(plan, model)
            if self._kept is not None:
                self._kept.load(self._file, special_tokens(bench.reference.tokenizer), self._encoding)
                bench.subjects[self._kept.name] = self._kept
        except (ReftokError, UnavailableError) as error:
            self.refused = str(error)
            return None
        self.refused = next((failure.message for failure in bench.unavailable.values()), "")
        return None if self.refused or bench.oracle != self._model.oracle else bench


def _told(difference: Difference) -> str:
    """A refusal says why; what a text was answered with says nothing without the text."""
    return difference.observed if difference.observed.startswith(difference.rule) else difference.rule


def _lost(encoding: Encoding | None, case: Case) -> int:
    """The number of a text's code points that no token of the oracle stands for."""
    if case.kind != "text" or not isinstance(encoding, Encoded) or encoding.offsets is None:
        return 0
    return len(case.text) - len({place for span in encoding.offsets for place in range(*span)})
