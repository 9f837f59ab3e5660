"""The text of a reproduction: one Python file that needs only the official library and the subject.

Whatever comes from inputs stands in it as a literal that `ascii` wrote, so that nothing of it can be code.
"""

from __future__ import annotations

import json
import tomllib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from conformance.causes.asking_again import AskedAgain
from conformance.causes.shrinking.rank_file import encoding_toml
from conformance.checks import CHECKS
from conformance.core.case import Case
from conformance.core.errors import InputError
from conformance.core.finding import Finding
from conformance.report.run.view import cause
from conformance.reproduce import parts
from conformance.subjects.adapters import ADAPTERS, FORMATS
from conformance.subjects.base import PROTOCOL
from conformance.subjects.definition import Definition
from conformance.subjects.special_tokens import SpecialTokens
from reftok.formats.tiktoken.encodings import ENCODINGS, RankEncoding

SHORT_MODEL = 20_000
"""Bytes up to which a model is written line by line."""
BASE64_LINE = 100


@dataclass(frozen=True, slots=True)
class ProgramParts:
    """What the file needs to start a program by itself, and to ask it as the harness does.

    definition: its command and what its subject.toml says. tokens: the special tokens of the model, for what it leaves
        to its callers.
    """

    definition: Definition
    tokens: SpecialTokens

    def constants(self, model_format: str, encoding: RankEncoding | None) -> Mapping[str, Any]:
        """Those of the code. encoding: of a rank file, None for other formats."""
        about, tokens = self.definition.about, self.tokens
        before, after = ([[*(part or ())] for part in astuple(side)] for side in (tokens.before, tokens.after))
        fields = {"format": model_format}
        if encoding is not None:
            fields |= tomllib.loads(encoding_toml(encoding))["encoding"]
            fields |= {"encoding": encoding.name} if encoding.name in ENCODINGS else {}
        return {
            "COMMAND": [*self.definition.command],
            "ENVIRONMENT": {**self.definition.environment},
            "OPTIONS": {} if about is None else about.options,
            "PROTOCOL": PROTOCOL,
            "MODEL_FIELDS": {**fields, "own": True} if self.definition.is_own_model else fields,
            "BEFORE": before,
            "AFTER": after,
            "SPECIAL_IDS": sorted(tokens.ids),
        }


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A finding to be written down, its case on the model, and what was seen there.

    is_file: whether the subject is from a FILE.py:FACTORY, which the user then names.
    encoding: of a rank file, None for other formats.
    program: of a subject that is a program.
    refusal: what the subject did with a smaller copy of the model, and what this one keeps for that reason.
    """

    finding: Finding
    model_format: str
    model: bytes
    case: Case
    shown: AskedAgain
    is_file: bool
    encoding: RankEncoding | None = None
    program: ProgramParts | None = None
    refusal: str = ""

    @property
    def text(self) -> str:
        """The file."""
        constants, comparing = comparison(self.finding, self.case, self.shown)
        title = {
            "CAUSE": cause(self.finding),
            "SEEN_IN": self.finding.example.subject,
            "CHECK": self.finding.example.check,
            "MODEL_NAME": FORMATS[self.model_format].file_name,
        }
        if self.encoding is not None:
            title["ENCODING"] = encoding_toml(self.encoding)
        if self.program is not None:
            title.update(self.program.constants(self.model_format, self.encoding))
        lines = [f"{name} = {value!a}" for name, value in {**title, **constants}.items()]
        blocks = [
            self._head(),
            "\n".join(lines) + "\n\n" + _model_literal(self.model, self.model_format),
            parts.HELPERS,
            FORMATS[self.model_format].reproduction,
            self._subject(),
            comparing,
            parts.MAIN_WITH_ENCODING if self.encoding is not None else parts.MAIN,
        ]
        return blocks[0] + "\n" + "\n\n".join(blocks[1:])

    def _head(self) -> str:
        named = " SUBJECT" if self.is_file else " [SUBJECT]" if self.program else ""
        modules = ["base64", "functools", "importlib.util", "os", "sys", "tempfile", "tomllib"]
        if self.program:
            modules = [
                "atexit",
                "base64",
                "hashlib",
                "json",
                "os",
                "shutil",
                "subprocess",
                "sys",
                "tempfile",
                "tomllib",
            ]
        usage = (
            f'"""Where a tokenizer differs from the official library. Written by `conformance reproduce`.\n\n'
            f"    python THIS_FILE.py{named}\n\n{self._named()}"
            'Exit code: 1 while they differ, 0 where they agree, 2 where one of them cannot be asked.\n"""\n\n'
        )
        return usage + "".join(f"import {module}\n" for module in modules)

    def _named(self) -> str:
        """What SUBJECT is."""
        if self.is_file:
            return "SUBJECT: FILE.py:FACTORY, or a subject.toml that names one.\n\n"
        return "SUBJECT: another program than COMMAND: its words, or its subject.toml.\n\n" if self.program else ""

    def _subject(self) -> str:
        if self.program:
            return parts.SUBJECT_OF_PROGRAM
        if self.is_file:
            return parts.SUBJECT_OF_FILE
        return ADAPTERS[self.finding.example.subject].reproduction or parts.SUBJECT_IS_OFFICIAL


def comparison(finding: Finding, case: Case, shown: AskedAgain) -> tuple[Mapping[str, Any], str]:
    """The constants of the comparison, INPUT among them, and its code; raises InputError where it has none."""
    check = CHECKS[finding.example.check]
    constants = check.constants(case, shown.observed)
    if constants is None:
        problem = "this use of a stream has no short form" if check.is_of_streams else "this check has no short form"
        raise InputError(f"{problem}; `conformance replay` shows it")
    return constants, check.code


def _model_literal(data: bytes, model_format: str) -> str:
    """`MODEL = …`: JSON as its lines, anything else in base64."""
    if FORMATS[model_format].file_name.endswith(".json") and len(data) <= SHORT_MODEL:
        lines = json.dumps(json.loads(data), indent=1).splitlines()
        literals = "\n".join(f"    {line!a}" for line in lines)
        return f"MODEL = (\n{literals}\n).encode()\n"
    encoded = b64encode(data).decode("ascii")
    rows = "\n".join(f"    {encoded[at : at + BASE64_LINE]!a}" for at in range(0, len(encoded), BASE64_LINE))
    return f"MODEL = base64.b64decode(\n{rows}\n)\n"
