"""`comparison.html`: many forward models on several robots and data, as one grid.

motions     rollouts that are compared, one fit and its motion each
gathered    rows, columns and cells of the grid
conclusions what holds of these models
charts      the motions as a grid of small drawings
summary     tables and sentences, for page, Markdown and terminals alike
page        all of it as a page
"""
