"""What is inside a log nobody has described yet, and a map proposed for it.

survey.py           what is in a stream, in one pass; step_survey.py what could be its times
column_words.py     what the words in a name say
column_groups.py    columns that are one signal of several joints
signal_choice.py    which of several such groups to use
time_choice.py      which column holds the times; unit_choice.py in which units signals are
derivative_check.py whether velocities fit positions
joint_choice.py     which joints of the robot columns belong to
proposal.py         all of it as a map; map_text.py that map as a file with comments
inspection.py       a log or a folder: survey, proposal, and what ingest would say
"""
