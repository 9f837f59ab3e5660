r"""Write reftok/training/sentencepiece/data, or with --check compare it with what this would write.

    python tools/make_normalization_rules.py            write it anew
    python tools/make_normalization_rules.py --check    exit 1 if a file differs

The charsmaps of the normalizations that sentencepiece knows by name, read off the installed `sentencepiece` and
compressed.
"""

from __future__ import annotations

import lzma
import sys
from pathlib import Path

from made_tables import arguments
from sentencepiece import SentencePieceNormalizer

from reftok.formats.sentencepiece.protobuf import read_fields

FOLDER = Path(__file__).resolve().parent.parent / "reftok" / "training" / "sentencepiece" / "data"
NAMES = ("nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf")
_PRECOMPILED_CHARSMAP = 2


def charsmap(name: str) -> bytes:
    """The precompiled charsmap of a normalization."""
    spec = SentencePieceNormalizer(rule_name=name).serialized_normalizer_spec()
    blobs = [value for number, _, _, value in read_fields(spec, name) if number == _PRECOMPILED_CHARSMAP]
    assert isinstance(blobs[0], bytes)
    return blobs[0]


def main() -> int:
    """Run the tool; the exit code is 1 where --check found a difference."""
    is_check = arguments(__doc__).check
    differing = 0
    for name in NAMES:
        path, blob = FOLDER / f"{name}.xz", charsmap(name)
        if not is_check:
            path.write_bytes(lzma.compress(blob, preset=9 | lzma.PRESET_EXTREME))
        elif lzma.decompress(path.read_bytes()) != blob:
            differing = 1
            print(f"{path.name} is not what this sentencepiece would make")
    if is_check and not differing:
        print("this sentencepiece would make the same files")
    return differing


if __name__ == "__main__":
    sys.exit(main())
