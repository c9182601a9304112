"""What a person or a program sees: data on standard output, talk on standard error."""

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from robotid.cli.text import visible
from robotid.errors import Notice, RobotidError, from_os_error

if TYPE_CHECKING:
    from pydantic import BaseModel


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
        except OSError as error:
            # What is still buffered would fail once more when the interpreter shuts down.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                raise from_os_error(error, "writing to standard output") from error

    def emit_text(self, line: str) -> None:
        """Write a line for people to standard output, with text from data made safe."""
        self.emit(visible(line))

    def emit_json(self, answer: "BaseModel") -> None:
        """Write the one JSON object of a command."""
        import json

        self.emit(json.dumps(answer.model_dump(mode="json"), allow_nan=False))

    def say(self, line: str) -> None:
        """Write one line to standard error, whatever it holds."""
        if sys.stderr is None:
            return
        with suppress(OSError):  # nobody is listening, and there is nowhere else to say so
            sys.stderr.buffer.write(visible(line).encode("utf-8", "backslashreplace") + b"\n")
            sys.stderr.buffer.flush()

    def tell(self, line: str) -> None:
        """Say something that is not a problem, unless quiet."""
        if not self.quiet:
            self.say(line)

    def warn(self, notice: Notice) -> None:
        """Say a finding."""
        self.say(f"warning[{notice.code}] {notice.text()}")

    def error(self, notice: Notice, detail: str = "") -> None:
        """Say what went wrong; with `--debug` the detail, such as a traceback, too."""
        if self.debug:
            for line in detail.splitlines():
                self.say(line)
        self.say(f"error[{notice.code}] {notice.text()}")

    def failed(
        self, name: str, error: RobotidError, code: int | None = None, detail: str = ""
    ) -> int:
        """Report an error in the form that was asked for and return its exit code."""
        code = int(error.exit_code if code is None else code)
        self.error(error.notice, detail)
        if self.json:
            from robotid.cli.answer import answer_of_error

            with suppress(RobotidError):  # raised when standard output is what failed
                self.emit_json(answer_of_error(name, error, code))
        return code
