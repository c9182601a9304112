"""From a pipeline to results: what has to run, in which order, and what is already there.

pipeline   reads and checks pipeline files
graph      stages, references, order
inputs     the user's files: found, identified, checked for change
identity   which code and which libraries a result depends on
task       one piece of work and its cache key
plan       the tasks of a stage, part by part
places     which file a finding is about, on whatever path it lies now
execute    does a task: verify inputs, run, commit
worker     the process that does tasks
process    that process, as the one that started it sees it
executor   what runs tasks, as an interface
local      a pool of worker processes
run        asks the store, schedules the rest, keeps what is finished
result     how a run ended, and who is told while it goes on
preview    what a run would do, and why
record     a note of every run in the cache
"""
