"""One learner's file in, one verdict out: judge, forkserver, child.

The judge holds checks and reference values and never runs a line of the learner's code; a child runs it and
sends back values only. Nothing is imported here, so that text-only commands stay quick.
"""
