"""Files that `gguf set` and its siblings changed, read by gguf-py: the values that were asked for, all others as they were,
every tensor byte the same; beside what gguf-py's own gguf_new_metadata makes of the same wishes; and on the file systems that
move or share blocks (through loop devices, where that is permitted).

usage: edit.py GGUF FOLDER FILE...
"""

import os
import shutil
import subprocess
import sys
import tempfile

import numpy
from gguf import GGUFReader, GGUFWriter


def run(*args, status=0):
    done = subprocess.run([str(arg) for arg in args], capture_output=True, text=True)
    if done.returncode != status:
        raise SystemExit(f"{args}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done


def read(path):
    """Values and tensor bytes, as gguf-py sees them."""
    reader = GGUFReader(path)
    values = {}
    for name, field in reader.fields.items():
        if not name.startswith("GGUF."):
            values[name] = (list(map(int, field.types)), field.contents())
    # gguf-py takes a block of Q8_1 for 40 bytes; it has 36, so what gguf-py reads is not the tensor.
    if any(int(tensor.tensor_type) == 9 for tensor in reader.tensors):
        raise ValueError("Q8_1")
    tensors = [
        (tensor.name, [int(dim) for dim in tensor.shape], int(tensor.tensor_type), tensor.data.tobytes())
        for tensor in reader.tensors
    ]
    return values, tensors


def same(one, other):
    return repr(one) == repr(other)


def expect(what, path, values, tensors):
    got_values, got_tensors = read(path)
    got_values.pop("general.padding", None)
    wrong = [key for key in values.keys() | got_values.keys() if not same(values.get(key), got_values.get(key))]
    if wrong:
        raise SystemExit(f"{what}: {path}: {[(k, values.get(k), got_values.get(k)) for k in wrong[:3]]}")
    if got_tensors != tensors:
        wrong = [(a[:3], b[:3]) for a, b in zip(tensors, got_tensors) if a != b]
        raise SystemExit(f"{what}: {path}: {len(tensors)} and {len(got_tensors)} tensors: {wrong[:3]}")


STRING, UINT32 = [8], [4]


def changes(gguf, path, folder):
    """All changes of one file, in place, one after the other; every one read anew."""
    try:
        values, tensors = read(path)
    except Exception:
        # What gguf-py cannot read it cannot be asked about.
        return 0
    work = os.path.join(folder, "work.gguf")
    shutil.copyfile(path, work)
    count = 0

    def step(what, *args):
        nonlocal count
        run(gguf, *args, "--allow-errors")
        expect(f"{what} of {path}", work, values, tensors)
        count += 1

    before = open(work, "rb").read()
    # A file that has the key already gets another value of its type.
    had = values.get("general.name")
    if had is None or had[0] == STRING:
        for text in ["x", "y" * 10, "z" * 9000, "short again", "w" * 70000]:
            values["general.name"] = (STRING, text)
            step("a text", "set", work, f"general.name={text}")
        # A new file in the place of the old one has no way back.
        if os.path.exists(os.path.join(folder, ".work.gguf.ggufkit-undo")):
            run(gguf, "undo", work)
            values["general.name"] = (STRING, "short again")
            expect("undo", work, values, tensors)
    values["edit.number"] = (UINT32, 7)
    step("a new key", "set", work, "edit.number:u32=7")
    values["edit.number"] = (UINT32, 4294967295)
    step("a number", "set", work, "edit.number=4294967295")
    values["edit.list"] = ([9, 5], [1, -2, 3])
    step("a list", "set", work, "edit.list:array[i32]=[1, -2, 3]")
    values["edit.list"] = ([9, 5], [1, 9, 3])
    step("an element", "set", work, "edit.list[1]=9")
    values["edit.other"] = values.pop("edit.list")
    step("another name", "rename", work, "edit.list", "edit.other")
    del values["edit.other"]
    step("a key less", "unset", work, "edit.other")
    if tensors:
        name = tensors[0][0]
        if not any(tensor[0] == name + ".new" for tensor in tensors) and sum(t[0] == name for t in tensors) == 1:
            tensors[0] = (name + ".new",) + tensors[0][1:]
            step("a tensor's name", "rename", work, "--tensor", name, name + ".new")
    out = os.path.join(folder, "out.gguf")
    alignment = values.get("general.alignment", (UINT32, 32))
    if alignment[0] == UINT32:
        to = 64 if alignment[1] != 64 else 128
        run(gguf, "set", work, f"general.alignment={to}", "-o", out, "--force", "--allow-errors")
        aligned = dict(values)
        aligned["general.alignment"] = (UINT32, to)
        expect(f"an alignment of {path}", out, aligned, tensors)
        count += 1
    assert before == open(path, "rb").read()
    return count


def beside_new_metadata(gguf, path, folder):
    """What gguf_new_metadata makes of its options, and what we make of the same."""
    tool = [sys.executable, "-m", "gguf.scripts.gguf_new_metadata", "--force"]
    theirs, ours = os.path.join(folder, "theirs.gguf"), os.path.join(folder, "ours.gguf")
    template = os.path.join(folder, "t.jinja")
    open(template, "w").write("{{ messages }} " * 500)
    for options, args in [
        (["--general-name", "Renamed"], ["set", path, "general.name=Renamed"]),
        (["--general-description", "Some words"], ["set", path, "general.description=Some words"]),
        (["--chat-template-file", template], ["set", path, f"tokenizer.chat_template=@{template}"]),
        (["--remove-metadata", "general.license"], ["unset", path, "general.license"]),
    ]:
        if options[0] == "--remove-metadata" and options[1] not in read(path)[0]:
            continue
        run(*tool, *options, path, theirs)
        run(gguf, *args, "-o", ours, "--force", "--allow-errors")
        values, tensors = read(theirs)
        expect(f"beside gguf_new_metadata {options[0]}", ours, values, tensors)


def on(kind, gguf, path, folder):
    """The same on another file system; the ways that it permits."""
    make = shutil.which(f"mkfs.{kind}")
    if not make or os.geteuid() != 0:
        print(f"skipped: {kind} (no mkfs.{kind}, or not permitted)")
        return
    image, mount = os.path.join(folder, f"{kind}.img"), os.path.join(folder, kind)
    with open(image, "wb") as file:
        file.truncate(512 << 20)
    os.makedirs(mount, exist_ok=True)
    done = subprocess.run([make, "-q", image], capture_output=True)
    done = done.returncode or subprocess.run(["mount", "-o", "loop", image, mount], capture_output=True).returncode
    if done:
        print(f"skipped: {kind} (cannot be mounted here)")
        return
    try:
        count = changes(gguf, path, mount)
        work = os.path.join(mount, "work.gguf")
        text = os.path.join(mount, "text")
        open(text, "w").write("v" * 200000)
        said = run(gguf, "set", work, f"general.name=@{text}", "--dry-run", "--allow-errors").stdout
        way = {"ext4": "the file system moves", "xfs": "the file system moves", "btrfs": "are shared with"}[kind]
        if way not in said:
            raise SystemExit(f"{kind}: {said}")
        print(f"{kind}: {count} changes")
    finally:
        subprocess.run(["umount", mount], check=True)


def write_large(path):
    """A file of some megabytes: a small one is written anew rather than moved."""
    writer = GGUFWriter(path, "toy")
    writer.add_name("A name")
    for layer in range(8):
        data = numpy.arange(100_000, dtype=numpy.float32) + layer
        writer.add_tensor(f"blk.{layer}.weight", data.reshape(100, 1000))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    gguf, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    count = sum(changes(gguf, path, folder) for path in files)
    sample = next(path for path in files if "Tiny-Llama" in path)
    beside_new_metadata(gguf, sample, folder)
    for kind in ["ext4", "xfs", "btrfs"]:
        with tempfile.TemporaryDirectory() as where:
            large = os.path.join(where, "large.gguf")
            write_large(large)
            on(kind, gguf, large, where)
    print(f"{count} changes of {len(files)} files read by gguf-py")


main()
