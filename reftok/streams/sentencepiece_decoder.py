"""SentencePieceDecoder and its denormalizer; functions like those of `reftok.streams.decoders`."""

from __future__ import annotations

from codecs import utf_8_decode

from reftok.rules.sentencepiece.decoder import SentencePieceDecoder, decode_bytes
from reftok.rules.sentencepiece.normalizer import SentencePieceNormalizer
from reftok.streams.decoders import Held, Text, Tokens, without_end


def sentencepiece(decoder: SentencePieceDecoder, held: Held, tokens: list[str], is_end: bool) -> Tokens:
    """SentencePieceDecoder. Holds the bytes of an incomplete character, and what the denormalizer holds.

    state: whether the next piece is at the start of the text, and the state of `denormalized`.
    """
    (is_start, state), run, texts = held.state, b"".join(held.data), list[str]()
    for token in tokens:
        byte = decoder.byte_of(token)
        if byte is None:
            text, is_start = decoder.text_of(token, is_start)
            texts += [*decode_bytes(run), text]
            run = b""
        else:
            run, is_start = run + bytes([byte]), False
            size = utf_8_decode(run, "surrogateescape", False)[1]
            texts += decode_bytes(run[:size])
            run = run[size:]
    texts += decode_bytes(run) if is_end else []
    if decoder.denormalizer is None:
        return texts, Held((is_start, state), len(run), (run,) if run else ())
    text, (state, size, _) = denormalized(decoder.denormalizer, Held(state), "".join(texts), is_end)
    return [text], Held((is_start, state), size + len(run), (run,) if run else ())


def denormalized(normalizer: SentencePieceNormalizer, held: Held, fragment: str, is_end: bool) -> Text:
    """The denormalizer. Holds text that a longer rule may match, and spaces that may be trailing.

    state: the text that a longer rule may match; whether anything but leading spaces came before it, and whether that
    ended with a space; and how many spaces are held.
    """
    options = normalizer.options
    trims, space = options.remove_extra_whitespaces, "▁" if options.escape_whitespaces else " "
    rest, is_begun, follows_space, spaces = held.state or ("", False, trims, 0)
    text, position, parts = rest + fragment, 0, list[str]()
    was_begun, is_begun = is_begun, is_begun or (bool(text) and not trims)
    while position < len(text) and (is_end or not _may_grow(normalizer, text, position)):
        part, length = normalizer.prefix(text, position)
        position += length
        if not is_begun and part == " ":
            continue
        is_begun = True
        part = part.lstrip(" ") if follows_space else part
        follows_space = trims and part.endswith(" ") if part else follows_space
        parts.append(part.replace(" ", space))
    is_prefixed = options.add_dummy_prefix and not options.treat_whitespace_as_suffix
    ready = space * (is_prefixed and is_begun and not was_begun) + "".join(parts)
    if trims:
        ready, spaces = without_end(space, spaces, ready)
    if is_end and is_begun and options.add_dummy_prefix and options.treat_whitespace_as_suffix:
        ready += space
    rest = text[position:]
    return ready, Held((rest, is_begun, follows_space, spaces), len(rest) + spaces)


def _may_grow(normalizer: SentencePieceNormalizer, text: str, position: int) -> bool:
    """Whether more text could make a longer symbol or rule match at a position."""
    symbols, charsmap = normalizer.symbols, normalizer.charsmap
    if symbols is not None and symbols.every.may_continue(text, position):
        return True
    if charsmap is None or (symbols is not None and symbols.length_at(text, position)):
        return False
    node = charsmap.root()
    for index in range(position, len(text)):
        found = charsmap.step(node, text[index].encode("utf-8", "surrogateescape"))
        if found is None:
            return False
        node, _ = found
    return True
