"""The programming languages of subjects: their names in reports, and how else they are spelled."""

from __future__ import annotations

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
    "javascript": "JavaScript",
    "typescript": "TypeScript",
    "python": "Python",
    "rust": "Rust",
    "cpp": "C++",
    "c": "C",
    "go": "Go",
    "java": "Java",
    "kotlin": "Kotlin",
    "swift": "Swift",
    "csharp": "C#",
}
"""The name of each language that has a skeleton, by what `conformance subject init --language` calls it."""

_ALIASES: Mapping[str, str] = {
    "js": "javascript",
    "ts": "typescript",
    "py": "python",
    "rs": "rust",
    "cxx": "cpp",
    "golang": "go",
    "kt": "kotlin",
    "cs": "csharp",
} | {name.lower(): key for key, name in NAMES.items()}


def language_key(spelled: str) -> str:
    """A language as `conformance subject init --language` takes it; any other as it is.

    >>> language_key("C++"), language_key("JS"), language_key("Zig")
    ('cpp', 'javascript', 'Zig')
    """
    lowered = spelled.strip().lower()
    return lowered if lowered in NAMES else _ALIASES.get(lowered, spelled)


def language_name(spelled: str) -> str:
    """A language as reports name it; any other as it is.

    >>> language_name("cpp"), language_name("c#"), language_name("javascript"), language_name("Zig")
    ('C++', 'C#', 'JavaScript', 'Zig')
    """
    return NAMES.get(language_key(spelled), spelled)
