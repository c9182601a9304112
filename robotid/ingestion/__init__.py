"""From open logs to recordings: which column is what, in which unit, at what time.

column_map.py    the map a user writes
layouts.py       the maps of logs that need none
units.py         units and what they measure
sources.py       the files of one recording, opened
resolve.py       map + files + robot -> plan: which columns make which signals, and how
convert.py       raw columns into signals in SI units
timeline.py      raw times into ns from the start, and segments
joined.py        signals of other streams brought to the times of the first
recording.py     all of it, streamed into one recording
"""
