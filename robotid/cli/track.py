"""`robotid track`."""

from robotid.cli.stage_command import stage_command

command = stage_command("track")
