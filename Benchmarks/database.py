"""A PostgreSQL server with its data on the disk that is measured: started, asked, loaded by pgbench, always stopped."""

import os
import pwd
import re
import shutil
import subprocess
import time
from pathlib import Path

from fixtures import free_port
from processes import Server

# Of PostgreSQL's, those that a small server of one's own would have; everything that keeps a commit through a loss of power is on.
SETTINGS = {
    "listen_addresses": "127.0.0.1", "max_connections": "200", "shared_buffers": "512MB", "max_wal_size": "8GB", "checkpoint_timeout": "15min",
    "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on",
}
START_LIMIT = 60


def programs():
    """The directory of the newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    if (path := shutil.which("pgbench")) is None:
        raise RuntimeError("PostgreSQL is not installed; it is in Debian's package postgresql")
    return Path(path).resolve().parent


class Database:
    """One cluster; its server runs as nobody when the benchmarks run as root, which PostgreSQL refuses to."""

    def __init__(self, workspace, cores):
        self.cores, self.port, self.bin = cores, free_port(), programs()
        self.directory = workspace.directory / "postgres"
        self.directory.mkdir(mode=0o700)
        self.data, self.log = self.directory / "data", workspace.directory / "postgres.log"
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        self.prefix = []
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            # The directories above are the run's own, and nobody has to pass through them.
            for folder in (workspace.directory, *workspace.directory.parents):
                if not folder.stat().st_mode & 0o001:
                    folder.chmod(folder.stat().st_mode | 0o001)
            os.chown(self.directory, nobody.pw_uid, nobody.pw_gid)
            self.prefix = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
        self.run("initdb", "-D", self.data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C")
        settings = SETTINGS | {"port": self.port, "unix_socket_directories": self.directory}
        command = [*self.prefix, self.bin / "postgres", "-D", self.data]
        command += [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self.server = Server.start("PostgreSQL", self.port, list(map(str, command)), self.log, cores)
        self.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # The "fast" shutdown, which does not wait for transactions.
        self.run("pg_ctl", "stop", "-D", self.data, "-m", "fast")
        self.server.stop(patience=30)

    def run(self, program, *arguments, **options):
        """Runs one of PostgreSQL's programs; its output."""
        command = [*self.prefix, self.bin / program, *arguments]
        finished = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd="/", **options)
        if finished.returncode != 0:
            raise RuntimeError(f"{program} failed: {finished.stderr.strip()}")
        return finished.stdout

    def sql(self, *statements):
        """Runs statements, each on its own; the output of the last, a line for each row."""
        commands = [word for statement in statements for word in ("-c", statement)]
        return self.run("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", self.url, *commands)

    def copy(self, table, rows):
        """Adds rows to a table, each of texts as COPY reads them."""
        command = [*self.prefix, self.bin / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", self.url, "-c", f"COPY {table} FROM STDIN"]
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/")
        for row in rows:
            process.stdin.write("\t".join(row) + "\n")
        process.stdin.close()
        if process.wait() != 0:
            raise RuntimeError(f"COPY failed: {process.stderr.read().strip()}")

    def number(self, statement):
        return float(self.sql(statement).strip())

    def wait(self):
        deadline = time.monotonic() + START_LIMIT
        while True:
            try:
                return self.sql("SELECT 1")
            except RuntimeError as error:
                self.server.require_alive()
                if time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL does not start: {error}") from None
                time.sleep(0.05)

    def clear(self):
        """Removes everything that a service has stored, and its schema."""
        self.sql("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")

    def settle(self):
        """Has everything on the disk, so that what was filled in is not still being written while something is measured."""
        self.sql("VACUUM ANALYZE", "CHECKPOINT")
        os.sync()

    def inserts_per_second(self, seconds, connections):
        """What pgbench reaches with one insert of one row a transaction."""
        self.sql(
            "CREATE TABLE IF NOT EXISTS bench (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL, data text NOT NULL)")
        script = self.directory / "insert.sql"
        script.write_text(
            "\\set at random(1, 1000000000)\n"
            f"INSERT INTO bench (at, data) VALUES (:at, '{'x' * 300}');\n")
        script.chmod(0o644)
        output = self.run(
            "pgbench", "-n", "-M", "prepared", "-f", script, "-c", connections, "-j", len(self.cores), "-T", seconds, self.url)
        self.sql("TRUNCATE bench")
        return float(re.search(r"tps = ([0-9.]+)", output)[1])


class Reader:
    """A transaction that stays open and keeps an old snapshot, as a report or a forgotten session does."""

    def __init__(self, database):
        command = [*database.prefix, database.bin / "psql", "-X", "-q", database.url]
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, cwd="/")
        self.process.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT count(*) FROM deskgate_versions;\n")
        self.process.stdin.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(timeout=30)
