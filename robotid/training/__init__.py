"""Models trained on samples: the problem, two optimisers, when to stop.

problem     a model, its samples and the weights of its errors
adam        mini-batches, as in the papers
online      one pass in the order of time, errors recorded on the way
levenberg   damped Gauss-Newton steps on all samples, from derivatives of every sample
history     what a training went through and how it ended
"""
