"""The commands with small shards and frequent reports, so that a second of them has many moments of writing:

python -m tests.hostile.hurried conformance run …
python -m tests.hostile.hurried reftok encode-file …
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name."""
    if not sys.flags.safe_path:
        sys.path.append(sys.path.pop(0))  # as the commands themselves have it
    if sys.argv.pop(1) == "reftok":
        from reftok.cli.commands import main as reftok_main
        from reftok.encode_files import output, run, sources
        from reftok.training import checkpoint

        output.CHECKPOINT_SECONDS = 0.0
        run.UNIT_BYTES = sources.UNIT_BYTES = 1 << 13
        checkpoint.SAVE_SECONDS = 0.02
        sys.exit(reftok_main())
    _hurry()
    from conformance.cli.commands import main as conformance_main

    conformance_main()


def _hurry() -> None:
    from conformance.fuzzing import drive, session
    from conformance.inputs import shards
    from conformance.runs import execute

    shards.SHARD_CASES = 60
    execute.SECONDS_BETWEEN_REPORTS, execute.SHARE_OF_REPORTS = 0.2, 0.5
    drive.SECONDS_BETWEEN_REPORTS = 0.2
    session.SHARDS_OF_A_GENERATION, session.CASES_ISOLATED = 3, (32, 2_048)


if __name__ == "__main__":
    main()
elif __name__ == "__mp_main__" and "reftok" not in sys.argv:  # a worker, which is started by what this file is
    _hurry()
