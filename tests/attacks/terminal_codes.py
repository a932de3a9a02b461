# exercise: double
"""Codes that clear a screen, set a title, hide text and turn its direction, in all that is shown."""
import warnings
def double(x):
    print("\x1b[2J\x1b]0;owned\x07\u202eevil\u200b\ud800")
    warnings.warn("\x1b[31mred\r\x00\ud800")
    if x.ndim == 2:
        return {"\x1b[31m\ud800": x}
    raise ValueError("\x1b[8mhidden\u202e\ud800")
