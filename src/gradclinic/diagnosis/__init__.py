"""Why is this gradient None, zero or wrong, and at which line was it lost? Needs torch, knows nothing of lessons.

What a program uses is named in `gradclinic` itself. Nothing is imported here: the pictures need no torch.
"""
