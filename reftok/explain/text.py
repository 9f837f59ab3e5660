"""An explanation as text for a terminal. Whatever could steer a terminal is written as an escape."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from reftok.explain.explanation import ExplainedStage, ExplainedToken, Explanation, options_text
from reftok.explain.steps import Lattice, LatticeNode, Merging, Steps, Walk, WholeWord
from reftok.rules.trace import DecodingTrace, Piece

Paint = Callable[[str, str], str]
"""A text in a style: "stage", "text", "dim", "mark"."""

_MOST_SYMBOLS = 200
"""Of a text of more symbols only the merges are shown, not what the text is after each: that grows with the square."""

_CODES = {"stage": "1;36", "text": "32", "dim": "2", "mark": "33"}


def plain(style: str, text: str) -> str:
    """The text without any style."""
    return text


def coloured(style: str, text: str) -> str:
    r"""The text in the colours of a terminal.

    >>> coloured("text", "a")
    '\x1b[32ma\x1b[0m'
    """
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def explanation_lines(explanation: Explanation, paint: Paint = plain) -> Iterator[str]:
    r"""The lines of the explanation.

    >>> import reftok
    >>> from reftok.explain.explanation import explain
    >>> lines = list(explanation_lines(explain(reftok.load("bpe-gpt2").rules, "hello")))
    >>> [line.strip() for line in lines if "rank" in line][-1]
    "rank 3268  'el' + 'lo'  →  'h' 'ello'"
    """
    text = explanation.text
    yield f"{paint('stage', 'text')}  {_shown(text, paint)}  {paint('dim', _size(text))}"
    for stage in explanation.stages:
        yield ""
        unchanged = paint("dim", "  unchanged") if stage.after == stage.before else ""
        yield _heading(stage, paint) + unchanged
        yield from _indented(_stage_lines(stage, paint))
    yield ""
    yield paint("stage", f"tokens  {len(explanation.tokens)}")
    yield from _indented(_token_lines(explanation.tokens, paint))


def decoding_lines(trace: DecodingTrace, paint: Paint = plain) -> Iterator[str]:
    r"""The lines of the way from ids back to text.

    >>> import reftok
    >>> for line in decoding_lines(reftok.load("bpe-gpt2").trace_decode([1, 2])):
    ...     print(line)
    ids  1 2
    <BLANKLINE>
    Decoder: ByteLevel
        '!' '"'
        '!"'
    <BLANKLINE>
    text  '!"'
    """
    yield f"{paint('stage', 'ids')}  {' '.join(map(str, trace.ids))}"
    for step in trace.steps:
        yield ""
        yield paint("stage", f"Decoder: {step.component}") + (
            paint("dim", "  unchanged") if step.after == step.before else ""
        )
        shown = [step.before] if step.after == step.before else [step.before, step.after]
        yield from _indented(_symbols(tokens, paint) for tokens in shown)
    yield ""
    yield f"{paint('stage', 'text')}  {_shown(trace.text, paint)}"


def _size(text: str) -> str:
    return f"{len(text)} code points, {len(text.encode('utf-8', 'surrogatepass'))} bytes"


def _heading(stage: ExplainedStage, paint: Paint) -> str:
    named = options_text(stage.options)
    unicode = f"  Unicode {stage.unicode}" if stage.unicode else ""
    name = f"{stage.stage}: {stage.component}"
    return paint("stage", name) + paint("dim", f"({named})" if named else "") + paint("dim", unicode)


def _stage_lines(stage: ExplainedStage, paint: Paint) -> Iterator[str]:
    for steps in stage.steps:
        yield from _step_lines(steps, paint)
    if stage.after != stage.before:
        for piece in stage.after:
            yield _piece_line(piece, paint)


def _piece_line(piece: Piece, paint: Paint) -> str:
    ids = "" if piece.ids is None else "  " + " ".join(map(str, piece.ids))
    return f"{_shown(piece.text, paint)}  {_span(piece.span, paint)}{ids}"


def _step_lines(steps: Steps, paint: Paint) -> Iterator[str]:
    match steps:
        case WholeWord():
            yield f"{_shown(steps.text, paint)} is in the vocab: taken as it is"
        case Merging():
            yield f"{_shown(steps.text, paint)} begins as  {_symbols(steps.symbols, paint)}"
            yield from _indented(_merge_lines(steps, paint))
        case Walk():
            yield f"{_shown(steps.text, paint)} step by step:"
            yield from _indented(_walk_lines(steps, paint))
        case Lattice():
            yield f"{_shown(steps.text, paint)} has these pieces, with their scores:"
            yield from _indented(_lattice_lines(steps, paint))


def _merge_lines(merging: Merging, paint: Paint) -> Iterator[str]:
    if not merging.merges:
        yield paint("dim", "no two neighbours merge")
    results = ((merge, (merge.result,)) for merge in merging.merges)
    for merge, symbols in merging.states() if len(merging.symbols) <= _MOST_SYMBOLS else results:
        pair = f"{_shown(merge.left, paint)} + {_shown(merge.right, paint)}"
        priority = f"{paint('dim', merging.by)} {_number(merge.priority)}"
        yield f"{priority}  {pair}  {paint('dim', '→')}  {_symbols(symbols, paint)}"


def _walk_lines(walk: Walk, paint: Paint) -> Iterator[str]:
    """As a debugger would show it: the symbols, what goes into the queue and into `rev_merge`, and what comes out."""
    symbols: dict[int, bytes] = {}
    for step in walk.steps:
        left, right = step.symbols[0], step.symbols[-1]
        shown, indices = _bytes(step.data, paint), paint("dim", "+".join(f"[{index}]" for index in step.symbols))
        match step.event:
            case "symbol":
                symbols[left] = step.data
                yield f"symbol {indices}  {shown}"
            case "queue":
                parts = f"{_bytes(symbols[left], paint)} + {_bytes(symbols[right], paint)}"
                yield f"queue  {indices}  {shown}  score {_number(step.score)}  rev_merge[{shown}] = {parts}"
            case "merge":
                symbols[left] = step.data
                yield f"merge  {indices}  {shown}  score {_number(step.score)}"
            case "skip":
                yield f"skip   {indices}  {shown}  {paint('dim', 'its symbols have changed')}"
            case "token" | "bytes":
                yield f"{step.event:6} {indices}  {shown}  {' '.join(map(str, step.ids))}"


def _lattice_lines(lattice: Lattice, paint: Paint) -> Iterator[str]:
    best = set(lattice.best)
    starting: dict[int, list[LatticeNode]] = defaultdict(list)
    for node in lattice.nodes:
        starting[node.start].append(node)
    for start, nodes in sorted(starting.items()):
        shown = (
            (paint("mark", "*") if node in best else "") + f"{_shown(node.piece, paint)} {_number(node.score)}"
            for node in nodes
        )
        yield f"{paint('dim', f'at {start}')}  {'  '.join(shown)}"
    path = " ".join(_shown(node.piece, paint) for node in lattice.best)
    yield f"best path {paint('mark', '*')}  {path}  {paint('dim', 'score')} {_number(lattice.score)}"


def _token_lines(tokens: Sequence[ExplainedToken], paint: Paint) -> Iterator[str]:
    digits = max((len(str(token.id)) for token in tokens), default=0)
    width = max((len(repr(token.token)) for token in tokens), default=0)
    for token in tokens:
        name = repr(token.token).ljust(width)
        kinds = (("special", token.is_special), ("byte", token.is_byte), ("unknown", token.is_unknown))
        notes = [note for note, holds in kinds if holds]
        note = f"  {paint('mark', ', '.join(notes))}" if notes else ""
        yield f"{token.id:>{digits}}  {paint('text', name)}  {_span(token.span, paint)}  {token.text!r}{note}"


def _symbols(symbols: Sequence[str], paint: Paint) -> str:
    return " ".join(_shown(symbol, paint) for symbol in symbols)


def _bytes(data: bytes, paint: Paint) -> str:
    try:
        return _shown(data.decode("utf-8"), paint)
    except UnicodeDecodeError:
        return paint("text", repr(data))


def _shown(text: str, paint: Paint) -> str:
    return paint("text", repr(text))


def _span(span: tuple[int, int], paint: Paint) -> str:
    return paint("dim", f"{span[0]}:{span[1]}")


def _number(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:.6g}"


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
