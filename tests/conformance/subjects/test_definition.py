"""The names of subjects: FILE.py:FACTORY, a subject.toml, a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conformance.core.errors import InputError, UsageError
from conformance.core.observation import Encoded
from conformance.subjects.adapters import check_subject_name
from conformance.subjects.base import UnavailableError
from conformance.subjects.definition import absolute_name, check_definition, definition
from conformance.subjects.isolated import IsolatedSubject
from conformance.subjects.protocol import Model

SAYS_WHERE = """
import os, sys
class Subject:
    version = f"{os.environ.get('MODE')} {os.getcwd() != sys.path[0]} {os.listdir()} {os.environ['TZ']}"
    def __init__(self, path): pass
    def encode(self, text, special): return [1]
    def decode(self, ids, skip): return ""
"""


def written(folder: Path, text: str) -> str:
    (folder / "mine.py").write_text(SAYS_WHERE, "utf-8")
    path = folder / "subject.toml"
    path.write_text(text, "utf-8")
    return str(path)


def loaded(name: str, model_format: str = "tokenizer.json") -> IsolatedSubject:
    return IsolatedSubject(definition(name), Model(path="", format=model_format, sha256=""), 60.0)


def test_a_command_finds_its_files_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "server.mjs").touch()
    monkeypatch.chdir(tmp_path)
    found = definition("node server.mjs --fast")
    assert found.command == ("node", str(tmp_path / "server.mjs"), "--fast")
    assert found.code == (tmp_path / "server.mjs",)
    name = absolute_name("node server.mjs --fast")
    monkeypatch.chdir("/")
    assert definition(name).command == found.command


def test_a_program_beside_is_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tok").touch()
    monkeypatch.chdir(tmp_path)
    assert definition("./tok").command == (str(tmp_path / "tok"),)
    assert definition("./tok").label == "tok"


def test_a_command_is_called_the_same_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is resumed names it as plan.json does, and finds its rows again."""
    (tmp_path / "server.mjs").touch()
    monkeypatch.chdir(tmp_path)
    name = "node server.mjs --fast=a/b"
    assert definition(name).label == definition(absolute_name(name)).label == name


def test_no_file_goes_before_a_program_of_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cat", "no-such-program-here"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert definition("cat cat").command == ("cat", str(tmp_path / "cat"))
    assert definition("no-such-program-here").command == (str(tmp_path / "no-such-program-here"),)


def test_a_subject_file_names_a_factory_in_python(tmp_path: Path) -> None:
    name = written(tmp_path, 'name = "mine 2"\nfactory = "mine.py:Subject"\n[env]\nMODE = "fast"\n')
    subject = loaded(name)
    assert subject.name == "mine 2"
    assert subject.version == "fast True [] UTC"
    assert subject.encode("a") == Encoded((1,))
    assert definition(name).code == (tmp_path / "subject.toml", tmp_path / "mine.py")
    subject.close()


def test_the_interpreter_of_a_subject_may_be_another(tmp_path: Path) -> None:
    """It keeps its place: that of an environment is a link, by which it knows its libraries."""
    (tmp_path / "python").symlink_to(sys.executable)
    name = written(tmp_path, 'name = "mine"\nfactory = "mine.py:Subject"\npython = "python"\n')
    assert definition(name).command[0] == str(tmp_path / "python")
    subject = loaded(name)
    assert subject.encode("a") == Encoded((1,))
    subject.close()


@pytest.mark.parametrize(
    ("build", "source", "is_stale"),
    [
        ("make", "Adapter.java", True),
        ("make", "src/tokenizer.hpp", True),
        ("make", "notes.txt", False),
        ("make", "node_modules/theirs.cc", False),
        ("make", ".git/old.rs", False),
        ("", "Adapter.java", False),
    ],
)
def test_a_program_that_is_older_than_its_source_is_to_be_built_again(
    build: str, source: str, is_stale: bool, tmp_path: Path
) -> None:
    """Fault: a port was mended but not built again, and nothing said why its findings were the same."""
    for number, file in enumerate(("old.java", "adapter.jar", source)):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (number, number))
    (tmp_path / "gone.java").symlink_to(tmp_path / "nowhere")
    name = written(tmp_path, f'name = "mine"\ncommand = ["java", "-jar", "adapter.jar"]\nbuild = "{build}"\n')
    told = f"{source} is newer than adapter.jar: build it again (cd {tmp_path} && make)"
    assert definition(name).stale == (told if is_stale else "")


def test_a_format_that_a_subject_does_not_name_is_not_read(tmp_path: Path) -> None:
    name = written(tmp_path, 'name = "mine"\nfactory = "mine.py:Subject"\nmodels = ["tiktoken"]\n')
    with pytest.raises(UnavailableError, match=r"it reads tiktoken, not tokenizer\.json"):
        loaded(name)
    loaded(name, "tiktoken").close()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "`name`"),
        ('name = "x"\n', "one of `command` and `factory`"),
        ('name = "x"\ncommand = ["a"]\nfactory = "a.py:A"\n', "one of `command` and `factory`"),
        ('name = "x"\ncommand = ["a"]\ncolour = "red"\n', "'colour' is not known"),
        ('name = "x"\ncommand = "java -jar a.jar"\n', '`command` is a list: command = ["java", "-jar", "a.jar"]'),
        ('name = "x"\ncommand = "it\'s"\n', '`command` is a list: command = ["it\'s"]'),
        ('name = "x"\ncommand = ["a"]\nmodels = "tiktoken"\n', '`models` is a list: models = ["tiktoken"]'),
        ('name = "x"\nfactory = "a.py"\n', "FILE.py:FACTORY"),
        ('name = "x"\ncommand = ["a"]\nmodel = "theirs"\n', '"own"'),
        ('name = "x"\ncommand = ["a"]\ntimeout = 0\n', "> 0.0"),
        ('name = "x"\ncommand = ["a"]\ntimeout = inf\n', "<= 3600.0"),
        ('name = "x"\ncommand = ["a", "\\u0000"]\n', "NUL"),
        ('name = "x"\ncommand = ["a"]\nenv = { A = "\\u0000" }\n', "NUL"),
        ('name = "x"\ncommand = ["a"]\nenv = { "A=B" = "" }\n', "`env`"),
        ("name = [", "is no subject.toml"),
        ("\udcff", "is no subject.toml"),
    ],
)
def test_a_subject_file_of_another_form_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "subject.toml"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        definition(str(path))
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


def test_what_is_no_regular_file_is_not_read(tmp_path: Path) -> None:
    """Else a pipe is waited for, and /dev/zero has no end."""
    os.mkfifo(tmp_path / "subject.toml")
    with pytest.raises(UsageError, match="there is no such file"):
        definition(str(tmp_path / "subject.toml"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no-such-program-here", "there is no program no-such-program-here"),
        ("no-such-program-here --fast", "there is no program no-such-program-here"),
        ("'unclosed", "is no command"),
        ("", "names nothing"),
        ("nowhere/mine.py:Mine", "there is no file"),
    ],
)
def test_a_subject_that_is_not_there_is_told(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_definition(name, ("tokenizers",))


def test_a_subject_of_a_user_is_told_from_the_built_in_ones(tmp_path: Path) -> None:
    """Else it would stand in the place of the official library, and be the measure of all others."""
    with pytest.raises(UsageError, match="would be called tokenizers"):
        check_subject_name(written(tmp_path, 'name = "tokenizers"\nfactory = "mine.py:Subject"\n'))


def test_a_program_that_is_to_be_built_says_how(tmp_path: Path) -> None:
    name = written(tmp_path, 'name = "mine"\ncommand = ["./build/tok"]\nbuild = "make"\n')
    with pytest.raises(UsageError, match=rf"is it built\? \(cd {tmp_path} && make\)"):
        check_definition(name, ())


def test_a_factory_is_given_the_encoding_and_the_options_that_it_takes(tmp_path: Path) -> None:
    name = written(tmp_path, 'name = "mine"\nfactory = "mine.py:Subject"\n[options]\nlegacy = true\n')
    (tmp_path / "mine.py").write_text(
        "class Subject:\n"
        "    def __init__(self, path, *, options, encoding):\n"
        "        self.version = f'{encoding} {options}'\n"
        "    def encode(self, text, special): return [1]\n"
        "    def decode(self, ids, skip): return 'a'\n",
        "utf-8",
    )
    model = Model(path="", format="tiktoken", sha256="", encoding="gpt2")
    subject = IsolatedSubject(definition(name), model, 60.0)
    assert subject.version == "gpt2 {'legacy': True}"
    subject.close()


def test_a_folder_in_the_place_of_its_subject_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    written(tmp_path / "mine", 'name = "mine"\ncommand = ["cat"]\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"--subject mine: is a folder: name its file, mine/subject\.toml"):
        check_definition("mine", ())


@pytest.mark.parametrize(
    ("file", "way"),
    [
        ("adapter.mjs", "name what runs it as well, 'node {}', or its subject.toml"),
        ("Adapter.java", "name what runs it as well, 'java {}', or its subject.toml"),
        ("main.rs", "name the program that is built from it, or its subject.toml"),
        ("adapter", "make it one (chmod +x {}), or name what runs it as well, or its subject.toml"),
    ],
)
def test_a_file_that_cannot_be_run_is_told_with_what_runs_it(file: str, way: str, tmp_path: Path) -> None:
    """Fault: a Java file was to be run by node; and before that, it was told to be missing."""
    (tmp_path / file).touch()
    name = str(tmp_path / file)
    with pytest.raises(UsageError) as caught:
        check_definition(name, ())
    assert str(caught.value) == f"--subject {name}: is no program that can be run: {way.format(name)}"


def test_a_source_file_as_the_command_of_a_subject_file_is_told_with_what_runs_it(tmp_path: Path) -> None:
    name = written(tmp_path, 'name = "mine"\ncommand = ["mine.py"]\n')
    with pytest.raises(UsageError, match=r": mine\.py is no program .*'python3 mine\.py', in `command`$"):
        check_definition(name, ())


def test_a_misspelt_file_of_a_command_is_told_with_the_folder_it_was_looked_for_in(tmp_path: Path) -> None:
    """Its own message names the empty folder in which it ran."""
    name = written(tmp_path, f'name = "mine"\ncommand = [{sys.executable!r}, "mime.py", "--fast"]\n')
    with pytest.raises(UnavailableError, match=rf"there is no file mime\.py in {tmp_path}$"):
        loaded(name)


@pytest.mark.parametrize(
    ("spelled", "name"), [("js", "JavaScript"), ("javascript", "JavaScript"), ("c++", "C++"), ("cs", "C#")]
)
def test_a_language_has_one_name_however_it_is_spelled(spelled: str, name: str, tmp_path: Path) -> None:
    about = definition(written(tmp_path, f'name = "mine"\ncommand = ["cat"]\nlanguage = "{spelled}"\n')).about
    assert about is not None
    assert about.language == name


def test_a_format_that_there_is_not_is_refused_by_name(tmp_path: Path) -> None:
    """Fault: such a subject read no model, and nobody was told why."""
    name = written(tmp_path, 'name = "mine"\ncommand = ["cat"]\nmodels = ["tiktoken", "tokenizers.json"]\n')
    with pytest.raises(InputError, match=r"`models` has 'tokenizers\.json', not one of tokenizer\.json, "):
        check_subject_name(name)
