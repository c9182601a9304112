"""The files that stages exchange: what is in them, read and written in one place each.

recording   one Parquet file per recording, with its facts inside
dataset     dataset.json: the recordings of a folder and which are held out
fit         fit.json: parameters, errors, baselines, identifiability
training    training.safetensors: training data of a fit, for those that continue it
predictions predictions.json: torques that a fit predicts, and their errors
forward     fit.json of a forward model: accelerations that commands cause
decomposition  decomposition.json: parts of the forces of fits beside the true ones
rollout     rollout.json: what becomes of forward models that are left to run
export      export.json: files that a fit was exported to, and how they were checked
"""
