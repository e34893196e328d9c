"""The servers that are compared: how each is built and started, and what Deskgate must be worth beside it."""

import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

HERE = Path(__file__).parent


class NotInstalled(Exception):
    """A peer's tools are missing; its row and its target are reported as such."""


@dataclass(frozen=True)
class Peer:
    """`prepare` builds what there is to build, once, and returns the command for a configuration file and a port."""

    name: str
    prepare: Callable
    target: float | None = None
    authorizes: bool = True
    strict: bool = False
    version: tuple[str, ...] = ()

    def describe(self):
        """The name, and what the peer's own tool says about its version."""
        if not self.version:
            return self.name
        said = subprocess.run(self.version, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
        return f"{self.name} ({said.splitlines()[0]})"


def require(program):
    path = shutil.which(program)
    if path is None:
        raise NotInstalled(program)
    return path


def build(command, **options):
    """Runs a compiler; its complaint becomes the error."""
    finished = subprocess.run(command, capture_output=True, text=True, **options)
    if finished.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{finished.stderr}")


def allocation_counter(directory):
    """The library that counts allocations under the micro-benchmarks."""
    compiler, library = require("cc"), Path(directory) / "allocations.so"
    build([compiler, "-O2", "-shared", "-fPIC", "-o", library, HERE / "Micro-support" / "allocations.c"])
    return library


def slow_disk(directory):
    """The library that makes a disk slow, as its own text says."""
    compiler, library = require("cc"), Path(directory) / "slow-disk.so"
    build([compiler, "-O2", "-shared", "-fPIC", "-o", library, HERE.parent / "Tests" / "SlowDisk" / "slow-disk.c"])
    return library


def serve(*program):
    """The command line that all our own servers share with `deskgate serve`."""
    return lambda path, port: [*map(str, program), "serve", "--config", str(path)]


def floor(workspace, cores):
    compiler, binary = require("cc"), workspace.directory / "floor-server"
    sources = sorted((HERE / "floor").glob("*.c"))
    build([compiler, "-O2", "-o", binary, *sources, "-lmicrohttpd", "-ljansson", "-lcrypto"])
    return serve(binary)


NGINX = """\
daemon off;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
{user}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    default_type application/json;
    server {{
        listen 127.0.0.1:{port};
        location / {{ return 200 '{{"status":"authorized"}}'; }}
    }}
}}
"""


def nginx(workspace, cores):
    binary = require("nginx")
    # Started by root, its workers would become a user that may not enter the workspace.
    user = "user root;" if os.geteuid() == 0 else ""

    def command(path, port):
        file = path.with_name("nginx.conf")
        file.write_text(NGINX.format(workers=len(cores), folder=path.parent, port=port, user=user))
        return [binary, "-p", str(path.parent), "-c", str(file), "-e", str(path.with_name("error.log"))]

    return command


def go(workspace, cores):
    compiler, binary = require("go"), workspace.directory / "go-server"
    environment = os.environ | {"GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOWORK": "off", "CGO_ENABLED": "0"}
    build([compiler, "build", "-buildvcs=false", "-o", binary, "."], cwd=HERE / "go", env=environment)
    return serve(binary)


def node(workspace, cores):
    return serve(require("node"), HERE / "node" / "server.mjs")


def python(workspace, cores):
    return serve(sys.executable, "-B", HERE / "python" / "server.py")


def deskgate(binary):
    """The server under measurement, as the first of the list that a run goes through."""
    return Peer("Deskgate", lambda workspace, cores: serve(Path(binary).resolve()), strict=True)


# The server file makes the same choice.
PYTHON = "Python, uvicorn" if importlib.util.find_spec("uvicorn") else "Python, http.server"

PEERS = (
    Peer("floor (C)", floor, target=0.95, strict=True, version=("cc", "--version")),
    Peer("nginx, a constant", nginx, authorizes=False, version=("nginx", "-v")),
    Peer("Go", go, target=1.3, version=("go", "version")),
    Peer("Node", node, target=2.5, version=("node", "--version")),
    Peer(PYTHON, python, target=3.0, version=(sys.executable, "--version")),
)
