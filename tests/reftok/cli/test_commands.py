"""The command `reftok`, as a process of its own."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import reftok
from reftok.cli.commands import EXAMPLES, main
from reftok.fast.decoder import FastDecoder
from reftok.fast.encoder import FastEncoder
from reftok.fast.memo import memo_limits


def run(*arguments: str, text: str | bytes = "") -> subprocess.CompletedProcess[bytes]:
    data = text.encode("utf-8") if isinstance(text, str) else text
    command = [sys.executable, "-m", "reftok", *arguments]
    return subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)


def test_encode_and_decode_are_inverse_through_pipes() -> None:
    lines = "Hello world\n\n日本語\n"
    encoded = run("encode", "bpe-qwen", text=lines)
    assert encoded.stdout.decode().splitlines() == [
        " ".join(map(str, reftok.load("bpe-qwen").encode(line).ids)) for line in lines.splitlines()
    ]
    decoded = run("decode", "bpe-qwen", text=encoded.stdout)
    assert decoded.stdout.decode("utf-8") == lines
    assert (encoded.returncode, decoded.returncode) == (0, 0)


def test_ids_that_no_token_has_are_named_beside_the_text_of_the_others() -> None:
    done = run("decode", "bpe-qwen", text="39\n99999999 39 88888888\n")
    assert (done.stdout, done.returncode) == (b"H\nH\n", 0)
    told = "reftok: standard input, line 2: no token of this model, left out: 99999999, 88888888\n"
    assert done.stderr.decode() == told


def test_only_a_line_feed_ends_a_line() -> None:
    done = run("encode", "bpe-qwen", "--tokens", text="a\u2028b\rc\x0bd\n")
    assert len(done.stdout.splitlines()) == 1


def test_encode_gives_ids_tokens_offsets_and_mask_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encode", "bpe-llama3", "--json", "hé"]) == 0
    value = json.loads(capsys.readouterr().out)
    encoding = reftok.load("bpe-llama3").encode("hé")
    assert value["ids"] == list(encoding.ids)
    assert value["tokens"] == list(encoding.tokens)
    assert value["offsets"] == [list(span) for span in encoding.offsets]
    assert value["special_tokens_mask"] == list(encoding.special_tokens_mask)


def test_special_tokens_are_left_out_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    ids = list(reftok.load("bpe-llama3").encode("a").ids)
    main(["encode", "bpe-llama3", "--no-special-tokens", "a"])
    assert capsys.readouterr().out == f"{ids[1]}\n"
    main(["decode", "bpe-llama3", *map(str, ids)])
    main(["decode", "bpe-llama3", "--keep-special-tokens", *map(str, ids)])
    assert capsys.readouterr().out == "a\n<|begin_of_text|>a\n"


def test_info_names_the_unicode_profile_and_every_stage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "bpe-qwen", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert value["unicode"] == {"AddedVocabulary": "16.0", "NFC": "9.0", "Split": "16.0"}
    assert [component["type"] for component in value["pre_tokenizers"]] == ["Split", "ByteLevel"]
    assert main(["info", "bpe-qwen"]) == 0
    told = capsys.readouterr().out
    assert "NFC  Unicode 9.0" in told
    assert value["caches"] == memo_limits()
    assert f"{memo_limits()['entries']:,} texts" in told


def test_info_lists_the_embedded_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info"]) == 0
    assert capsys.readouterr().out.split() == list(reftok.embedded_models())


def test_explain_is_plain_in_a_pipe_and_coloured_on_request() -> None:
    plain = run("explain", "bpe-gpt2", "Hello").stdout.decode("utf-8")
    coloured = run("explain", "bpe-gpt2", "--color", "always", "Hello").stdout.decode("utf-8")
    assert "rank" in plain
    assert "\x1b" not in plain
    assert "\x1b[1;36m" in coloured


@pytest.mark.parametrize(
    ("arguments", "text", "message"),
    [
        (["encode", "no-such-model", "a"], b"", "no such file or folder, and no embedded model"),
        (["encode", "bpe-gpt2"], b"good\nb\xffd\n", "standard input, line 2: byte 1 is not UTF-8"),
        (["decode", "bpe-gpt2", "twelve"], b"", "'twelve' is not an id"),
        (["decode", "bpe-gpt2", "--", "-1"], b"", "'-1' is not an id"),
        (["decode", "bpe-gpt2", "9" * 5000], b"", "is not an id"),
        (["decode", "spm-bpe", "99999999"], b"", "is not in the vocab"),
        (["decode", "spm-bpe"], b"5\n6 x\n", "standard input, line 2: 'x' is not an id"),
        (["decode", "spm-bpe"], b"5\n99999999\n", "standard input, line 2: id 99999999 is not in the vocab"),
        (["info", "bpe-gpt2", "--encoding", "nothing"], b"", "nothing"),
    ],
)
def test_a_mistake_is_told_in_a_line_with_exit_code_2(arguments: list[str], text: bytes, message: str) -> None:
    done = run(*arguments, text=text)
    assert done.returncode == 2
    assert message in done.stderr.decode("utf-8")
    assert done.stderr.startswith(b"reftok: ")
    assert len(done.stderr.splitlines()) == 1


def test_what_was_encoded_before_a_bad_line_is_not_lost() -> None:
    assert run("encode", "bpe-gpt2", text=b"a\n\xff\n").stdout.count(b"\n") == 1


def test_a_reader_that_goes_away_ends_the_command_quietly(tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("Hello world\n" * 20_000, "utf-8")
    command = f"{sys.executable} -m reftok encode bpe-gpt2 < {texts} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.stderr == b""
    assert len(done.stdout.splitlines()) == 1


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A line of bash in which `reftok` is the command."""
    script = f'reftok() {{ {sys.executable} -m reftok "$@"; }}; {command}'
    variables = os.environ | environment
    return subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=False, env=variables)


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("reftok encode bpe-gpt2 a > /dev/full", b"No space left on device"),
        ("reftok encode bpe-gpt2 a >&-", b"standard output is closed"),
        ("reftok encode bpe-gpt2 <&-", b"standard input is closed"),
    ],
)
def test_a_stream_that_cannot_be_used_is_told_in_a_line(command: str, problem: bytes) -> None:
    done = shell(command)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"reftok: ")
    assert done.stderr.splitlines() == [done.stderr.rstrip(b"\n")]
    assert problem in done.stderr


def test_a_pipe_carries_utf_8_whatever_the_locale_says() -> None:
    done = shell("reftok encode bpe-gpt2 --tokens é", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout) == ["Ã©"]
    assert done.stderr == b""


def test_explain_takes_a_text_or_ids_and_not_both(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "bpe-gpt2", "a", "--ids", "1"]) == 2
    assert "not both" in capsys.readouterr().err


def test_zeros_before_an_id_do_not_change_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decode", "bpe-gpt2", "0" * 30 + "39"]) == 0
    assert capsys.readouterr().out == f"{reftok.load('bpe-gpt2').decode([39])}\n"


@pytest.mark.parametrize(
    "line",
    [
        line
        for line in EXAMPLES.splitlines()
        if line.startswith(("  reftok encode", "  reftok decode")) and "<" not in line and "--plain" not in line
    ],
)
def test_the_examples_of_the_help_give_what_they_say(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, result = re.split(" {3,}", line.strip(), maxsplit=1)
    assert main(shlex.split(command)[1:]) == 0
    assert capsys.readouterr().out == f"{result}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["encode", "bpe-qwen", "Hello world"],
        ["encode", "spm-unigram", "--json", "a \u2603"],
        ["decode", "bpe-qwen", *["39", "3517", "338", "290", "2085"]],
        ["explain", "spm-bpe", "Hello"],
        ["explain", "spm-bpe", "--ids", "371 2373"],
    ],
)
def test_the_plain_rules_alone_give_the_same_and_the_fast_path_is_not_asked(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(arguments) == 0
    expected = capsys.readouterr().out
    assert expected
    for fast, names in ((FastEncoder, ("tokens_of", "ids")), (FastDecoder, ("decoded",))):
        for name in names:
            monkeypatch.setattr(fast, name, None)
    assert main([*arguments, "--plain"]) == 0
    assert capsys.readouterr().out == expected


def test_a_long_text_is_explained_in_lines_whose_number_and_length_grow_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Not with its square, as the symbols after every merge of a whole text would."""
    main(["explain", "spm-bpe", "Hello world " * 50])
    short = len(capsys.readouterr().out)
    main(["explain", "spm-bpe", "Hello world " * 200])
    assert len(capsys.readouterr().out) < 5 * short


def test_explain_takes_standard_input_to_its_last_line_feed() -> None:
    assert run("explain", "bpe-qwen", text="a\r\nb\r\n").stdout.decode("utf-8").startswith(r"text  'a\r\nb\r\n'")


def test_info_says_which_file_of_a_folder_it_speaks_of() -> None:
    folder = reftok.embedded_models()["spm-bpe"].parent
    assert str(folder / "tokenizer.model") in run("info", str(folder)).stdout.decode("utf-8")


HOSTILE = "\x1b[31m\x9b2J\u202e\u2066"


@pytest.mark.parametrize("model", [{HOSTILE: 1}, {"model": {"type": HOSTILE}}, {"normalizer": {"type": HOSTILE}}])
def test_what_a_file_says_is_no_command_to_the_terminal(
    model: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fault: the names of keys and types that are not known were printed as they are, escape sequences and all."""
    path = tmp_path / f"{HOSTILE}.json"
    empty = {"normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None, "added_tokens": []}
    path.write_text(json.dumps({**empty, "model": {"type": "BPE", "vocab": {}, "merges": []}, **model}), "ascii")
    assert main(["info", str(path)]) == 2
    assert not {*HOSTILE} - {*"[31m2J"} & {*capsys.readouterr().err}


def test_an_argument_that_is_not_known_is_no_command_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["info", "bpe-gpt2", f"--{HOSTILE}"])
    assert not {*HOSTILE} - {*"[31m2J"} & {*capsys.readouterr().err}


def test_json_has_what_commands_a_terminal_as_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "bpe-gpt2", "--json", HOSTILE]) == 0
    line = capsys.readouterr().out
    assert not {*HOSTILE} - {*"[31m2J"} & {*line}
    assert json.loads(line)["text"] == HOSTILE
