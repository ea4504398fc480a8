# SPDX-License-Identifier: MIT
"""Servers of ClickHouse and ZooKeeper on loopback, each with all its files in a directory."""
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.parse
import urllib.request

from e2e import SOURCE, Skip, build_options, need_program

SCHEMA = os.path.join(SOURCE, "data", "clickhouse")
KEEPER_JARS = "/usr/share/java/zookeeper.jar"


def need_clickhouse():
    if "clickhouse: libcurl" not in build_options():
        raise Skip("this tally is built without libcurl or SQLite")
    need_program("clickhouse-client")
    if not find_server():
        raise Skip("needs clickhouse-server (make deps-fleet)")


def find_server():
    """Installed, or unpacked by make deps-fleet."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
    return shutil.which("clickhouse-server", path=f"{os.environ['PATH']}:/usr/sbin:{cache}/tally/fleet/usr/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Server:
    """A server of ClickHouse. `ports` are its own: HTTP, TCP, between servers. `cluster` has the TCP ports of the replicas
    of each shard; `profile` and `more` are added to the settings of users and of the server."""

    def __init__(self, directory, ports, cluster, profile="", more=""):
        self.directory, (self.http, self.tcp, self.interserver) = directory, ports
        self.process = None
        os.makedirs(directory)
        shards = ""
        for replicas in cluster:
            internal = "<internal_replication>true</internal_replication>" if len(replicas) > 1 else ""
            shards += f"<shard>{internal}" + "".join(
                f"<replica><host>127.0.0.1</host><port>{tcp}</port></replica>" for tcp in replicas) + "</shard>"
        with open(os.path.join(directory, "config.xml"), "w", encoding="ascii") as file:
            file.write(f"""<yandex>
<logger><level>information</level><log>{directory}/log</log><errorlog>{directory}/errors</errorlog></logger>
<http_port>{self.http}</http_port><tcp_port>{self.tcp}</tcp_port>
<interserver_http_port>{self.interserver}</interserver_http_port><listen_host>127.0.0.1</listen_host>
<path>{directory}/data/</path><tmp_path>{directory}/tmp/</tmp_path><users_config>users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>16777216</mark_cache_size>
<remote_servers><tally>{shards}</tally></remote_servers>{more}
</yandex>""")
        with open(os.path.join(directory, "users.xml"), "w", encoding="ascii") as file:
            file.write(f"""<yandex><profiles><default><max_memory_usage>2000000000</max_memory_usage>{profile}</default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users><quotas><default></default></quotas></yandex>""")

    def start(self):
        server = find_server()
        with open(os.path.join(self.directory, "output"), "ab") as output:
            self.process = subprocess.Popen([server, f"--config-file={self.directory}/config.xml"], stdout=output,
                                            stderr=output, cwd=self.directory)
        for _ in range(600):
            assert self.process.poll() is None, "clickhouse-server has ended"
            try:
                if self.query("SELECT 1") == "1\n":
                    return
            except OSError:
                time.sleep(0.1)
        raise AssertionError("clickhouse-server does not answer")

    def query(self, sql, database="default"):
        url = f"http://127.0.0.1:{self.http}/?" + urllib.parse.urlencode({"database": database})
        with urllib.request.urlopen(url, sql.encode(), timeout=60) as answer:
            return answer.read().decode()

    def apply(self, database, name):
        """Runs a file of data/clickhouse, or of a full path."""
        with open(os.path.join(SCHEMA, name), encoding="utf-8") as file:
            subprocess.run(["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.tcp), "--database", database,
                            "--multiquery"], stdin=file, check=True, timeout=120)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def url(self, database="fleet"):
        return f"clickhouse://127.0.0.1:{self.http}/{database}"


class Keeper:
    """A server of ZooKeeper, which replicas need."""

    def __init__(self, directory, port):
        self.directory, self.port, self.process = directory, port, None
        os.makedirs(directory)
        with open(os.path.join(directory, "zoo.cfg"), "w", encoding="ascii") as file:
            file.write(f"tickTime=2000\ndataDir={directory}/data\nclientPort={port}\nclientPortAddress=127.0.0.1\n"
                       "admin.enableServer=false\n")

    def start(self):
        with open(os.path.join(self.directory, "output"), "ab") as output:
            self.process = subprocess.Popen(
                ["java", "-Xmx256m", "-cp", KEEPER_JARS, "org.apache.zookeeper.server.ZooKeeperServerMain",
                 f"{self.directory}/zoo.cfg"], stdout=output, stderr=output, cwd=self.directory)
        for _ in range(600):
            assert self.process.poll() is None, "ZooKeeper has ended"
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
                    connection.sendall(b"srvr")
                    if connection.recv(100):
                        return
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError("ZooKeeper does not answer")

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None
