#!/usr/bin/env python3
"""`gguf split` and `gguf merge` beside `cp`, on one large file.

    python copies.py GGUF_BINARY FILE [--rounds N] [--folder DIR]

Rows take turns in every round, and every target is removed before it is written: overwriting costs the file system more
than writing does. `gguf` waits until what it wrote is on the disk before it gives it a name, which is the work of `cp` with
`sync`; with `--no-sync` its work is that of `cp`. The dirty pages of the row before are written out before a row begins. Prints medians
of the wall clock and of CPU time, their ratios to `cp` with `sync` and without, and the highest peak memory. On a machine that
is shared only the ratio of CPU times means something.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from turns import beside, in_turns, option, run


def main() -> int:
    binary, source = sys.argv[1], Path(sys.argv[2])
    work = Path(tempfile.mkdtemp(dir=option("--folder", str(source.parent))))
    target, parts, shards = work / "target", work / "parts", work / "set"
    try:
        subprocess.run([binary, "split", source, "-o", f"{shards}/", "--shards", "4"], check=True, stdout=subprocess.DEVNULL)
        split = [binary, "split", source, "-o", f"{parts}/", "--shards", "4"]
        merge = [binary, "merge", shards, "-o", target]
        rows = {
            "cp": [["cp", source, target]],
            "cp, sync": [["cp", source, target], ["sync", target]],
            "split --no-sync": [[*split, "--no-sync"]],
            "merge --no-sync": [[*merge, "--no-sync"]],
            "split, 4 shards": [split],
            "merge, 4 shards": [merge],
        }

        def row(commands):
            def once():
                target.unlink(missing_ok=True)
                shutil.rmtree(parts, ignore_errors=True)
                os.sync()
                return run(*commands)
            return once

        taken = in_turns({name: row(commands) for name, commands in rows.items()}, int(option("--rounds", "5")))
        beside(taken, "cp", "cp, sync")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
