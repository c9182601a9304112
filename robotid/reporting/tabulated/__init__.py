"""Figures of many results in one table.

paths       where in a result a figure stands, such as `metrics.test.rmse.mean`
claims      what is said to hold between rows, such as `hybrid < rigid in test`
gathered    the table from results
summary     in sentences and tables; the page
"""
