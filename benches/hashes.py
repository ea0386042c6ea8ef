#!/usr/bin/env python3
"""`gguf hash` beside `openssl dgst` and `xxhsum`, over one file in the page cache.

    python hashes.py GGUF_BINARY FILE [--rounds N]

Prints CPU and wall medians, peak memory, the median of the ratios of rounds to the reference run in the same round, and
the bar where there is one. Runs take turns, so that a drift of the machine meets all of them. A file whose tensors are
nearly all of it makes the comparison fair: the others hash its head, too. `xxhsum` is left out where it is not installed.
"""
import os
import shutil
import statistics
import sys

from turns import median, option, run, table

# What is run, beside what, what of it is compared, and at most which ratio is wanted.
CPU, WALL = "cpu", "wall"
ROWS = [
    ("sha256 of the whole", ["-a", "sha256", "--no-layer"], "openssl", CPU, 1.1),
    ("sha256 of each tensor", ["-a", "sha256", "--no-model"], "openssl", CPU, 1.1),
    ("sha256 of both", ["-a", "sha256"], "openssl", CPU, 2.1),
    ("sha256 of the file", ["--file", "-a", "sha256"], "openssl", CPU, 1.1),
    ("xxh64 of the whole", ["-a", "xxh64", "--no-layer"], "xxhsum", CPU, 1.3),
    ("xxh64 of each tensor", ["-a", "xxh64", "--no-model"], "xxhsum", CPU, 1.3),
    ("xxh64 of both", ["-a", "xxh64"], "xxhsum", CPU, None),
    ("blake3 of the whole, 2 threads", ["-a", "blake3", "--no-layer", "--threads", "2"], "openssl", WALL, 1 / 3),
    ("blake3 of each tensor, 2 threads", ["-a", "blake3", "--no-model", "--threads", "2"], "openssl", WALL, 1 / 3),
    ("identity, 2 threads", ["-a", "identity", "--threads", "2"], "openssl", WALL, 1 / 3),
    ("everything", ["--all"], "openssl", CPU, None),
]


def main() -> int:
    binary, path, rounds = sys.argv[1], sys.argv[2], int(option("--rounds", "5"))
    references = {"openssl": ["openssl", "dgst", "-sha256", path], "xxhsum": ["xxhsum", "-H1", path]}
    for name in [name for name, command in references.items() if not shutil.which(command[0])]:
        print(f"left out: {name} is not installed")
        del references[name]
    with open(path, "rb") as file:  # into the page cache
        while file.read(1 << 24):
            pass
    taken = {}
    for _ in range(rounds):
        for label, arguments, reference, _, _ in ROWS:
            if reference in references:
                taken.setdefault(f"{label} | {reference}", []).append(run(references[reference]))
                taken.setdefault(label, []).append(run([binary, "hash", *arguments, path]))
    print(f"{os.path.getsize(path) / 2**30:.2f} GiB, {rounds} rounds, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    missed, cells = 0, {}
    for label, _, reference, what, bar in ROWS:
        if label not in taken:
            continue
        ours, theirs = taken[label], taken[f"{label} | {reference}"]
        ratio = statistics.median(getattr(a, what) / getattr(b, what) for a, b in zip(ours, theirs))
        cpu, wall, peak = (median(ours, field) for field in ("cpu", "wall", "peak"))
        verdict = "" if bar is None else f" (at most {bar:.2f})" + ("" if ratio <= bar else " MISSED")
        missed += bar is not None and ratio > bar
        kind = "CPU" if what == CPU else "wall"
        cells[label] = [f"{cpu:.3f}", f"{wall:.3f}", f"{peak:.1f}", f"{ratio:.2f} x {reference}, {kind}{verdict}"]
    table(["CPU s", "wall s", "peak MiB", "ratio"], cells)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
