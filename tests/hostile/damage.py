"""Damage that knows the structure of what it damages: JSON values, messages of protocol buffers, metadata of GGUF."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

from reftok.errors import ReftokError
from reftok.formats.sentencepiece.protobuf import FIXED32, LENGTH_DELIMITED, VARINT, read_fields
from tests.reftok.official import Json
from tests.reftok.protobuf_writer import varint
from tests.reftok.tokenizers_strategies.damaged import KEYS, REPLACEMENTS, at

from .components import CHAINS, SIZES, added_token, padding, truncation

MANY = [2, 2, 60, 60, 60, 200, 200, 1000]
NUMBERS = [*SIZES, -1, 1.5, -1e300, float("nan"), float("inf"), 5e-324]
STRINGS = ["", "a", "aa", " ", "▁", "\0", "\ud7ff", "é" * 50, "a" * 3000, "\u0301" * 200, "<unk>", "[[["]


def damaged_config(config: Json, random: Random) -> Json:
    """A tokenizer.json with one to four changes; most of them are of its stages, which leave it one that is read."""
    config = deepcopy(config)
    for _ in range(random.choice([1, 1, 2, 3, 4])):
        kind = random.choices(["stage", "repeated", "settings", "token", "vocab", "value"], [50, 6, 12, 12, 10, 5])[0]
        if kind == "stage":
            _insert_stage(config, random, 1)
        elif kind == "repeated":
            _insert_stage(config, random, random.choice(MANY))
        elif kind == "settings":
            key, make = random.choice([("truncation", truncation), ("padding", padding)])
            config[key] = make(random)
        elif kind == "token" and isinstance(tokens := config.get("added_tokens"), list):
            tokens.append({**added_token(random), "id": random.choice([len(tokens), 0, 300, 5000])})
        elif kind == "vocab":
            _change_vocab(config.get("model"), random)
        else:
            _change_value(config, random)
    return config


def _insert_stage(config: Json, random: Random, count: int) -> None:
    key = random.choice([*CHAINS])
    children, make = CHAINS[key]
    step, old = deepcopy(make(random)), config.get(key)
    steps = old.get(children) if isinstance(old, dict) and isinstance(old.get(children), list) else None
    if steps is None:
        steps = [old] if isinstance(old, dict) else []
    place = random.randint(0, len(steps))
    steps = [*steps[:place], *[step] * count, *steps[place + (random.random() < 0.2) :]]
    if random.random() < 0.05:
        for _ in range(random.choice([1, 10, 40, 100])):
            steps = [{"type": "Sequence", children: steps}]
    config[key] = {"type": "Sequence", children: steps}


def _change_vocab(model: Any, random: Random) -> None:
    vocab = model.get("vocab") if isinstance(model, dict) else None
    if not vocab or not isinstance(vocab, dict | list):
        return
    if isinstance(vocab, list):
        entry = [random.choice(STRINGS), random.choice([-1.0, -1.7e308, 1.7e308, 0.0])]
        vocab.insert(random.randint(0, len(vocab)), entry)
        return
    token = random.choice([*vocab])
    if random.random() < 0.8:
        vocab[random.choice(STRINGS)] = random.choice([len(vocab) + 9, len(vocab) + 99, (1 << 32) - 1])
    elif random.random() < 0.5:
        del vocab[token]
    else:
        vocab[token] = random.choice(NUMBERS)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value but the first of all; of a large object or list that of the first few."""
    if path:
        yield path
    children: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for index, (key, child) in enumerate(children):
        if index == 40:
            break
        yield from places(child, (*path, key))


def _change_value(config: Json, random: Random) -> None:
    """A value swapped with another, dropped, copied, or put in the place of one of another type."""
    found = [*places(config)]
    if not found:
        return
    path, other = random.choice(found), random.choice(found)
    owner = at(config, path[:-1])
    change = random.choice(["swap", "drop", "copy", "retype", "number", "string", "key"])
    if change == "drop":
        del owner[path[-1]]
    elif change == "copy" and isinstance(owner, list):
        owner.insert(path[-1], deepcopy(owner[path[-1]]))
    elif change == "key" and isinstance(owner, dict):
        owner[random.choice(KEYS)] = random.choice(REPLACEMENTS)
    elif change == "number":
        owner[path[-1]] = random.choice(NUMBERS)
    elif change == "string":
        owner[path[-1]] = random.choice(STRINGS)
    elif change == "swap":
        owner[path[-1]] = deepcopy(at(config, other))
    else:
        owner[path[-1]] = deepcopy(random.choice(REPLACEMENTS))


WireField = tuple[int, int, int | bytes]
"""Number, wire type and value of a field."""


def fields_of(message: bytes) -> list[WireField]:
    return [(number, wire_type, value) for number, wire_type, _, value in read_fields(message, "")]


def written(fields: list[WireField]) -> bytes:
    parts: list[bytes] = []
    for number, wire_type, value in fields:
        parts.append(varint(number << 3 | wire_type))
        if isinstance(value, int):
            parts.append(varint(value))
        else:
            parts += [varint(len(value))] * (wire_type == LENGTH_DELIMITED) + [value]
    return b"".join(parts)


def damaged_message(message: bytes, random: Random, depth: int = 0) -> bytes:
    """A message with a field dropped, copied, moved, added or changed, most often in one of its messages."""
    fields = fields_of(message)
    if not fields:
        return written([(random.randint(1, 60), VARINT, random.choice([0, 1, 1 << 63]))])
    if depth == 0 and random.random() < 0.7:
        return message + _option(random)
    # The pieces come first and are many: the options behind them are chosen as often.
    place = random.choice([random.randrange(len(fields)), len(fields) - 1 - random.randrange(min(3, len(fields)))])
    number, wire_type, value = fields[place]
    change = random.choices(["within", "drop", "copy", "move", "add", "value"], [60, 5, 4, 4, 10, 17])[0]
    if change == "within" and isinstance(value, bytes) and wire_type == LENGTH_DELIMITED and depth < 2:
        try:
            fields[place] = number, wire_type, damaged_message(value, random, depth + 1)
        except ReftokError:
            fields[place] = number, wire_type, _damaged_bytes(value, random)
    elif change == "drop":
        del fields[place]
    elif change == "copy":
        fields.insert(place, fields[place])
    elif change == "move":
        fields.insert(random.randrange(len(fields)), fields.pop(place))
    elif change == "add":
        fields.append((random.choice([*range(1, 60), 1 << 28]), VARINT, random.choice([0, 1, 1, 2, 50, 1 << 31])))
    elif isinstance(value, int):
        fields[place] = number, wire_type, random.choice([0, 1, 2, 3, 4, 5, 6, value + 1, 1 << 31, 1 << 63])
    elif wire_type == FIXED32:
        fields[place] = number, wire_type, random.choice([bytes(4), b"\xff\xff\xff\xff", b"\0\0\x80\x7f", value[::-1]])
    else:
        fields[place] = number, wire_type, _damaged_bytes(value, random)
    return written(fields)


def _option(random: Random) -> bytes:
    """A piece more, or an option that is set in the end, which is merged with the message of options before it."""
    number, option, values = random.choice(
        [
            (1, 1, STRINGS),
            *[(2, option, [0, 1]) for option in (24, 25, 26, 35)],
            *[(2, option, [0, 1, 2, 3, 4, (1 << 64) - 1]) for option in (3, 40, 41, 42, 43)],
            *[(3, option, [0, 1]) for option in (3, 4, 5)],
            (2, 44, STRINGS),
        ]
    )
    value = random.choice(values)
    if isinstance(value, str):
        content: WireField = (option, LENGTH_DELIMITED, value.encode())
    else:
        content = (option, VARINT, int(value))
    return written([(number, LENGTH_DELIMITED, written([content]))])


def _damaged_bytes(value: bytes, random: Random) -> bytes:
    strings = [string.encode("utf-8", "surrogatepass") for string in STRINGS]
    cut = random.randint(0, len(value))
    return random.choice([*strings, value[:cut], value[:cut] + b"\xff" + value[cut:], value * 2])


def damaged_entries(entries: dict[str, Any], random: Random) -> dict[str, Any]:
    """The metadata of a GGUF file, with an entry dropped or of another type, or a value or element changed."""
    entries = dict(entries)
    for _ in range(random.choice([1, 1, 2])):
        key = random.choice([*entries])
        kind, value = entries[key]
        change = random.choices(["drop", "value", "flag", "id"], [1, 5, 3, 3])[0]
        if change == "drop":
            del entries[key]
            entries = entries or {"x": ("bool", True)}
        elif change == "flag":
            name = random.choice(["add_bos_token", "add_eos_token", "add_space_prefix", "remove_extra_whitespaces"])
            entries[f"tokenizer.ggml.{name}"] = "bool", random.choice([True, False])
        elif change == "id":
            name = random.choice(["bos", "eos", "unknown", "padding", "seperator", "eot", "mask"])
            entries[f"tokenizer.ggml.{name}_token_id"] = "uint32", random.choice([0, 1, 2, 3, 4, 5, 99, (1 << 32) - 1])
        elif isinstance(value, list) and value:
            value, place = [*value], random.randrange(len(value))
            of_numbers = [0, 1, 2, 3, 4, 5, 6, -1]
            value[place] = random.choice([*STRINGS[:6], *STRINGS[7:]] if kind == "string[]" else of_numbers)
            if random.random() < 0.1:
                del value[place]
            entries[key] = kind, value
        elif kind == "string":
            entries[key] = kind, random.choice(["llama", "gpt2", "t5", "bert", "qwen2", "llama-bpe", "", "default"])
    return entries


def damaged_lines(data: bytes, random: Random) -> bytes:
    """Lines of a text, some of them dropped, copied, moved or changed."""
    lines = data.splitlines(keepends=True)
    for _ in range(random.choice([1, 1, 2])):
        place, other = random.randrange(len(lines)), random.randrange(len(lines))
        change = random.choices(["swap", "drop", "copy", "bytes", "rank", "blank"], [30, 3, 3, 3, 30, 20])[0]
        if change == "swap":
            lines[place], lines[other] = lines[other], lines[place]
        elif change == "drop" and len(lines) > 1:
            del lines[place]
        elif change == "copy":
            lines.insert(other, lines[place])
        elif change == "bytes":
            lines[place] = _damaged_bytes(lines[place], random)
        elif change == "rank":
            rank = random.choice([900 + place, 99_000, (1 << 32) - 1, 1 << 32, 10**30, -1])
            lines[place] = lines[place].split(b" ")[0] + b" %d\n" % rank
        else:
            lines.insert(place, b"\n")
    return b"".join(lines)


def flipped(data: bytes, random: Random) -> bytes:
    """A file with bytes flipped, cut out or put in, whatever they stand for."""
    changed = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 4])):
        place = random.randrange(len(changed) + 1)
        change = random.choice(["flip", "cut", "insert", "end"])
        if change == "flip" and place < len(changed):
            changed[place] ^= 1 << random.randrange(8)
        elif change == "cut":
            del changed[place : place + random.randint(1, 9)]
        elif change == "insert":
            changed[place:place] = random.choice([b"\0", b"\xff", b'"', b"[" * 2000, b"9" * 400, b"{", b"\\ud800"])
        elif random.random() < 0.2:
            del changed[place:]
    return bytes(changed)
