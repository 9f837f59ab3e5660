"""A run made by hand: passing cells, new findings (hostile ones among them), a known one, empty cells, problems."""

from __future__ import annotations

from dataclasses import replace

from conformance.core.case import Case, bytes_case, ids_case, text_case
from conformance.core.evidence import NO_EVIDENCE, Evidence, SeenToken, StageDifference, StreamStep
from conformance.core.finding import Finding, Mismatch, Severity
from conformance.core.run import Absence, Cell, LanguageCell, ModelInfo, Run, SubjectInfo

CHECKS = (
    "ids",
    "tokens",
    "offsets",
    "special tokens mask",
    "decode",
    "round trip",
    "stream decode",
    "stream encode",
    "batch = single",
)
SUBJECTS = ("tokenizers", "sentencepiece", "reftok", "planted-nfc")
MODELS = ("llama-3-mini", "gpt2-mini", "gemma-unigram-mini")

SCRIPT = '</code></script><script>document.documentElement.dataset.harmed = "yes"</script><img src=x onerror=alert(1)>'
BIDI = "abc\u202etxt.exe\u2066 \u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd"
CONTROLS = "\x00\x1b[31mred\x1b[0m\x9b\r\n\ud800\ufffe\u200b"
LONG = "x" * 100_000
MARKDOWN = "a|b `c` ``d`` <b>bold</b> @someone *e* [f](javascript:alert(1))"


def finding(
    case: Case,
    rule: str,
    severity: Severity = "other ids",
    *,
    model: str = "gpt2-mini",
    subject: str = "planted-nfc",
    check: str = "ids",
    expected: str = "[15496, 995]",
    observed: str = "[15496, 1879]",
    stage: str = "Normalizer",
    count: int = 1,
    evidence: Evidence = NO_EVIDENCE,
) -> Finding:
    """A new finding."""
    example = Mismatch(model, subject, check, rule, severity, case, expected, observed, evidence)
    return Finding(
        example,
        count,
        languages=("de-Latn", "vi-Latn"),
        stage=stage,
        rule=rule,
        oracle="tokenizers 0.21.0",
        replay=f"conformance replay --model {model} --subject {subject} --check '{check}'",
    )


HOSTILE_EVIDENCE = Evidence(
    expected=(SeenToken(1, SCRIPT, (0, 9)), SeenToken(2, CONTROLS, (9, 10))),
    observed=(SeenToken(1, BIDI, (0, 9)),),
    stage=StageDifference(SCRIPT, (SCRIPT, CONTROLS), (BIDI, ""), SCRIPT, CONTROLS),
    stream=(StreamStep(SCRIPT, CONTROLS), StreamStep(BIDI, LONG, is_wrong=True), StreamStep("", "")),
    stream_use=SCRIPT,
)
TOKENS = (
    SeenToken(68, "e", (0, 1)),
    SeenToken(136, "Ì", (1, 2)),
    SeenToken(243, "ģ", (1, 2)),
    SeenToken(220, "Ġ", (2, 3)),
)
EVIDENCE = Evidence(
    expected=TOKENS,
    observed=(SeenToken(2634, "é"), SeenToken(220, "Ġ")),
    is_cut=True,
    stage=StageDifference(
        "Normalizer", ("e\u0301 x",), ("\u00e9 x",), "tokenizers 0.21.0", "reftok where NFC is added"
    ),
)
STREAM_EVIDENCE = Evidence(
    decoded=(SeenToken(50256, "<|endoftext|>"), SeenToken(0, "!")),
    stream=(StreamStep("50256 <|endoftext|>", ""), StreamStep("0 !", "!!", is_wrong=True), StreamStep("", "")),
    stream_use="after 2 chunks that a reset forgets",
)

HOSTILE = (
    finding(
        text_case(SCRIPT, "fuzz:text:1"),
        "markup in the text",
        expected=SCRIPT,
        observed=SCRIPT[:9],
        evidence=HOSTILE_EVIDENCE,
    ),
    finding(
        text_case(BIDI, "fuzz:text:2"),
        "bidi controls are dropped",
        "other text",
        check="decode",
        expected=BIDI,
        observed="abc",
    ),
    finding(text_case(CONTROLS, "fuzz:text:3"), CONTROLS, expected=CONTROLS, observed="\ud800"),
    finding(text_case(LONG, "fuzz:text:4"), "a very long line", expected=LONG, observed=LONG[:-1]),
    finding(text_case(MARKDOWN, "fuzz:text:5"), MARKDOWN, "special-token injection", check="tokens", stage=""),
)

PLAIN = (
    finding(
        text_case("e\u0301 \U0001f937\U0001f3fd\u200d\u2642\ufe0f", "corpora/languages/vi-Latn.txt:12", "vi-Latn"),
        "composes e and U+0301 where the model's normalizer does not",
        expected="[68, 136, 220, 8582, 97, 115]",
        observed="[2634, 220, 8582, 97, 115]",
        count=1_204,
        evidence=EVIDENCE,
    ),
    finding(
        bytes_case(b"\xc3(\xff A", "fuzz:bytes:7"),
        "an invalid byte becomes one U+FFFD too many",
        "offsets only",
        check="offsets",
        expected="(0, 1), (1, 2), (2, 3)",
        observed="(0, 1), (1, 3)",
        stage="PreTokenizer",
        count=17,
    ),
    finding(
        ids_case((50256, 0, 1, 99_999), "fuzz:ids:3"),
        "an id outside the vocab ends the process",
        "no answer",
        check="stream decode",
        expected='<|endoftext|>!"',
        observed="crashed: signal 11",
        stage="Decoder",
        count=2,
        evidence=STREAM_EVIDENCE,
    ),
)

KNOWN = replace(
    finding(
        text_case("\u2047\u00a0x", "corpora/edge_cases/spaces.txt:3"),
        "offsets point behind a stripped space",
        "offsets only",
        model="gemma-unigram-mini",
        subject="reftok",
        check="offsets",
        expected="(1, 3)",
        observed="(0, 3)",
        count=41,
    ),
    status="known",
    reason="The library counts the space that it strips; reftok follows its documentation.",
    upstream="https://github.com/huggingface/tokenizers/issues/1",
)

FILE = "tokenizer.json"
ABSENCES = (
    Absence("gpt2-mini", "morpheme.py:Tokenizer", "refused", f"ValueError: no Precompiled {SCRIPT}"),
    Absence("gemma-unigram-mini", "morpheme.py:Tokenizer", "refused", f"ValueError: no Precompiled {SCRIPT}"),
    Absence("gemma-unigram-mini", "planted-dies.py:Subject", "crashed", "its process ended with exit code 3"),
)
PROBLEMS = ("The subject sentencepiece refused 98 % of the cases of gpt2-mini.", f"The corpus {SCRIPT} gave no case.")


def sample_run() -> Run:
    """The run with everything in it."""
    return Run(
        verdict="unexpected findings",
        command="conformance run --corpus corpora/languages --seed 7",
        seed=7,
        versions={"python": "3.12.3", "conformance": "0.1.0", "tokenizers": "0.21.0", "sentencepiece": "0.2.0"},
        models=tuple(
            ModelInfo(n, f"corpora/models/{n}/{FILE}", FILE, "ab" * 32, "tokenizers", 4096, {"NFC": "9.0", "Ⅹ": SCRIPT})
            for n in MODELS
        ),
        subjects=(
            SubjectInfo("tokenizers", "0.21.0", "oracle"),
            SubjectInfo("sentencepiece", "0.2.0", "oracle"),
            SubjectInfo("reftok", "0.1.0", "reference", untested=("stream_encoder.reset", "decode_with_callback")),
            SubjectInfo("planted-nfc", "1", "subject"),
            SubjectInfo("morpheme.py:Tokenizer", "2.0", "subject"),
            SubjectInfo("planted-dies.py:Subject", "", "subject"),
            SubjectInfo("llama.cpp", "", "subject", unavailable="the package llama-cpp-python is not installed"),
        ),
        checks=CHECKS,
        cells=tuple(_cell(model, subject, check) for model in MODELS for subject in SUBJECTS for check in CHECKS),
        languages=tuple(
            LanguageCell(language, subject, 9_000, _heat(number, subject))
            for number, language in enumerate(("de-Latn", "vi-Latn", "ar-Arab", "hi-Deva", "zh-Hans", "en-Latn"))
            for subject in SUBJECTS
        ),
        findings=(KNOWN, *HOSTILE, *PLAIN),
        absences=ABSENCES,
        problems=PROBLEMS,
        corpora={"corpora/languages/de-Latn.txt": "cd" * 32},
        cases=12_345,
        answers=1_234_567,
        started="2025-01-02T03:04:05Z",
        times={"load": 0.5, "total": 12.25},
    )


def passing_run() -> Run:
    """The same run without anything wrong."""
    run = sample_run()
    cells = tuple(replace(cell, mismatched=0, known=0, failures=0) for cell in run.cells)
    return replace(run, verdict="as expected", cells=cells, findings=(), absences=(), problems=())


def _cell(model: str, subject: str, check: str) -> Cell:
    if subject == "sentencepiece" and model != "gemma-unigram-mini":
        return Cell(model, subject, check, 0, failures=12_345 if check == "ids" else 0, not_applicable=12_345)
    if (
        subject == "planted-nfc"
        and model == "gpt2-mini"
        and check in ("ids", "tokens", "offsets", "decode", "stream decode")
    ):
        return Cell(model, subject, check, 12_345, mismatched=1_207 if check == "ids" else 17, known=0, failures=2)
    if subject == "reftok" and model == "gemma-unigram-mini" and check == "offsets":
        return Cell(model, subject, check, 12_345, mismatched=41, known=41)
    if check == "special tokens mask" and model == "gemma-unigram-mini":
        return Cell(model, subject, check, 0, not_applicable=12_345)
    return Cell(model, subject, check, 12_345)


def _heat(number: int, subject: str) -> int:
    """Of 9,000; a subject that is wrong has every step of the scale."""
    steps = (9_000, 8_000, 2_000, 1_000, 100, 20)
    return steps[number] if subject == "planted-nfc" else 2 * (number == 3 and subject == "reftok")
