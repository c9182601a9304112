"""What a person or a program sees: data on standard output, talk on standard error."""

import json as json_module
import os
import sys
from contextlib import suppress
from typing import Any

from robotid.cli.text import visible
from robotid.errors import Notice, RobotidError, from_os_error


class Console:
    """Writes answers and messages; text from data never reaches a terminal unescaped."""

    def __init__(self, *, json: bool = False, quiet: bool = False, debug: bool = False) -> None:
        self.json, self.quiet, self.debug = json, quiet, debug

    @property
    def on_terminal(self) -> bool:
        """Whether a person watches standard error on a terminal that can redraw lines."""
        return (
            sys.stderr is not None
            and sys.stderr.isatty()
            and os.environ.get("TERM") != "dumb"
            and not os.environ.get("CI")
        )

    def emit(self, line: str) -> None:
        """Write a line of data to standard output; a reader that went away is no error."""
        if sys.stdout is None:
            return  # main reports a closed standard output
        if sys.stdout.isatty():
            line = visible(line)
        try:
            sys.stdout.buffer.write(os.fsencode(line) + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except OSError as error:
            # What is still buffered would fail once more when the interpreter shuts down.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise from_os_error(error, "writing to standard output") from error

    def emit_text(self, line: str) -> None:
        """Write a line for people to standard output, with text from data made safe."""
        self.emit(visible(line))

    def emit_json(self, answer: dict[str, Any]) -> None:
        """Write the one JSON object of a command."""
        self.emit(json_module.dumps(answer, allow_nan=False))

    def say(self, text: str) -> None:
        """Write a message to standard error, whatever its lines hold."""
        if sys.stderr is None:
            return
        shown = "\n".join(visible(line) for line in text.splitlines())
        try:
            sys.stderr.buffer.write((shown + "\n").encode("utf-8", "backslashreplace"))
            sys.stderr.buffer.flush()
        except OSError:
            pass  # nobody is listening, and there is nowhere else to say so

    def tell(self, text: str) -> None:
        """Say something that is not a problem, unless quiet."""
        if not self.quiet:
            self.say(text)

    def warn(self, notice: Notice) -> None:
        """Say a finding."""
        self.say(visible(f"warning[{notice.code}] {notice.text()}"))

    def error(self, notice: Notice) -> None:
        """Say what went wrong."""
        self.say(visible(f"error[{notice.code}] {notice.text()}"))

    def failed(self, name: str, error: RobotidError, code: int | None = None) -> int:
        """Report an error in the form that was asked for and return its exit code."""
        code = int(error.exit_code if code is None else code)
        self.error(error.notice)
        if self.json:
            from robotid.cli.answer import answer_of_error

            with suppress(RobotidError):  # raised when standard output is what failed
                self.emit_json(answer_of_error(name, error, code))
        return code
