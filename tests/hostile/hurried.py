"""The commands with small shards and frequent reports, so that a second of them has many moments of writing:

python -m tests.hostile.hurried conformance run …
python -m tests.hostile.hurried reftok encode-file …
"""

from __future__ import annotations

import sys

if not sys.flags.safe_path:
    sys.path.append(sys.path.pop(0))  # as the commands themselves have it

if "reftok" in sys.argv[1:2]:
    from reftok.encode_files import run

    run.CHECKPOINT_SECONDS, run.UNIT_BYTES = 0.0, 1 << 13
else:
    from conformance.fuzzing import drive, session
    from conformance.inputs import shards
    from conformance.runs import execute

    shards.SHARD_CASES = 60
    execute.SECONDS_BETWEEN_REPORTS, execute.SHARE_OF_REPORTS = 0.2, 0.5
    drive.SECONDS_BETWEEN_REPORTS = 0.2
    session.SHARDS_OF_A_GENERATION, session.CASES_ISOLATED = 3, (32, 2_048)

if __name__ == "__main__":
    package = sys.argv.pop(1)
    if package == "reftok":
        from reftok.cli.commands import main as reftok_main

        sys.exit(reftok_main())
    from conformance.cli.commands import main as conformance_main

    conformance_main()
