"""From a pipeline to results: what has to run, in which order, and what is already there.

pipeline   reads and checks pipeline files
graph      stages, references, order
inputs     the user's files: found, identified, checked for change
identity   which code and which libraries a result depends on
task       one piece of work and its cache key
plan       the tasks of a stage, part by part
execute    does a task: verify inputs, run, commit
worker     the process that does tasks
local      a pool of such processes
run        asks the store, schedules the rest, keeps what is finished
"""
