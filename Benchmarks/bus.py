#!/usr/bin/env python3
"""The bus beside raw libzmq, NATS and mosquitto: medians of several rounds of one run, as a Markdown table.

Run: swift build -c release && python3 Benchmarks/bus.py [rounds, default 3]
Peers that are not installed (Debian: nats-server libnats-dev mosquitto libmosquitto-dev gcc) leave their column empty.
All servers listen on this machine only, in folders of their own, and end with the run.
"""
import os
import pathlib
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

top = pathlib.Path(__file__).resolve().parent
program = top.parent / ".build/release/bus-benchmark"
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
PACED, FLOOD = "10000", {"nats": "300000", "0": "100000", "1": "30000"}
folder = pathlib.Path(tempfile.mkdtemp(prefix="rsnb-", dir="/tmp"))
servers = []
results = {}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def wait_for(port):
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", int(port))) == 0:
                return True
        time.sleep(0.05)
    return False


def build_client(name, library):
    """The compiled client, or None when compiler or library is missing."""
    made = subprocess.run(["cc", "-O2", "-o", folder / name, top / f"peers/{name}.c", f"-l{library}"],
                          capture_output=True) if shutil.which("cc") else None
    return folder / name if made is not None and made.returncode == 0 else None


def serve(command, port):
    servers.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    return port if wait_for(port) else None


def start_nats():
    server, client = shutil.which("nats-server"), build_client("nats-client", "nats")
    if not server or not client:
        return None
    port = free_port()
    return serve([server, "-a", "127.0.0.1", "-p", port, "-js", "-sd", folder / "jetstream"], port) and [client, port]


def start_mosquitto():
    server, client = shutil.which("mosquitto", path=os.environ["PATH"] + ":/usr/sbin"), build_client("mqtt-client", "mosquitto")
    if not server or not client:
        return None
    port = free_port()
    settings = folder / "mosquitto.conf"
    settings.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"
                        "max_inflight_messages 1000\nset_tcp_nodelay true\n")
    return serve([server, "-c", settings], port) and [client, port]


def run(key, command):
    """Notes the numbers that a program prints; a figure that cannot be had is left out, and why is said."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    except subprocess.TimeoutExpired:
        print(f"{key}: no result in 180 s", file=sys.stderr)
        return
    numbers = [float(word) for word in done.stdout.split() if word.replace(".", "", 1).isdigit()]
    if done.returncode or not numbers:
        print(f"{key}: {done.stderr.strip().splitlines()[-1:] or 'no result'}", file=sys.stderr)
        return
    results.setdefault(key, []).append(numbers)


def sync_alone():
    """What the disk itself takes: append 512 bytes and fdatasync, µs."""
    times = []
    with open(folder / "sync", "ab", buffering=0) as file:
        for _ in range(1000):
            file.write(b"x" * 512)
            begin = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - begin) * 1e6)
    times.sort()
    results.setdefault("sync", []).append([times[500], times[990]])


def cell(key, place=0, form="{:.0f}", scale=1.0, absent="–"):
    values = [numbers[place] * scale for numbers in results.get(key, [])]
    if not values:
        return absent
    return f"{form.format(statistics.median(values))} ({form.format(min(values))}…{form.format(max(values))})"


try:
    nats, mosquitto = start_nats(), start_mosquitto()
    load = os.getloadavg()[0]
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for part in ["latency", "raw-latency", "throughput", "raw-throughput", "durable", "restart", "steps",
                     "tcp-latency", "curve-latency", "tcp-throughput", "curve-throughput"]:
            run(part, [program, part])
        sync_alone()
        if nats:
            run("nats-latency", nats + [PACED, "paced"])
            run("nats-throughput", nats + [FLOOD["nats"], "flood"])
            run("jetstream", nats + ["2000", "durable"])
        for qos in "01" if mosquitto else "":
            run(f"mqtt{qos}-latency", mosquitto + [PACED, "paced", qos])
            run(f"mqtt{qos}-throughput", mosquitto + [FLOOD[qos], "flood", qos])
    no_nats = "–" if nats else "not installed"
    no_mqtt = "–" if mosquitto else "not installed"
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{os.cpu_count()} cores of {model}, Linux {platform.release()}, load {load:.1f} before and "
          f"{os.getloadavg()[0]:.1f} after, medians of {rounds} rounds (least…most):\n")
    print("| figure | goal | bus, typed | raw libzmq, zmq_proxy | NATS | mosquitto QoS 0 | mosquitto QoS 1 |\n|---|---|---|---|---|---|---|")
    for name, goal, place in [("p50", "≤ 2 × raw, ≤ 150 µs", 0), ("p99", "≤ 2 × raw, ≤ 500 µs", 1)]:
        print(f"| one way at 1 kHz, {name}, µs | {goal} | {cell('latency', place)} | {cell('raw-latency', place)} | "
              f"{cell('nats-latency', place, absent=no_nats)} | {cell('mqtt0-latency', place, absent=no_mqtt)} | "
              f"{cell('mqtt1-latency', place, absent=no_mqtt)} |")
    print(f"| lossless, 256 B, k/s | ≥ 150 | {cell('throughput', scale=1e-3)} | {cell('raw-throughput', scale=1e-3)} | "
          f"{cell('nats-throughput', 2, scale=1e-3, absent=no_nats)} | {cell('mqtt0-throughput', 2, scale=1e-3, absent=no_mqtt)} | "
          f"{cell('mqtt1-throughput', 2, scale=1e-3, absent=no_mqtt)} |")
    for name, place in [("p50", 0), ("p99", 1)]:
        print(f"| durable ack {name}, ms | {'≤ 1' if place == 0 else ''} | {cell('durable', place, '{:.2f}', 1e-3)} | one fdatasync {cell('sync', place, '{:.2f}', 1e-3)} | "
              f"JetStream {cell('jetstream', place, '{:.2f}', 1e-3, no_nats)} | – | – |")
    for key, name, goal in [("tcp", "TCP on loopback", ""), ("curve", "TCP with CURVE", "")]:
        print(f"| {name}: p50, µs | {goal} | {cell(key + '-latency')} | – | – | – | – |")
        print(f"| {name}: lossless, k/s | {goal} | {cell(key + '-throughput', scale=1e-3)} | – | – | – | – |")
    print(f"| hub restarted, heard again after, ms | ≤ 100 | {cell('restart')} | – | – | – | – |")
    print(f"| one step of virtual time, 7 processes, ms | ≤ 2 | {cell('steps', 0, '{:.2f}')} | – | – | – | – |")
finally:
    for server in servers:
        server.terminate()
        server.wait()
    shutil.rmtree(folder, ignore_errors=True)
