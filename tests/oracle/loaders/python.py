"""Reads files with gguf-py and prints, for each, its path, `ok` or `fail`, and why."""
import sys

from gguf import GGUFReader

for path in sys.argv[1:]:
    try:
        GGUFReader(path)
        print(path, "ok", "", sep="\t", flush=True)
    except Exception as error:
        print(path, "fail", f"{type(error).__name__}: {error}".replace("\n", " ")[:200], sep="\t", flush=True)
