"""`robotid decompose`."""

from robotid.cli.stage_command import stage_command

command = stage_command("decompose")
