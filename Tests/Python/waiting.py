"""Time limits and waits of all tests in Python, which put this directory into their path."""
import os
import time

# The longest wait of a test. A wait ends as soon as its condition holds, so a test that passes does not depend on it.
PATIENCE_SECONDS = 120
# The longest run of a program.
PROGRAM_PATIENCE_SECONDS = 300
PAUSE_SECONDS = 0.05

# Debug builds multiply their built-in time limits by this factor, so that a busy machine does not exceed them. Every program that a test starts
# inherits the variable.
TIME_LIMIT_VARIABLE = "DESKGATE_TIME_LIMIT_FACTOR"
os.environ[TIME_LIMIT_VARIABLE] = "5"


def wait_for(found, what, told=lambda: "", pause=time.sleep):
    """Returns what `found` returns, as soon as that is true. `told` is what a failure adds, such as a log; `pause` waits for some seconds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (value := found()):
        if time.monotonic() >= deadline:
            raise AssertionError(f"in {PATIENCE_SECONDS} s nothing {what}{told()}")
        pause(PAUSE_SECONDS)
    return value


def whole_lines(text):
    """The lines of a file that is still being written, without the last one if its end is missing."""
    return text.split("\n")[:-1]
