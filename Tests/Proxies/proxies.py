"""The proxies, run as an unprivileged user from the samples in deploy/, in which only addresses and paths are replaced."""
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess

from ports import free_port
from replicas import ROOT, spawn
from waiting import PATIENCE_SECONDS, wait_for, whole_lines

NAME = "deskgate.example.com"
SAMPLES = {"nginx": "deploy/nginx/deskgate.conf", "haproxy": "deploy/haproxy/haproxy.cfg", "caddy": "deploy/caddy/Caddyfile"}
# What a distribution's nginx.conf says around the files of conf.d.
NGINX = """daemon off; pid {place}/nginx.pid; error_log {place}/nginx-error.log; events {{ }}
http {{
    client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fastcgi; uwsgi_temp_path {place}/uwsgi;
    scgi_temp_path {place}/scgi;
    include {sample};
}}
"""


def make_certificate(place):
    """Makes a self-signed certificate for the sample's name."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", f"/CN={NAME}",
         "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", place / "key.pem", "-out", place / "certificate.pem"],
        check=True, stderr=subprocess.DEVNULL)
    (place / "deskgate.pem").write_text((place / "certificate.pem").read_text() + (place / "key.pem").read_text())


class Proxy:
    """A proxy before one upstream, as the sample is, or two, each `127.0.0.1:PORT` or the path of a Unix socket."""

    def __init__(self, kind, directory, upstreams):
        self.kind = kind
        self.user = "nobody" if os.geteuid() == 0 else None
        self.place = pathlib.Path(directory)
        self.place.mkdir(parents=True)
        make_certificate(self.place)
        self.port = free_port()
        self.certificate = self.place / "certificate.pem"
        sample = self.place / pathlib.Path(SAMPLES[kind]).name
        sample.write_text(self.substituted((ROOT / SAMPLES[kind]).read_text(), upstreams))
        if self.user:
            for path in [self.place, *self.place.iterdir()]:
                shutil.chown(path, self.user)
        self.output = (self.place / "output.log").open("w")
        self.process = spawn(
            self.command(sample), stdout=self.output, stderr=self.output, user=self.user, cwd=self.place,
            env={"HOME": str(self.place), "XDG_DATA_HOME": str(self.place), "XDG_CONFIG_HOME": str(self.place), "PATH": os.environ["PATH"]})
        wait_for(lambda: self.process.poll() is not None or self.is_listening(), f"starts {kind}")
        if self.process.poll() is not None:
            raise AssertionError(f"{kind} does not start:\n{(self.place / 'output.log').read_text()}")

    def command(self, sample):
        program = shutil.which(self.kind)
        if self.kind == "nginx":
            main = self.place / "nginx.conf"
            main.write_text(NGINX.format(place=self.place, sample=sample))
            return [program, "-p", self.place, "-e", "nginx-error.log", "-c", main]
        if self.kind == "haproxy":
            return [program, "-db", "-f", sample]
        return [program, "run", "--adapter", "caddyfile", "--config", sample]

    def substituted(self, text, upstreams):
        """The sample with the addresses and paths of this run; each of them must be there."""
        place, port = self.place, self.port
        if len(upstreams) == 2:
            text, count = re.subn(r"# (.*127\.0\.0\.1:8081)", r"\1", text)
            assert count == text.count("127.0.0.1:8080"), f"{SAMPLES[self.kind]} has a second replica {count} times"
        replaced = list(zip(("127.0.0.1:8080", "127.0.0.1:8081"), map(self.address, upstreams))) + {
            "nginx": [
                ("listen 443 ", f"listen 127.0.0.1:{port} "), ("listen [::]:443 ", f"listen [::1]:{port} "),
                ("/etc/nginx/deskgate/", f"{place}/"), ("/var/log/nginx/", f"{place}/")],
            "haproxy": [("bind :443 ", f"bind 127.0.0.1:{port} "), ("/etc/haproxy/", f"{place}/")],
            "caddy": [
                ("\tauto_https ", f"\thttps_port {port}\n\tdefault_bind 127.0.0.1\n\tauto_https "), ("\n:443 {", f"\n:{port} {{"),
                ("unix//run/caddy/", f"unix/{place}/"), ("/etc/caddy/deskgate/", f"{place}/"), ("/var/log/caddy/", f"{place}/")],
        }[self.kind]
        for old, new in replaced:
            assert old in text, f"{SAMPLES[self.kind]} does not say {old}"
            text = text.replace(old, new)
        return text

    def address(self, upstream):
        if not str(upstream).startswith("/"):
            return str(upstream)
        return {"nginx": "unix:", "haproxy": "unix@", "caddy": "unix/"}[self.kind] + str(upstream)

    def is_listening(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return True
        except OSError:
            return False

    def logs(self):
        """What the proxy has written anywhere, by file."""
        return {path.name: path.read_text(errors="replace") for path in self.place.rglob("*.log")}

    def access_log(self):
        name = "output.log" if self.kind == "haproxy" else "deskgate.log"
        return [line for line in whole_lines(self.logs().get(name, "")) if line.startswith("{")]

    def finish(self):
        """Ends the proxy after what is under way; then it has no connection any more, and its log is complete."""
        self.process.send_signal({"nginx": signal.SIGQUIT, "haproxy": signal.SIGUSR1, "caddy": signal.SIGTERM}[self.kind])
        self.process.wait(PATIENCE_SECONDS)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
