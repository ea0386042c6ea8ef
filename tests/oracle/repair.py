#!/usr/bin/env python3
"""Repair files in mis-written layouts, and compare what gguf-py reads in the result with what was written.

    python repair.py GGUF_BINARY WORKDIR

The files are written here, by a writer that shares nothing with the tool: each mis-written layout, each version, both byte
orders, a data section in odd order. `GGUF_BINARY repair FILE -o OUT` puts each right; gguf-py must then read OUT,
which is in the standard layout of version 3, with every key, type, value, tensor and byte of data in its place.
Half precision, which the format lacks, must come out as f32 of the same value.

Prints a line per file and `N passed, N failed` at the end; the exit code is 1 if anything failed.
"""
import json
import struct
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Iterator

from gguf import GGUFReader, GGUFValueType as V

import reading

F16 = "f16"  # a type that only the short ids have
STANDARD_IDS = {kind: int(kind) for kind in V}
SHORT_IDS = {
    V.UINT8: 0, V.INT8: 1, V.UINT16: 2, V.INT16: 3, V.UINT32: 4, V.UINT64: 5, V.FLOAT32: 6, F16: 7, V.STRING: 8, V.BOOL: 9,
    V.ARRAY: 10,
}
CODES = {
    V.UINT8: "B", V.INT8: "b", V.UINT16: "H", V.INT16: "h", V.UINT32: "I", V.INT32: "i", V.FLOAT32: "f", V.BOOL: "?",
    V.UINT64: "Q", V.INT64: "q", V.FLOAT64: "d", F16: "e",
}


@dataclass(frozen=True)
class Layout:
    """How a head is put down. The defaults are the format."""
    ids: tuple = tuple(STANDARD_IDS.items())
    header: int = 0  # bytes of alignment and padding after the counts
    nul: bool = False
    array: str = "type, count64"
    offset_first: bool = False
    version: int = 3
    big: bool = False
    order: tuple[int, ...] = ()  # in which order the data of the tensors stands
    alignment: int = 32

    def pack(self, code: str, value: Any) -> bytes:
        return struct.pack((">" if self.big else "<") + code, value)

    def length(self, value: int) -> bytes:
        return self.pack("I" if self.version == 1 else "Q", value)

    def string(self, raw: bytes) -> bytes:
        return self.length(len(raw)) + raw + (b"\0" if self.nul else b"")

    def kind(self, kind: Any) -> bytes:
        return self.pack("I", dict(self.ids)[kind])

    def value(self, kind: Any, value: Any) -> bytes:
        if kind == V.STRING:
            return self.string(value.encode())
        if kind == V.ARRAY:
            inner, items = value
            head = {
                "type, count64": lambda: self.kind(inner) + self.length(len(items)),
                "count64, type": lambda: self.length(len(items)) + self.kind(inner),
                "count32, type": lambda: self.pack("I", len(items)) + self.kind(inner),
                "type, count32": lambda: self.kind(inner) + self.pack("I", len(items)),
            }[self.array]()
            return head + b"".join(self.value(inner, item) for item in items)
        return self.pack(CODES[kind], value)

    def file(self, metadata: list, tensors: list) -> bytes:
        order = self.order or tuple(range(len(tensors)))
        data, offsets = b"", {}
        for at in order:
            offsets[at] = len(data)
            data += tensors[at][2]
            data += b"\0" * (-len(data) % self.alignment)
        head = b"GGUF" + self.pack("I", self.version) + self.length(len(tensors)) + self.length(len(metadata))
        if self.header:
            head += self.pack("I", self.alignment) + b"\0" * (self.header - 4)
        for key, kind, value in metadata:
            head += self.string(key.encode()) + self.kind(kind) + self.value(kind, value)
        for at, (name, shape, _) in enumerate(tensors):
            head += self.string(name.encode()) + self.pack("I", len(shape)) + b"".join(self.length(n) for n in shape)
            last = [self.pack("I", 0), self.pack("Q", offsets[at])]
            head += b"".join(reversed(last) if self.offset_first else last)
        return head + b"\0" * (-len(head) % self.alignment) + data


STANDARD = Layout()
PADDED = replace(STANDARD, header=8, nul=True, offset_first=True)
SHORT = replace(STANDARD, ids=tuple(SHORT_IDS.items()), array="count32, type")
LAYOUTS = {
    "padded-header": PADDED,
    "padded-header, alignment 64": replace(PADDED, alignment=64),
    "padded-header-40": replace(PADDED, header=16),
    "short-ids": SHORT,
    "nul-strings": replace(STANDARD, nul=True),
    "offset-before-type": replace(STANDARD, offset_first=True),
    "array-count-first": replace(STANDARD, array="count64, type"),
    "array-count32-first": replace(STANDARD, array="count32, type"),
    "array-count32": replace(STANDARD, array="type, count32"),
    "version 1": replace(STANDARD, version=1),
    "version 2": replace(STANDARD, version=2),
    "version 1, big-endian": replace(STANDARD, version=1, big=True),
    "short-ids, big-endian": replace(SHORT, big=True),
    "padded-header, big-endian": replace(PADDED, big=True),
    "data in another order": replace(STANDARD, order=(2, 0, 1)),
    "data in another order, big-endian": replace(STANDARD, order=(1, 2, 0), big=True),
    "padded-header, data in another order": replace(PADDED, order=(2, 1, 0)),
}

METADATA = [
    ("general.architecture", V.STRING, "llama"),
    ("general.name", V.STRING, "naïve 名前 🦙"),
    ("llama.block_count", V.UINT32, 22),
    ("empty", V.STRING, ""),
    ("n.u8", V.UINT8, 255),
    ("n.i8", V.INT8, -128),
    ("n.u16", V.UINT16, 0x0102),
    ("n.i16", V.INT16, -0x0102),
    ("n.u32", V.UINT32, 2**32 - 1),
    ("n.u64", V.UINT64, 2**63 + 1),
    ("n.f32", V.FLOAT32, -1.5),
    ("yes", V.BOOL, True),
    ("no", V.BOOL, False),
    ("tokens", V.ARRAY, (V.STRING, ["<s>", "", "é", "long " * 50])),
    ("scores", V.ARRAY, (V.FLOAT32, [0.0, -0.25, 2.0**100])),
    ("types", V.ARRAY, (V.UINT32, [3, 1, 2**31])),
    ("flags", V.ARRAY, (V.BOOL, [True, False, True])),
    ("none", V.ARRAY, (V.UINT16, [])),
    ("deep", V.ARRAY, (V.ARRAY, [(V.STRING, ["p", ""]), (V.UINT16, [9]), (V.UINT8, [])])),
]
# What the short ids lack, and what only they have.
WIDE = [("w.i32", V.INT32, -(2**31)), ("w.i64", V.INT64, -(2**63)), ("w.f64", V.FLOAT64, 1e300)]
HALF = [("h", F16, 0.333251953125), ("h.array", V.ARRAY, (F16, [1.0, -65504.0, 2.0**-24, 0.0])), ("h.none", V.ARRAY, (F16, []))]
TENSORS = [("a.weight", [3], bytes(range(12))), ("b.weight", [4, 5], bytes(range(80))), ("c.bias", [9], bytes(range(36)))]


def widened(kind: Any, value: Any) -> tuple[V, Any]:
    if kind == V.ARRAY:
        inner, items = value
        kept = V.FLOAT32 if inner == F16 else inner
        return (kind, (kept, [widened(inner, item)[1] for item in items]))
    return (V.FLOAT32 if kind == F16 else kind, value)


def differences(layout: Layout, metadata: list, out: Path) -> Iterator[str]:
    read = reading.read(out)
    if (read["version"], read["endian"]) != (3, "big" if layout.big else "little"):
        yield f"version {read['version']}, {read['endian']}-endian"
    if read["alignment"] != layout.alignment:
        yield f"alignment {read['alignment']}, expected {layout.alignment}"
    expected = [(key, *widened(kind, value)) for key, kind, value in metadata]
    if layout.alignment != 32:
        expected.append(("general.alignment", V.UINT32, layout.alignment))
    found = [(one["key"], one["type"], one["value"]) for one in read["metadata"]]
    # The types are compared by repr too, where True is not 1 and 1 is not 1.0.
    if repr(found) != repr(expected):
        for mine, its in zip(found, expected):
            if repr(mine) != repr(its):
                yield f"{mine!r:.200}, expected {its!r:.200}"
        if len(found) != len(expected):
            yield f"{len(found)} entries, expected {len(expected)}"
    raw = out.read_bytes()
    tensors = [(one["name"], one["shape"], raw[one["data_offset"]:][:one["size"]]) for one in read["tensors"]]
    if tensors != TENSORS:
        yield "tensors differ"
    at = 0
    for one in read["tensors"]:
        if one["offset"] != at:
            yield f"{one['name']} at {one['offset']}, expected {at}"
        at += one["size"] + -one["size"] % layout.alignment
    if len(raw) != read["data_start"] + at:
        yield f"{len(raw)} bytes, expected {read['data_start'] + at}"
    # The reader that users have agrees on the order of the bytes in the data.
    first = GGUFReader(out).tensors[0].data.tobytes()
    if first != TENSORS[0][2]:
        yield "the first tensor's data differs"


def check(binary: str, work: Path, name: str, layout: Layout) -> list[str]:
    metadata = METADATA + (HALF if F16 in dict(layout.ids) else WIDE)
    stem = name.replace(",", "").replace(" ", "-")
    source, out = work / f"{stem}.gguf", work / f"{stem}.repaired.gguf"
    source.write_bytes(layout.file(metadata, TENSORS))
    run = subprocess.run([binary, "repair", str(source), "-o", str(out), "--force", "--json"], capture_output=True, timeout=60)
    if run.returncode != 0:
        return [f"exit code {run.returncode}: {(run.stdout + run.stderr).decode(errors='replace').strip()[:400]}"]
    answer = json.loads(run.stdout)["files"][0]
    if answer["nothing_to_do"] or not answer["outputs"][0]["written"]:
        return ["nothing was repaired"]
    if source.read_bytes() != layout.file(metadata, TENSORS):
        return ["the source was changed"]
    return list(differences(layout, metadata, out))


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, work = sys.argv[1], Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, layout in LAYOUTS.items():
        found = check(binary, work, name, layout)
        failed += bool(found)
        print(f"{'FAIL' if found else 'ok  '} {name}")
        for line in found:
            print(f"       {line}")
    print(f"{len(LAYOUTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
