"""The Gradient Clinic: why is my gradient None, and where did it get lost?

Importing this package imports neither torch nor any tool of the site.
"""

__version__ = "0.1.0"
