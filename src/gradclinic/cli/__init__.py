"""The command line: one module per command, named after it, imported only when its command is asked for."""
