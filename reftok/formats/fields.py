"""Reading a JSON object strictly: every key is asked for once, with its type, and what nobody asked for is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from reftok.errors import ModelFormatError, UnsupportedFeature
from reftok.regex_dialects.pattern import Pattern

_REQUIRED: Any = object()

Value = TypeVar("Value")
Default = TypeVar("Default")


class Fields:
    """The keys of one JSON object.

    source: the file's name; place: the path of the object in it, for messages.

    >>> fields = Fields({"type": "NFC", "form": 3}, "tokenizer.json", "normalizer")
    >>> fields.text("type")
    'NFC'
    >>> fields.done()
    Traceback (most recent call last):
    reftok.errors.UnsupportedFeature: tokenizer.json: normalizer.form: this key is not known
    """

    def __init__(self, value: Any, source: str, place: str) -> None:
        self.source, self.place = source, place
        if not isinstance(value, dict):
            raise ModelFormatError(source, place, f"is not an object but {_kind(value)}")
        self._value = value
        self._asked: set[str] = set()

    def has(self, key: str) -> bool:
        """Whether the key is there; this does not count as asking for it."""
        return key in self._value

    def __iter__(self) -> Iterator[str]:
        return iter(self._value)

    def done(self) -> None:
        """Raise UnsupportedFeature for the first key that nobody asked for."""
        for key in self._value:
            if key not in self._asked:
                raise UnsupportedFeature(self.source, self._path(key), "this key is not known")

    def any(self, key: str, default: Any = _REQUIRED) -> Any:
        """The value of any type. A key without a default must be there."""
        self._asked.add(key)
        if key in self._value:
            return self._value[key]
        if default is _REQUIRED:
            raise ModelFormatError(self.source, self._path(key), "is missing")
        return default

    def text(self, key: str, default: str = _REQUIRED) -> str:
        """A string."""
        value: str = self._typed(key, default, str)
        return value

    def pattern(self, key: str, compile_pattern: Callable[[str], Pattern]) -> Pattern:
        """A pattern. Raises UnsupportedFeature with its place if it is not supported."""
        try:
            return compile_pattern(self.text(key))
        except UnsupportedFeature as error:
            raise UnsupportedFeature(self.source, f"{self._path(key)}: {error.place}", error.problem) from None

    def boolean(self, key: str, default: bool = _REQUIRED) -> bool:
        """True or false."""
        value: bool = self._typed(key, default, bool)
        return value

    def integer(self, key: str, end: int = 1 << 32) -> int:
        """A whole number from 0 up to, not including, `end`."""
        value = self.any(key)
        if not is_id(value, end):
            shown = value if type(value) in (int, float) else _kind(value)
            raise self.wrong(key, f"is not a whole number from 0 to {end - 1} but {shown}")
        number: int = value
        return number

    def number(self, key: str) -> float:
        """A number."""
        value = self.any(key)
        if type(value) not in (int, float):
            raise self.wrong(key, f"is not a number but {_kind(value)}")
        return float(value)

    def items(self, key: str, default: Sequence[Any] = _REQUIRED) -> Sequence[Any]:
        """A list."""
        value: Sequence[Any] = self._typed(key, default, list)
        return value

    def object(self, key: str) -> Fields:
        """An object."""
        return Fields(self.any(key), self.source, self._path(key))

    def optional(self, key: str, check: Callable[[Fields, str], Value], default: Default) -> Value | Default:
        """The value that a check gives, or the default if it is null or missing.

        >>> Fields({"split": None}, "tokenizer.json", "").optional("split", Fields.boolean, True)
        True
        """
        return default if self.any(key, None) is None else check(self, key)

    def optional_object(self, key: str, read: Callable[[Fields], Value], default: Default) -> Value | Default:
        """What is read from an object, or the default if it is null or missing."""
        return self.optional(key, lambda fields, key: read(fields.object(key)), default)

    def objects(self, key: str, default: Sequence[Any] = _REQUIRED) -> list[Fields]:
        """A list of objects."""
        path = self._path(key)
        return [Fields(item, self.source, f"{path}[{i}]") for i, item in enumerate(self.items(key, default))]

    def objects_by_id(self) -> list[tuple[int, Fields]]:
        """The objects under all keys, each of which is an id in decimal digits."""
        for key in self._value:
            if not (key.isascii() and key.isdigit() and len(key) <= 10):
                raise ModelFormatError(self.source, f"{self.place}[{key!r:.60}]", "is not an id")
        return [(int(key), self.object(key)) for key in self._value]

    def choice(self, key: str, choices: Sequence[str], default: str = _REQUIRED) -> Any:
        """One of the given strings."""
        value = self.text(key, default)
        if value not in choices:
            raise self.unsupported(key, value)
        return value

    def vocab(self, key: str) -> dict[str, int]:
        """An object of token to id."""
        vocab: dict[str, int] = self._typed(key, _REQUIRED, dict)
        ids = vocab.values()
        if not {*map(type, ids)} <= {int} or min(ids, default=0) < 0 or not is_id(max(ids, default=0)):
            token, token_id = next(entry for entry in vocab.items() if not is_id(entry[1]))
            raise self.wrong(f"{key}[{token!r}]", f"is not an id: {token_id!r:.60}")
        if len(set(vocab.values())) < len(vocab):
            twice, count = Counter(vocab.values()).most_common(1)[0]
            raise self.wrong(key, f"gives the id {twice} to {count} tokens")
        return vocab

    def wrong(self, key: str, problem: str) -> ModelFormatError:
        """The error for a value that makes no sense."""
        return ModelFormatError(self.source, self._path(key), problem)

    def unsupported(self, key: str, value: str) -> UnsupportedFeature:
        """The error for a value that is not known here."""
        return UnsupportedFeature(self.source, self._path(key), f"{value} is not supported")

    def _path(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key

    def _typed(self, key: str, default: Any, kind: type) -> Any:
        value = self.any(key, default)
        if key in self._value and not isinstance(value, kind):
            raise self.wrong(key, f"is not {_NAMES[kind]} but {_kind(value)}")
        return value


_NAMES: dict[type, str] = {str: "a string", bool: "a boolean", int: "a number", list: "a list", dict: "an object"}


def is_id(value: object, end: int = 1 << 32) -> bool:
    """Whether a JSON value is a whole number from 0 up to, not including, `end`."""
    return type(value) is int and 0 <= value < end


def _kind(value: Any) -> str:
    return "null" if value is None else _NAMES.get(type(value), "a number")
