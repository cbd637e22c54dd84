"""Settings of all tests."""

import os

# Before torch is imported: two test processes on two cores, each with two threads, wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from hypothesis import settings

# The number of cases is small because each case is a batch of whole games. Nothing here is timed.
settings.register_profile("games", max_examples=3, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("games")
