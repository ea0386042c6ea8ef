#!/usr/bin/env python3
"""Write the small files that the Rust tests read as "not written by us".

    python make_foreign.py [OUTDIR]

OUTDIR defaults to the format crate's test data. Each `NAME.gguf` is written by
gguf-py and comes with `NAME.json`: what must be found in it. Keys, types,
values and shapes in the JSON are the ones that were handed to the writer, not
ones that anybody read back, and offsets follow from the sizes. Before anything is
kept, gguf-py's reader has to agree with all of it.

In the JSON a float is `{"value": V, "bits": HEX}`: V is a number or one of
"NaN", "Infinity", "-Infinity" (for an f32 the same number as a double); HEX is
its bit pattern, 8 digits for f32 and 16 for f64. `data_hex` is a tensor's data
as the file stores it. Bytes that are not UTF-8 are `{"bytes": BASE64}`.
"""
import json
import logging
import math
import struct
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, GGUFEndian, GGUFValueType as V

import reading
from reading import TYPE_NAMES
from values import BOOLS, FLOATS, INTEGERS, STRINGS, Writer, open_writer, write

HERE = Path(__file__).resolve().parent
DEFAULT_OUT = HERE.parent.parent / "crates" / "format" / "tests" / "data"
# Every string but the very long one: these files live in the repository.
SHORT_STRINGS = [text for text in STRINGS if len(text) < 200] + [b"not utf-8: \xff\xfe"]


class Foreign:
    """A file and the account of what goes into it, kept side by side."""

    def __init__(self, path: Path, endian: GGUFEndian, alignment: int = 32):
        self.path = path
        self.endian = endian
        self.alignment = 32
        self.writer: Writer = open_writer(path, endian)
        self.metadata: list[dict[str, Any]] = [{"key": "general.architecture", "type": "string", "value": "llama"}]
        self.tensors: list[dict[str, Any]] = []
        self.data_end = 0
        if alignment != 32:
            self.alignment = alignment
            self.writer.add_custom_alignment(alignment)
            self.metadata.append({"key": "general.alignment", "type": "u32", "value": alignment})

    def add(self, key: str, kind: V, value: Any) -> None:
        self.writer.add_key_value(key, value, kind)
        self.metadata.append({"key": key, "type": TYPE_NAMES[kind], "value": plain(kind, value)})

    def add_array(self, key: str, kind: V, values: list[Any]) -> None:
        self.writer.add_key_value(key, values, V.ARRAY, sub_type=kind)
        self.metadata.append({
            "key": key, "type": "array", "element_type": TYPE_NAMES[kind],
            "value": [plain(kind, value) for value in values],
        })

    def add_tensor(self, name: str, kind: T, shape: list[int], data: np.ndarray) -> None:
        """`shape` in file order, fastest dimension first; `data` in the machine's byte order, or raw blocks."""
        raw = data.dtype == np.uint8
        self.writer.add_tensor(name, data, raw_dtype=kind if raw else None)
        block, size = GGML_QUANT_SIZES[kind]
        elements = math.prod(shape)
        self.tensors.append({
            "name": name, "type": kind.name, "type_id": int(kind), "shape": shape,
            "elements": elements, "size": elements // block * size, "offset": self.data_end,
            "data_hex": (data.byteswap() if self.endian == GGUFEndian.BIG and not raw else data).tobytes().hex(),
        })
        self.data_end += -(-data.nbytes // self.alignment) * self.alignment

    def finish(self) -> None:
        write(self.writer)
        found = reading.read(self.path)
        raw = self.path.read_bytes()
        start = found["data_start"]
        for tensor in self.tensors:
            tensor["data_offset"] = start + tensor["offset"]
            assert raw[tensor["data_offset"]:][:tensor["size"]].hex() == tensor["data_hex"], tensor["name"]
        account = {
            "writer": f"gguf-py {version('gguf')}",
            "size": len(raw),
            "version": 3,
            "endian": "big" if self.endian == GGUFEndian.BIG else "little",
            "alignment": self.alignment,
            "head_end": found["head_end"],
            "data_start": start,
            "metadata": self.metadata,
            "tensors": self.tensors,
        }
        agree(account, found)
        lines = [f" {json.dumps(name)}: {json.dumps(value)}" for name, value in account.items() if not isinstance(value, list)]
        for name in ("metadata", "tensors"):
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=True, allow_nan=False) for row in account[name])
            lines.append(f" {json.dumps(name)}: [\n{rows}\n ]")
        self.path.with_suffix(".json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def plain(kind: V, value: Any) -> Any:
    if kind in (V.FLOAT32, V.FLOAT64):
        code = "f" if kind == V.FLOAT32 else "d"
        word = "NaN" if math.isnan(value) else ("-Infinity" if value < 0 else "Infinity") if math.isinf(value) else value
        return {"value": word, "bits": struct.pack(f">{code}", value).hex()}
    return reading.text(value) if isinstance(value, bytes) else value


def agree(account: dict[str, Any], found: dict[str, Any]) -> None:
    """Stop unless gguf-py reads back what it was given."""
    for name in ("version", "endian", "alignment", "head_end", "data_start"):
        assert account[name] == found[name], name
    assert len(account["metadata"]) == len(found["metadata"]) and len(account["tensors"]) == len(found["tensors"])
    for said, seen in zip(account["metadata"], found["metadata"]):
        value = seen["value"]
        if seen["type"] == V.ARRAY:
            inner, items = value
            assert said["element_type"] == TYPE_NAMES[inner], said["key"]
            value = [plain(inner, item) for item in items]
        else:
            value = plain(seen["type"], value)
        assert (said["key"], said["type"], said["value"]) == (seen["key"], TYPE_NAMES[seen["type"]], value), said["key"]
    for said, seen in zip(account["tensors"], found["tensors"]):
        for name in ("name", "type", "type_id", "shape", "elements", "size", "offset", "data_offset"):
            assert said[name] == seen[name], (said["name"], name)


def fill(file: Foreign) -> None:
    """Every value type, as a scalar and as an array that has both ends of its range."""
    for kind, values in [*INTEGERS.items(), *FLOATS.items(), (V.BOOL, BOOLS)]:
        # Where the type has room for it, a value whose bytes differ, so that a wrong width or order shows.
        file.add(f"scalar.{TYPE_NAMES[kind]}", kind, values[3] if kind in FLOATS else values[1])
        file.add_array(f"array.{TYPE_NAMES[kind]}", kind, values)
    for index, text in enumerate(SHORT_STRINGS):
        file.add(f"scalar.string.{index}", V.STRING, text)
    file.add_array("array.string", V.STRING, SHORT_STRINGS[:4])
    file.add_array("array.string.empty", V.STRING, [])
    file.add("ключ.键.🦙", V.STRING, "a key outside ASCII")


def tensors(file: Foreign) -> None:
    big = file.endian == GGUFEndian.BIG
    file.add_tensor("token_embd.weight", T.F32, [4, 3], np.arange(12, dtype=np.float32).reshape(3, 4))
    file.add_tensor("half", T.F16, [5], np.linspace(-1, 1, 5, dtype=np.float16))
    file.add_tensor("integers", T.I16, [3, 1, 2], np.array([1, -2, 3, -4, 5, 258], np.int16).reshape(2, 1, 3))
    # gguf-py leaves raw blocks as they are, so their scales are put into the file's byte order here.
    scale = np.frombuffer(np.array([0.5], ">f2" if big else "<f2").tobytes(), np.uint8)
    blocks = np.tile(np.concatenate([scale, np.arange(32, dtype=np.uint8)]), (2, 1))
    file.add_tensor("blk.0.attn_q.weight", T.Q8_0, [32, 2], blocks)


def main() -> None:
    logging.disable(logging.WARNING)
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_OUT
    out.mkdir(parents=True, exist_ok=True)
    little = Foreign(out / "gguf-py-little.gguf", GGUFEndian.LITTLE)
    fill(little)
    tensors(little)
    little.finish()
    big = Foreign(out / "gguf-py-big.gguf", GGUFEndian.BIG)
    fill(big)
    tensors(big)
    big.finish()
    aligned = Foreign(out / "gguf-py-align64.gguf", GGUFEndian.LITTLE, 64)
    aligned.add("general.name", V.STRING, "aligned to 64")
    tensors(aligned)
    aligned.finish()
    files = sorted(out.glob("gguf-py-*"))
    print(f"{len(files)} files, {sum(f.stat().st_size for f in files)} bytes in {out}")


if __name__ == "__main__":
    main()
