"""The stages: each a configuration and a plain function, none aware of the cache.

`catalog` lists them by name; `contract` says what a stage is; `configuration` reads their
configurations from files and flags.
"""
