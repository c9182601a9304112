"""A cluster of dask workers as an executor: the same tasks, keys and bytes, on other machines.

executor    what the run sees: sends tasks, hears answers, tries again
connection  the scheduler: found, or started here; lost
job         a task with all that a worker has to know to do it
supply      which worker has which file; inputs that are brought, results that are fetched
host        the worker's side: which store, which files are missing, a process that does the task
peers       files that travel from one machine straight to another

Tasks and answers are JSON; dask is asked to call one function by its name. Files never pass through
the scheduler.
"""
