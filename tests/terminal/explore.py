#!/usr/bin/env python3
"""`gguf explore` in a real terminal: tmux is the terminal, and what a person would see is what is looked at.

    python explore.py GGUF_BINARY [FILE]

Without tmux it says so and does nothing. Sizes from 20 columns on, with colours and without, English and Chinese; the mouse;
the terminal's modes after leaving, after a signal, and after another size.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "samples" / "Tiny-Llama-591K-v1.0-Q4_K_M.gguf"
passed = 0
terminals = 0


def tmux(*words: str, check: bool = True) -> str:
    server = f"ggufkit-{os.getpid()}-{terminals}"
    done = subprocess.run(["tmux", "-L", server, "-f", "/dev/null", *words], capture_output=True, text=True, check=check)
    return done.stdout


class Terminal:
    """A window of so many columns and rows, with a shell in it."""

    def __init__(self, columns: int, rows: int, **environment: str) -> None:
        global terminals
        tmux("kill-server", check=False)
        terminals += 1
        words = [f"-e{name}={value}" for name, value in {"LC_ALL": "C.UTF-8", **environment}.items()]
        tmux("new-session", "-d", "-s", "t", "-x", str(columns), "-y", str(rows), *words, "sh")
        tmux("set-option", "-g", "status", "off")
        tmux("resize-window", "-t", "t", "-x", str(columns), "-y", str(rows))
        self.run(f"cd {os.getcwd()}; PS1=rea''dy:; clear")
        self.until("ready:")

    def screen(self, styles: bool = False) -> str:
        return tmux("capture-pane", "-p", *(["-e"] if styles else []), "-t", "t")

    def type(self, *keys: str) -> None:
        tmux("send-keys", "-t", "t", *keys)

    def until(self, text: str, seconds: float = 20) -> str:
        """The screen, once it has a text and stands still: a frame may arrive in pieces."""
        end = time.monotonic() + seconds
        before = ""
        while True:
            screen = self.screen()
            if text in screen and screen == before:
                return screen
            before = screen
            if time.monotonic() > end:
                raise SystemExit(f"FAILED: {text!r} did not come up\n{screen}")
            time.sleep(0.05)

    def run(self, line: str) -> None:
        self.type("-l", line)
        self.type("Enter")


def expect(name: str, is_so: bool, screen: str) -> None:
    global passed
    if not is_so:
        raise SystemExit(f"FAILED: {name}\n{screen}")
    passed += 1


def looking(binary: str, file: Path) -> None:
    """What one sees, and where keys lead."""
    terminal = Terminal(80, 24)
    terminal.run(f"{binary} explore {file}")
    screen = terminal.until("general.architecture")
    expect("the tree fills the screen", "▾ general" in screen and "1 / " in screen, screen)
    expect("the name of the file", file.name in screen, screen)
    terminal.type("/")
    terminal.type("-l", "block_count")
    terminal.type("Enter")
    screen = terminal.until("llama.block_count")
    terminal.type("Enter")
    screen = terminal.until(".key.length")
    expect("Enter leads to the bytes", "0x00" in screen and "u64 = 17" in screen, screen)
    terminal.type("2")
    screen = terminal.until("token_embd.weight")
    terminal.type("End")
    screen = terminal.until("output")
    terminal.type(":")
    terminal.until("go to")
    terminal.type("-l", "0")
    terminal.type("Enter")
    screen = terminal.until("header.magic")
    expect("the magic in hex and as text", "47 47 55 46 03" in screen and "GGUF" in screen, screen)
    terminal.type("?")
    screen = terminal.until("q Ctrl-C")
    terminal.type("?")
    terminal.type("q")
    screen = terminal.until("ready:")
    expect("what was there before is there again", f"explore {file.name}"[:20] in screen.replace("\n", "") or "explore" in screen, screen)


def sizes(binary: str, file: Path) -> None:
    """Windows of every size, and one that changes while it is looked at."""
    for columns, rows in [(80, 24), (60, 15), (20, 6), (160, 50)]:
        terminal = Terminal(columns, rows)
        terminal.run(f"clear; {binary} explore {file}")
        screen = terminal.until("general")
        expect(f"{columns}x{rows}: no line is longer", all(len(line) <= columns for line in screen.splitlines()), screen)
        for key in "2341":
            terminal.type(key)
        terminal.until("general")
    tmux("resize-window", "-t", "t", "-x", "70", "-y", "20")
    terminal.type("j")
    time.sleep(0.3)
    screen = terminal.until("general.architecture")
    expect("another size", max(map(len, screen.splitlines())) <= 70 and len(screen.splitlines()) <= 20, screen)


def colours(binary: str, file: Path) -> None:
    """Without colours nothing is coloured, and the selected row is seen."""
    for environment, arguments, coloured in [
        ({"TERM": "xterm-256color"}, "", True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "", False),
        ({"TERM": "vt100"}, "--color never", False),
    ]:
        terminal = Terminal(80, 24, **environment)
        terminal.run(f"clear; {binary} explore {arguments} {file}")
        terminal.until("general.architecture")
        styled = terminal.screen(styles=True)
        codes = {code for part in styled.split("\x1b[")[1:] for code in part.split("m")[0].split(";")}
        has = "38" in codes or any(code.isdigit() and 30 <= int(code) <= 37 for code in codes)
        expect(f"{environment} {arguments}: colours", has == coloured, styled)
        expect(f"{environment} {arguments}: the selected row", "7" in codes, styled)


def languages(binary: str, file: Path) -> None:
    terminal = Terminal(80, 24)
    terminal.run(f"clear; {binary} explore --lang zh {file}")
    screen = terminal.until("退出")
    expect("Chinese", "张量" in screen and "字节" in screen and "退出" in screen, screen)
    terminal.type("2")
    terminal.until("形状")


def mouse(binary: str, file: Path) -> None:
    """A click, as terminals send it: `ESC [ < 0 ; column ; row M`."""
    terminal = Terminal(80, 24)
    terminal.run(f"clear; {binary} explore {file}")
    terminal.until("general.architecture")
    tmux("send-keys", "-t", "t", "-l", "\x1b[<0;10;1M")
    terminal.until("token_embd.weight")
    tmux("send-keys", "-t", "t", "-l", "\x1b[<65;10;5M")
    screen = terminal.until("4 / ")
    expect("the wheel goes three rows on", True, screen)
    tmux("send-keys", "-t", "t", "-l", "\x1b[<0;10;22M")
    screen = terminal.until("q closes")
    expect("a click on what is told opens it", "tensors[3]" in screen, screen)
    tmux("send-keys", "-t", "t", "-l", "\x1b[<0;10;2M")
    screen = terminal.until("4 / ")
    expect("a click closes it, and selects nothing", "q closes" not in screen, screen)


def whole(binary: str, file: Path) -> None:
    """What is told is read to its end where the window is too small for it, and so is what is wrong with a file."""
    cut = Path("cut.gguf")
    cut.write_bytes(file.read_bytes()[:5000])
    shards = Path("shards")
    shards.mkdir()
    subprocess.run([binary, "split", str(file), "--shards", "3", "-o", f"{shards}/s"], check=True, capture_output=True)
    sorted(shards.iterdir())[1].unlink()
    for columns, rows in [(80, 24), (60, 12), (40, 8)]:
        for lang, banner, unread, again, missing, closes in [
            ("en", "! the head was read up to", "not read", "again", "! shard 2 of 3 is missing", "q closes"),
            ("zh", "! 头部只读到", "没有读到", "下载", "! 缺少第 2 个分片", "q 关闭"),
        ]:
            at = f"{columns}x{rows} {lang}"
            terminal = Terminal(columns, rows, NO_COLOR="1" if rows == 12 else "")
            terminal.run(f"clear; {binary} explore --lang {lang} {cut}")
            terminal.until("▾ general")
            for pane in "1234":
                terminal.type(pane)
                terminal.until(unread if pane == "2" else "GGUF" if pane == "3" else "general" if pane == "1" else "GG003")
                screen = terminal.screen()
                expect(f"{at}: the head that breaks off, in pane {pane}", banner in screen, screen)
            terminal.type("v")
            terminal.until(closes)
            terminal.type("G")
            terminal.until(again)
            terminal.type("q", "!")
            terminal.until(closes)
            terminal.type("G")
            terminal.until(again)
            terminal.type("q", "q")
            terminal.until("ready:")
            terminal.run(f"clear; {binary} explore --lang {lang} {sorted(shards.iterdir())[0]}")
            for pane in "1234":
                terminal.type(pane)
                screen = terminal.until(missing)
            if columns >= 60:
                expect(f"{at}: one of three", "1/3 (1 missing)" in screen or "1/3（缺 1 个）" in screen, screen)
            terminal.type("q")
            terminal.until("ready:")


def leaving(binary: str, file: Path) -> None:
    """However it ends, the terminal's modes are those of before."""
    for end in ["q", "C-c", "TERM", "HUP"]:
        terminal = Terminal(80, 24)
        terminal.run("stty -a > before.txt; clear")
        terminal.until("ready:")
        terminal.run(f"{binary} explore {file}; echo status $?; stty -a > after.txt; echo o''ver")
        terminal.until("general.architecture")
        if end.isupper() and "-" not in end:
            pane = tmux("display-message", "-p", "-t", "t", "#{pane_pid}").strip()
            children = Path(f"/proc/{pane}/task/{pane}/children")
            explorer = children.read_text().split()[0]
            os.kill(int(explorer), {"TERM": 15, "HUP": 1}[end])
        else:
            terminal.type(end)
        screen = terminal.until("over")
        expect(f"{end}: its status is 0", "status 0" in screen, screen)
        before, after = Path("before.txt").read_text(), Path("after.txt").read_text()
        expect(f"{end}: the modes are those of before", before == after, f"{before}\n{after}")
        expect(f"{end}: nothing is left on the screen", "general.architecture" not in screen, screen)
        expect(f"{end}: the terminal tells of no mouse any more", modes() == "001", modes())
    terminal = Terminal(80, 24)
    terminal.run(f"{binary} explore {file}")
    terminal.until("general.architecture")
    pane = tmux("display-message", "-p", "-t", "t", "#{pane_pid}").strip()
    explorer = Path("/proc") / Path(f"/proc/{pane}/task/{pane}/children").read_text().split()[0]
    tmux("kill-server")
    end = time.monotonic() + 20
    while explorer.exists() and time.monotonic() < end:
        time.sleep(0.1)
    expect("where the terminal goes, it goes", not explorer.exists(), str(explorer))
    # A model that comes through a pipe, which ends: the keys come from the terminal.
    terminal = Terminal(80, 24)
    terminal.run(f"cat {file} | {binary} explore -")
    terminal.until("general.architecture")
    time.sleep(2.5)
    terminal.type("2")
    terminal.until("token_embd.weight")
    terminal.type("q")
    terminal.until("ready:")
    # One that stood still meanwhile is in the background when it goes on, and no signal tells it that its terminal is gone.
    terminal = Terminal(80, 24)
    terminal.run(f"{binary} explore {file}")
    terminal.until("general.architecture")
    pane = tmux("display-message", "-p", "-t", "t", "#{pane_pid}").strip()
    stopped = int(Path(f"/proc/{pane}/task/{pane}/children").read_text().split()[0])
    os.kill(stopped, 19)
    terminal.until("ready:")
    os.kill(stopped, 18)
    tmux("kill-server")
    end = time.monotonic() + 20
    while Path(f"/proc/{stopped}").exists() and time.monotonic() < end:
        time.sleep(0.1)
    left = Path(f"/proc/{stopped}").exists()
    if left:
        os.kill(stopped, 9)
    expect("where the terminal goes from one in the background, it goes", not left, str(stopped))
    done = subprocess.run([binary, "explore", str(file)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    expect("without a terminal it is refused", done.returncode == 2 and "no terminal" in done.stderr, done.stderr)


def modes() -> str:
    """Whether the terminal tells of the mouse, whether it shows its other screen, and whether a cursor."""
    return tmux("display-message", "-p", "-t", "t", "#{mouse_any_flag}#{alternate_on}#{cursor_flag}").strip()


def panics(binary: str, _: Path) -> None:
    """A panic, too, gives the terminal back: of an example that stands beside the binary where tests were built."""
    example = Path(binary).parent / "examples" / "panics"
    if not example.exists():
        print("skipped: a panic in a terminal (cargo build -p ggufkit-explore --example panics)")
        return
    terminal = Terminal(80, 24)
    terminal.run("stty -a > before.txt; clear")
    terminal.until("ready:")
    terminal.run(f"RUST_BACKTRACE=0 {example}; echo status $?; stty -a > after.txt; echo o''ver")
    terminal.until("1 Tag")
    expect("the mouse is listened to while it is there", modes() == "110", modes())
    terminal.type("3")
    screen = terminal.until("over")
    expect("a panic is told", "the source panics" in screen and "status 101" in screen, screen)
    before, after = Path("before.txt").read_text(), Path("after.txt").read_text()
    expect("a panic: the modes are those of before", before == after, f"{before}\n{after}")
    expect("a panic: the terminal tells of no mouse any more", modes() == "001", modes())


def keys(binary: str, file: Path) -> None:
    """The list of keys in a window that is smaller than it is, and a position that no file has."""
    terminal = Terminal(30, 10)
    terminal.run(f"clear; {binary} explore {file}")
    terminal.until("general")
    terminal.type("?")
    screen = terminal.until("j k")
    expect("the first keys", "q Ctrl-C" not in screen, screen)
    terminal.type("End")
    terminal.until("q Ctrl-C")
    terminal.type("?", ":")
    terminal.type("-l", "18446744073709551615")
    terminal.type("Enter")
    terminal.until("beyond")


def main() -> int:
    if shutil.which("tmux") is None:
        print("skipped: the explorer in a terminal (no tmux)")
        return 0
    binary = str(Path(sys.argv[1]).resolve())
    file = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else SAMPLE
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copy(file, file.name)
        try:
            for test in [looking, sizes, colours, languages, mouse, keys, whole, leaving, panics]:
                test(binary, Path(file.name))
        finally:
            tmux("kill-server", check=False)
            os.chdir("/")
    print(f"{passed} passed, 0 failed: the explorer in a terminal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
