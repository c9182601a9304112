"""Entry point of the `robotid` command."""

import os
import sys
from pathlib import Path

_AGAIN = (
    "import sys; sys.path.append(sys.argv.pop(1)); import robotid.__main__ as m; sys.exit(m.main())"
)


def main() -> int:
    """Run the command line; `--version` answers before anything heavier is imported."""
    if sys.argv[1:2] == ["--version"]:
        from robotid import __version__

        print(f"robotid {__version__}")  # noqa: T201 - the one answer given without the console
        return 0
    if sys.getfilesystemencoding() != "utf-8":
        # A locale of another age. File names are bytes in UTF-8 to robotid everywhere.
        package_folder = str(Path(__file__).parent.parent)
        start = [sys.executable, "-X", "utf8", "-P", "-c", _AGAIN, package_folder]
        os.execv(sys.executable, [*start, *sys.argv[1:]])  # noqa: S606 - this very program
    from robotid.cli.main import main as command_line

    return command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
