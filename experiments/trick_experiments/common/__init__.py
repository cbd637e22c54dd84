"""What all commands share: the command line, and files that are written."""
