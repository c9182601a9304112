"""How the sample logs are made; `python sample_logs/generate.py` runs it.

pendulum.py       the pendulum, with a small MuJoCo script of its own
simulated.py      the robots of robotid, with `robotid simulate`
signals.py        a recording as numbers, and as text
formats.py        a recording in formats that know arrays
bags.py           a recording as joint states: MCAP, ROS 1 and ROS 2 bags
other_formats.py  which recording is written in which formats, and their maps
broken_*.py       logs with one thing wrong each, and what robotid must say
"""
