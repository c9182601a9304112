"""A whole fit: data by split, a model, its evaluation, the verdict, and the files of the result.

gathered        the factors of all recordings, each block with its split
sample_reader   samples of a split, for models that need more than factors
request         what is asked for
identify        from data to a result
problems        what estimators are given
folds           cross-validation
reduced         the model of essential parameters
carried         the same for what a robot carries
continued       an earlier fit whose training data count as well
training_data   what a fit leaves for that
term_flags      terms of joints as flags
asked_for       loads and gains of drives in words
judged          errors beside baselines, what residuals still hold, the verdict
data_used       what became of the recordings
ranges          what joints did in the training data
tables          parameters, base parameters and links, in words and numbers
files           what a fit writes besides `fit.json`
"""
