#!/usr/bin/env python3
"""Write a folder of GGUF files with gguf-py, for `compare.py` to read back.

    python generate.py OUTDIR

Deterministic. Only what gguf-py can also read is written, because it is the
judge afterwards: no version 1, no key or tensor name that is not UTF-8, no
duplicates, no element type that it does not know.
"""
import logging
import sys
from pathlib import Path

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as T, GGUFEndian, GGUFValueType as V

from values import NOT_UTF8, SCALARS, add_arrays, add_scalars, open_writer, write

BIG = GGUFEndian.BIG
PLAIN = {T.F32: np.float32, T.F16: np.float16, T.F64: np.float64, T.I8: np.int8, T.I16: np.int16, T.I32: np.int32, T.I64: np.int64}
# Where a block keeps its f16 scales. The blocks are noise, but their scales are made finite, so that
# the files also serve where values are decoded.
HALF_SCALES = {
    T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q8_1: [0, 2],
    T.Q2_K: [80, 82], T.Q3_K: [108], T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208],
    T.IQ2_XXS: [0], T.IQ2_XS: [0], T.IQ3_XXS: [0], T.IQ1_S: [0], T.IQ4_NL: [0], T.IQ3_S: [0], T.IQ2_S: [0], T.IQ4_XS: [0],
    T.TQ1_0: [52], T.TQ2_0: [64], T.Q1_0: [0],
}
noise = np.random.Generator(np.random.PCG64(1))


def blocks(kind: T, count: int, big: bool = False) -> np.ndarray:
    """`count` blocks of noise with finite scales, one block per row of the result."""
    size = GGML_QUANT_SIZES[kind][1]
    raw = noise.integers(0, 256, (count, size), dtype=np.uint8)
    half = np.frombuffer(np.array([0.0123], ">f2" if big else "<f2").tobytes(), np.uint8)
    for at in HALF_SCALES.get(kind, []):
        raw[:, at:at + 2] = half
    if kind == T.BF16:
        raw[:, 1] = 0x3D
    elif kind == T.Q8_K:
        raw[:, 0:4] = np.frombuffer(np.array([0.0123], ">f4" if big else "<f4").tobytes(), np.uint8)
    elif kind == T.MXFP4:
        raw[:, 0] = 120
    elif kind == T.NVFP4:
        raw[:, 0:4] = 0x38
    elif kind == T.IQ1_M:
        # The scale is spread over the top nibbles of the last four 16-bit words; 2 in the last one keeps it small.
        raw[:, 55] = (raw[:, 55] & 0x0F) | 0x20
    return raw


def add_plain(writer, name: str, kind: T, shape: tuple[int, ...]) -> None:
    """An unquantised tensor of the given numpy shape (the file lists it in reverse)."""
    dtype = PLAIN[kind]
    count = int(np.prod(shape))
    numbers = np.arange(count, dtype=np.float64) if np.issubdtype(dtype, np.floating) else np.arange(count) % 100
    writer.add_tensor(name, numbers.astype(dtype).reshape(shape))


def add_blocks(writer, name: str, kind: T, rows: int, per_row: int, big: bool = False) -> None:
    raw = blocks(kind, rows * per_row, big)
    writer.add_tensor(name, raw.reshape(rows, -1), raw_dtype=kind)


def value_files(out: Path) -> None:
    for endian, suffix in ((GGUFEndian.LITTLE, "le"), (BIG, "be")):
        w = open_writer(out / f"values-scalars-{suffix}.gguf", endian)
        add_scalars(w)
        write(w)
        w = open_writer(out / f"values-arrays-{suffix}.gguf", endian)
        add_arrays(w)
        add_plain(w, "after.arrays", T.F32, (3, 5))
        write(w)
        w = open_writer(out / f"values-empty-arrays-{suffix}.gguf", endian)
        for kind, _ in SCALARS:
            w.add_key_value(f"empty.{kind.name.lower()}", [], V.ARRAY, sub_type=kind)
        w.add_key_value("empty.array", [], V.ARRAY, sub_type=V.ARRAY)
        w.add_uint32("after", 7)
        write(w)
        w = open_writer(out / f"values-nested-arrays-{suffix}.gguf", endian)
        w.add_key_value("nested.numbers", [[1, 2, 3], [-4], [5, 6]], V.ARRAY)
        w.add_key_value("nested.strings", [["a", "é"], ["你好"]], V.ARRAY)
        w.add_key_value("nested.deep", [[[[1.5], [2.5, -0.0]]], [[[0.25]]]], V.ARRAY)
        w.add_key_value("nested.mixed", [["text"], [1, 2], [True]], V.ARRAY)
        w.add_uint32("after", 7)
        write(w)
        w = open_writer(out / f"values-long-{suffix}.gguf", endian)
        w.add_key_value("long.u16", [n % 65536 for n in range(20_000)], V.ARRAY, sub_type=V.UINT16)
        w.add_key_value("long.f32", [n / 8 for n in range(20_000)], V.ARRAY, sub_type=V.FLOAT32)
        w.add_key_value("long.bool", [n % 3 == 0 for n in range(5_000)], V.ARRAY, sub_type=V.BOOL)
        w.add_key_value("long.strings", [f"token {n} " + "é" * (n % 90) for n in range(5_000)], V.ARRAY, sub_type=V.STRING)
        w.add_string("long.string", "0123456789abcdef" * 8192)
        write(w)


def text_files(out: Path) -> None:
    w = open_writer(out / "text-keys.gguf")
    for key in ["你好.世界", "emoji.🦙", "Upper.Case Key", "tab\tand\nline", "nul\0inside", "\u202ereversed", "k" * 300, "", "trailing.", "..", "a.b.c.d.e.f"]:
        w.add_key_value(key, f"value of {len(key)}", V.STRING)
    for name in ["tensor.名前", "tensor 🦙", "", "n" * 63, "n" * 64, "n" * 200, "esc\x1b[2J", "nul\0name"]:
        add_plain(w, name, T.F32, (2,))
    write(w)
    w = open_writer(out / "text-not-utf8.gguf")
    for index, raw in enumerate(NOT_UTF8):
        w.add_key_value(f"raw.{index}", raw, V.STRING)
    w.add_key_value("raw.array", [b"fine", *NOT_UTF8, "fine again".encode()], V.ARRAY, sub_type=V.STRING)
    write(w)


def tensor_files(out: Path) -> None:
    quantised = [kind for kind in GGML_QUANT_SIZES if kind not in PLAIN]
    for endian, suffix in ((GGUFEndian.LITTLE, "le"), (BIG, "be")):
        big = endian == BIG
        w = open_writer(out / f"types-plain-{suffix}.gguf", endian)
        for kind in PLAIN:
            add_plain(w, f"plain.{kind.name}", kind, (3, 7))
        write(w)
    # One file with all of them, and one for each, where no neighbour can hide a wrong size.
    w = open_writer(out / "types-quantised.gguf")
    for kind in quantised:
        add_blocks(w, f"quantised.{kind.name}", kind, 3, 2)
    write(w)
    for kind in quantised:
        w = open_writer(out / f"type-{kind.name}.gguf")
        add_blocks(w, "before", kind, 1, 2)
        add_blocks(w, "weight", kind, 2, 3)
        add_plain(w, "after", T.I8, (5,))
        write(w)
    w = open_writer(out / "types-quantised-be.gguf", BIG)
    for kind in (T.Q8_0, T.Q4_0, T.Q8_K, T.Q4_K, T.MXFP4):
        add_blocks(w, f"quantised.{kind.name}", kind, 2, 2, big=True)
    write(w)

    w = open_writer(out / "shapes.gguf")
    for shape in [(1,), (7,), (1, 1), (2, 3), (8, 1), (1, 8), (2, 3, 4), (1, 1, 1, 1), (2, 3, 4, 5), (5, 1, 2, 1)]:
        add_plain(w, "shape." + "x".join(map(str, shape)), T.F32, shape)
    raw = blocks(T.Q4_K, 2 * 3 * 4).reshape(2, 3, 4 * GGML_QUANT_SIZES[T.Q4_K][1])
    w.add_tensor("shape.quantised.3d", raw, raw_dtype=T.Q4_K)
    write(w)
    # Legal, and both known implementations read them: no dimension at all (one element), and a dimension of 0 (none).
    w = open_writer(out / "shapes-scalar-and-empty.gguf")
    add_plain(w, "scalar", T.F32, ())
    add_plain(w, "empty", T.F32, (3, 0))
    add_plain(w, "after", T.F32, (2,))
    write(w)


def layout_files(out: Path) -> None:
    for alignment in (1, 8, 16, 64, 256, 4096):
        for endian, suffix in ((GGUFEndian.LITTLE, "le"), (BIG, "be")):
            w = open_writer(out / f"alignment-{alignment}-{suffix}.gguf", endian)
            w.add_custom_alignment(alignment)
            for count in (1, 3, 64, 65, 300):
                add_plain(w, f"t{count}", T.I8, (count,))
            write(w)
    w = open_writer(out / "alignment-last-key.gguf")
    w.add_string("first", "the alignment comes after this")
    add_plain(w, "a", T.I8, (3,))
    add_plain(w, "b", T.I8, (3,))
    w.add_custom_alignment(128)
    write(w)
    w = open_writer(out / "no-tensors.gguf")
    w.add_string("tokenizer.ggml.model", "llama")
    w.add_token_list(["<unk>", "<s>", "</s>"])
    write(w)
    for endian, suffix in ((GGUFEndian.LITTLE, "le"), (BIG, "be")):
        w = open_writer(out / f"nothing-at-all-{suffix}.gguf", endian)
        w.kv_data[0].clear()
        write(w)
    w = open_writer(out / "no-metadata.gguf")
    w.kv_data[0].clear()
    add_plain(w, "only", T.F32, (2, 2))
    write(w)
    # gguf-py writes version 3 only; version 2 differs in nothing but the number.
    w = open_writer(out / "version-2.gguf")
    add_scalars(w)
    add_plain(w, "weight", T.F16, (4, 4))
    write(w)
    raw = bytearray((out / "version-2.gguf").read_bytes())
    raw[4:8] = (2).to_bytes(4, "little")
    (out / "version-2.gguf").write_bytes(raw)
    # Bytes behind the last tensor, and a file that ends without the padding.
    w = open_writer(out / "trailing-bytes.gguf")
    add_plain(w, "weight", T.F32, (4,))
    write(w)
    with open(out / "trailing-bytes.gguf", "ab") as file:
        file.write(b"something else")
    w = open_writer(out / "no-final-padding.gguf")
    add_plain(w, "weight", T.I8, (40,))
    write(w)
    raw = (out / "no-final-padding.gguf").read_bytes()
    (out / "no-final-padding.gguf").write_bytes(raw[:-24])


def shard_files(out: Path) -> None:
    for name, small_first in (("shards", False), ("shards-small-first", True)):
        w = open_writer(out / f"{name}.gguf", split_max_tensors=2, small_first_shard=small_first)
        w.add_name("a model in parts")
        w.add_block_count(2)
        for index in range(6 if not small_first else 4):
            add_plain(w, f"blk.{index}.weight", T.F32, (3, 4 + index))
        write(w)


def main() -> None:
    logging.disable(logging.WARNING)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for part in (value_files, text_files, tensor_files, layout_files, shard_files):
        part(out)
    files = sorted(out.glob("*.gguf"))
    print(f"{len(files)} files, {sum(f.stat().st_size for f in files)} bytes in {out}")


if __name__ == "__main__":
    main()
