"""A close look at the example of a finding: what its report shows besides the two answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

from conformance.causes.attribution import Attribution
from conformance.causes.edits import decoding_faults, predicted
from conformance.causes.one_answer import attributor_of
from conformance.checks import CHECKS
from conformance.checks.base import Answers
from conformance.checks.chat import ids_of_both
from conformance.checks.settings import differing, first_other
from conformance.checks.streams import given_and_due
from conformance.core.case import Case
from conformance.core.chats import AskedChat, Chatted
from conformance.core.evidence import Evidence, SeenToken, StageDifference, StreamStep
from conformance.core.observation import Decoded, Encoded
from conformance.core.settings import Asked
from conformance.core.streaming import FedStream, Piece, Streamed
from conformance.engine.bench import Bench
from conformance.engine.naming import token_text
from conformance.subjects.adapters import FORMATS
from conformance.subjects.reftok_subject import REFERENCE
from conformance.subjects.versions import installed_version
from reftok import ReftokError, Tokenizer, Trace

MOST_TOKENS = 80
MOST_BEFORE = 20
"""Equal tokens that are kept before the first difference."""
MOST_STEPS = 12
MOST_PIECES = 40
LONGEST_TEXT = 2_000
"""Code points of a text whose stages are looked at."""

_RANKS = {"AddedTokens": 1, "Normalizer": 1, "PreTokenizer": 2, "Model": 3}
_STAGES = ("Input", "Normalizer", "PreTokenizer", "Model", "PostProcessor")


@dataclass(frozen=True, slots=True)
class Example:
    """A mismatch that was asked anew: who, what, and both answers."""

    bench: Bench
    subject: str
    check: str
    case: Case
    expected: Answers
    observed: Answers


def examined(example: Example, attribution: Attribution) -> Evidence:
    """All that can be said of it; the attribution says which fault stands in for the subject's own stages."""
    tokenizer = example.bench.reference.tokenizer
    check = CHECKS[example.check]
    if check.compares in ("stream_encoded", "stream_decoded"):
        found = check.culprit(example.observed)
        encoding = example.observed.encoding if check.compares == "stream_encoded" else None
        return Evidence() if found is None else _of_stream(tokenizer, found[0], encoding)
    if check.compares == "with_settings":
        return _of_settings(tokenizer, differing(example.observed))
    if check.compares == "chat":
        return _of_chat(tokenizer, example.observed.chat)
    if check.compares in ("decoding", "own_decoding"):
        encoding = example.expected.encoding
        ids = example.case.ids or (encoding.ids if isinstance(encoding, Encoded) else ())
        step = _decoder(example, attribution, ids) if check.diagnosis == "decoding" else None
        return Evidence(decoded=named(tokenizer, ids[:MOST_TOKENS]), is_cut=len(ids) > MOST_TOKENS, stage=step)
    return _of_encoding(example, attribution)


def named(tokenizer: Tokenizer, ids: Sequence[object], spans: Sequence[tuple[int, int]] = ()) -> tuple[SeenToken, ...]:
    """Ids with their tokens in the reference's vocab."""
    known = [token_id for token_id in ids if isinstance(token_id, int)]
    whole = len(spans) == len(known)
    return tuple(
        SeenToken(token_id, token_text(tokenizer, token_id) or "", spans[index] if whole else None)
        for index, token_id in enumerate(known)
    )


def _of_encoding(example: Example, attribution: Attribution) -> Evidence:
    expected, observed = example.expected.encoding, example.observed.encoding
    if CHECKS[example.check].compares == "batch":
        expected, observed = observed, example.observed.batch
    if not isinstance(expected, Encoded):
        return Evidence()
    tokenizer = example.bench.reference.tokenizer
    expected_tokens = named(tokenizer, expected.ids, expected.offsets or ())
    if not isinstance(observed, Encoded):
        return Evidence(expected=expected_tokens[:MOST_TOKENS], is_cut=len(expected_tokens) > MOST_TOKENS)
    observed_tokens = named(tokenizer, observed.ids, observed.offsets or ())
    stage = _stage(example, attribution, observed_tokens) if CHECKS[example.check].diagnosis == "ids" else None
    return _of_tokens(expected_tokens, observed_tokens, stage)


def _of_tokens(
    expected: tuple[SeenToken, ...], observed: tuple[SeenToken, ...], stage: StageDifference | None = None
) -> Evidence:
    """Both sequences around the first difference: of ids, or where these are the same, of tokens and spans."""
    by_id = [token.id for token in expected] != [token.id for token in observed]
    pairs = enumerate(zip(expected, observed, strict=False))
    differing = (index for index, (one, other) in pairs if (one.id != other.id if by_id else one != other))
    first = next(differing, min(len(expected), len(observed)))
    start = max(0, first - MOST_BEFORE)
    stop = start + MOST_TOKENS
    is_cut = max(len(expected), len(observed)) > stop
    return Evidence(
        expected=expected[start:stop], observed=observed[start:stop], skipped=start, is_cut=is_cut, stage=stage
    )


def _of_settings(tokenizer: Tokenizer, wrong: Sequence[Asked]) -> Evidence:
    """The tokens that are due and given for the first question, where its ids differ."""
    if not wrong or wrong[0].differs != "ids":
        return Evidence()
    assert isinstance(wrong[0].due, tuple)
    assert isinstance(wrong[0].given, tuple)
    due, given = first_other(wrong[0].due, wrong[0].given, "ids")
    return _of_tokens(named(tokenizer, due), named(tokenizer, given))


def _of_chat(tokenizer: Tokenizer, asked: AskedChat | None) -> Evidence:
    """The tokens that are due and given, where the ids differ."""
    if asked is None or asked.differs != "ids":
        return Evidence()
    assert isinstance(asked.due, Chatted)
    assert isinstance(asked.given, Chatted)
    due, given = ids_of_both(asked.due, asked.given)
    return _of_tokens(named(tokenizer, due), named(tokenizer, given))


# --- stages


def _stage(example: Example, attribution: Attribution, observed: tuple[SeenToken, ...]) -> StageDifference | None:
    """The first stage that differs: where the subject's own cannot be seen, those of what it seems to do."""
    case, bench = example.case, example.bench
    if case.kind != "text" or len(case.text) > LONGEST_TEXT:
        return None
    try:
        expected = _states(bench.reference.tokenizer.trace(case.text))
        official = _official_stages(bench, case.text)
        library = f"{bench.oracle} {installed_version(bench.oracle)}".strip()
        if example.subject == REFERENCE:
            return _first({**expected, **official}, expected, library, REFERENCE)
        seen = _predicted_stages(bench, case.text, attribution)
    except ReftokError:
        return None
    if seen is None:
        return _by_tokens(expected, attribution, observed)
    by = f"the subject, as it seems: reftok where {attribution.rule} gives the same ids"
    found = _first(expected, seen, REFERENCE, by)
    if found is None or official.get(found.stage) != expected.get(found.stage):
        return found
    return StageDifference(found.stage, found.expected, found.observed, library, found.observed_by)


def _official_stages(bench: Bench, text: str) -> Mapping[str, tuple[str, ...]]:
    """The stages as the official library itself gives them, as far as it can be asked."""
    try:
        return FORMATS[bench.model.format].stages(bench.model.path, text)
    except Exception:
        return {}


def _by_tokens(
    stages: dict[str, tuple[str, ...]], attribution: Attribution, observed: tuple[SeenToken, ...]
) -> StageDifference | None:
    """The tokens of a subject that no fault stands in for, held against the pre-tokens."""
    if attribution.stage not in stages or attribution.stage in ("Input", "Model"):
        return None
    tokens = tuple(token.token for token in observed[:MOST_PIECES])
    expected = stages[attribution.stage][:MOST_PIECES]
    return StageDifference(attribution.stage, expected, tokens, REFERENCE, "the subject's tokens")


def _predicted_stages(bench: Bench, text: str, attribution: Attribution) -> dict[str, tuple[str, ...]] | None:
    """The stages of the fault that explains the subject; one of a later stage may be acted out on the input."""
    fault = next(iter(attributor_of(bench).encoding.of_rule(attribution.stage, attribution.rule)), None)
    trace = None if fault is None or fault.trace is None else predicted(partial(fault.trace, text))
    if trace is None:
        return None
    return _states(trace) if attribution.stage == "Input" else {**_states(trace), "Input": (text,)}


def _states(trace: Trace) -> dict[str, tuple[str, ...]]:
    """The parts of the text after each stage; a stage that is not there leaves them as they were."""
    states: dict[str, tuple[str, ...]] = {"Input": (trace.text,)}
    for stage in trace.stages:
        rank = _RANKS.get(stage.stage, 4)
        for name in _STAGES[rank:]:
            states[name] = tuple(piece.text for piece in stage.pieces)
    return states


def _first(
    expected: dict[str, tuple[str, ...]], observed: dict[str, tuple[str, ...]], expected_by: str, observed_by: str
) -> StageDifference | None:
    for stage in _STAGES:
        expected_pieces, observed_pieces = expected.get(stage, ()), observed.get(stage, ())
        if expected_pieces != observed_pieces:
            return StageDifference(
                stage, expected_pieces[:MOST_PIECES], observed_pieces[:MOST_PIECES], expected_by, observed_by
            )
    return None


def _decoder(example: Example, attribution: Attribution, ids: Sequence[int]) -> StageDifference | None:
    """Of several decoders the first that differs, where a fault stands in for those of the subject."""
    tokenizer, expected, observed = (
        example.bench.reference.tokenizer,
        example.expected.decoding,
        example.observed.decoding,
    )
    if (
        len(tokenizer.rules.decoders or ()) < 2
        or not isinstance(expected, Decoded)
        or not isinstance(observed, Decoded)
    ):
        return None
    cause = attribution.stage, attribution.rule
    traces = (one.trace for one in decoding_faults(tokenizer) if (one.stage, one.rule) == cause)
    trace = next(traces, None)
    if trace is None:
        return None
    skips = expected.text != observed.text
    traced, supposed = predicted(partial(tokenizer.trace_decode, ids, skips)), predicted(partial(trace, ids, skips))
    if traced is None or supposed is None:
        return None
    others = list(supposed.steps)
    for step in traced.steps:
        is_there = bool(others) and others[0].component == step.component
        observed_pieces = others.pop(0).after if is_there else step.before
        if observed_pieces != step.after:
            stage, by = f"Decoder: {step.component}", f"reftok where {attribution.rule}"
            return StageDifference(stage, step.after[:MOST_PIECES], observed_pieces[:MOST_PIECES], REFERENCE, by)
    return None


# --- streams


def _of_stream(tokenizer: Tokenizer, fed: FedStream, encoding: object) -> Evidence:
    """encoding: of the whole, where text was fed."""
    streaming = fed.streaming
    is_encoder = fed.feeding.to == "encoder"
    decoded = () if is_encoder else named(tokenizer, fed.feeding.chunks[:MOST_TOKENS])
    if not isinstance(streaming, Streamed):
        return Evidence(decoded=decoded, stream_use=_use(fed))
    pairs = given_and_due(fed, streaming)
    given, whole = next((pair for pair in pairs if _is_wrong(*pair)), pairs[0])
    steps = _steps(tokenizer, fed, given, whole)
    if not is_encoder or not isinstance(encoding, Encoded):
        return Evidence(decoded=decoded, stream=steps, stream_use=_use(fed))
    ids = [token_id for piece in given for token_id in piece]
    tokens = _of_tokens(named(tokenizer, encoding.ids, encoding.offsets or ()), named(tokenizer, ids))
    return replace(tokens, stream=steps, stream_use=_use(fed))


def _is_wrong(given: Sequence[Piece], whole: Piece) -> bool:
    return [item for piece in given for item in piece] != [*whole]


def _use(fed: FedStream) -> str:
    feeding = fed.feeding
    if feeding.stop:
        return f"with a callback that says at call {feeding.stop:,} that it is enough"
    if feeding.forgotten:
        end = ", and its end," if feeding.is_finished else ""
        return f"after {len(feeding.forgotten)} chunks{end} that a reset forgets"
    return "beside a second stream, by turns" if feeding.beside else ""


def _steps(tokenizer: Tokenizer, fed: FedStream, given: Sequence[Piece], whole: Piece) -> tuple[StreamStep, ...]:
    """The steps around the first that is wrong. A second stream is fed the same chunks."""
    chunks = fed.feeding.chunks
    empty: Piece = "" if isinstance(whole, str) else ()
    pairs = zip_longest(map(partial(_fed, tokenizer), (*chunks, None)), given)
    shown: list[tuple[str, Piece]] = [(text or "", empty if piece is None else piece) for text, piece in pairs]
    sums: list[object] = []
    wrong = len(shown) - 1
    for number, (_, piece) in enumerate(shown):
        sums += piece
        if sums != [*whole[: len(sums)]]:
            wrong = number
            break
    start = max(0, min(wrong - MOST_STEPS // 2, len(shown) - MOST_STEPS))
    return tuple(
        StreamStep(text, _given(piece), number == wrong)
        for number, (text, piece) in enumerate(shown)
        if start <= number < start + MOST_STEPS
    )


def _fed(tokenizer: Tokenizer, chunk: str | bytes | int | None) -> str:
    if isinstance(chunk, int):
        return f"{chunk} {token_text(tokenizer, chunk) or '(no token)'}"
    return chunk.hex(" ") if isinstance(chunk, bytes) else chunk or ""


def _given(piece: Piece) -> str:
    return piece if isinstance(piece, str) else ", ".join(map(str, piece))
