"""A whole fit: data by split, a model, its evaluation, the verdict, and the files of the result.

gathered        the factors of all recordings, each block with its split
sample_reader   samples of a split, for models that need more than factors
identify        from data to a result
tables          parameters, base parameters and links, in words and numbers
files           what a fit writes besides `fit.json`
"""
