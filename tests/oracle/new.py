"""Files that `gguf new` and `gguf add` made. A dump of a file makes the file again, byte for byte where it is in the canonical
form; data of NumPy and of safetensors files comes to gguf-py with the values that numpy has; what gguf-py writes of the same
key-values and tensors is the same file.

usage: new.py GGUF FOLDER FILE...
"""

import json
import os
import struct
import subprocess
import sys

import numpy as np
from gguf import GGUFReader, GGUFWriter


def run(*args, status=0):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True)
    if status is not None and done.returncode != status:
        raise SystemExit(f"{args}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def content(path):
    with open(path, "rb") as file:
        return file.read()


def again(gguf, path, folder):
    """A file out of its dump, in both forms. False where the file is of a kind that is not written."""
    made = os.path.join(folder, "again.gguf")
    original = content(path)
    for form in ["json", "yaml"]:
        told = os.path.join(folder, "dump." + form)
        with open(told, "w") as file:
            subprocess.run([gguf, "dump", path, "--format", form, "--arrays", "all"], stdout=file, check=True)
        done = run(gguf, "new", made, told, "--data-from", path, "--force", "--allow-errors", status=None)
        if done.returncode != 0:
            if any(
                why in done.stderr
                for why in ["given twice", "version 1", "is not known here", "was removed", "several tensors", "out of file",
                            "would end at", "begins before", "not a multiple", "are called", "no positive whole"]
            ):
                return False
            raise SystemExit(f"{path}: {done.stdout}{done.stderr}")
        new = content(made)
        # What is behind the last tensor, and a layout of its own, are no part of a description.
        if new == original or "canonical layout" in done.stderr:
            continue
        shorter = min(len(new), len(original))
        if new[:shorter] == original[:shorter] and not any(new[shorter:]):
            continue
        raise SystemExit(f"{path}: another file comes of its dump ({form})")
    return True


def write_safetensors(path, tensors):
    header, data, kinds = {}, b"", {"float32": "F32", "float16": "F16", "int32": "I32", "float64": "F64", "int8": "I8"}
    for name, array in tensors.items():
        raw = array.tobytes()
        header[name] = {
            "dtype": kinds[str(array.dtype)],
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def arrays():
    rng = np.random.default_rng(7)
    out = {}
    for dtype in ["f2", "f4", "f8", "i1", "i2", "i4", "i8"]:
        for shape in [(5,), (3, 4), (2, 3, 4), (2, 1, 3, 2)]:
            numbers = rng.integers(-100, 100, size=shape)
            out[f"{dtype}.{len(shape)}"] = numbers.astype("<" + dtype)
    return out


def data(gguf, folder):
    """Arrays by way of .npy, in both byte orders and all versions of the header, and of safetensors."""
    wanted = arrays()
    entries, added = [], []
    for at, (name, array) in enumerate(wanted.items()):
        path = os.path.join(folder, name + ".npy")
        kept = array.astype(array.dtype.newbyteorder(">")) if at % 2 else array
        with open(path, "wb") as file:
            np.lib.format.write_array(file, kept, version=[(1, 0), (2, 0), (3, 0)][at % 3])
        entries.append({"name": name, "source": name + ".npy"})
        added.append(f"{name}={path}")
    safe = {name: array for name, array in wanted.items() if array.dtype in (np.float32, np.float16, np.int32)}
    write_safetensors(os.path.join(folder, "m.safetensors"), {"s." + name: array for name, array in safe.items()})
    for name, array in safe.items():
        entries.append({"name": "x." + name, "source": {"file": "m.safetensors", "tensor": "s." + name}})
        added.append(f"x.{name}={os.path.join(folder, 'm.safetensors')}:s.{name}")
        wanted["x." + name] = array
    metadata = [
        {"key": "general.architecture", "type": "string", "value": "toy"},
        {"key": "toy.count", "type": "u32", "value": 7},
        {"key": "toy.scale", "type": "f32", "value": 0.1},
        {"key": "toy.words", "type": "array[string]", "value": ["a", "", "字"]},
    ]
    for endian in ["little", "big"]:
        told = os.path.join(folder, "told.json")
        with open(told, "w") as file:
            json.dump({"header": {"endian": endian}, "metadata": metadata, "tensors": entries}, file)
        made = os.path.join(folder, endian + ".gguf")
        run(gguf, "new", made, told, "--force")
        read(made, wanted)
    theirs = os.path.join(folder, "theirs.gguf")
    writer = GGUFWriter(theirs, "toy")
    writer.add_uint32("toy.count", 7)
    writer.add_float32("toy.scale", 0.1)
    writer.add_array("toy.words", ["a", "", "字"])
    for name, array in wanted.items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    if content(theirs) != content(os.path.join(folder, "little.gguf")):
        raise SystemExit("gguf-py writes another file of the same values")
    # The same, tensor by tensor, into a file that has none.
    with open(told, "w") as file:
        json.dump({"metadata": metadata}, file)
    bare = os.path.join(folder, "bare.gguf")
    run(gguf, "new", bare, told, "--force")
    for one in range(0, len(added), 7):
        run(gguf, "add", bare, *added[one : one + 7])
    if content(bare) != content(theirs):
        raise SystemExit("what `gguf add` makes is another file than gguf-py's")
    run(gguf, "add", bare, "f4.1=" + os.path.join(folder, "f4.2.npy"), "--replace")
    wanted["f4.1"] = wanted["f4.2"]
    read(bare, wanted)
    return len(wanted)


def read(path, wanted):
    tensors = {tensor.name: tensor for tensor in GGUFReader(path).tensors}
    if list(tensors) != list(wanted):
        raise SystemExit(f"{path}: {list(tensors)}")
    for name, array in wanted.items():
        got = tensors[name].data
        if list(got.shape) != list(array.shape) or not np.array_equal(got, array):
            raise SystemExit(f"{path}: {name}: {got} is not {array}")


def main():
    gguf, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    same = [path for path in files if again(gguf, path, folder)]
    if len(same) < len(files) // 2:
        raise SystemExit(f"only {len(same)} of {len(files)} files came of their dumps")
    count = data(gguf, folder)
    print(f"{len(same)} of {len(files)} files came of their dumps again; {count} arrays read by gguf-py")


main()
