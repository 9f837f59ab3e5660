"""Steps with another value for one option, and neighbouring steps in the other order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Step = TypeVar("Step")


def with_other_options(step: Step) -> Iterator[tuple[str, Step]]:
    """Rule and step, for each other value of each option that is a bool or one of a few names.

    >>> from reftok.rules.huggingface.pre_tokenizers import Metaspace
    >>> [rule for rule, _ in with_other_options(Metaspace("▁", "first", True))]
    ['prepend_scheme is never', 'prepend_scheme is always', 'split is off']
    """
    dataclass: Any = step
    for name, values in _options(type(step)).items():
        for value in values:
            if value != getattr(step, name):
                said = {True: "on", False: "off", None: "unset"}.get(value, value)
                yield f"{name} is {said}", replace(dataclass, **{name: value})


def _options(kind: type[Any]) -> dict[str, Sequence[Any]]:
    """The options of a step that have a small set of values, each with that set."""
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
    is_optional_bool = get_args(hint) in ((bool, type(None)), (type(None), bool))  # of a Callable, some are no classes
    return (True, False, None) if is_optional_bool else ()


def in_other_order(steps: Sequence[Step]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """Rule and steps, for each swap of two neighbours of different types.

    >>> [rule for rule, _ in in_other_order([1, "a"])]
    ['str comes before int']
    """
    for index in range(len(steps) - 1):
        one, other = steps[index : index + 2]
        if type(one) is not type(other):
            rule = f"{type(other).__name__} comes before {type(one).__name__}"
            yield rule, (*steps[:index], other, one, *steps[index + 2 :])
