#!/usr/bin/env python3
"""Split files, and compare what gguf-py reads in the shards with what it reads in the file; merge them again.

    python shards.py GGUF_BINARY WORKDIR [--meta PROGRAM] [--load PROGRAM] FILE...

Each FILE is split in several ways. Of every way: no shard is larger than was allowed; gguf-py reads each shard; the
metadata of the first are the file's, followed by the three split keys in the types that llama.cpp asserts; later shards
have nothing but these (and an alignment that is not the default); names, shapes, types and bytes of all tensors, in their
order, are the file's; and the shards, merged, are the file again, byte for byte where its layout was canonical. A FILE that
is the first shard of a set, written by others, is merged: keys and tensors are those of the set.

The programs are those of loaders/ (meta.cpp reads heads with llama.cpp, load.cpp loads models); words before the files may
follow the program's name. The first must read every shard of a file that it reads, the second load the set of a file that it
loads. What is not there is left out, by name.

Prints a line per file and `N passed, N failed` at the end; the exit code is 1 if anything failed.
"""
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

from gguf import GGUFValueType as V

import reading

SPLIT = {"split.no": V.UINT16, "split.count": V.UINT16, "split.tensors.count": V.INT32}


def own(entries: list[dict[str, Any]]) -> list[tuple[str, str, str]]:
    return [(one["key"], str(one["type"]), repr(one["value"])) for one in entries if one["key"] not in SPLIT]


def tensors(path: Path, read: dict[str, Any]) -> Iterator[tuple[str, Any, Any, bytes]]:
    raw = path.read_bytes()
    for one in read["tensors"]:
        yield one["name"], one["shape"], one["type"], raw[one["data_offset"]:][:one["size"]]


def run(*command: Any) -> subprocess.CompletedProcess:
    return subprocess.run([str(word) for word in command], capture_output=True, timeout=600)


def accepts(program: str, files: list[Path]) -> list[Path]:
    """The files that llama.cpp takes."""
    said = run(*shlex.split(program), *files).stdout.decode(errors="replace").splitlines()
    return [Path(line.split("\t")[0]) for line in said if line.split("\t")[1:2] == ["ok"]]


def merged_again(binary: str, work: Path, folder: Path, source: Path, canonical: bool) -> Iterator[str]:
    merged = work / "merged.gguf"
    merge = run(binary, "merge", folder, "-o", merged, "--force")
    if merge.returncode != 0:
        yield f"merge: {merge.stderr.decode(errors='replace').strip()[:300]}"
    elif canonical and merged.read_bytes() != source.read_bytes():
        yield "merged, it is another file"
    else:
        ours, its = reading.read(merged), reading.read(source)
        if own(ours["metadata"]) != own(its["metadata"]) or list(tensors(merged, ours)) != list(tensors(source, its)):
            yield "merged, it says something else"


def check(binary: str, work: Path, source: Path, how: list[str], llama: dict[str, str]) -> Iterator[str]:
    folder = work / "set"
    shutil.rmtree(folder, ignore_errors=True)
    split = run(binary, "split", source, "-o", f"{folder}/", "--json", *how)
    if split.returncode != 0:
        yield f"split: {(split.stdout + split.stderr).decode(errors='replace').strip()[:300]}"
        return
    canonical = not json.loads(split.stdout)["files"][0]["notes"]
    shards = sorted(folder.iterdir())
    whole = reading.read(source)
    read = [reading.read(path) for path in shards]
    if own(read[0]["metadata"]) != own(whole["metadata"]):
        yield "the first shard's metadata differ"
    total = len(whole["tensors"])
    for no, one in enumerate(read):
        keys = [(entry["key"], entry["type"], entry["value"]) for entry in one["metadata"]][-3:]
        values = (no, len(shards), total)
        if keys != [(key, SPLIT[key], value) for key, value in zip(SPLIT, values)]:
            yield f"{shards[no].name}: {keys}"
        if no and any(key != "general.alignment" for key, _, _ in own(one["metadata"])):
            yield f"{shards[no].name}: {own(one['metadata'])}"
        if one["alignment"] != whole["alignment"]:
            yield f"{shards[no].name}: alignment {one['alignment']}"
    found = [tensor for path, one in zip(shards, read) for tensor in tensors(path, one)]
    if found != list(tensors(source, whole)):
        yield "tensors differ"
    if "--max-size" in how and max(path.stat().st_size for path in shards) > int(how[how.index("--max-size") + 1]):
        yield "a shard is larger than was allowed"
    yield from merged_again(binary, work, folder, source, canonical)
    meta, load = llama.get("--meta"), llama.get("--load")
    if meta and accepts(meta, [source]) and len(accepts(meta, shards)) != len(shards):
        yield "llama.cpp does not read all shards"
    if load and accepts(load, [source]) and not accepts(load, [shards[0]]):
        yield "llama.cpp loads the file and not the set"


def check_set(binary: str, work: Path, first: Path) -> Iterator[str]:
    """A set of somebody else's."""
    stem = re.sub(r"-00001-of-\d{5}$", "", first.stem)
    shards = sorted(first.parent.glob(f"{stem}-?????-of-{first.stem[-5:]}.gguf"))
    merged = work / "merged.gguf"
    merge = run(binary, "merge", shards[-1], "-o", merged, "--force")
    if merge.returncode != 0:
        yield f"merge: {merge.stderr.decode(errors='replace').strip()[:300]}"
        return
    ours, read = reading.read(merged), [reading.read(path) for path in shards]
    if own(ours["metadata"]) != own(read[0]["metadata"]):
        yield "metadata differ"
    if any(one["key"] in SPLIT for one in ours["metadata"]):
        yield "split keys are left"
    if list(tensors(merged, ours)) != [one for path, head in zip(shards, read) for one in tensors(path, head)]:
        yield "tensors differ"


def main() -> int:
    words = sys.argv[1:]
    llama = {}
    for option in ("--meta", "--load"):
        if option in words:
            at = words.index(option)
            program = words[at + 1]
            del words[at:at + 2]
            if Path(shlex.split(program)[0]).exists():
                llama[option] = program
            else:
                print(f"left out: llama.cpp ({program} is not there)")
    if len(words) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, work, files = words[0], Path(words[1]), [Path(word) for word in words[2:]]
    work.mkdir(parents=True, exist_ok=True)
    passed = failed = 0

    def tell(name: str, found: list[str]) -> None:
        nonlocal passed, failed
        failed += bool(found)
        passed += not found
        print(f"{'FAIL' if found else 'ok  '} {name}")
        for line in found:
            print(f"       {line}")

    for source in files:
        part = re.search(r"-(\d{5})-of-\d{5}$", source.stem)
        if part:
            if part[1] == "00001":
                tell(f"{source.name} merge", list(check_set(binary, work, source)))
            continue
        if any(one["type"] == "Q8_1" for one in reading.read(source)["tensors"]):
            # gguf-py takes its blocks for larger than they are, and so the last one of a file for cut off.
            print(f"left out: {source.name} (Q8_1)")
            continue
        size = str(source.stat().st_size * 2 // 3)
        ways = [["--max-tensors", "3"], ["--max-tensors", "5", "--first-shard", "metadata"], ["--max-size", size], ["--shards", "2"]]
        for how in ways:
            asked = run(binary, "split", source, "--dry-run", *how)
            if asked.returncode == 1:
                # What cannot be split so is refused; which of it rightly, the tests of the command say.
                continue
            tell(f"{source.name} {' '.join(how)}", list(check(binary, work, source, how, llama)))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
