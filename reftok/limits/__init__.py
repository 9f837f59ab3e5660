"""The bounds that reftok sets for files and texts from strangers; none is a rule of a library.

What exceeds one is refused by name: when the file is read if that shows it, else when a text is worked on. What exceeds
one of the two bounds on streams waits for the end of the text.
Published models stay far below each. Sizes count parts, characters or tokens; times are seconds.
"""

from __future__ import annotations

MOST_PATTERN_PARTS = 20_000
"""A pattern with its least counts written out may have so many parts more than it has characters: counts within counts
multiply, and the package `regex` writes them out, with up to a kilobyte a part. Published patterns count to 3."""

PATTERN_SECONDS = 5.0
PATTERN_CHARACTERS_PER_SECOND = 10_000
"""All patterns together may take so much processor time on one text, and a second more for so many characters."""

MOST_WAYS = 100
"""A pattern is matched without a look at the clock if from one place it can go so many ways, and take back the end of
one endless repetition: then the time grows with the square of a run at worst, not more."""

LONG_RUN = 1000
"""Where such a run is longer than twice that, the pattern is matched by the clock as well."""

MOST_SCANS = 10
"""Patterns go so many times over a text without a look at the clock; after that, all are matched by it. Published
models have four patterns at most."""

MOST_GROWTH = 300
LEAST_TOO_LONG = 100_000
"""The normalizers may make a text so many times as long, and so many characters more; so may the decoders the tokens.
What doubles it sixty times ends there. U+FDFA has 18 characters in NFKD, and 33 in the map of T5."""

MOST_NORMALIZED = 300_000
MOST_NORMALIZED_OF_ONE = 1000
"""More normalizers than are streamed may go over so many characters together, and so many for each of the text: a
thousand of them go over any text, but not over one that grows to the bound above."""

MOST_BYTE_LEVELS = 3
"""So many pre-tokenizers ByteLevel may stand behind each other: each doubles what is not ASCII. Models have one."""

MOST_INSERTED_TOKENS = 1 << 17
"""A file may pad to so many tokens, to a multiple of so many, and its post-processors may insert so many. Models take
texts as long as that; they pad to a multiple of 128, and insert a dozen."""

MOST_TOKENS = 1_000_000
MOST_TOKENS_OF_ONE = 50
"""The stages behind the model may make so many tokens of a text, and so many more of each of its own: windows that
overlap, and padding of each, multiply. Usual windows repeat each token twice."""

MOST_TRACED = 500_000
MOST_TRACED_OF_ONE = 100
"""A trace keeps what each stage gave: so many characters and parts, and so many more for each character of the text, or
each id. Pipelines of published models have a dozen stages. What goes beyond is encoded and decoded, but not traced."""

LONGEST_STREAMED_PIECE = 500
"""A unigram model with a longer piece is asked at the end of a text: at each character of a stream as many pieces may
have begun. Those of published models have 16 characters at most."""

MOST_STREAMED_STAGES = 50
"""More normalizers and pre-tokenizers are not streamed stage by stage: each hands on by calls within its own, of which
Python has a thousand. Nor are more decoders, all of which each id would pass. The plain rules are asked at the end."""

DEEPEST_PATTERN = 50
"""So many parts of a pattern may be within each other: each takes a call of Python or two, and more of them where it is
used than where it is read. Published patterns have 7."""
