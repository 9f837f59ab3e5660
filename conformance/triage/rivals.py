"""Telling apart the faults that explain one mismatch: a subject is asked where they say different things.

The reference is one of them, so that even one that stands alone must show itself on other cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from unicodedata import normalize
from weakref import WeakKeyDictionary

from conformance.checks.base import Answers
from conformance.core.case import Case, ids_case, text_case
from conformance.core.finding import Mismatch
from conformance.diagnosis.attribution import Prediction
from conformance.engine.bench import Bench
from conformance.engine.collecting import collect_answers
from conformance.faults.pre_tokenizers import MOST_CHARACTERS, doubtful_characters

MOST_RIVALS = 8
DRAWN_OF_EACH = 60
"""Cases of each generator that are looked through; of those, so many are asked for each pair of rivals:"""
ASKED_OF_EACH_PAIR = 4
_AROUND = ("{}", " {} ", "a{}a")
"""The texts around added tokens, for their flags."""
_BESIDE = ("{0}", "a{0}", "{0}a", "{0}{0}", "0{0}", "{0}0", " {0}", "{0} ", ".{0}", "{0}.", "a{0}a", "{0}\n", " {0}a")


def hear_of_rivals(bench: Bench, mismatch: Mismatch, expected: Answers, observed: Answers) -> None:
    """Ask the subject where the faults that explain a mismatch part, so that its answers speak for one of them."""
    rivals = bench.attributor.rivals(mismatch.subject, mismatch.check, mismatch.case, expected, observed)
    if not rivals:
        return
    cases = [*telling_cases((*rivals[:-1][:MOST_RIVALS], rivals[-1]), _drawn(bench)), *_in_frames(mismatch.case.text)]
    heard = collect_answers(bench, cases, (mismatch.check,), mismatch.subject)
    bench.attributor.observe(mismatch.subject, cases, heard[bench.oracle], heard[mismatch.subject], are_sought=True)


def telling_cases(rivals: Sequence[Prediction], cases: Sequence[Case]) -> Iterator[Case]:
    """The first few cases for each pair of rivals that they do not answer alike."""
    pairs = Counter(dict.fromkeys(combinations(range(len(rivals)), 2), ASKED_OF_EACH_PAIR))
    for case in cases if pairs else ():
        answers = [rival(case) for rival in rivals]
        parted = [(one, other) for one, other in pairs if answers[one] != answers[other]]
        if parted:
            yield case
            pairs.subtract(parted)
            pairs = +pairs
            if not pairs:
                return


def _in_frames(text: str) -> Iterator[Case]:
    """Each of the first characters of a text that a class may hold or not, beside members of the classes."""
    for character in doubtful_characters(text)[:MOST_CHARACTERS]:
        yield from (text_case(frame.format(character), "sample:character") for frame in _BESIDE)


def _drawn(bench: Bench) -> tuple[Case, ...]:
    """Texts and ids of every generator, by turns, and every added token, always the same."""
    if bench in _known:
        return _known[bench]
    tokens = bench.reference.tokenizer.rules.added_tokens.tokens
    written = [form.format(text) for token in tokens.values() for text in _forms(token.content) for form in _AROUND]
    alone = [ids_case((token_id,), "sample:added token") for token_id in tokens]
    texts = [text_case(text, "sample:added token") for text in written]
    _known[bench] = (*bench.drawn_cases(DRAWN_OF_EACH, "rivals:"), *alone, *texts)
    return _known[bench]


_known: WeakKeyDictionary[Bench, tuple[Case, ...]] = WeakKeyDictionary()


def _forms(content: str) -> Iterable[str]:
    """As it is, and as normalizers would make it."""
    return dict.fromkeys((content, *(normalize(form, content) for form in ("NFC", "NFD", "NFKC")), content.lower()))
