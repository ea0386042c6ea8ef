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
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def run(commands: list[list[str]]) -> tuple[float, float, float]:
    """Wall and CPU seconds of all, and the highest peak memory in MiB."""
    peak, cpu, start = 0.0, 0.0, time.perf_counter()
    for command in commands:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"{command}: exit status {child.returncode}")
        peak = max(peak, usage.ru_maxrss / 1024)
        cpu += usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, cpu, peak


def main() -> int:
    binary, source = sys.argv[1], Path(sys.argv[2])
    rounds = int(option("--rounds", "5"))
    work = Path(tempfile.mkdtemp(dir=option("--folder", str(source.parent))))
    target, parts, shards = work / "target", work / "parts", work / "set"
    try:
        subprocess.run([binary, "split", source, "-o", f"{shards}/", "--shards", "4"], check=True, stdout=subprocess.DEVNULL)
        rows = {
            "cp": [["cp", str(source), str(target)]],
            "cp, sync": [["cp", str(source), str(target)], ["sync", str(target)]],
            "split --no-sync": [[binary, "split", str(source), "-o", f"{parts}/", "--shards", "4", "--no-sync"]],
            "merge --no-sync": [[binary, "merge", str(shards), "-o", str(target), "--no-sync"]],
            "split, 4 shards": [[binary, "split", str(source), "-o", f"{parts}/", "--shards", "4"]],
            "merge, 4 shards": [[binary, "merge", str(shards), "-o", str(target)]],
        }
        taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in rows}
        for _ in range(rounds):
            for name, commands in rows.items():
                target.unlink(missing_ok=True)
                shutil.rmtree(parts, ignore_errors=True)
                os.sync()
                taken[name].append(run(commands))
        walls = {name: statistics.median(wall for wall, _, _ in runs) for name, runs in taken.items()}
        cpus = {name: statistics.median(cpu for _, cpu, _ in runs) for name, runs in taken.items()}
        print(f"{'':<24}{'wall s':>9}{'/ cp':>8}{'/ cp, sync':>12}{'CPU s':>9}{'/ cp':>8}{'peak MiB':>10}")
        for name, runs in taken.items():
            wall, cpu, peak = walls[name], cpus[name], max(peak for _, _, peak in runs)
            against = f"{wall / walls['cp']:>8.2f}{wall / walls['cp, sync']:>12.2f}"
            print(f"{name:<24}{wall:>9.2f}{against}{cpu:>9.2f}{cpu / cpus['cp']:>8.2f}{peak:>10.1f}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
