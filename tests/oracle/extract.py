#!/usr/bin/env python3
"""What `gguf extract` writes, read by NumPy, the safetensors package and gguf-py.

    python extract.py GGUF_BINARY FOLDER FILE...

Of every FILE that gguf-py reads all tensors that it decodes are put into one file of every form, whole and some rows of them,
and come back with the shapes and values that gguf-py has. Rounding to binary16 is held against NumPy's. Archives are read
once more as zip files, with their checksums.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import warnings
import zipfile

import gguf
import numpy as np
from gguf.quants import QuantError, dequantize
from safetensors import safe_open

INTEGERS = {"I8", "I16", "I32", "I64"}
PLAIN = INTEGERS | {"F32", "F16", "F64"}


def run(binary, *arguments, status=0):
    done = subprocess.run([binary, "extract", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != status:
        raise SystemExit(f"{arguments}: exit status {done.returncode}: {done.stderr}")
    return done


def values_of(reader, tensor):
    """The values in NumPy's shape, of their own type where it is plain, else floats; None where gguf-py has no rule."""
    shape = [int(n) for n in reversed(tensor.shape)]
    if tensor.tensor_type.name in PLAIN:
        return tensor.data.reshape(shape)
    if reader.endianess == gguf.GGUFEndian.BIG:
        return None
    try:
        return dequantize(tensor.data, tensor.tensor_type).astype(np.float32).reshape(shape)
    except (NotImplementedError, QuantError, ValueError):
        return None


def bf16(values):
    """The nearest bfloat16 as bits, ties to even; what is no number stays none."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), (bits >> 16) | 0x40, rounded).astype(np.uint16)


def same(found, wanted, what):
    if list(found.shape) != list(wanted.shape):
        raise SystemExit(f"{what}: shape {found.shape} is not {wanted.shape}")
    if found.dtype.newbyteorder("=") != wanted.dtype.newbyteorder("="):
        raise SystemExit(f"{what}: type {found.dtype} is not {wanted.dtype}")
    if not np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f"):
        raise SystemExit(f"{what}: other values")


def converted(values, kind, dtype):
    """What --dtype makes of a tensor."""
    if kind in INTEGERS:
        return values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return values.astype(np.float32).astype(dtype)


def sliced(values, rows):
    """Some rows, counted over all dimensions but the last."""
    return values if rows is None else values.reshape(-1, values.shape[-1] if values.ndim else 1)[rows[0]:rows[1]]


def check(binary, folder, file, tensors, rows):
    """One form after the other, of these tensors: (name, type, values)."""
    names = [name for name, _, _ in tensors]
    options = ["--rows", f"{rows[0]}:{rows[1]}"] if rows else []
    count = 0

    def made(output, *more, of=names):
        target = folder / output
        target.unlink(missing_ok=True)
        said = run(binary, file, *of, "-o", target, "--json", "--dry-run", *options, *more)
        size = json.loads(said.stdout)["files"][0]["output"]["bytes"]
        assert not target.exists()
        run(binary, file, *of, "-o", target, *options, *more)
        if target.stat().st_size != size:
            raise SystemExit(f"{output}: {target.stat().st_size} bytes, and {size} were told")
        return target

    for dtype, word in ((np.float32, "f32"), (np.float16, "f16")):
        expected = {name: converted(sliced(values, rows), kind, dtype) for name, kind, values in tensors}
        archive = made("t.npz", "--dtype", word)
        if zipfile.ZipFile(archive).testzip() is not None:
            raise SystemExit("a checksum of the archive is wrong")
        with np.load(archive) as arrays:
            assert sorted(arrays.files) == sorted(names), arrays.files
            for name in names:
                same(arrays[name], expected[name], f"{file.name}: {name} in .npz as {word}")
        with safe_open(made("t.safetensors", "--dtype", word), "numpy") as stored:
            assert sorted(stored.keys()) == sorted(names)
            for name in names:
                same(stored.get_tensor(name), expected[name], f"{file.name}: {name} in .safetensors as {word}")
                count += 1
        array = made("t.npy", "--dtype", word, of=names[:1])
        same(np.load(array), expected[names[0]], f"{file.name}: {names[0]} in .npy as {word}")
        raw = made("t.raw", "--dtype", word, of=names[:1]).read_bytes()
        if raw != np.ascontiguousarray(expected[names[0]]).astype(expected[names[0]].dtype.newbyteorder("<")).tobytes():
            if tensors[0][1] not in INTEGERS:
                raise SystemExit(f"{file.name}: {names[0]} in .raw as {word}")
    # NumPy has no bfloat16: its bits are those of the file.
    target = made("t.safetensors", "--dtype", "bf16").read_bytes()
    length = int.from_bytes(target[:8], "little")
    head = json.loads(target[8:8 + length])
    for name, kind, values in tensors:
        if kind not in INTEGERS and kind != "BF16":
            assert head[name]["dtype"] == "BF16"
            start, end = head[name]["data_offsets"]
            bits = np.frombuffer(target[8 + length + start:8 + length + end], "<u2")
            if not np.array_equal(bits, bf16(sliced(values, rows).ravel())):
                raise SystemExit(f"{file.name}: {name} in .safetensors as bf16")
    plain = [(name, values) for name, kind, values in tensors if kind in PLAIN]
    if plain:
        names_of = [name for name, _ in plain]
        with np.load(made("t.npz", of=names_of)) as arrays, safe_open(made("t.safetensors", of=names_of), "numpy") as stored:
            for name, values in plain:
                same(arrays[name], sliced(values, rows), f"{file.name}: {name} in .npz")
                same(stored.get_tensor(name), sliced(values, rows), f"{file.name}: {name} in .safetensors")
    return count


def check_gguf(binary, folder, file, reader, rows):
    """A model of some of the tensors has their bytes, and the metadata."""
    target = folder / "part.gguf"
    target.unlink(missing_ok=True)
    # What has no elements has no rows either.
    wanted = [tensor for tensor in reader.tensors if tensor.n_elements > 0 or rows is None][::2]
    if not wanted:
        return 0
    options = ["--rows", f"{rows[0]}:{rows[1]}"] if rows else []
    run(binary, file, *[tensor.name for tensor in wanted], "-o", target, *options)
    part = gguf.GGUFReader(target)
    keys = [key for key in reader.fields if not key.startswith("split.")]
    own = {"GGUF.version", "GGUF.tensor_count", "GGUF.kv_count"}
    assert list(part.fields) == keys, f"{file.name}: {list(part.fields)}"
    for key in keys:
        if key not in own:
            one, other = reader.fields[key], part.fields[key]
            assert one.types == other.types and all(a.tobytes() == b.tobytes() for a, b in zip(one.parts, other.parts)), key
    assert part.alignment == reader.alignment
    for old, new in zip(wanted, part.tensors):
        assert old.name == new.name and old.tensor_type == new.tensor_type
        data = sliced(old.data, rows)
        if data.tobytes() != new.data.tobytes():
            raise SystemExit(f"{file.name}: {old.name} has other bytes in {target.name}")
    return len(wanted)


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    arrays = models = 0
    for file in map(pathlib.Path, sys.argv[3:]):
        try:
            reader = gguf.GGUFReader(file)
        except (ValueError, KeyError, IndexError, UnicodeDecodeError):
            print(f"{file.name}: gguf-py does not read it, left out")
            continue
        names = [tensor.name for tensor in reader.tensors]
        if not names or len(set(names)) < len(names) or any(set(name) & set("*?[]\\") for name in names):
            continue
        # gguf-py takes a block of Q8_1 for 40 bytes.
        if any(tensor.tensor_type.name == "Q8_1" for tensor in reader.tensors):
            continue
        tensors = [(t.name, t.tensor_type.name, values_of(reader, t)) for t in reader.tensors if t.n_elements > 0]
        tensors = [(name, kind, values) for name, kind, values in tensors if values is not None]
        shard = "-of-" in file.name
        for rows in (None, (0, 1)):
            if tensors:
                arrays += check(binary, folder, file, tensors, rows)
            # A shard stands for its set; gguf-py has no rule for the blocks of other byte orders.
            if not shard:
                models += check_gguf(binary, folder, file, reader, rows)
    shutil.rmtree(folder)
    print(f"extract: {arrays} tensors in each form of arrays, {models} in models, as their readers have them")
    return 0 if arrays and models else 1


if __name__ == "__main__":
    sys.exit(main())
