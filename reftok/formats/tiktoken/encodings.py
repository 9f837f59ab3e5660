"""The published encodings: the pattern and the special tokens that belong to a rank file but are not in it.

Sources: tiktoken 0.14 tiktoken_ext/openai_public.py for those of OpenAI, and openai/whisper whisper/tokenizer.py;
meta-llama/llama-models models/llama3/tokenizer.py and models/llama4/tokenizer.py; tokenization_qwen.py of
Qwen/Qwen-7B; tokenization_chatglm.py of THUDM/glm-4-9b; tokenization_kimi.py and tokenizer_config.json of
moonshotai/Kimi-K2-Instruct. The numbers of ranks are those of the published files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from reftok.rules.byte_level import from_byte_characters

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_END = r"|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3_PATTERN = rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*{_END}"
QWEN_PATTERN = rf"{_CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*{_END}"


def _words_by_case(outside: str) -> str:
    """Capitals before small letters, in one word or the other. outside: what is taken out of both classes."""
    upper = rf"[\p{{Lu}}\p{{Lt}}\p{{Lm}}\p{{Lo}}\p{{M}}{outside}]"
    lower = rf"[\p{{Ll}}\p{{Lm}}\p{{Lo}}\p{{M}}{outside}]"
    words = (f"{upper}*{lower}+", f"{upper}+{lower}*")
    return "|".join(rf"[^\r\n\p{{L}}\p{{N}}]?{word}{_CONTRACTION}?" for word in words)


O200K_PATTERN = rf"{_words_by_case('')}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*{_END}"
KIMI_PATTERN = (
    r"[\p{Han}]+|" + _words_by_case(r"&&[^\p{Han}]") + rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*{_END}"
)


@dataclass(frozen=True, slots=True)
class RankEncoding:
    """The pattern and the special tokens of an encoding, which its rank file does not hold.

    pattern: in the syntax of Rust's fancy-regex, where `$` is the end of the text.
    special_tokens: name to id. Where two names share an id, the last one is what the id decodes to.
    sha256: of the published file, "" where it is not known. Of the encodings of one file the first is recognised.
    ranks: how many the published file has.
    file_name: of the published file, "" where many tokenizers use that name.
    """

    name: str
    pattern: str
    special_tokens: Mapping[str, int]
    sha256: str = ""
    ranks: int = 0
    file_name: str = ""


def _numbered(start: int, names: Iterable[str]) -> dict[str, int]:
    return {name: token_id for token_id, name in enumerate(names, start)}


def _reserved(kind: str, first: int, count: int) -> list[str]:
    return [f"<|{kind}reserved_special_token_{number}|>" for number in range(first, first + count)]


def _llama3_special_tokens() -> dict[str, int]:
    reserved = _reserved("", 0, 251)
    names = ["<|begin_of_text|>", "<|end_of_text|>", *reserved[:4], "<|start_header_id|>", "<|end_header_id|>"]
    return _numbered(128000, [*names, reserved[4], "<|eot_id|>", *reserved[5:]])


def _llama3_1_special_tokens() -> dict[str, int]:
    names = ["<|begin_of_text|>", "<|end_of_text|>", *_reserved("", 0, 2), "<|finetune_right_pad_id|>", "<|step_id|>"]
    names += ["<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>", "<|python_tag|>", "<|image|>"]
    return _numbered(128000, names + _reserved("", 2, 244))


def _llama4_special_tokens() -> dict[str, int]:
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>"]
    names += ["<|header_start|>", "<|header_end|>", "<|eom|>", "<|eot|>", "<|step|>"]
    names += _reserved("text_post_train_", 0, 6)
    names += ["<|python_start|>", "<|python_end|>", "<|finetune_right_pad|>", *_reserved("text_post_train_", 8, 61)]
    names += ["<|image_start|>", "<|image_end|>", *_reserved("vision_", 0, 2), "<|tile_x_separator|>"]
    names += [
        "<|tile_y_separator|>",
        *_reserved("vision_", 2, 4),
        "<|image|>",
        *_reserved("vision_", 6, 1),
        "<|patch|>",
    ]
    names += [*_reserved("vision_", 7, 1041), *_reserved("reasoning_", 0, 8)]
    names += ["<|reasoning_thinking_start|>", "<|reasoning_thinking_end|>"]
    return _numbered(200000, names + _reserved("", 0, 2048 - len(names)))


def _harmony_special_tokens() -> dict[str, int]:
    """Two names share the id 200018; tiktoken decodes it to <|endofprompt|>."""
    names = {200002: "return", 200003: "constrain", 200005: "channel", 200006: "start", 200007: "end"}
    names |= {199998: "startoftext", 199999: "endoftext", 200008: "message", 200012: "call"}
    numbered = {f"<|{names.get(token_id, f'reserved_{token_id}')}|>": token_id for token_id in range(199998, 201088)}
    return {**numbered, "<|endofprompt|>": 200018}


_WHISPER_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml "
    "cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am "
    "yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue"
)


def _whisper_special_tokens(start: int, languages: int) -> dict[str, int]:
    """Large-v3 has 100 languages, the models before it and the English ones have 99."""
    names = ["endoftext", "startoftranscript", *_WHISPER_LANGUAGES.split()[:languages], "translate", "transcribe"]
    names += ["startoflm", "startofprev", "nospeech", "notimestamps"]
    times = [f"{step * 0.02:.2f}" for step in range(1501)]
    return _numbered(start, [f"<|{name}|>" for name in names + times])


_KIMI_NAMES = {
    163584: "[BOS]",
    163585: "[EOS]",
    163586: "<|im_end|>",
    163587: "<|im_user|>",
    163588: "<|im_assistant|>",
    163590: "<|start_header_id|>",
    163591: "<|end_header_id|>",
    163593: "[EOT]",
    163594: "<|im_system|>",
    163595: "<|tool_calls_section_begin|>",
    163596: "<|tool_calls_section_end|>",
    163597: "<|tool_call_begin|>",
    163598: "<|tool_call_argument_begin|>",
    163599: "<|tool_call_end|>",
    163601: "<|im_middle|>",
    163838: "[UNK]",
    163839: "[PAD]",
}


def kimi_special_tokens(names: Mapping[int, str] = _KIMI_NAMES) -> dict[str, int]:
    """The 256 special tokens of Kimi, those without a name numbered. names: id to name, as in tokenizer_config.json.

    >>> kimi_special_tokens({163584: "<s>"})["<|reserved_token_163585|>"]
    163585
    """
    ids = range(163584, 163584 + 256)
    return {names.get(token_id, f"<|reserved_token_{token_id}|>"): token_id for token_id in ids}


_ENDOFTEXT = "<|endoftext|>"
_FIM = ("<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>")
_QWEN = [_ENDOFTEXT, "<|im_start|>", "<|im_end|>", *(f"<|extra_{number}|>" for number in range(205))]
_GLM4 = [_ENDOFTEXT, "[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>", "<|system|>", "<|user|>", "<|assistant|>"]
_GLM4 += ["<|observation|>", "<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>", "<|end_of_video|>"]

_R50K = ("306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930", 50256, "r50k_base.tiktoken")
_P50K = ("94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069", 50280, "p50k_base.tiktoken")
_CL100K = ("223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7", 100256, "cl100k_base.tiktoken")
_O200K = ("446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d", 199998, "o200k_base.tiktoken")
_WHISPER_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = ("82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55", 128000)
_LLAMA4 = ("d0bdbaf59b0762c8c807617e2d8ea51420eb1b1de266df2495be755c8e0ed6ed", 200000)

ENCODINGS: Mapping[str, RankEncoding] = {
    encoding.name: encoding
    for encoding in (
        RankEncoding("r50k_base", GPT2_PATTERN, {_ENDOFTEXT: 50256}, *_R50K),
        RankEncoding("gpt2", GPT2_PATTERN, {_ENDOFTEXT: 50256}, *_R50K),
        RankEncoding("p50k_base", GPT2_PATTERN, {_ENDOFTEXT: 50256}, *_P50K),
        RankEncoding("p50k_edit", GPT2_PATTERN, {_ENDOFTEXT: 50256, **_numbered(50281, _FIM)}, *_P50K),
        RankEncoding(
            "cl100k_base",
            CL100K_PATTERN,
            {**_numbered(100257, (_ENDOFTEXT, *_FIM)), "<|endofprompt|>": 100276},
            *_CL100K,
        ),
        RankEncoding("o200k_base", O200K_PATTERN, {_ENDOFTEXT: 199999, "<|endofprompt|>": 200018}, *_O200K),
        RankEncoding("o200k_harmony", O200K_PATTERN, _harmony_special_tokens(), *_O200K),
        RankEncoding("llama3", LLAMA3_PATTERN, _llama3_special_tokens(), *_LLAMA3),
        RankEncoding("llama3.1", LLAMA3_PATTERN, _llama3_1_special_tokens(), *_LLAMA3),
        RankEncoding("llama4", O200K_PATTERN, _llama4_special_tokens(), *_LLAMA4),
        RankEncoding("qwen", QWEN_PATTERN, _numbered(151643, _QWEN), "", 151643, "qwen.tiktoken"),
        RankEncoding("glm4", LLAMA3_PATTERN, _numbered(151329, _GLM4), "", 151329),
        RankEncoding("whisper_english", _WHISPER_PATTERN, _whisper_special_tokens(50256, 99), "", 50256),
        RankEncoding("whisper_multilingual", _WHISPER_PATTERN, _whisper_special_tokens(50257, 99), "", 50257),
        RankEncoding("whisper_large_v3", _WHISPER_PATTERN, _whisper_special_tokens(50257, 100), "", 50257),
        RankEncoding("kimi_k2", KIMI_PATTERN, kimi_special_tokens(), "", 163584, "tiktoken.model"),
    )
}
"""The published encodings by name."""


def stands_for_bytes(content: str) -> bool:
    """Whether ByteLevel decodes a special token to other bytes than its own UTF-8.

    >>> stands_for_bytes("<s>"), stands_for_bytes("é"), stands_for_bytes("<漢>")
    (False, True, False)
    """
    return not content.isascii() and from_byte_characters(content) is not None
