#!/usr/bin/env python3
"""Whole commands side by side: ours, and what people run today, on one head.

    python processes.py GGUF_BINARY FILE [--rounds N]

Prints CPU and wall medians, peak memory, and the ratio of each to ours. The rows of gguf-py (`gguf-dump` on PATH) and of
`@huggingface/gguf` (Node, with the package where `node` finds it) are left out, by name, when they are not installed.
Runs take turns, so that a drift of the machine meets all of them.
"""
import os
import shutil
import subprocess
import sys

from turns import in_turns, median, option, run, table

HUGGINGFACE = "import('@huggingface/gguf').then(m => m.gguf(process.argv[1], { allowLocalFile: true }))"


def main() -> int:
    binary, path, rounds = sys.argv[1], sys.argv[2], int(option("--rounds", "3"))
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

    def row(name, command):
        def once():
            try:
                return run(command)
            except RuntimeError as reason:
                print(f"{name}: {reason}")
        return once

    taken = in_turns({name: row(name, command) for name, command in rows.items()}, rounds)
    taken = {name: [one for one in runs if one] for name, runs in taken.items()}
    unit, cells = median(taken["gguf show"], "cpu"), {}
    for name, runs in taken.items():
        if runs:
            cpu, wall, peak = (median(runs, field) for field in ("cpu", "wall", "peak"))
            cells[name] = [f"{cpu:.4f}", f"{wall:.4f}", f"{peak:.1f}", f"{cpu / unit:.2f}"]
    table(["CPU s", "wall s", "peak MiB", "CPU / show"], cells)
    return 0


if __name__ == "__main__":
    sys.exit(main())
