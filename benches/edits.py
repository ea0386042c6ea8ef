#!/usr/bin/env python3
"""`gguf set` beside `cp` and gguf_new_metadata, on one large file.

    python edits.py GGUF_BINARY FILE [--rounds N] [--folder DIR]

A longer chat template is set in a copy of FILE, once with the file's pages dropped from the cache and once with them there,
beside `cp` to a new name in the same state, and beside gguf-py's own tool. Rows take turns in every round; before each the file
is what it was (`gguf undo`), its dirty pages are on the disk, and the target of a copy is gone. First, before anything large was
written or deleted (a disk that still discards gigabytes makes every sync wait), a number of the same size is set beside `true`,
in turns, five times as often. Prints medians of the wall clock and their ratios to `cp` (or `true`), and two counts of bytes: what the system
holds against the process (the most of all rounds; it counts whole folios of the page cache, of which a changed byte may dirty
64 KiB), and what reached the device until all was synced (the least of all rounds; it counts other processes' writes too, so
that only a device of one's own, such as a loop device that is mounted for it, tells something).
"""
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from turns import in_turns, median, option, run, table


class Written(NamedTuple):
    """Wall seconds, the bytes that the process had written, and those that reached the device."""

    wall: float
    held: int
    reached: int


def device_bytes(folder: Path) -> int:
    """Bytes that were ever written to the device of a folder, with all that is pending written."""
    subprocess.run(["sync", "-f", folder], check=True)
    device = folder.stat().st_dev
    fields = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat").read_text().split()
    return int(fields[6]) * 512


def settle(file: Path, cached: bool) -> None:
    os.sync()
    with open(file, "rb") as opened:
        if cached:
            while opened.read(16 << 20):
                pass
        else:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def main() -> int:
    binary, source = sys.argv[1], Path(sys.argv[2])
    rounds = int(option("--rounds", "5"))
    work = Path(tempfile.mkdtemp(dir=option("--folder", str(source.parent))))
    file, target, template = work / "model.gguf", work / "target.gguf", work / "template.jinja"
    try:
        shutil.copy(source, file)
        template.write_text("{# a longer template #}\n" * 500)
        change = [binary, "set", str(file), f"tokenizer.chat_template=@{template}"]
        theirs = [sys.executable, "-m", "gguf.scripts.gguf_new_metadata", "--force", "--chat-template-file", str(template)]
        rows = {
            "cp, not cached": (["cp", str(file), str(target)], False),
            "set template, not cached": (change, False),
            "cp, cached": (["cp", str(file), str(target)], True),
            "set template, cached": (change, True),
            "gguf_new_metadata, cached": (theirs + [str(file), str(target)], True),
        }

        def row(command, cached):
            def once():
                target.unlink(missing_ok=True)
                settle(file, cached)
                before = device_bytes(work)
                one = run(command)
                written = Written(one.wall, one.held, device_bytes(work) - before)
                if command[0] == binary:
                    subprocess.run([binary, "undo", file], check=True, stdout=subprocess.DEVNULL)
                return written
            return once

        numbers = itertools.count(2000)

        def small(command):
            def once():
                before = device_bytes(work)
                one = run(command())
                return Written(one.wall, one.held, device_bytes(work) - before)
            return once

        os.sync()
        taken = in_turns({
            "true": small(lambda: ["true"]),
            "set a number": small(lambda: [binary, "set", file, f"llama.context_length={next(numbers)}"]),
        }, 5 * rounds)
        subprocess.run([binary, "undo", file], check=True, stdout=subprocess.DEVNULL)
        taken |= in_turns({name: row(*of) for name, of in rows.items()}, rounds)
        beside = {
            "set a number": "true",
            "set template, not cached": "cp, not cached",
            "set template, cached": "cp, cached",
            "gguf_new_metadata, cached": "cp, cached",
        }
        cells = {}
        for name, runs in taken.items():
            wall, other = median(runs, "wall"), beside.get(name)
            ratio = "" if other is None else f"{wall / median(taken[other], 'wall'):.3f} x {other.split(',')[0]}"
            held, reached = max(one.held for one in runs), min(one.reached for one in runs)
            cells[name] = [f"{wall * 1000:.2f}", ratio, str(held), str(reached)]
        table(["wall ms", "ratio", "process bytes", "device bytes"], cells)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
