"""Chat templates are rendered as transformers renders them, and a template of a stranger is bounded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import reftok
from reftok.chat import rendering
from reftok.chat.rendering import chat_text
from reftok.chat.templates import ChatTemplates
from reftok.cli.commands import main
from reftok.errors import ChatRefused
from tests.models import load
from tests.reftok.official import added, bpe, tokenizer_json

USER = {"role": "user", "content": "Hi "}
TURNS = [{"role": "system", "content": "Be é"}, USER, {"role": "assistant", "content": " ok "}]


def text(source: str, messages: list[dict[str, Any]] | None = None, **options: Any) -> str:
    templates = ChatTemplates({"default": source}, {"default": "m/chat_template.jinja"}, {"bos_token": "<s>"})
    return chat_text(templates, messages or [USER], **options)


@pytest.mark.parametrize(
    ("template", "options", "expected"),
    [
        ("{% for m in messages %}\n{{ m.role }}\n  {% endfor %}\n.", {}, "user\n."),
        ("{{ bos_token }}{{ messages[0]['content'] }}|", {}, "<s>Hi |"),
        ("{{ tools | tojson }}", {"tools": [{"n": "é<'>"}]}, '[{"n": "é<\'>"}]'),
        (
            "{{ {'b': 1, 'a': [1, 2]} | tojson(indent=1, sort_keys=true) }}",
            {},
            '{\n "a": [\n  1,\n  2\n ],\n "b": 1\n}',
        ),
        ("{% if add_generation_prompt %}>{% endif %}", {"add_generation_prompt": True}, ">"),
        ("{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{% break %}{% endfor %}x", {}, "x"),
        ("{% generation %}{{ messages[0].content }}{% endgeneration %}.", {}, "Hi ."),
        ("{% set ns = namespace(n=1) %}{% set ns.n = 2 %}{{ ns.n }}{{ dict(a=1).a }}", {}, "21"),
        ("{{ messages[0].none is defined }}{{ enabled }}", {"variables": {"enabled": False}}, "FalseFalse"),
        ("{{ 1 ~ 'é' ~ none ~ messages[0].content }}", {}, "1éNoneHi "),
    ],
)
def test_a_template_is_rendered_with_the_options_and_names_of_transformers(
    template: str, options: dict[str, Any], expected: str
) -> None:
    assert text(template, **options) == expected


def test_a_key_that_is_none_is_missing_and_reasoning_has_both_names() -> None:
    message = {"role": "assistant", "content": None, "reasoning": "hm"}
    template = "{{ messages[0].content is defined }}{{ messages[0].thinking }}{{ messages[0].reasoning_content }}"
    assert text(template, [message]) == "Falsehmhm"


@pytest.mark.parametrize(
    ("template", "expected"),
    [("{{ messages[-1].content }}<end>", " ok "), ("{{ messages[-1].content | trim }}<end>", " ok".strip())],
)
def test_a_message_that_is_continued_ends_the_text(template: str, expected: str) -> None:
    assert text(template, TURNS, continue_final_message=True) == expected


@pytest.mark.parametrize(
    ("template", "options", "told"),
    [
        ("\n{{ raise_exception('only users') }}", {}, "m/chat_template.jinja: line 2: only users"),
        ("a\n{% if %}", {}, "m/chat_template.jinja: line 2: Expected an expression"),
        ("{{ messages[0].content + 1 }}", {}, "m/chat_template.jinja: line 1: can only concatenate str"),
        ("{{ messages.append(1) }}", {}, "is unsafe"),
        ("{{ ''.__class__ ~ (''.__class__.__mro__) }}", {}, "is unsafe"),
        ("{{ namespace(_x=1) }}", {}, "no name that begins with an underscore"),
        ("{% include '/etc/passwd' %}", {}, "no loader"),
        ("", {"template": "rag"}, "no chat template 'rag', but default: name one"),
        ("x", {"continue_final_message": True}, "the template does not read 'content'"),
        ("", {"continue_final_message": True, "add_generation_prompt": True}, "exclude each other"),
    ],
)
def test_what_a_template_refuses_or_does_wrong_is_told_with_its_file_and_line(
    template: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(ChatRefused) as refused:
        text(template, **options)
    assert told in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
        "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set n.x = n.x + n.x %}{% endfor %}",
        "{% set n = namespace(x='a') %}{% for i in range(99) %}{% set y %}{{ n.x }}{{ n.x }}{% endset %}"
        "{% set n.x = y %}{% endfor %}",
        "{% set n = namespace(x=[1]) %}{% for i in range(40) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x|tojson }}",
        "{% set n = namespace(x=[1]) %}{% for i in range(40) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
        "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
        "{{ 'a' * 10 ** 10 }}",
        "{{ [1] * 10 ** 10 }}",
        "{{ 9 ** 99999999 }}",
        "{{ 'a'.center(10 ** 10) }}",
        "{{ 'a' | indent(10 ** 9) }}",
        "{{ ('a' * 1000000).replace('a', 'b' * 1000000) }}",
        "{{ ('a' * 1000000) | replace('a', 'b' * 1000000) }}",
        "{{ ('x' * 100000).join(range(99999) | map('string') | list) }}",
        "{{ range(99999) | map('string') | join('x' * 100000) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ '{:>1000000000}'.format(1) }}",
        "{{ '{:>{}}'.format(1, 1000000000) }}",
        "{{ 'abc'.translate({97: 'x' * 4000000}) }}",
        "{{ [1] | batch(1000000000, 1) | list }}",
        "{{ lipsum(1000000) }}",
    ],
)
def test_a_template_of_a_stranger_takes_neither_all_memory_nor_all_time(template: str) -> None:
    with pytest.raises(ChatRefused):
        text(template)


def folder_with(folder: Path, files: Mapping[str, object]) -> Path:
    model = tokenizer_json(bpe(["a", "<s>"]), [added("<s>", special=True)])
    for name, content in {"tokenizer.json": model, **files}.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return folder


CONFIG = {"bos_token": "<s>", "chat_template": "config{{ bos_token }}"}


@pytest.mark.parametrize(
    ("files", "options", "expected"),
    [
        ({"tokenizer_config.json": CONFIG}, {}, "config<s>"),
        ({"tokenizer_config.json": CONFIG, "chat_template.jinja": "file{{ bos_token }}"}, {}, "file<s>"),
        (
            {"chat_template.jinja": "file", "additional_chat_templates/tool_use.jinja": "more"},
            {"tools": [{"n": 1}]},
            "more",
        ),
        (
            {
                "tokenizer_config.json": {
                    "chat_template": [{"name": "default", "template": "d"}, {"name": "rag", "template": "r"}]
                }
            },
            {"template": "rag"},
            "r",
        ),
    ],
)
def test_the_template_of_a_folder_is_that_of_the_file_that_counts(
    tmp_path: Path, files: Mapping[str, object], options: dict[str, Any], expected: str
) -> None:
    tokenizer = reftok.load(folder_with(tmp_path, files))
    chat = tokenizer.chat([USER], **options)
    assert chat.text == expected
    assert chat.ids == tuple(tokenizer.encode_ids(expected, add_special_tokens=False))


def test_a_chat_template_that_is_no_text_and_a_model_without_one_are_told(tmp_path: Path) -> None:
    with pytest.raises(ChatRefused, match="the model has no chat template: there is neither"):
        load("bpe-qwen").chat([USER])
    tokenizer = reftok.load(folder_with(tmp_path, {"tokenizer_config.json": {"chat_template": 7}}))
    assert tokenizer.encode_ids("a") == [0]
    with pytest.raises(ChatRefused, match=r"tokenizer_config\.json: chat_template: is neither a text nor a list"):
        tokenizer.chat([USER])


def test_there_is_no_second_bos() -> None:
    llama = load("bpe-llama3")
    bos = "<|begin_of_text|>"
    templates = ChatTemplates({"default": "{{ bos_token }}{{ messages[0].content }}"}, {}, {"bos_token": bos})
    chat = reftok.Tokenizer(replace(llama.rules, chat_templates=templates)).chat([USER])
    assert [llama.id_to_token(one) for one in chat.ids].count(bos) == 1


def test_without_jinja_it_is_said_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(rendering, "import_module", missing)
    with pytest.raises(ChatRefused, match=r'pip install "reftok\[chat\]"'):
        text("x")


def test_the_command_prints_the_text_or_the_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folder_with(tmp_path, {"chat_template.jinja": "<s>{% if add_generation_prompt %}<s>{% endif %}"})
    (tmp_path / "chat.json").write_text(json.dumps([USER]), "utf-8")
    given = ["chat", str(folder), str(tmp_path / "chat.json")]
    for options, told in ([], "<s><s>"), (["--ids"], "1 1\n"), (["--no-generation-prompt"], "<s>"):
        assert main([*given, *options]) == 0
        assert capsys.readouterr().out == told
    (tmp_path / "chat.json").write_text("{}", "utf-8")
    assert main(given) == 2
    assert "chat.json: is no list of messages" in capsys.readouterr().err
