#!/usr/bin/env python3
"""`gguf extract` of one layer of a large file beside `cp` of as many bytes.

    python extract.py GGUF_BINARY FILE [--rounds N] [--folder DIR] [--pattern 'blk.0.*']

The bytes of the layer are put into a file first, which `cp` copies: the same bytes from one file of the page cache to another.
Rows take turns in every round, targets are removed before they are written, and dirty pages are written out before a row
begins. No row waits for the disk (`--no-sync`), as `cp` does not. `tensors` reads the head alone: what of a row is no copy.
The last rows decode, which is work of another kind. Prints medians of the wall clock and of CPU time, their ratios to `cp`,
and the highest peak memory. On a machine that is shared only the ratio of CPU times means something.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from turns import beside, in_turns, option, run

BASE = "cp of the layer"


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
        rows = {BASE: ["cp", layer, work / "target.gguf"]}
        rows["tensors: the head"] = [binary, "tensors", source, "--name", pattern]
        rows["extract .gguf"] = [*extract, work / "part.gguf"]
        rows["extract into a folder"] = [*extract, work / "folder"]
        if types <= {"F32", "F16", "F64", "BF16"}:
            rows["extract .safetensors"] = [*extract, work / "part.safetensors"]
        if types <= {"F32", "F16", "F64"}:
            rows["extract .npz"] = [*extract, work / "part.npz"]
        rows["to .safetensors, bf16"] = [*extract, work / "bf16.safetensors", "--dtype", "bf16"]
        rows["to .npz, f32"] = [*extract, work / "f32.npz", "--dtype", "f32"]

        def row(command):
            def once():
                for path in work.iterdir():
                    if path != layer:
                        shutil.rmtree(path) if path.is_dir() else path.unlink()
                os.sync()
                return run(command)
            return once

        taken = in_turns({name: row(command) for name, command in rows.items()}, rounds)
        print(f"{layer.stat().st_size / 1e6:.1f} MB of {', '.join(sorted(types))}, {rounds} rounds")
        beside(taken, BASE, digits=3)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
