#!/usr/bin/env python3
"""Holds what `gguf check --loaders` says against what readers really do.

    python3 tests/oracle/loaders.py [--load] [--keep DIR] GGUF_BINARY [FILE...]

Readers, each in the version that crates/check/src/loaders names: llama.cpp reading heads, gguf-py (has to be installed),
@huggingface/gguf (npm), candle (cargo). With --load llama.cpp is built whole and also loads the files: some minutes on two
cores. A reader whose tools are not there is skipped, and the reason printed. Tools are kept in --keep from run to run.

Files: those given; changed copies of the sample, each in one thing (loaders/mutants.py); with --load also a model of every
architecture's table, and models of which one tensor, shape or key is changed, which an example of the crate writes.

`accepts` where a reader refuses, or `rejects` where it reads, is a contradiction, and the exit code is 1. `unknown` is
counted.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent / "loaders"
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))
import mutants  # noqa: E402

LLAMA = "0.3.36"  # of llama-cpp-python, whose source distribution carries llama.cpp
NPM = "0.4.6"
WORKERS = os.cpu_count() or 2

# Answers that differ for a reason: (part of the file's name, reader).
KNOWN = {
    ("phi3--without blk.0.attn_", "llama-cpp"): "the matrices are looked for, and missed only when the model is run",
}


class Missing(Exception):
    """A reader cannot be had."""


def run(command, **how):
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace", **how)
    except OSError as error:
        raise Missing(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no message"]
        raise Missing(f"{Path(command[0]).name} failed: {last[0][:200]}")
    return done.stdout


def answers(command, paths, at_once, cwd=None):
    """What a program prints about each file. It may be ended by one: the files behind that one are asked for anew."""
    got = {}

    def ask(some):
        while some:
            try:
                done = subprocess.run([*map(str, command), *some], capture_output=True, cwd=cwd, timeout=20)
                out, ended = done.stdout, ("fail", f"the reader ends with {done.returncode}")
            except subprocess.TimeoutExpired as late:
                out, ended = late.stdout or b"", None
            lines = out.decode(errors="replace").splitlines()
            told = [line.split("\t", 2) for line in lines if line.count("\t") >= 2]
            got.update({path: (verdict, why) for path, verdict, why in told})
            some = some[len(told):]
            if some and not (ended is None and told):
                # It was ended by this file, or has not come to an end with it.
                if ended:
                    got[some[0]] = ended
                some = some[1:]

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(ask, [paths[at:at + at_once] for at in range(0, len(paths), at_once)]))
    return got


def with_tools():
    """The environment in which cmake and ninja of this Python are found."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def llama_source(keep):
    source = keep / f"llama_cpp_python-{LLAMA}"
    if not source.is_dir():
        # pip asks the build backend for metadata, and keeps no archive for which it gets none.
        pip = [sys.executable, "-m", "pip"]
        run([*pip, "install", "--quiet", "scikit-build-core", "cmake", "ninja"])
        what = ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", f"llama-cpp-python=={LLAMA}"]
        run([*pip, "download", "--quiet", "-d", keep, *what], env=with_tools())
        archive = next(keep.glob("llama_cpp_python-*.tar.gz"), None)
        if archive is None:
            raise Missing("no source distribution of llama-cpp-python")
        with tarfile.open(archive) as tar:
            tar.extractall(keep, filter="data")
        archive.unlink()
    return source / "vendor" / "llama.cpp"


def llama_meta(keep):
    """llama.cpp's reader of heads alone: a dozen source files."""
    program = keep / "llama-meta"
    if not program.exists():
        ggml = llama_source(keep) / "ggml"
        names = ["ggml.c", "ggml.cpp", "ggml-alloc.c", "ggml-backend.cpp", "ggml-backend-meta.cpp", "ggml-opt.cpp", "ggml-threading.cpp",
                 "ggml-quants.c", "gguf.cpp"]
        work = Path(tempfile.mkdtemp(dir=keep))
        (work / "ggml-version.h").write_text('#define GGML_VERSION "0"\n#define GGML_COMMIT "0"\n')
        flags = ["-O1", "-w", f"-I{work}", f"-I{ggml / 'include'}", f"-I{ggml / 'src'}", "-D_GNU_SOURCE"]

        def build(name):
            source = HERE / name if name == "meta.cpp" else ggml / "src" / name
            if not source.exists():
                return None
            compiler = ["c++", "-std=c++17"] if name.endswith(".cpp") else ["cc", "-std=c11"]
            run([*compiler, *flags, "-c", source, "-o", work / (name + ".o")])
            return work / (name + ".o")

        with ThreadPoolExecutor(WORKERS) as pool:
            objects = [made for made in pool.map(build, ["meta.cpp", *names]) if made]
        run(["c++", *objects, "-o", program, "-lpthread", "-ldl", "-lm"])
        shutil.rmtree(work)
    return lambda paths: answers([program], paths, 50)


def llama_load(keep):
    """All of llama.cpp, without optimisation."""
    program = keep / "llama-load"
    if not program.exists():
        source, build = llama_source(keep), keep / "llama-build"
        off = ["GGML_NATIVE", "GGML_OPENMP", "LLAMA_CURL", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_EXAMPLES",
               "LLAMA_BUILD_SERVER", "LLAMA_BUILD_COMMON", "BUILD_SHARED_LIBS"]
        plain = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DCMAKE_CXX_FLAGS_DEBUG=-O0"]
        run(["cmake", "-G", "Ninja", "-S", source, "-B", build, *plain, *[f"-D{name}=OFF" for name in off]], env=with_tools())
        run(["ninja", "-C", build, f"-j{WORKERS}", "llama"], env=with_tools())
        libraries = [build / "src" / "libllama.a", *[build / "ggml" / "src" / f"lib{name}.a" for name in ("ggml", "ggml-cpu", "ggml-base")]]
        include = [f"-I{source / 'include'}", f"-I{source / 'ggml' / 'include'}"]
        run(["c++", "-std=c++17", *include, HERE / "load.cpp", *libraries, "-o", program, "-lpthread", "-ldl", "-lm"])
    # A model that ends the program would take others with it.
    return lambda paths: answers([program], paths, 1)


def gguf_py(keep):
    run([sys.executable, "-c", "import gguf"])
    return lambda paths: answers([sys.executable, HERE / "python.py"], paths, 100)


def hugging_face_js(keep):
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise Missing("node and npm are not installed")
    folder = keep / "js"
    if not (folder / "node_modules" / "@huggingface" / "gguf").is_dir():
        folder.mkdir(exist_ok=True)
        run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, f"@huggingface/gguf@{NPM}"])
    shutil.copy(HERE / "js.mjs", folder)
    return lambda paths: answers(["node", "js.mjs"], paths, 100, cwd=folder)


def candle(keep):
    target = keep / "candle"
    run(["cargo", "build", "--quiet", "--locked", "--manifest-path", HERE / "candle" / "Cargo.toml", "--target-dir", target])
    return lambda paths: answers([target / "debug" / "candle-reads"], paths, 100)


READERS = {"llama-cpp-metadata": llama_meta, "gguf-py": gguf_py, "hugging-face-js": hugging_face_js, "candle": candle}


def ours(binary, paths):
    """What `gguf check --loaders` says: reader to verdict and rule, for each file."""
    said = {}

    def ask(some):
        done = subprocess.run([binary, "check", "--no-config", "--alone", "--loaders", "--json", *some], capture_output=True)
        files = json.loads(done.stdout)["files"]
        assert len(files) == len(some), f"{len(some)} files asked for, {len(files)} answered"
        for path, file in zip(some, files):
            said[path] = {answer["loader"]: (answer["verdict"], answer.get("rule")) for answer in file["loaders"]}

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(ask, [paths[at:at + 50] for at in range(0, len(paths), 50)]))
    return said


def write_models(folder):
    """Models of every architecture's table."""
    folder.mkdir()
    run(["cargo", "run", "-q", "-p", "ggufkit-check", "--example", "write_models", "--", folder], cwd=ROOT)
    return sorted(folder.glob("*.gguf"))


def write_mutants(folder):
    folder.mkdir()
    out = []
    for name, raw in mutants.mutants(mutants.read(next((ROOT / "samples").glob("*.gguf")))):
        path = folder / (re.sub(r"[^\w .,-]", "_", name) + ".gguf")
        path.write_bytes(raw)
        out.append(path)
    return out


def main():
    options = argparse.ArgumentParser(description="compares `gguf check --loaders` with real readers")
    options.add_argument("--load", action="store_true", help="build all of llama.cpp and load the files")
    options.add_argument("--keep", type=Path, help="where tools are kept")
    options.add_argument("binary")
    options.add_argument("files", nargs="*", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        keep = (given.keep or work / "tools").resolve()
        keep.mkdir(parents=True, exist_ok=True)
        paths = [path.resolve() for path in given.files] + write_mutants(work / "mutants")
        wanted = dict(READERS)
        if given.load:
            paths += write_models(work / "models")
            wanted["llama-cpp"] = llama_load
        paths = [str(path) for path in paths]
        said = ours(given.binary, paths)
        contradictions, asked = [], 0
        for reader, get in wanted.items():
            try:
                read = get(keep)
            except Missing as reason:
                print(f"skipped: {reader}: {reason}", flush=True)
                continue
            asked += 1
            counts = collections.Counter()
            for path, (verdict, why) in sorted(read(paths).items()):
                our, rule = said[path][reader]
                wants = {"accepts": "ok", "rejects": "fail"}.get(our)
                name = Path(path).name
                if wants is None:
                    counts["unknown"] += 1
                elif wants == verdict:
                    counts["agree"] += 1
                elif any(part in name and reader == of for part, of in KNOWN):
                    counts["known to differ"] += 1
                else:
                    counts["contradict"] += 1
                    contradictions.append(f"{reader}: {name}: we say {our} ({rule}), it says {verdict} {why[:120]}")
            counts["without an answer in time"] = len(paths) - sum(counts.values())
            print(f"{reader}:", ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if count), flush=True)
    for contradiction in contradictions[:100]:
        print("contradiction:", contradiction)
    print(f"{len(paths)} cases, {asked} readers, {len(contradictions)} contradictions")
    return 1 if contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
