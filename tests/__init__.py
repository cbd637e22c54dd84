"""The tests. They mirror the tree; their names are sentences that state a rule."""
