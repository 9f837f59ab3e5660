"""Every option of a step set to another of its values, every step done twice, two steps in the other order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Step = TypeVar("Step")


def with_other_options(step: Step) -> Iterator[tuple[str, Step]]:
    """Rule and step, for each value that an option does not have: True and False, or one of a few names.

    A text that stands at the beginnings or ends of tokens is left out.

    >>> from reftok.rules.huggingface.pre_tokenizers import Metaspace
    >>> [rule for rule, _ in with_other_options(Metaspace("▁", "first", True))]
    ['prepend_scheme is never', 'prepend_scheme is always', 'split is off']
    """
    for name, values in _options(type(step)).items():
        value = getattr(step, name)
        for other in values:
            if other != value:
                said = {True: "on", False: "off", None: "unset"}.get(other, other)
                yield f"{name} is {said}", replace(step, **{name: other})  # type: ignore[type-var]


def _options(kind: type[Any]) -> dict[str, Sequence[Any]]:
    """The options of a step that have few values, with these."""
    if not is_dataclass(kind):
        return {}
    hints = get_type_hints(kind)
    found = {field.name: _values(hints[field.name]) for field in fields(kind)}
    return {name: values for name, values in found.items() if values}


def _values(hint: Any) -> Sequence[Any]:
    if hint is bool:
        return True, False
    if get_origin(hint) is Literal:
        return get_args(hint)
    return (True, False, None) if set(get_args(hint)) == {bool, type(None)} else ()


def in_other_order(steps: Sequence[Step]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Rule and steps, for two neighbours that change places.

    >>> [rule for rule, _ in in_other_order([1, "a"])]
    ['str comes before int']
    """
    for index in range(len(steps) - 1):
        one, other = steps[index : index + 2]
        if type(one) is not type(other):
            rule = f"{type(other).__name__} comes before {type(one).__name__}"
            yield rule, (*steps[:index], other, one, *steps[index + 2 :])
