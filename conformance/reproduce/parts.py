"""The parts of a reproduction: Python that is the same for every model and input, to be put together."""

from __future__ import annotations

SUBJECT_OF_FILE = '''\
class Subject:
    """What FACTORY of FILE.py makes of the path of a model; its methods are those of `conformance run --subject`."""

    def __init__(self, path):
        if len(sys.argv) != 2:
            raise ValueError("name the subject: FILE.py:FACTORY")
        file, _, factory = sys.argv[1].rpartition(":")
        sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
        spec = importlib.util.spec_from_file_location("subject_under_test", file)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.subject = getattr(module, factory)(path)

    def encode(self, text):
        text = as_text(text)
        if hasattr(self.subject, "encode_with_offsets"):
            return parts(*self.subject.encode_with_offsets(text, True))
        return parts(self.subject.encode(text, True))

    def encode_batch(self, texts):
        return self.subject.encode_batch(texts, True)

    def decode(self, ids):
        return [self.subject.decode(ids, skips) for skips in (True, False)]

    @property
    def stream_encoder(self):
        return functools.partial(self.subject.stream_encoder, True)

    @property
    def stream_decode(self):
        if not hasattr(self.subject, "stream_decoder"):
            give = self.subject.stream_decode
            return lambda ids, skips: "".join(give(ids, skips))
        return self._fed

    def _fed(self, ids, skips):
        stream = self.subject.stream_decoder(skips)
        return "".join([*map(stream.feed, ids), stream.finish()])
'''

SUBJECT_IS_OFFICIAL = "Subject = Official\n"

HELPERS = '''\
def parts(ids, tokens=None, offsets=None, mask=None):
    return {
        "ids": list(ids),
        "tokens": None if tokens is None else list(tokens),
        "offsets": None if offsets is None else [tuple(span) for span in offsets],
        "special_tokens_mask": None if mask is None else list(mask),
    }


def as_text(piece):
    return piece if isinstance(piece, str) else piece.decode("utf-8", "replace")


class Failure:
    """An error in place of an answer. Two refusals agree, whatever they say; a panic of Rust is no refusal."""

    def __init__(self, error):
        self.is_refusal = isinstance(error, Exception)
        self.message = f"{type(error).__name__}: {error}"

    def __eq__(self, other):
        return isinstance(other, Failure) and self.is_refusal and other.is_refusal

    def __repr__(self):
        return self.message


def answer(method, *given):
    try:
        return method(*given)
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:
        return Failure(error)
'''

MAIN = """\
def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, MODEL_NAME)
        with open(path, "wb") as file:
            file.write(MODEL)
        try:
            expected, observed = compared(Official(path), Subject(path))
        except Exception as error:
            print("cannot be loaded or asked:", ascii(f"{type(error).__name__}: {error}")[1:-1], file=sys.stderr)
            return 2
    print("input    ", ascii(INPUT))
    print("expected ", ascii(expected))
    print("observed ", ascii(observed))
    return 0 if expected == observed else 1


if __name__ == "__main__":
    sys.exit(main())
"""

_WRITE = "            file.write(MODEL)\n"
MAIN_WITH_ENCODING = MAIN.replace(
    _WRITE,
    _WRITE
    + """\
        with open(os.path.splitext(path)[0] + ".toml", "w", encoding="ascii") as file:
            file.write(ENCODING)
""",
)
"""For a rank file, whose pattern and special tokens are in a file beside it."""
