"""Content-addressed results: bytes and keys. Knows nothing of robots; seen by runner and cli only.

canonical     one byte string per value, SHA-256 of values and files
manifest      what an entry holds, with the digests to check it
files         durable writes, links, trees
workspaces    folders to write in, and sweeping those of the dead
store         find, check out, commit, quarantine
transport     files and results between stores
notes         facts that save time and may be lost
digests       of users' files, remembered while nobody touches them
vouching      files of the store that were verified within the last day
location      which folder, and whether it is safe to use
delivery      verified copies for users
housekeeping  status, verify, gc
explain       which field of two keys differs
"""
