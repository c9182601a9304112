"""From open logs to recordings: which column is what, in which unit, at what time.

column_map.py           the map a user writes
options.py              what a user says on the command line
layouts.py              the maps of logs that need none
units.py                units and what they measure
sources.py              the files of one recording, opened
resolve.py              map + files + robot -> plan: which columns make which signals
conversion_factors.py   units, constants, gears and couplings of a plan as numbers
convert.py              raw columns into signals in SI units
raw_times.py            times as they are in the file, looked at before they are used
timeline.py             raw times into ns from the start, and segments
stream_reader.py        one stream with all of that, batch by batch
joined.py               signals of other streams brought to the times of the first
segments.py             samples left out, and segments numbered anew
missing.py              samples without a value
checks.py               wrap-around and plausibility, as samples pass by
masking.py              samples not to be trusted, marked as missing
recording.py            all of it, streamed into one recording
"""
