# expects: timeout
# exercise: double


def double(x):
    while True: pass  # <- here
