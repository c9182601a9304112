"""Entry point of the `robotid` command."""

import os
import signal
import sys


def main() -> int:
    """Run the command line; `--version` answers before anything heavier is imported."""
    if sys.argv[1:2] == ["--version"]:
        from robotid import __version__

        print(f"robotid {__version__}")  # noqa: T201 - the one answer given without the console
        return 0
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Until the command line has its own handlers, Ctrl-C ends this like any other program.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.getfilesystemencoding() != "utf-8":
        # A locale of another age. File names are bytes in UTF-8 to robotid everywhere.
        again = [sys.executable, "-X", "utf8", *sys.orig_argv[1:]]
        os.execv(sys.executable, again)  # noqa: S606 - this very program
    from robotid.cli.main import main as command_line

    return command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
