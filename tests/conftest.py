"""Settings of all tests."""

import os

# Before torch is imported: two test processes on two cores, each with two threads, wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import settings

# The number of cases is small because each case is a batch of whole games. Nothing here is timed.
settings.register_profile("games", max_examples=3, deadline=None, derandomize=True, print_blob=True)
settings.load_profile("games")


@pytest.fixture(autouse=True, scope="session")
def _logs_of_training(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Stable-Baselines3 would make a folder for each training in the machine's, and leave it there."""
    os.environ["SB3_LOGDIR"] = str(tmp_path_factory.mktemp("logs"))
