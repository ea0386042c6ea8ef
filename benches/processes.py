#!/usr/bin/env python3
"""Whole commands side by side: ours, and what people run today, on one head.

    python processes.py GGUF_BINARY FILE [--rounds N]

Prints CPU and wall medians, peak memory, and the ratio of each to ours. The rows of gguf-py (`gguf-dump` on PATH) and of
`@huggingface/gguf` (Node, with the package where `node` finds it) are left out, by name, when they are not installed.
Runs take turns, so that a drift of the machine meets all of them.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

HUGGINGFACE = "import('@huggingface/gguf').then(m => m.gguf(process.argv[1], { allowLocalFile: true }))"


def run(command: list[str]) -> tuple[float, float, float]:
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise RuntimeError(f"exit status {child.returncode}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024


def main() -> int:
    binary, path, rounds = sys.argv[1], sys.argv[2], 3
    if "--rounds" in sys.argv:
        rounds = int(sys.argv[sys.argv.index("--rounds") + 1])
    rows = {
        "limit: true": ["true"],
        "gguf get general.architecture": [binary, "get", path, "general.architecture"],
        "gguf show": [binary, "show", path],
        "gguf dump --format json": [binary, "dump", "--format", "json", path],
    }
    if shutil.which("gguf-dump"):
        rows["gguf-py: gguf-dump --no-tensors"] = ["gguf-dump", "--no-tensors", path]
    else:
        print("left out: gguf-dump is not installed")
    node = shutil.which("node")
    probe = [node or "node", "-e", "import('@huggingface/gguf').catch(() => process.exit(1))"]
    if node and subprocess.run(probe, capture_output=True).returncode == 0:
        rows["node: @huggingface/gguf"] = [node, "-e", HUGGINGFACE, os.path.abspath(path)]
    else:
        print("left out: @huggingface/gguf is not installed")
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in rows}
    for _ in range(rounds):
        for name, command in rows.items():
            try:
                taken[name].append(run(command))
            except RuntimeError as reason:
                print(f"{name}: {reason}")
    unit = statistics.median(cpu for cpu, _, _ in taken["gguf show"])
    print(f"{'':<36}{'CPU s':>9}{'wall s':>9}{'peak MiB':>10}{'CPU / show':>12}")
    for name, runs in taken.items():
        if runs:
            cpu, wall, peak = (statistics.median(column) for column in zip(*runs))
            print(f"{name:<36}{cpu:>9.4f}{wall:>9.4f}{peak:>10.1f}{cpu / unit:>12.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
