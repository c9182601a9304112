"""Terms of joints as the command line takes them, for hints."""

import shlex

from robotid.information.layout import Layout


def term_flags(layout: Layout) -> str:
    """The flags that make the same terms, with their widths."""
    given = layout.arguments
    flags = [f"--joint-terms '{j}={','.join(t)}'" for j, t in given["joint_terms"].items()]
    flags += [f"--coupled {motor}" for motor in given["coupled"]]
    if given["terms"] or not flags:
        flags.insert(0, f"--terms {shlex.quote(','.join(given['terms']))}")
    return " ".join(flags)
