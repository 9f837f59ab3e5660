"""An explanation as text for a terminal. Whatever could steer a terminal is written as an escape."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from reftok.explain.explanation import ExplainedStage, ExplainedToken, Explanation, options_text, whole_text
from reftok.explain.steps import Lattice, LatticeNode, Merging, Steps, Walk, WholeWord
from reftok.rules.trace import DecodingTrace, Piece

_MOST_SYMBOLS = 200
"""Of a text of more symbols only the merges are shown, not what the text is after each: that grows with the square."""

_STYLES = {"stage": "1;36", "text": "32", "dim": "2", "mark": "33"}
_STYLE = re.compile(r"\x1b\[[\d;]*m")


def without_colours(lines: Iterable[str]) -> Iterator[str]:
    """The lines as they are shown where there are no colours: no other escape sequence is ever in them."""
    return (_STYLE.sub("", line) for line in lines)


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    r"""The lines of the explanation, in the colours of a terminal.

    >>> import reftok
    >>> from reftok.explain.explanation import explain
    >>> lines = without_colours(explanation_lines(explain(reftok.load("bpe-gpt2").rules, "hello")))
    >>> [line.strip() for line in lines if "rank" in line][-1]
    "rank 3268  'el' + 'lo'  →  'h' 'ello'"
    """
    text = explanation.text
    size = f"{len(text)} code points, {len(text.encode('utf-8', 'surrogatepass'))} bytes"
    yield f"{_styled('stage', 'text')}  {_shown(text)}  {_dim(size)}"
    states = [whole_text(text), *(stage.pieces for stage in explanation.stages)]
    for stage, (before, after) in zip(explanation.stages, pairwise(states), strict=True):
        yield ""
        yield _heading(stage) + _note_unchanged(before == after)
        yield from _indented(_stage_lines(stage, before == after))
    yield ""
    yield _styled("stage", f"tokens  {len(explanation.tokens)}")
    yield from _indented(_token_lines(explanation.tokens))


def decoding_lines(trace: DecodingTrace) -> Iterator[str]:
    r"""The lines of the way from ids back to text, in the colours of a terminal.

    >>> import reftok
    >>> for line in without_colours(decoding_lines(reftok.load("bpe-gpt2").trace_decode([1, 2]))):
    ...     print(line)
    ids  1 2
    <BLANKLINE>
    Decoder: ByteLevel
        '!' '"'
        '!"'
    <BLANKLINE>
    text  '!"'
    """
    yield f"{_styled('stage', 'ids')}  {' '.join(map(str, trace.ids))}"
    for step in trace.steps:
        is_unchanged = step.after == step.before
        yield ""
        yield _styled("stage", f"Decoder: {step.component}") + _note_unchanged(is_unchanged)
        yield from _indented(map(_symbols, [step.before] if is_unchanged else [step.before, step.after]))
    yield ""
    yield f"{_styled('stage', 'text')}  {_shown(trace.text)}"


def _heading(stage: ExplainedStage) -> str:
    named = options_text(stage.options)
    version = f"  Unicode {stage.unicode}" if stage.unicode else ""
    return _styled("stage", f"{stage.stage}: {stage.component}") + _dim(f"({named})" if named else "") + _dim(version)


def _note_unchanged(is_unchanged: bool) -> str:
    return _dim("  unchanged") if is_unchanged else ""


def _stage_lines(stage: ExplainedStage, is_unchanged: bool) -> Iterator[str]:
    for steps in stage.steps:
        yield from _step_lines(steps)
    if not is_unchanged:
        yield from map(_piece_line, stage.pieces)


def _piece_line(piece: Piece) -> str:
    ids = "" if piece.ids is None else "  " + " ".join(map(str, piece.ids))
    return f"{_shown(piece.text)}  {_span(piece.span)}{ids}"


def _step_lines(steps: Steps) -> Iterator[str]:
    match steps:
        case WholeWord():
            yield f"{_shown(steps.text)} is in the vocab: taken as it is"
        case Merging():
            yield f"{_shown(steps.text)} begins as  {_symbols(steps.symbols)}"
            yield from _indented(_merge_lines(steps))
        case Walk():
            yield f"{_shown(steps.text)} step by step:"
            yield from _indented(_walk_lines(steps))
        case Lattice():
            yield f"{_shown(steps.text)} has these pieces, with their scores:"
            yield from _indented(_lattice_lines(steps))


def _merge_lines(merging: Merging) -> Iterator[str]:
    if not merging.merges:
        yield _dim("no two neighbours merge")
    results = ((merge, (merge.result,)) for merge in merging.merges)
    for merge, symbols in merging.states() if len(merging.symbols) <= _MOST_SYMBOLS else results:
        pair = f"{_shown(merge.left)} + {_shown(merge.right)}"
        yield f"{_dim(merging.by)} {_number(merge.priority)}  {pair}  {_dim('→')}  {_symbols(symbols)}"


def _walk_lines(walk: Walk) -> Iterator[str]:
    """As a debugger would show it: the symbols, what enters the queue and `rev_merge`, and what leaves the queue."""
    symbols: dict[int, bytes] = {}
    for step in walk.steps:
        left, right = step.symbols[0], step.symbols[-1]
        shown, score = _shown(step.data), f"score {_number(step.score)}"
        line = f"{step.event:6} {_dim('+'.join(f'[{index}]' for index in step.symbols))}  {shown}"
        match step.event:
            case "symbol":
                symbols[left] = step.data
                yield line
            case "queue":
                yield f"{line}  {score}  rev_merge[{shown}] = {_shown(symbols[left])} + {_shown(symbols[right])}"
            case "merge":
                symbols[left] = step.data
                yield f"{line}  {score}"
            case "skip":
                yield f"{line}  {_dim('its symbols have changed')}"
            case "token" | "bytes":
                yield f"{line}  {' '.join(map(str, step.ids))}"


def _lattice_lines(lattice: Lattice) -> Iterator[str]:
    best = set(lattice.best)
    starting: dict[int, list[LatticeNode]] = defaultdict(list)
    for node in lattice.nodes:
        starting[node.start].append(node)
    for start, nodes in sorted(starting.items()):
        marks = (_styled("mark", "*") if node in best else "" for node in nodes)
        shown = (f"{mark}{_shown(node.piece)} {_number(node.score)}" for mark, node in zip(marks, nodes, strict=True))
        yield f"{_dim(f'at {start}')}  {'  '.join(shown)}"
    path = _symbols([node.piece for node in lattice.best])
    yield f"best path {_styled('mark', '*')}  {path}  {_dim('score')} {_number(lattice.score)}"


def _token_lines(tokens: Sequence[ExplainedToken]) -> Iterator[str]:
    digits = max((len(str(token.id)) for token in tokens), default=0)
    width = max((len(repr(token.token)) for token in tokens), default=0)
    for token in tokens:
        kinds = {"special": token.is_special, "byte": token.is_byte, "unknown": token.is_unknown}
        notes = ", ".join(kind for kind, holds in kinds.items() if holds)
        note = f"  {_styled('mark', notes)}" if notes else ""
        name = _styled("text", repr(token.token).ljust(width))
        yield f"{token.id:>{digits}}  {name}  {_span(token.span)}  {token.text!r}{note}"


def _styled(style: str, text: str) -> str:
    return f"\x1b[{_STYLES[style]}m{text}\x1b[0m"


def _dim(text: str) -> str:
    return _styled("dim", text)


def _shown(data: str | bytes) -> str:
    try:
        return _styled("text", repr(data if isinstance(data, str) else data.decode("utf-8")))
    except UnicodeDecodeError:
        return _styled("text", repr(data))


def _symbols(symbols: Sequence[str]) -> str:
    return " ".join(map(_shown, symbols))


def _span(span: tuple[int, int]) -> str:
    return _dim(f"{span[0]}:{span[1]}")


def _number(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
