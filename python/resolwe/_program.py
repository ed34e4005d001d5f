"""Running the program: its errors, warnings and progress as Python's."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from keyword import iskeyword
from pathlib import Path
from typing import Any


class Error(Exception):
    """A command of the program failed.

    `status` is its exit status: 1 failed while running, 2 wrong usage or model, 3 damaged input, 4 out of memory, 130 interrupted;
    negative if a signal ended it.
    """

    status = 1

    def __init__(self, text: str, status: int | None = None):
        super().__init__(text)
        if status is not None:
            self.status = status


class UsageError(Error, ValueError):
    """An argument, a recipe or a model is wrong."""

    status = 2


class DataError(Error, ValueError):
    """Data are damaged, or of a type that cannot be read."""

    status = 3


class OutOfMemory(Error, MemoryError):
    """More memory is needed than `memory` or the machine allows."""

    status = 4


class Interrupted(Error):
    """A signal from elsewhere interrupted the program."""

    status = 130


class ResolweWarning(UserWarning):
    """A warning of the program."""


_ERRORS = {e.status: e for e in (UsageError, DataError, OutOfMemory, Interrupted)}
_GRACE = 5  # seconds to end after an interruption


def path() -> str:
    """Return the path of the program: RESOLWE_PROGRAM, the one in this package, or the one on PATH. Without any, that is an Error."""
    own = Path(__file__).parent / "bin" / ("resolwe.exe" if os.name == "nt" else "resolwe")
    found = os.environ.get("RESOLWE_PROGRAM") or (str(own) if own.is_file() else shutil.which("resolwe"))
    if not found:
        raise Error("there is no program resolwe: install the wheel for this machine, or set RESOLWE_PROGRAM to the program")
    return found


def main() -> int:
    """Run the program with the arguments of this process."""
    command = [path(), *sys.argv[1:]]
    if os.name == "nt":
        return subprocess.run(command).returncode
    os.execv(command[0], command)


def argument(flag: str) -> str:
    """Return the name that a flag has in Python."""
    name = flag.replace("-", "_")
    return name + "_" if iskeyword(name) else name


def flags(options: Mapping[str, Any]) -> list[str]:
    """Write options as the command line does: `as_` is --as, a list is repeated, a dict holds the options of a stage."""
    out = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif isinstance(value, Mapping):
            out.append(f"{flag}={shlex.join(flags(value))}")
        elif isinstance(value, (list, tuple)):
            out.extend(f"{flag}={v}" for v in value)
        else:
            out.append(f"{flag}={value}")
    return out


def run(command: str, *args: str | os.PathLike, **options: Any) -> str:
    """Run a command of the program, with options as `flags` writes them, and return its standard output.

    A command that fails raises the Error that belongs to its exit status.
    """
    line = [path(), command, *flags(options), *map(os.fspath, args)]
    # An interruption comes from here alone, and the program ends when its standard input does, with this process.
    apart: dict[str, Any] = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {"start_new_session": True}
    apart |= {"stdin": subprocess.PIPE, "env": {**os.environ, "RESOLWE_UNTIL_STDIN_ENDS": "1"}}
    with tempfile.TemporaryFile() as out:
        try:
            process = subprocess.Popen(line, stdout=out, stderr=subprocess.PIPE, **apart)
        except OSError as e:
            raise Error(f"cannot start {line[0]}: {e.strerror}") from e
        with process:
            try:
                messages = [_plain(m) for m in _messages(process.stderr)]
                status = process.wait()
            except BaseException:
                _stop(process)
                raise
        failure = ""
        for text in messages:
            if text.startswith("warning: "):
                warnings.warn(text[len("warning: "):], ResolweWarning, stacklevel=_outside())
            else:
                failure = text.removeprefix("error: ")
        if status:
            raise _error(status, failure)
        out.seek(0)
        return out.read().decode("utf-8", "replace")


def _error(status: int, text: str) -> Error:
    if status < 0:
        name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
        text = f"the program was ended by {name}; if the machine ran out of memory, give memory='2GiB', say, or fewer rows"
    return _ERRORS.get(status, Error)(text or f"the program ended with status {status}", status)


def _plain(text: str) -> str:
    """Return a message of the command line in the words of Python, without temporary folders."""
    text = re.sub(re.escape(tempfile.gettempdir()) + r"[/\\]resolwe-\w+[/\\]?", "", text)
    text = re.sub(r"\n(Try: |\d+ subgraphs; ).*", "", text)
    return re.sub(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)[ =]?", lambda m: argument(m[1]) + "=", text)


def _messages(stream: Any) -> Iterator[str]:
    """Yield the messages, which may have several lines, and show those of progress."""
    text, shown = "", 0
    for raw in stream:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("resolwe: progress "):
            shown = _show(line[len("resolwe: progress "):], shown)
        elif line.startswith("resolwe: "):
            if text:
                yield text
            text = line[len("resolwe: "):]
        else:
            text += "\n" + line
    if shown:
        _show("", shown)
    if text:
        yield text


def _show(text: str, shown: int) -> int:
    """Replace what the line shows, in a terminal or a notebook."""
    if sys.stderr is None or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        return 0
    sys.stderr.write("\r" + text.ljust(shown) + ("" if text else "\r"))
    sys.stderr.flush()
    return len(text)


def _stop(process: subprocess.Popen) -> None:
    """End a program, so that it discards what it writes; at once, if it does not."""
    try:
        process.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)
        process.wait(_GRACE)
    except (OSError, subprocess.TimeoutExpired):
        process.kill()
        process.wait()


def _outside() -> int:
    """Return the level, for warnings, of the first caller outside this package."""
    own, level, frame = os.path.dirname(__file__), 1, sys._getframe(1)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == own:
        level, frame = level + 1, frame.f_back
    return level
