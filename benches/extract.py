#!/usr/bin/env python3
"""`gguf extract` of one layer of a large file beside `cp` of as many bytes.

    python extract.py GGUF_BINARY FILE [--rounds N] [--folder DIR] [--pattern 'blk.0.*']

The bytes of the layer are put into a file first, which `cp` copies: the same bytes from one file of the page cache to another.
Rows take turns in every round, targets are removed before they are written, and dirty pages are written out before a row
begins. No row waits for the disk (`--no-sync`), as `cp` does not. The last rows decode to F16, which is work of another kind:
their bytes are counted as written. Prints medians of the wall clock and of CPU time, their ratios to `cp`, and the highest peak
memory. On a machine that is shared only the ratio of CPU times means something.
"""
import json
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


def run(command: list[str]) -> tuple[float, float, float]:
    """Wall and CPU seconds, and peak memory in MiB."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{command}: exit status {child.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> int:
    binary, source = sys.argv[1], sys.argv[2]
    rounds, pattern = int(option("--rounds", "7")), option("--pattern", "blk.0.*")
    work = Path(tempfile.mkdtemp(dir=option("--folder", str(Path(source).parent))))
    try:
        listed = json.loads(subprocess.check_output([binary, "tensors", source, "--name", pattern, "--json"]))
        types = {tensor["type"] for tensor in listed["files"][0]["tensors"]}
        layer = work / "layer.gguf"
        extract = [binary, "extract", source, pattern, "--no-sync", "-o"]
        subprocess.run([*extract, layer], check=True, stdout=subprocess.DEVNULL)
        size = layer.stat().st_size
        rows = {"cp of the layer": ["cp", str(layer), str(work / "target.gguf")]}
        rows["extract .gguf"] = [*extract, str(work / "part.gguf")]
        rows["extract into a folder"] = [*extract, str(work / "folder")]
        if types <= {"F32", "F16", "F64", "BF16"}:
            rows["extract .safetensors"] = [*extract, str(work / "part.safetensors")]
        if types <= {"F32", "F16", "F64"}:
            rows["extract .npz"] = [*extract, str(work / "part.npz")]
        rows["to .safetensors, bf16"] = [*extract, str(work / "bf16.safetensors"), "--dtype", "bf16"]
        rows["to .npz, f32"] = [*extract, str(work / "f32.npz"), "--dtype", "f32"]
        taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in rows}
        for _ in range(rounds):
            for name, command in rows.items():
                for path in work.iterdir():
                    if path != layer:
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                os.sync()
                taken[name].append(run([str(word) for word in command]))
        walls = {name: statistics.median(wall for wall, _, _ in runs) for name, runs in taken.items()}
        cpus = {name: statistics.median(cpu for _, cpu, _ in runs) for name, runs in taken.items()}
        print(f"{size / 1e6:.1f} MB of {', '.join(sorted(types))}, {rounds} rounds")
        print(f"{'':<24}{'wall s':>9}{'/ cp':>8}{'CPU s':>9}{'/ cp':>8}{'peak MiB':>10}")
        base = "cp of the layer"
        for name, runs in taken.items():
            wall, cpu, peak = walls[name], cpus[name], max(peak for _, _, peak in runs)
            print(f"{name:<24}{wall:>9.3f}{wall / walls[base]:>8.2f}{cpu:>9.3f}{cpu / cpus[base]:>8.2f}{peak:>10.1f}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
