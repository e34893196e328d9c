"""Waiting for what a service does by itself: the tests of page, proxies and traces put this directory into their path."""
import time

PATIENCE_SECONDS = 30
PAUSE_SECONDS = 0.05


def wait_for(found, what, told=lambda: ""):
    """Returns what `found` returns, as soon as that is true. `told` is what a failure adds, such as a log."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        value = found()
        if value:
            return value
        time.sleep(PAUSE_SECONDS)
    raise AssertionError(f"in {PATIENCE_SECONDS} s nothing {what}{told()}")
