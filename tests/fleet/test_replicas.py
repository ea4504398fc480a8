# SPDX-License-Identifier: MIT
"""A fleet of two shards of two replicas: four servers of ClickHouse, and one of ZooKeeper, on loopback, started here."""
import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import BUILD, Skip, equal, main, tally  # noqa: E402
from fleet import RECORDINGS, UNSENT, Fleet, add_all, added  # noqa: E402
from servers import KEEPER_JARS, Keeper, Server, free_ports, need_clickhouse  # noqa: E402

SEED = int(os.environ.get("TALLY_TEST_SEED", "1"))
KILLS = int(os.environ.get("TALLY_FLEET_KILLS", "4"))
SHARDS, REPLICAS = 2, 2
# Tables whose rows are of a recording, so that counts can be compared.
TABLES = ["recordings", "recording_values", "context_values", "contexts", "interval_values", "intervals", "blocks",
          "losses", "phases", "phase_values", "marks", "sections", "section_values"]


class Replicas(Fleet):
    """Replica `r` of shard `s` is servers[s * REPLICAS + r]."""
    store = os.path.join(BUILD, "data", "replicated.sql")
    made = None

    def make_servers(self):
        count = SHARDS * REPLICAS
        *ports, keeper = free_ports(3 * count + 1)
        self.keeper = Keeper(os.path.join(self.directory, "keeper"), keeper)
        self.keeper.start()
        ports = [ports[3 * i:3 * i + 3] for i in range(count)]
        cluster = [[ports[s * REPLICAS + r][1] for r in range(REPLICAS)] for s in range(SHARDS)]
        return [Server(os.path.join(self.directory, f"server{i}"), ports[i], cluster,
                       profile=f"<insert_quorum>{REPLICAS}</insert_quorum><insert_quorum_timeout>5000</insert_quorum_timeout>",
                       more=f"<macros><shard>{i // REPLICAS}</shard><replica>{i % REPLICAS}</replica></macros>"
                            f"<zookeeper><node><host>127.0.0.1</host><port>{keeper}</port></node>"
                            "<session_timeout_ms>4000</session_timeout_ms></zookeeper>")
                for i in range(count)]

    def check_replicas(self):
        """All rows are on each replica of their shard, at the latest a moment after it was started."""
        for table in TABLES:
            for _ in range(600):
                counts = self.count(table + "_rows")
                if counts[0::REPLICAS] == counts[1::REPLICAS]:
                    break
                time.sleep(0.1)
            equal(counts[1::REPLICAS], counts[0::REPLICAS], table)

    def check_answers(self, db=None, url=None, styles=("csv",)):
        super().check_answers(db, url, styles)

    def stop(self):
        self.keeper.kill()
        super().stop()


def fleet():
    need_clickhouse()
    if not os.path.exists(KEEPER_JARS):
        raise Skip("needs zookeeper (make deps-fleet)")
    if not Replicas.made:
        Replicas.made = Replicas()
        Replicas.made.start()
    assert Replicas.made.paths, "the fleet could not be made"
    return Replicas.made


def test_recordings_land_on_all_replicas():
    made = fleet()
    done = made.add(*made.paths)
    equal((done.returncode, len(done.stdout.splitlines())), (0, RECORDINGS), done.stderr)
    # The quorum: no replica is behind when adding has ended.
    counts = made.count("recordings_rows")
    equal(counts[0::REPLICAS], counts[1::REPLICAS])
    equal(sum(counts[0::REPLICAS]), RECORDINGS)
    assert min(counts) > 1, counts
    made.check_replicas()


def test_each_server_answers_as_sqlite():
    made = fleet()
    for server in made.shards:
        made.check_answers(url=server.url())


def test_adding_again_counts_once():
    made = fleet()
    before = made.count("blocks_rows")
    for server in made.shards:
        done = made.add(*made.paths, url=server.url())
        equal((done.returncode, done.stdout.count("the store has it already")), (0, RECORDINGS), done.stderr)
    equal(made.count("blocks_rows"), before)


def test_clients_that_add_at_once():
    """A shard takes one insert with a quorum at a time: clients try again, or keep the recording for the next time."""
    made = fleet()
    paths = [made.record(number) for number in range(23, 29)]
    processes = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for number, path in enumerate(paths)
                 for command in added(made.shards[number % 4].url(), path, spool=f"spool{number % 4}")]
    codes = [(process.wait(300), process.communicate()[1])[0] for process in processes]
    assert set(codes) <= {0, UNSENT}, codes
    for number, server in enumerate(made.shards):
        done = tally("store", "flush", "--spool", f"{made.directory}/spool{number}", server.url())
        equal(done.returncode, 0, done.stderr)
    print(f"{len(codes)} clients at once: {codes.count(UNSENT)} left a recording in the spool")
    add_all(made.db, *paths)
    made.check_replicas()
    made.check_answers()


def test_a_replica_down():
    """Queries are answered by the other one. Adding keeps what only one replica of the shard would have."""
    made = fleet()
    made.shards[1].kill()
    made.check_answers()
    made.check_answers(url=made.shards[3].url())
    paths = [made.record(number) for number in range(20, 23)]
    done = made.add(*paths)
    equal(done.returncode, UNSENT, done.stderr)
    made.check_answers()  # none of them is seen, or all of it: those of the whole shard
    made.shards[1].start()
    done = made.flush()
    equal(done.returncode, 0, done.stderr)
    add_all(made.db, *paths)
    made.check_replicas()
    for server in made.shards:
        made.check_answers(url=server.url())


def test_a_replica_is_killed_in_the_middle_of_an_insert():
    """Restarted, it has lost nothing and doubled nothing."""
    made = fleet()
    choose, unsent = random.Random(SEED), 0
    for kill in range(KILLS):
        path = made.record(30 + kill, 500)
        victim, entry = made.shards[kill % 4], made.shards[(kill + 1) % 4]
        start = sum(made.count("recording_values_rows"))
        [command] = added(entry.url(), path, spool="kills")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and sum(made.count("recording_values_rows")) == start:
                pass
            time.sleep(0.1 * choose.random())
            victim.kill()
            error = process.communicate(timeout=300)[1]
        assert process.returncode in (0, UNSENT), error
        unsent += process.returncode == UNSENT
        victim.start()
        made.check_replicas()
        done = tally("store", "flush", "--spool", f"{made.directory}/kills", entry.url())
        equal(done.returncode, 0, done.stderr)
        add_all(made.db, path)
        made.check_replicas()
        made.check_answers(url=victim.url())
    print(f"{KILLS} kills: {unsent} left a recording in the spool")


if __name__ == "__main__":
    try:
        main()
    finally:
        if Replicas.made:
            Replicas.made.stop()
