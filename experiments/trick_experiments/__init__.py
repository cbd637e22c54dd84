"""Experiments: one script per question. Each can be run with ``python -m`` and imported."""
