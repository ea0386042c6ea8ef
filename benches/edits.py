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
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def device_bytes(folder: Path) -> int:
    """Bytes that were ever written to the device of a folder, with all that is pending written."""
    subprocess.run(["sync", "-f", folder], check=True)
    device = folder.stat().st_dev
    fields = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat").read_text().split()
    return int(fields[6]) * 512


def run(command: list[str], folder: Path) -> tuple[float, int, int]:
    """Wall seconds, the bytes that the process had written, and those that reached the device."""
    before = device_bytes(folder)
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command}: exit status {child.returncode}")
    return wall, usage.ru_oublock * 512, device_bytes(folder) - before


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
        taken: dict[str, list[tuple[float, int, int]]] = {name: [] for name in ["true", "set a number", *rows]}
        os.sync()
        for number in range(5 * rounds):
            taken["true"].append(run(["true"], work))
            taken["set a number"].append(run([binary, "set", str(file), f"llama.context_length={2000 + number}"], work))
        subprocess.run([binary, "undo", str(file)], check=True, stdout=subprocess.DEVNULL)
        for _ in range(rounds):
            for name, (command, cached) in rows.items():
                target.unlink(missing_ok=True)
                settle(file, cached)
                taken[name].append(run(command, work))
                if command[0] == binary:
                    subprocess.run([binary, "undo", str(file)], check=True, stdout=subprocess.DEVNULL)
        walls = {name: statistics.median(wall for wall, _, _ in runs) for name, runs in taken.items()}
        beside = {
            "set a number": "true",
            "set template, not cached": "cp, not cached",
            "set template, cached": "cp, cached",
            "gguf_new_metadata, cached": "cp, cached",
        }
        print(f"{'':<28}{'wall ms':>10}{'ratio':>18}{'process bytes':>16}{'device bytes':>16}")
        for name, runs in taken.items():
            other = beside.get(name)
            ratio = "" if other is None else f"{walls[name] / walls[other]:.3f} x {other.split(',')[0]}"
            held = max(written for _, written, _ in runs)
            reached = min(reached for _, _, reached in runs)
            print(f"{name:<28}{walls[name] * 1000:>10.2f}{ratio:>18}{held:>16}{reached:>16}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
