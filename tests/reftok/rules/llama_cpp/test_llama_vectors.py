"""reftok against what llama.cpp answered (vectors), and against llama.cpp itself where it is installed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.subjects.base import UnavailableError
from conformance.subjects.llama_cpp_subject import LlamaCppSubject
from reftok.errors import InvalidText
from reftok.formats.llama_cpp.gguf import read_gguf
from reftok.tokenizer import Tokenizer

from ...gguf_writer import gguf
from ...llama_recipes import LINES, PLAIN_TEXTS, WRONG_UTF8, recipes
from ...llama_vectors import FOLDER, MODES, as_json, from_json, vectors


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gguf")


def own(folder: Path, name: str) -> Tokenizer:
    path = folder / f"{name}.gguf"
    if not path.exists():
        path.write_bytes(gguf(recipes()[name].entries))
    return Tokenizer(read_gguf(path))


def ids(tokenizer: Tokenizer, text: str | bytes, add_special: bool, parse_special: bool) -> list[int]:
    parsing = tokenizer if parse_special else tokenizer.with_options(encode_special_tokens=True)
    return parsing.encode_ids(text, add_special_tokens=add_special)


@pytest.mark.parametrize("name", recipes())
def test_ids_and_decoded_bytes_are_those_of_llama_cpp(folder: Path, name: str) -> None:
    tokenizer = own(folder, name)
    for vector in vectors()[name]:
        if "text" in vector:
            text = from_json(vector["text"])
            expected = [vector["ids"][0] if answer is None else answer for answer in vector["ids"]]
            assert [ids(tokenizer, text, *mode) for mode in MODES] == expected, text
        else:
            assert as_json(tokenizer.decode_bytes(vector["ids"])) == vector["skipped"], vector
            assert as_json(tokenizer.decode_bytes(vector["ids"], skip_special_tokens=False)) == vector["shown"], vector


def test_there_is_a_vector_for_every_question_of_every_recipe() -> None:
    asked = {
        (name, json.dumps(question))
        for name, recipe in recipes().items()
        for question in [*map(as_json, recipe.texts), *map(list, recipe.ids)]
    }
    answered = {
        (name, json.dumps(vector["text"] if "text" in vector else vector["ids"]))
        for name, answers in vectors().items()
        for vector in answers
    }
    assert answered == asked
    heads = {path.read_text("utf-8").partition("\n")[0] for path in FOLDER.iterdir()}
    assert heads == {json.dumps({"llama-cpp-python": "0.3.36"})}


def test_every_pre_tokenizer_cuts_a_line_that_gpt2_cuts_elsewhere() -> None:
    """Otherwise its vectors would prove nothing."""
    answers = {
        name: json.dumps([vector["ids"] for vector in found if "text" in vector]) for name, found in vectors().items()
    }
    same = [name for name, answer in answers.items() if answer == answers["bpe-gpt-2"]]
    assert same == ["bpe-gpt-2", "bpe-trillion"]


@pytest.fixture(scope="module")
def live(folder: Path) -> Iterator[dict[str, LlamaCppSubject]]:
    pytest.importorskip("llama_cpp", reason="llama_cpp is not installed: pip install 'reftok[llama]'")
    subjects = {}
    for name in recipes():
        own(folder, name)
        subjects[name] = LlamaCppSubject(folder / f"{name}.gguf")
    yield subjects
    for subject in subjects.values():
        subject.close()


PARTS = st.sampled_from([*PLAIN_TEXTS, *LINES, *WRONG_UTF8, *"'sS 1é中\n\u3000▁"]).map(
    lambda part: part.encode() if isinstance(part, str) else part
)
texts = st.lists(PARTS | st.binary(max_size=4) | st.text(max_size=4).map(str.encode), max_size=4).map(b"".join)


@pytest.mark.parametrize("name", recipes())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts)
def test_random_texts_have_the_ids_of_the_installed_llama_cpp(
    folder: Path, live: dict[str, LlamaCppSubject], name: str, text: bytes
) -> None:
    tokenizer = own(folder, name)
    for mode in MODES:
        try:
            found = ids(tokenizer, text, *mode)
        except InvalidText:
            continue
        assert found == live[name].token_ids(text, *mode)
        assert tokenizer.decode_bytes(found) == live[name].text_bytes(found, remove_special=True, unparse_special=False)


def test_the_adapter_refuses_what_llama_cpp_cannot_load(live: object, tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    path.write_bytes(b"GGUF")
    with pytest.raises(UnavailableError, match=r"llama\.cpp refuses the model"):
        LlamaCppSubject(path)
