#!/usr/bin/env python3
"""Memory and idle processor time of the whole house, and how soon the first song is picked.

Starts the built processes through deploy/up in folders of its own, on the shipped example.
Run: python3 Benchmarks/house.py [seconds of watching, default 60]
Yardstick in the same run: an idle python3 on this machine.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

top = pathlib.Path(__file__).resolve().parent.parent
binaries = top / ".build/release"
names = ["hub", "librarian", "body", "player-stub", "context-agent", "sensor-emitter", "brain"]
seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
tick = os.sysconf("SC_CLK_TCK")


def pss_kib(pid):
    for line in open(f"/proc/{pid}/smaps_rollup"):
        if line.startswith("Pss:"):
            return int(line.split()[1])
    raise RuntimeError("no Pss line")


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / tick


folder = pathlib.Path(tempfile.mkdtemp(prefix="rsnb-", dir="/tmp"))
environment = dict(os.environ, **{f"RESONANCE_{n.upper()}_DIR": str(folder / n) for n in ("runtime", "data", "state", "config")})
yardstick = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
try:
    subprocess.run([top / "deploy/up", "--detach", "--no-build"], env=environment, check=True, capture_output=True)
    peers = json.loads(subprocess.run([binaries / "resonance", "peers", "--json"], env=environment, check=True,
                                      capture_output=True).stdout)
    pids = {row["process"]: row["pid"] for row in peers["processes"] if row["process"] in names}

    # From the log of the brain: its start, and the first song.
    log = folder / "state/logs/brain.log"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    start = next(line["at"] for line in lines if line["message"] == "starting")
    song = next(line["at"] for line in lines if line["message"] == "song started")
    parse = lambda text: time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")) + float("0" + text[19:-1])
    print(f"first song after the brain's start: {parse(song) - parse(start):.2f} s (goal 2 s)")

    time.sleep(10)
    before = {name: cpu_seconds(pid) for name, pid in pids.items()}
    begin = time.time()
    time.sleep(seconds)
    span = time.time() - begin
    total_memory = total_cpu = 0.0
    print(f"{'process':16} {'PSS MB':>8} {'CPU %':>7}")
    for name in names:
        memory = pss_kib(pids[name]) / 1024
        share = 100 * (cpu_seconds(pids[name]) - before[name]) / span
        total_memory += memory
        total_cpu += share
        print(f"{name:16} {memory:8.1f} {share:7.2f}")
    print(f"{'all':16} {total_memory:8.1f} {total_cpu:7.2f}   (goals 150 MB, 2 %)")
    print(f"{'idle python3':16} {pss_kib(yardstick.pid) / 1024:8.1f} {0:7.2f}   (yardstick: one process that does nothing)")
finally:
    yardstick.kill()
    subprocess.run([top / "deploy/down"], env=environment, capture_output=True)
    shutil.rmtree(folder, ignore_errors=True)
