"""What the benches of whole commands have in common: options, runs that take turns, medians, a table."""
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Run(NamedTuple):
    """Of all commands of a row: wall and CPU seconds, peak memory in MiB, and bytes that the system holds against them as written."""

    wall: float
    cpu: float
    peak: float
    held: int


def option(name: str, default: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def run(*commands: list[Any]) -> Run:
    """Runs commands one after the other; one that fails ends the bench."""
    peak, cpu, held, start = 0.0, 0.0, 0, time.perf_counter()
    for command in commands:
        child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise RuntimeError(f"{command}: exit status {child.returncode}")
        peak = max(peak, usage.ru_maxrss / 1024)
        cpu += usage.ru_utime + usage.ru_stime
        held += usage.ru_oublock * 512
    return Run(time.perf_counter() - start, cpu, peak, held)


def in_turns(rows: dict[str, Callable[[], Any]], rounds: int) -> dict[str, list[Any]]:
    """What each row gave in every round: a drift of the machine meets all of them."""
    taken: dict[str, list[Any]] = {name: [] for name in rows}
    for _ in range(rounds):
        for name, row in rows.items():
            taken[name].append(row())
    return taken


def median(runs: list[Any], field: str) -> float:
    return statistics.median(getattr(one, field) for one in runs)


def table(titles: list[str], rows: dict[str, list[str]]) -> None:
    """Prints rows below their titles: the names left, all else right, as wide as need be."""
    lines = [["", *titles], *([name, *cells] for name, cells in rows.items())]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    for name, *cells in lines:
        print("  ".join([name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:]))]).rstrip())


def beside(taken: dict[str, list[Run]], *bases: str, digits: int = 2) -> None:
    """The table of wall and CPU time, each beside that of some rows, and of peak memory."""
    titles = ["wall s", *(f"/ {base}" for base in bases), "CPU s", f"/ {bases[0]}", "peak MiB"]
    rows = {}
    for name, runs in taken.items():
        wall, cpu = median(runs, "wall"), median(runs, "cpu")
        walls = [f"{wall / median(taken[base], 'wall'):.2f}" for base in bases]
        against = f"{cpu / median(taken[bases[0]], 'cpu'):.2f}"
        rows[name] = [f"{wall:.{digits}f}", *walls, f"{cpu:.{digits}f}", against, f"{max(one.peak for one in runs):.1f}"]
    table(titles, rows)
