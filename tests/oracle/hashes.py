#!/usr/bin/env python3
"""What `gguf hash` prints, against programs that are not ours.

    python hashes.py GGUF_BINARY FILE...

* gguf-py's `gguf_hash` prints the SHA-1 and SHA-256 of every tensor and of the model, and its UUID: the lines are equal.
* `sha256sum` and `gguf hash --file -a sha256` print the same bytes; each accepts the other's list.
* BLAKE3 and the identity are computed here, from the papers' and docs/hashes.md's words alone.

Files that gguf-py cannot read are left out, by name.
"""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from gguf import GGUFEndian, GGUFReader

IV = (0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19)
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, ROOT, CONTEXT, MATERIAL = 1, 2, 4, 8, 32, 64
SKIPPED_BY_PYTHON = (".attention.masked_bias", ".attention.bias", ".rotary_emb.inv_freq")


def compress(cv, words, counter, length, flags):
    v = [*cv, *IV[:4], counter & 0xFFFFFFFF, counter >> 32, length, flags]

    def g(a, b, c, d, x, y):
        for word, turn_d, turn_b in ((x, 16, 12), (y, 8, 7)):
            v[a] = (v[a] + v[b] + word) & 0xFFFFFFFF
            v[d] ^= v[a]
            v[d] = (v[d] >> turn_d | v[d] << (32 - turn_d)) & 0xFFFFFFFF
            v[c] = (v[c] + v[d]) & 0xFFFFFFFF
            v[b] ^= v[c]
            v[b] = (v[b] >> turn_b | v[b] << (32 - turn_b)) & 0xFFFFFFFF

    columns = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
    diagonals = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
    for turn in range(7):
        for n, places in enumerate(columns + diagonals):
            g(*places, words[2 * n], words[2 * n + 1])
        if turn < 6:
            words = [words[at] for at in ORDER]
    return [v[n] ^ v[n + 8] for n in range(8)]


def blake3(data: bytes, key=IV, flags=0) -> bytes:
    """BLAKE3 as its paper has it; slow, and nobody's but ours to be wrong about."""

    def chunk(data, counter, root):
        cv, blocks = key, [data[at : at + 64] for at in range(0, len(data), 64)] or [b""]
        for n, block in enumerate(blocks):
            last = n == len(blocks) - 1
            own = flags | (CHUNK_START if n == 0 else 0) | (CHUNK_END | root if last else 0)
            cv = compress(cv, list(struct.unpack("<16I", block.ljust(64, b"\0"))), counter, len(block), own)
        return cv

    def tree(data, counter, root):
        if len(data) <= 1024:
            return chunk(data, counter, root)
        left = 1024
        while left * 2 < len(data):
            left *= 2
        pair = tree(data[:left], counter, 0) + tree(data[left:], counter + left // 1024, 0)
        return compress(key, pair, 0, 64, flags | PARENT | root)

    return struct.pack("<8I", *tree(data, 0, ROOT))


def derive(context: str, data: bytes) -> bytes:
    key = struct.unpack("<8I", blake3(context.encode(), flags=CONTEXT))
    return blake3(data, key, MATERIAL)


def identity(tensors: list[tuple[bytes, int, list[int], bytes]]) -> str:
    leaves = []
    for name, kind, dims, data in tensors:
        while dims and dims[-1] == 1:
            dims = dims[:-1]
        record = struct.pack("<Q", len(name)) + name + struct.pack("<II", kind, len(dims))
        record += b"".join(struct.pack("<Q", dim) for dim in dims) + blake3(data)
        leaves.append(derive("ggufkit 2026-11 tensor identity v1", record))
    all_of_them = struct.pack("<Q", len(leaves)) + b"".join(sorted(leaves))
    return derive("ggufkit 2026-11 model identity v1", all_of_them).hex()


def output(*command) -> bytes:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True).stdout


def compare(binary: str, path: str) -> list[str]:
    reader = GGUFReader(path)
    tensors = [(bytes(t.field.parts[1]), int(t.tensor_type), [int(d) for d in t.shape], t.data.tobytes()) for t in reader.tensors]
    wrong = []
    theirs = output(sys.executable, "-m", "gguf.scripts.gguf_hash", path).decode("utf-8", "surrogateescape")
    words = lambda text: sorted(" ".join(line.split()) for line in text.splitlines() if line.strip())
    ours = output(binary, "hash", "--alone", "-a", "sha1,sha256,uuid", path).decode("utf-8", "surrogateescape")
    if not any(name.endswith(tuple(s.encode() for s in SKIPPED_BY_PYTHON)) for name, *_ in tensors):
        if words(theirs) != words(ours):
            wrong.append(f"gguf-py prints\n{theirs}\nwe print\n{ours}")
        with tempfile.NamedTemporaryFile() as manifest:
            manifest.write(theirs.encode("utf-8", "surrogateescape"))
            manifest.flush()
            if subprocess.run([binary, "verify", manifest.name], capture_output=True).returncode != 0:
                wrong.append("verify does not accept gguf-py's list")
    if sum(len(data) for *_, data in tensors) < 300_000:
        said = dict(line.split(None, 2)[:2] for line in output(binary, "hash", "--alone", "--no-layer", "-a", "blake3,identity", path).decode("utf-8", "replace").splitlines())
        if said["blake3"] != blake3(b"".join(data for *_, data in tensors)).hex():
            wrong.append(f"blake3 {said['blake3']}")
        if reader.endianess == GGUFEndian.LITTLE and said["identity"] != identity(tensors):
            wrong.append(f"identity {said['identity']}, by its definition {identity(tensors)}")
    return wrong


def lists(binary: str) -> list[str]:
    """Names that lists have trouble with; each program reads the other's."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        names = ["plain", "with  spaces ", "back\\slash", "two\nlines", " *star", "cr\rhere", "ümläut"]
        for name in names:
            pathlib.Path(folder, name).write_bytes(name.encode())
        here = os.getcwd()
        os.chdir(folder)
        try:
            theirs = output("sha256sum", "--", *names)
            ours = output(binary, "hash", "--file", "-a", "sha256", "--", *names)
            if theirs != ours:
                wrong.append(f"sha256sum prints\n{theirs!r}\nwe print\n{ours!r}")
            pathlib.Path("list").write_bytes(theirs)
            output(binary, "verify", "list")
            pathlib.Path("list").write_bytes(output("sha256sum", "--tag", "--", *names))
            output(binary, "verify", "list")
            pathlib.Path("list").write_bytes(ours)
            output("sha256sum", "--strict", "-c", "list")
            pathlib.Path("list").write_bytes(output(binary, "hash", "--file", "-a", "sha256,sha1", "--", *names))
            output("sha256sum", "-c", "list")
        except subprocess.CalledProcessError as error:
            wrong.append(f"{error.cmd}: {error.stdout!r} {error.stderr!r}")
        finally:
            os.chdir(here)
    return wrong


def main() -> int:
    binary, paths = os.path.abspath(sys.argv[1]), sys.argv[2:]
    vector = bytes(n % 251 for n in range(3073))
    assert blake3(vector).hex() == "7124b49501012f81cc7f11ca069ec9226cecb8a2c850cfe644e327d22d3e1cd3", "our BLAKE3"
    failed, compared = 0, 0
    for path in paths:
        try:
            GGUFReader(path)
        except Exception as error:  # whatever it is, there is nothing to compare with
            print(f"left out: {path}: {type(error).__name__}")
            continue
        try:
            wrong = compare(binary, path)
        except subprocess.CalledProcessError as error:
            wrong = [f"{error.cmd}: exit status {error.returncode}: {error.stderr.decode(errors='replace')}"]
        compared += 1
        failed += bool(wrong)
        for text in wrong:
            print(f"{path}: {text}")
    for text in lists(binary):
        failed += 1
        print(text)
    print(f"{compared} files compared, {failed} failed")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
