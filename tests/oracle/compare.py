#!/usr/bin/env python3
"""Compare what `gguf dump` says about files with what gguf-py says.

    python compare.py GGUF_BINARY FILE...

For each file `GGUF_BINARY dump --format json --arrays all FILE` is run and the
whole head is compared: version, byte order, alignment, every entry's place,
key, type and value in file order, every tensor's name, type, shape and place.
Integers, strings and booleans must be equal, floats equal bit by bit.

Prints a line per file and `N passed, N failed` at the end; the exit code is 1
if anything failed. Where gguf-py's own view is known to be wrong or looser,
the comment at that place says so; see also `reading.py`.
"""
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

from gguf import GGUFValueType as V

import reading
from reading import TYPE_NAMES

FLOATS = (V.FLOAT32, V.FLOAT64)
NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
SHOWN = 8  # differences listed for one file; the rest are counted


def parse_int(digits: str) -> int | float:
    # "-0" as a JSON number is an integer to Python and would lose the sign of a negative zero.
    return -0.0 if digits == "-0" else int(digits)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def dump(binary: str, path: Path) -> dict[str, Any]:
    run = subprocess.run([binary, "dump", "--format", "json", "--arrays", "all", str(path)], capture_output=True, timeout=120)
    if run.returncode != 0:
        raise ValueError(f"exit code {run.returncode}: {run.stderr.decode(errors='replace').strip()[:300]}")
    top = json.loads(run.stdout.decode("utf-8"), parse_int=parse_int, parse_constant=refuse_constant)
    if (top["schema"], top["command"]) != (1, "dump") or len(top["files"]) != 1:
        raise ValueError(f"unexpected envelope: schema {top['schema']}, command {top['command']}, {len(top['files'])} files")
    return top["files"][0]


def same_scalar(kind: V, ours: Any, theirs: Any) -> bool:
    if kind in FLOATS:
        if isinstance(ours, str):
            ours = NOT_FINITE.get(ours)
        if isinstance(ours, bool) or not isinstance(ours, (int, float)):
            return False
        return reading.bits(kind, float(ours)) == reading.bits(kind, theirs)
    # `type` first: True == 1 and 1.0 == 1 in Python, and neither may pass for the other here.
    return type(ours) is type(theirs) and ours == theirs


def differences_of_value(where: str, kind: V, ours: Any, theirs: Any) -> Iterator[str]:
    if kind != V.ARRAY:
        if not same_scalar(kind, ours, theirs):
            yield f"{where}: {short(ours)}, expected {short(theirs)}"
        return
    # Arrays inside arrays are plain lists in the dump: the element type stands there for the outermost only.
    inner, items = theirs
    if not isinstance(ours, list):
        yield f"{where}: {short(ours)}, expected a list of {len(items)}"
        return
    if len(ours) != len(items):
        yield f"{where}: {len(ours)} elements, expected {len(items)}"
        return
    for index, (mine, its) in enumerate(zip(ours, items)):
        yield from differences_of_value(f"{where}[{index}]", inner, mine, its)


def differing(where: str, ours: dict[str, Any], expected: dict[str, Any]) -> Iterator[str]:
    for name, value in expected.items():
        if name not in ours:
            yield f"{where}.{name}: missing"
        elif type(ours[name]) is not type(value) or ours[name] != value:
            yield f"{where}.{name}: {short(ours[name])}, expected {short(value)}"


def differences(ours: dict[str, Any], theirs: dict[str, Any], size: int) -> Iterator[str]:
    header = ours["header"]
    yield from differing("file", ours, {"size": size, "errors": []})
    yield from differing("header", header, {
        "version": theirs["version"],
        "endian": theirs["endian"],
        "tensor_count": len(theirs["tensors"]),
        "kv_count": len(theirs["metadata"]),
        "alignment": theirs["alignment"],
        "base": 0,
        "head_end": theirs["head_end"],
    })
    # Without tensors there is no data section to start. gguf-py rounds the end of the head up all the
    # same, past the end of a file that has no padding; the C reader does not. Both are fine.
    starts = {theirs["data_start"]} if theirs["tensors"] else {theirs["data_start"], theirs["head_end"], None}
    if header.get("data_start") not in starts:
        yield f"header.data_start: {header.get('data_start')}, expected {theirs['data_start']}"

    if len(ours["metadata"]) != len(theirs["metadata"]):
        yield f"metadata: {len(ours['metadata'])} entries, expected {len(theirs['metadata'])}"
    for index, (mine, its) in enumerate(zip(ours["metadata"], theirs["metadata"])):
        where = f"metadata[{index}]"
        expected = {"index": index, "key": its["key"], "type": TYPE_NAMES[its["type"]]}
        expected |= {name: its[name] for name in ("offset", "size", "value_offset", "value_size")}
        if its["type"] == V.ARRAY:
            inner, items = its["value"]
            expected |= {"element_type": TYPE_NAMES[inner], "length": len(items)}
        yield from differing(where, mine, expected)
        yield from differences_of_value(f"{where}.value", its["type"], mine.get("value"), its["value"])

    if len(ours["tensors"]) != len(theirs["tensors"]):
        yield f"tensors: {len(ours['tensors'])}, expected {len(theirs['tensors'])}"
    for index, (mine, its) in enumerate(zip(ours["tensors"], theirs["tensors"])):
        yield from differing(f"tensors[{index}]", mine, {"index": index, **its})


def short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def check(binary: str, path: Path) -> list[str]:
    try:
        theirs = reading.read(path)
    except Exception as error:  # whatever gguf-py raises, the file is none of its to judge
        return [f"gguf-py cannot read this file, it does not belong here: {error!r}"]
    try:
        return list(differences(dump(binary, path), theirs, path.stat().st_size))
    except (ValueError, KeyError, TypeError, OSError, subprocess.TimeoutExpired) as error:
        return [f"{type(error).__name__}: {error}"]


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, paths = sys.argv[1], [Path(name) for name in sys.argv[2:]]
    failed = 0
    for path in paths:
        found = check(binary, path)
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok  '} {path.name}")
        for line in found[:SHOWN]:
            print(f"       {line}")
        if len(found) > SHOWN:
            print(f"       and {len(found) - SHOWN} more")
    print(f"{len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
