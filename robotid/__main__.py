"""Entry point of the `robotid` command."""

import sys


def main() -> int:
    """Run the command line; `--version` answers before anything heavier is imported."""
    if sys.argv[1:2] == ["--version"]:
        from robotid import __version__

        print(f"robotid {__version__}")  # noqa: T201 - the one answer given without the console
        return 0
    from robotid.cli.main import main as command_line

    return command_line(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
