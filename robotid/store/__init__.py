"""Content-addressed results: bytes and keys. Knows nothing of robots; seen by runner and cli only.

canonical     one byte string per value, SHA-256 of values and files
manifest      what an entry holds, with the digests to check it
files         durable writes, links, trees
workspaces    folders to write in, and sweeping those of the dead
store         find, check out, commit, quarantine
location      which folder, and whether it is safe to use
delivery      verified copies for users
housekeeping  status, verify, gc
explain       which field of two keys differs
"""
