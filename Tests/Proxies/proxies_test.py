"""Sends requests through nginx, HAProxy and Caddy, each run from its sample in deploy/; Scripts/test-proxies runs it."""
import pathlib
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Python"))
import bot_scenes as bots  # noqa: E402
import failure_scenes as failures  # noqa: E402
import requests_scenes as requests  # noqa: E402
import safety_scenes as safety  # noqa: E402
from proxies import SAMPLES  # noqa: E402
from replicas import Site  # noqa: E402
from stage import Stage  # noqa: E402

SCENES = [
    safety.finds_hidden_requests, requests.passes_every_public_path, requests.authorizes, requests.takes_webhooks_byte_for_byte,
    requests.registers_devices, requests.speaks_http2, requests.limits_bodies, requests.keeps_connections,
    requests.replaces_what_callers_say_of_themselves, requests.tells_the_clients_address, safety.passes_no_hidden_request,
    safety.keeps_operators_apart, safety.refuses_large_heads, safety.bounds_each_address, safety.knows_only_its_own_names, failures.loses_nothing_when_a_replica_dies,
    failures.repeats_only_what_is_safe, failures.asks_replicas_that_are_ready, failures.says_when_nobody_answers, bots.hands_on_what_backends_say,
    requests.bears_slow_clients, safety.logs_no_arguments,
    # Last of all, because it reads what all others have left in the logs.
    safety.keeps_secrets_out_of_logs,
]


def main():
    kinds = [kind for kind in sys.argv[1:] if kind in SAMPLES] or list(SAMPLES)
    wanted = [name for name in sys.argv[1:] if name not in SAMPLES]
    failed = []
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        # The proxies run as another user.
        directory.chmod(0o755)
        site = Site(directory)
        for kind in kinds:
            (directory / kind).mkdir(mode=0o755)
            stage = Stage(kind, site, directory)
            for scene in SCENES:
                if wanted and scene.__name__ not in wanted:
                    continue
                began = time.monotonic()
                try:
                    scene(stage)
                    print(f"ok      {kind}: {scene.__name__} ({time.monotonic() - began:.1f} s)", flush=True)
                except Exception:
                    failed.append(f"{kind}: {scene.__name__}")
                    print(f"FAILED  {kind}: {scene.__name__}\n{traceback.format_exc()}", flush=True)
            stage.stop()
        site.stop()
    sys.exit(f"{len(failed)} failed: {', '.join(failed)}" if failed else 0)


main()
