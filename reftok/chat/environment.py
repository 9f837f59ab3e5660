"""The Jinja environment of chat templates: as transformers sets it up, with bounds for templates of strangers.

Source: transformers 5.24 utils/chat_template_utils.py (`_cached_compile_jinja_template`). Its sandbox keeps a template
from Python's internals; it does not keep it from taking all memory or all time. Here, every text and list is bounded
where it grows (operators, calls, filters, blocks that are captured), and every line of a template that is run is
counted.

Jinja2 is an optional dependency: only `reftok.chat.rendering` imports this module, when a template is first rendered.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache, wraps
from types import FrameType
from typing import Any

from jinja2 import Environment, Template, TemplateError, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

MOST_CHARACTERS = 4_000_000
"""Of the text, and of each text or list on the way."""
MOST_STEPS = 2_000_000
"""Lines of a template that are run; a conversation of a thousand turns takes some ten thousand."""
MOST_NUMBER, MOST_BITS = 100_000, 4_096
"""The largest argument of a filter or method, such as a width; the longest number."""
_WIDTH = re.compile(r"\d{6}|\*|\{[^{}]*\{")
"""A width in a format that is too large, or that an argument gives."""
_FILE = "<template>"
_GROWING = ("center", "expandtabs", "join", "ljust", "replace", "rjust", "translate", "zfill")
"""The methods of texts whose result may be much longer than what they are given, but for those that format."""


class _Generation(Extension):
    """`{% generation %}`, which marks what an assistant says, and changes no text."""

    tags = {"generation"}  # noqa: RUF012 - as Jinja reads it

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        return nodes.Scope(parser.parse_statements(("name:endgeneration",), drop_needle=True)).set_lineno(line)


class _Namespace(Namespace):
    """A namespace without names that begin with an underscore."""

    def __init__(*args: Any, **kwargs: Any) -> None:
        self, *given = args
        for name in dict(*given, **kwargs):
            _check_name(name)
        Namespace.__init__(self, *given, **kwargs)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"a namespace takes no name that begins with an underscore: {name!r:.60}")


class _Dict:
    """`dict` of a template, which has no attribute but `fromkeys`."""

    def __call__(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict(*args, **kwargs)

    def fromkeys(self, *args: Any, **kwargs: Any) -> dict[Any, Any]:
        return dict.fromkeys(*args, **kwargs)


class _Code(CodeGenerator):
    """The code of a template, whose `~` asks the environment, as other operators do."""

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 - Jinja's name
        self.write("environment.concat([str(environment.finalize(one)) for one in (")
        for one in node.nodes:
            self.visit(one, frame)
            self.write(", ")
        self.write(")])")


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """The environment, with its bounds."""

    code_generator_class = _Code
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self) -> None:
        extensions = [_Generation, loopcontrols]
        super().__init__(trim_blocks=True, lstrip_blocks=True, extensions=extensions, finalize=_checked)
        self.filters = {name: _bounded(name, one) for name, one in self.filters.items()}
        self.filters["tojson"] = _bounded("tojson", _tojson)
        del self.globals["lipsum"]
        self.globals |= {
            "raise_exception": _raise_exception,
            "strftime_now": lambda form: datetime.now().strftime(form),
            "dict": _Dict(),
            "namespace": _Namespace,
        }

    @staticmethod
    def concat(parts: Iterable[str]) -> str:
        """The parts as one text."""
        parts = [*parts]
        _check_size(sum(map(len, parts)))
        return "".join(parts)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """What an operator gives."""
        sizes = [len(one) if isinstance(one, str | bytes | list | tuple) else None for one in (left, right)]
        if operator == "+" and None not in sizes:
            _check_size(sum(size or 0 for size in sizes))
        elif operator == "*" and sizes != [None, None]:
            times = right if sizes[1] is None else left
            _check_size((sizes[0] or sizes[1] or 0) * (times if isinstance(times, int) else 1))
        elif operator == "%" and isinstance(left, str | bytes):
            _check_format(left)
        elif operator in ("*", "**") and isinstance(left, int) and isinstance(right, int):
            bits = left.bit_length() * right if operator == "**" else left.bit_length() + right.bit_length()
            if bits > MOST_BITS:
                raise SecurityError("a number is too long")
        return super().call_binop(context, operator, left, right)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """`format` of a text, whose format is looked at; None for another function."""
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None

        def checked(*args: Any, **kwargs: Any) -> str:
            _check_format(value.__self__)
            return str(_checked(wrapped(*_checked(args), **_checked(kwargs))))

        return checked

    def call(self, context: Context, called: Any, *args: Any, **kwargs: Any) -> Any:
        """What a function or a method gives."""
        text, name = getattr(called, "__self__", None), getattr(called, "__name__", "")
        if isinstance(text, str | bytes) and name in _GROWING:
            _check_growth(name, text, args, kwargs)
        return _checked(super().call(context, called, *_checked(args), **_checked(kwargs)))


def _check_growth(name: str, text: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    _check_numbers(name, (*args, *kwargs.values()))
    if name == "replace" and len(args) > 1:
        _check_size(len(text) + (text.count(args[0]) if args[0] else len(text) + 1) * len(args[1]))
    elif name == "join" and args:
        parts = [*args[0]] if not isinstance(args[0], str) else args[0]
        _check_size(sum(len(str(one)) for one in parts) + len(text) * len(parts))
    elif name == "translate" and args and isinstance(args[0], Mapping):
        _check_size(len(text) * max((len(str(one)) for one in args[0].values()), default=0))


def _check_format(text: Any) -> None:
    if _WIDTH.search(text if isinstance(text, str) else text.decode("latin-1")):
        raise SecurityError("a format has too large a width, or one that is an argument")


def _check_numbers(name: str, given: Iterable[Any]) -> None:
    if any(isinstance(one, int) and abs(one) > MOST_NUMBER for one in given):
        raise SecurityError(f"{name} takes no number above {MOST_NUMBER:,}")


def _check_size(size: int) -> None:
    if size > MOST_CHARACTERS:
        raise SecurityError(f"a text or list is longer than {MOST_CHARACTERS:,}")


def _checked(value: Any) -> Any:
    """The value, if it is not too large: a list may hold another one many times, so that it is long when written."""
    left, size = [value], 0
    while left:
        one = left.pop()
        if isinstance(one, str | bytes):
            size += len(one)
        elif isinstance(one, list | tuple | dict):
            size += len(one)
            left += (*one, *one.values()) if isinstance(one, dict) else one
        _check_size(size)
    return value


def _bounded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that refuses large numbers and results; Jinja reads what else it needs off the function itself."""

    @wraps(function)
    def bounded(*args: Any, **kwargs: Any) -> Any:
        places = [n for n, one in enumerate(args) if not isinstance(one, Environment | Context | nodes.EvalContext)]
        first, *others = [_checked(args[place]) for place in places] or [None]
        _check_numbers(name, (*others, *_checked(kwargs).values()))
        if name == "join" and places:
            first = first if isinstance(first, str | dict) else [*first]
            args = (*args[: places[0]], first, *args[places[0] + 1 :])
            _check_growth(name, str((*others, kwargs.get("d", ""))[0]), (first,), {})
        elif name == "replace" and len(others) > 1:
            _check_growth(name, str(first), tuple(map(str, others)), {})
        elif name == "format":
            _check_format(str(first))
        return _checked(function(*args, **kwargs))

    return bounded


def _tojson(
    value: Any, ensure_ascii: bool = False, indent: int | None = None, separators: Any = None, sort_keys: bool = False
) -> str:
    """JSON as it is: Jinja's own filter escapes what HTML reads otherwise."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise_exception(message: str) -> None:
    raise TemplateError(message)


@lru_cache(16)
def compiled(source: str) -> Template:
    """A template. Raises jinja2.TemplateSyntaxError."""
    return ChatEnvironment().from_string(source)


def rendered(template: Template, variables: Mapping[str, Any]) -> str:
    """The text of a template. Raises jinja2.TemplateError, and whatever a template does wrong with its variables."""
    before, steps = sys.gettrace(), 0

    def step(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        steps += 1
        if steps > MOST_STEPS:
            raise SecurityError(f"the template takes more than {MOST_STEPS:,} steps")
        return step

    def entered(frame: FrameType, event: str, argument: object) -> Any:
        return step if frame.f_code.co_filename == _FILE else None

    sys.settrace(entered)
    try:
        parts, size = [], 0
        for part in template.generate(**variables):
            size += len(part)
            _check_size(size)
            parts.append(part)
        return "".join(parts)
    finally:
        sys.settrace(before)
