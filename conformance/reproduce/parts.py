"""The parts of a reproduction: Python that is the same for every model and input, to be put together."""

from __future__ import annotations

_SUBJECT_TOML = """\
def subject_toml(path):
    with open(path, "rb") as file:
        try:
            return tomllib.load(file)
        except ValueError as error:
            raise ValueError(f"{path}: is not TOML: {error}") from None


"""
"""Its reader; what else stands in it is for the harness."""

SUBJECT_OF_FILE = (
    _SUBJECT_TOML
    + '''\
def named_factory(name):
    """The file and FACTORY of FILE.py:FACTORY, or of a subject.toml, whose files are found from its folder."""
    if not name.endswith(".toml"):
        file, _, factory = name.rpartition(":")
        return file, factory
    file, _, factory = str(subject_toml(name).get("factory", "")).rpartition(":")
    if not file:
        raise ValueError(f"{name}: has no `factory`, FILE.py:FACTORY")
    return os.path.join(os.path.dirname(name), file), factory


class Subject:
    """What FACTORY of FILE.py makes of the path of a model; its methods are those of `conformance run --subject`."""

    def __init__(self, path):
        if len(sys.argv) != 2:
            raise ValueError("name the subject: FILE.py:FACTORY, or its subject.toml")
        file, factory = named_factory(sys.argv[1])
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

    def bare(self, text):
        return list(self.subject.encode(as_text(text), False))

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
)

SUBJECT_OF_PROGRAM = (
    _SUBJECT_TOML
    + """\
def named_program(words):
    \"\"\"Command, environment and options: of a subject.toml, whose files are found from its folder, or as seen.\"\"\"
    if len(words) != 1 or not words[0].endswith(".toml"):
        return words or COMMAND, ENVIRONMENT, OPTIONS
    about = subject_toml(words[0])
    command = about.get("command")
    if not command or not isinstance(command, list):
        raise ValueError(f"{words[0]}: has no `command`, a list, and so no program to start")
    folder = os.path.dirname(os.path.abspath(words[0]))
    files = [os.path.join(folder, word) for word in command]
    found = [file if os.path.isfile(file) else word for file, word in zip(files, command)]
    if "/" not in command[0] and shutil.which(command[0]):
        found[0] = command[0]
    return found, about.get("env", {}), about.get("options", {})


class Broken(BaseException):
    \"\"\"No answer where a refusal would be one.\"\"\"


class Subject:
    \"\"\"The program COMMAND, or what the arguments name: asked by the subject protocol, JSON lines.\"\"\"

    def __init__(self, path):
        with open(path, "rb") as file:
            model = {**MODEL_FIELDS, "path": path, "sha256": hashlib.sha256(file.read()).hexdigest()}
        command, added, options = named_program(sys.argv[1:])
        environment = {**os.environ, "LANG": "C.UTF-8", "TZ": "UTC", **added}
        pipe = subprocess.PIPE
        self.program = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)
        atexit.register(self.program.kill)
        self.number = 0
        try:
            said = self.answer("start", protocol=PROTOCOL, model=model, options=options)
        except Broken as error:
            raise RuntimeError(str(error)) from None
        if "started" not in said:
            raise RuntimeError(said.get("unavailable", {}).get("message", "it does not start"))
        self.offers = said["started"]["capabilities"]

    def answer(self, operation, **fields):
        self.number += 1
        line = json.dumps({"id": self.number, "op": operation, **fields}) + "\\n"
        try:
            self.program.stdin.write(line.encode())
            self.program.stdin.flush()
        except BrokenPipeError:
            pass
        for line in self.program.stdout:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict) and said.get("id") == self.number:
                if "error" in said:
                    raise Broken("error of the adapter: " + said["error"]["message"])
                return said
        raise Broken(f"its process ended with exit code {self.program.wait()}")

    def results(self, operation, items, **fields):
        said = self.answer(operation, items=items, **fields)
        found = said.get("results", [said])
        for result in found:
            for kind in ("refused", "crashed", "invalid", "skipped"):
                if kind in result:
                    raise (ValueError if kind == "refused" else Broken)(f"{kind}: {result[kind]['message']}")
        return found

    def item(self, text):
        if isinstance(text, bytes) and self.offers["encode"].get("bytes"):
            return {"base64": base64.b64encode(text).decode()}
        text = as_text(text)
        if not any("\\ud800" <= character <= "\\udfff" for character in text):
            return {"text": text}
        units = text.encode("utf-16-le", "surrogatepass")
        return {"utf16": [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]}

    def encode(self, text):
        wanted = ["ids", *self.offers["encode"].get("fields", [])]
        (found,) = self.results("encode", [self.item(text)], add_special_tokens=True, want=wanted)
        if found.get("offsets") is not None:
            unit = self.offers["encode"].get("offsets_unit", "scalar")
            found["offsets"] = in_code_points(found["offsets"], as_text(text), unit)
        names = ("ids", "tokens", "offsets", "special_tokens_mask")
        return parts(*self.in_template([found.get(name) for name in names]))

    def bare(self, text):
        says = self.offers["encode"].get("add_special_tokens") == "never"
        (found,) = self.results("encode", [self.item(text)], add_special_tokens=says, want=["ids"])
        return found["ids"]

    def in_template(self, given):
        if self.offers["encode"].get("add_special_tokens") != "never":
            return given
        around = zip(BEFORE, given, AFTER)
        return [None if part is None else [*before, *part, *after] for before, part, after in around]

    def encode_batch(self, texts):
        items = [self.item(text) for text in texts]
        found = self.results("encode_batch", items, add_special_tokens=True, want=["ids"])
        return [self.in_template([one["ids"]])[0] for one in found]

    def decode(self, ids):
        says = self.offers["decode"].get("skip_special_tokens", "choice")
        skipped = [token_id for token_id in ids if says != "never" or token_id not in SPECIAL_IDS]
        return [self.text(skipped, True)] + [self.text(ids, False)] * (says != "always")

    def text(self, ids, skips):
        (found,) = self.results("decode", [{"ids": ids}], skip_special_tokens=skips)
        if found.get("text") is not None:
            return found["text"]
        data = base64.b64decode(found["base64"])
        if MODEL_FIELDS["format"] != "sentencepiece":
            return data.decode("utf-8", "replace")
        read = data.decode("utf-8", "surrogateescape")
        return "".join("\\ufffd" if "\\udc80" <= one <= "\\udcff" else one for one in read)

    def stream_decode(self, ids, skips):
        item = {"to": "decoder", "chunks": ids, "skip_special_tokens": skips}
        (found,) = self.results("stream", [item])
        return "".join(found["given"])

    def stream_encoder(self):
        return Stream(self)


class Stream:
    \"\"\"A streaming encoder of a program: it is given all chunks at once, and gives out all at the end.\"\"\"

    def __init__(self, subject):
        self.subject = subject
        self.chunks = []

    def feed(self, chunk):
        self.chunks.append(chunk)
        return []

    feed_bytes = feed

    def finish(self):
        of_bytes = isinstance(self.chunks[0], bytes)
        chunks = [base64.b64encode(chunk).decode() for chunk in self.chunks] if of_bytes else self.chunks
        (found,) = self.subject.results("stream", [{"to": "encoder", "chunks": chunks, "bytes": of_bytes}])
        return self.subject.in_template([[token_id for piece in found["given"] for token_id in piece]])[0]


def in_code_points(offsets, text, unit):
    if unit in ("scalar", "grapheme"):
        return offsets if unit == "scalar" else None
    encoding = {"utf8": "utf-8", "utf16": "utf-16-le"}[unit]
    sizes = [len(one.encode(encoding, "surrogatepass")) // (1 + (unit == "utf16")) for one in text]
    places = [place for place, size in enumerate(sizes) for _ in range(size)] + [len(text)]

    def of(place, up):
        if not 0 <= place < len(places):
            return place if place < 0 else place - len(places) + 1 + len(text)
        return places[place] + (up and place > 0 and places[place] == places[place - 1])

    return [(of(first, False), of(end, end > first)) for first, end in offsets]
"""
)

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
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:
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
