"""Tests of the rule-based players."""
