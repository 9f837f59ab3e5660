"""Ports that get chat templates wrong are found by the check of chats, told once, and named."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import jinja2
import pytest
import tokenizers

import conformance
from conformance.core.finding import NO_RULE
from conformance.engine import chats
from conformance.engine.chat_edits import RULES
from reftok import Tokenizer, load
from reftok.chat.environment import ChatEnvironment
from tests.conformance.generators.tiny import added, tiny_json

TEMPLATE = """\
{{ bos_token }}
{%- if tools %}
<|tools|>{{ tools | tojson }}
{% endif %}
{% for message in messages %}
    {% if message.role not in ["system", "user", "assistant", "tool"] %}
        {{ raise_exception("no such role") }}
    {% endif %}
<|{{ message.role }}|>{{ message.content | trim if message.role == "user" else message.content }}<|end|>
{% endfor %}
{% if add_generation_prompt %}
<|assistant|>
{% endif %}
"""
SPECIAL = ("<|end|>", "<|user|>", "<|assistant|>")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model, which adds its BOS by a template of its own as well, with a chat template."""
    path = tmp_path_factory.mktemp("model") / "tokenizer.json"
    given = tiny_json()
    given["added_tokens"] += [
        {**added(token, special=True), "id": len(given["model"]["vocab"]) + 100 + index}
        for index, token in enumerate(SPECIAL)
    ]
    bos = next(token["id"] for token in given["added_tokens"] if token["content"] == "<s>")
    given["post_processor"] = {"type": "BertProcessing", "cls": ["<s>", bos], "sep": ["<s>", bos]}
    path.write_text(json.dumps(given), "utf-8")
    path.with_name("chat_template.jinja").write_text(TEMPLATE, "utf-8")
    path.with_name("tokenizer_config.json").write_text('{"bos_token": "<s>"}', "utf-8")
    return path


class Alone:
    """The reference without chats."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tokenizer: Tokenizer = load(path)

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return self.tokenizer.encode_ids(text, add_special_tokens=add_special_tokens)

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=skip_special_tokens)


class Port(Alone):
    """A port that renders by Jinja itself, as a program that has no reftok does it, and makes mistakes."""

    trims = keeps_indents = True
    raises = True
    escaped: Mapping[int, str] = MappingProxyType({})

    def source(self) -> str:
        return TEMPLATE

    def taken(self, given: dict[str, Any]) -> dict[str, Any]:
        """What the template is given."""
        return given

    def ids(self, text: str, messages: list[Any]) -> list[int]:
        return self.encode(text, False)

    def written(self, text: str) -> str:
        return text

    def chat(self, messages: list[Any], tools: list[Any] | None, add_generation_prompt: bool) -> dict[str, Any]:
        environment = jinja2.Environment(trim_blocks=self.trims, lstrip_blocks=self.keeps_indents)
        of_json = ChatEnvironment().filters["tojson"]
        environment.filters["tojson"] = lambda value: of_json(value).translate(self.escaped)
        environment.globals["raise_exception"] = self.refuse
        given = {"messages": messages, "tools": tools, "add_generation_prompt": add_generation_prompt}
        text = environment.from_string(self.source()).render(bos_token="<s>", **self.taken(given))
        text = self.written(text)
        return {"text": text, "ids": self.ids(text, messages)}

    def refuse(self, message: str) -> str:
        if self.raises:
            raise ValueError(message)
        return ""


def takes(change: Callable[[dict[str, Any]], dict[str, Any]]) -> type[Port]:
    return type("Takes", (Port,), {"taken": lambda self, given: {**given, **change(given)}})


def encodes(ids: Callable[[Port, str, list[Any]], list[int]]) -> type[Port]:
    return type("Encodes", (Port,), {"ids": ids})


def has(**attributes: Any) -> type[Port]:
    return type("Has", (Port,), attributes)


def stripped(given: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [{**one, "content": one["content"].strip()} for one in given["messages"]]}


def without_system(given: dict[str, Any]) -> dict[str, Any]:
    return {"messages": [one for one in given["messages"] if one["role"] != "system"]}


def escaped(port: Port, text: str, messages: list[Any]) -> list[int]:
    """What the template writes has special tokens, and each content none."""
    ids: list[int] = []
    for content in filter(None, (message["content"].strip() for message in messages)):
        before, found, text = text.partition(content)
        ids += [*port.encode(before, False), *text_ids(port, found)]
    return [*ids, *port.encode(text, False)]


def text_ids(port: Port, text: str) -> list[int]:
    """The ids of a text whose special tokens are text, by the official library."""
    official = tokenizers.Tokenizer.from_file(str(port.path))
    official.encode_special_tokens = True
    return list(official.encode(text, add_special_tokens=False).ids)


DEFECTS: tuple[tuple[type[Port], str], ...] = (
    (encodes(lambda port, text, _: [port.encode("<s>", False)[0], *port.encode(text, False)]), "BOS is doubled"),
    (has(written=lambda self, text: "<s>" + text), "BOS is doubled"),
    (encodes(lambda port, text, _: port.encode(text, False)[1:]), "BOS is missing"),
    (has(written=lambda self, text: text[3:]), "BOS is missing"),
    (encodes(lambda port, text, _: port.encode(text, True)), "special tokens are added to those of the template"),
    (takes(lambda given: {"add_generation_prompt": False}), "the generation prompt is missing"),
    (takes(lambda given: {"add_generation_prompt": True}), "the generation prompt is always added"),
    (takes(stripped), "contents are trimmed"),
    (has(source=lambda self: TEMPLATE.replace(" | trim", "")), "contents are not trimmed"),
    (has(trims=False), "trim_blocks is off"),
    (has(keeps_indents=False), "lstrip_blocks is off"),
    (has(trims=False, keeps_indents=False), "trim_blocks and lstrip_blocks are off"),
    (has(escaped={ord(one): f"\\u{ord(one):04x}" for one in "<>&'"}), "tojson escapes what HTML reserves"),
    (takes(lambda given: {"tools": None}), "tools are ignored"),
    (takes(without_system), "the system message is dropped"),
    (has(written=lambda self, text: text[: -text.endswith("\n") or None]), "the last newline is lost"),
    (encodes(escaped), "special tokens in contents are not encoded as tokens"),
    (
        encodes(lambda port, text, _: text_ids(port, text)),
        "special tokens of the template are not encoded as tokens",
    ),
    (has(raises=False), "what the template refuses is rendered"),
)


def run(subject: object, model: Path) -> conformance.Run:
    """A run with all checks."""
    corpus = model.with_name("texts.jsonl")
    corpus.write_text('{"text": "ab"}\n', "ascii")
    return conformance.run(subject, model, corpora=[corpus], inputs=["corpora"])


def findings(subject: object, model: Path) -> list[tuple[str, str, str]]:
    """Check, stage and rule of what a run finds."""
    done = run(subject, model)
    return [(one.example.check, one.stage, one.rule) for one in done.findings if one.status == "new"]


@pytest.mark.parametrize(("defect", "rule"), DEFECTS, ids=[rule for _, rule in DEFECTS])
def test_a_planted_defect_is_told_once_and_named(model: Path, defect: type[Port], rule: str) -> None:
    assert findings(defect(model), model) == [("chat", "Chat", rule)]


def test_every_rule_has_a_planted_defect() -> None:
    assert {rule for _, rule in DEFECTS} == RULES


class TextAlone(Port):
    def chat(self, *given: Any) -> dict[str, Any]:
        return {"text": super().chat(*given)["text"]}


class ChatsAlone(Port):
    """Renders chats and has no tokenizer, as a re-implementation of Jinja."""

    capabilities: ClassVar = {"encode": None, "decode": None}

    def chat(self, messages: Any, tools: Any, add_generation_prompt: bool) -> dict[str, Any]:
        return {"text": super().chat(messages, tools, False)["text"]}


class NothingElse:
    """The same, without any other method."""

    def __init__(self, path: Path) -> None:
        self.chat = ChatsAlone(path).chat


@pytest.mark.parametrize("subject", [ChatsAlone, NothingElse])
def test_a_subject_that_renders_chats_and_does_not_encode_is_held_to_them(
    model: Path, subject: Callable[[Path], object]
) -> None:
    """Fault: its chats were asked and dropped, and the run said that nothing was compared; or it was refused."""
    assert findings(subject(model), model) == [("chat", "Chat", "the generation prompt is missing")]


class WrongIds(Port):
    """Other ids of every text, which other checks tell."""

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        return super().encode(text.replace("e", ""), add_special_tokens)


class NoRule(Port):
    def written(self, text: str) -> str:
        return text.replace("l", "L")


class Nonsense(Port):
    def chat(self, *given: Any) -> dict[str, Any]:
        return {"tokens": super().chat(*given)["ids"]}


@pytest.mark.parametrize(
    ("subject", "due"),
    [
        (Port, set()),
        (TextAlone, set()),
        (NoRule, {("chat", "", f"{NO_RULE}: other text of a chat")}),
        (Nonsense, {("chat", "", "nonsense")}),
    ],
)
def test_what_a_port_offers_is_compared(model: Path, subject: type[Port], due: set[tuple[str, str, str]]) -> None:
    assert set(findings(subject(model), model)) == due


def test_wrong_ids_of_all_texts_are_not_told_again(model: Path) -> None:
    assert "chat" not in {check for check, *_ in findings(WrongIds(model), model)}


def trimmed_answers(given: dict[str, Any]) -> dict[str, Any]:
    is_answer = [one["role"] == "assistant" for one in given["messages"]]
    pairs = zip(is_answer, given["messages"], stripped(given)["messages"], strict=True)
    return {"messages": [trimmed if answers else one for answers, one, trimmed in pairs]}


@pytest.mark.parametrize(
    ("defect", "rule"),
    [(takes(stripped), "contents are trimmed"), (takes(trimmed_answers), f"{NO_RULE}: other text of a chat")],
)
def test_a_conversation_of_the_user_s_is_asked_and_others_tell_mistakes_apart(
    model: Path, defect: type[Port], rule: str
) -> None:
    text = '{"chat":{"messages":[{"role": "assistant", "content": " a"}]}}'
    (finding,) = conformance.compare(defect(model), model, text)
    assert (finding.example.check, finding.rule) == ("chat", rule)


def test_where_jinja2_is_missing_that_is_said_with_the_way_out(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reftok.chat.rendering._LEAST_JINJA", (99,))
    done = run(DEFECTS[0][0](model), model)
    assert done.findings == ()
    (about,) = [one for one in done.subjects if one.role == "subject"]
    assert [one for one in about.untested if one.endswith(chats.INSTALL)] != []


@pytest.mark.parametrize("subject", [Alone, Port])
def test_without_a_template_or_a_subject_that_renders_nothing_more_is_asked(
    tmp_path: Path, subject: type[Alone]
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tiny_json()), "utf-8")
    if subject is Alone:
        path.with_name("chat_template.jinja").write_text(TEMPLATE, "utf-8")
    done = run(subject(path), path)
    assert done.verdict == "as expected"
    assert [one for one in done.cells if one.check == "chat" and one.compared] == []
    assert done.cases == 1


def test_a_subject_in_a_process_of_its_own_renders_the_same(model: Path) -> None:
    """By the message of the protocol; of what it raises and of what it gives beside the text."""
    mine = model.with_name("mine.py")
    mine.write_text(
        "import reftok\n"
        "class Mine:\n"
        "    def __init__(self, path): self.tokenizer = reftok.load(path)\n"
        "    def encode(self, text, special): return self.tokenizer.encode_ids(text, add_special_tokens=special)\n"
        "    def decode(self, ids, skips): return self.tokenizer.decode(ids, skip_special_tokens=skips)\n"
        "    def chat(self, messages, tools, prompts):\n"
        "        chat = self.tokenizer.chat(messages, tools=None, add_generation_prompt=prompts)\n"
        "        return {'text': chat.text, 'ids': list(chat.ids)}\n",
        "ascii",
    )
    assert findings(f"{mine}:Mine", model) == [("chat", "Chat", "tools are ignored")]
