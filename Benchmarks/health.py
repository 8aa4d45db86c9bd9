#!/usr/bin/env python3
"""Speed and memory of health data, beside what others have for the same work, in the same run.

1. An Apple Health export of the given size (the same bytes every time): our reader, our import into a database, expat with
   empty handlers, and healthkit-to-sqlite of PyPI. A smaller one shows that memory does not grow.
2. HRV of a recording of 24 hours: artefacts found and corrected, figures before and after, beside NeuroKit2 of PyPI.
3. All days of ten made-up years computed anew.

Needs a release build (`swift build -c release`); expat-empty needs gcc and libexpat1-dev. The Python tools are installed into
an environment that is removed again, or kept in RESONANCE_BENCH_VENV. What cannot be had is named, and the rest is measured.
Prints Markdown. Files are under TMPDIR and removed.
Run: python3 Benchmarks/health.py [megabytes, default 1000] [rounds, default 3]
"""
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

top = pathlib.Path(__file__).resolve().parent.parent
binaries = pathlib.Path(os.environ.get("RESONANCE_BINARIES", top / ".build/release"))
megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
bench = binaries / "health-benchmark"
missing = []

NEUROKIT = """
import json, sys, time
import numpy as np
import neurokit2 as nk
rr = np.loadtxt(sys.argv[1])
peaks = np.concatenate([[0], np.cumsum(rr)]).astype(int)
nk.hrv_time(peaks[:500], sampling_rate=1000)
best = None
for _ in range(2):
    begin = time.perf_counter()
    found, clean = nk.signal_fixpeaks(peaks, sampling_rate=1000, iterative=False, method="Kubios")
    raw = nk.hrv_time(peaks, sampling_rate=1000)
    nk.hrv_time(np.asarray(clean).astype(int), sampling_rate=1000)
    seconds = time.perf_counter() - begin
    best = seconds if best is None else min(best, seconds)
artefacts = sum(len(found[kind]) for kind in ("ectopic", "missed", "extra", "longshort"))
print(json.dumps(dict(seconds=best, beats=len(rr), artefacts=artefacts, version=nk.__version__,
    sdnnMs=float(raw["HRV_SDNN"].iloc[0]), rmssdMs=float(raw["HRV_RMSSD"].iloc[0]))))
"""


def timed(command, environment=None):
    """Wall seconds, peak resident MB and output of a command; None when it fails."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=errors, env=environment)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        if process.returncode == 0:
            return seconds, usage.ru_maxrss / 1024, output
        errors.seek(0)
        print(f"{command[0]} failed: {errors.read().decode(errors='replace')[-500:]}", file=sys.stderr)


def expat(folder):
    program = folder / "expat-empty"
    source = top / "Benchmarks/peers/expat-empty.c"
    if shutil.which("gcc") and subprocess.run(["gcc", "-O2", "-o", program, source, "-lexpat"]).returncode == 0:
        return program
    missing.append("expat (needs gcc and libexpat1-dev)")


def python(folder):
    """A Python with the given packages, by name of the package."""
    kept = os.environ.get("RESONANCE_BENCH_VENV")
    venv = pathlib.Path(kept) if kept else folder / "venv"
    if not (venv / "bin/python").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    found = {}
    for package in ("healthkit-to-sqlite", "neurokit2"):
        answer = subprocess.run([venv / "bin/pip", "install", "-q", package], capture_output=True)
        if answer.returncode == 0:
            found[package] = venv / "bin"
        else:
            missing.append(f"{package} (pip cannot install it)")
    return found


def generate(folder, size):
    export = folder / f"export-{size}.xml"
    subprocess.run([bench, "generate", export, str(size)], check=True)
    return export


def our_import(folder, export):
    tool = binaries / "resonance"
    if not tool.exists() or subprocess.run([tool, "body", "import", "--help"], capture_output=True).returncode != 0:
        missing.append("resonance body import")
        return None
    place = {name: str(folder / name) for name in ("run", "data", "state", "config")}
    environment = dict(os.environ, **{f"RESONANCE_{name.upper()}_DIR": path for name, path in (
        ("runtime", place["run"]), ("data", place["data"]), ("state", place["state"]), ("config", place["config"]))})
    return timed([tool, "body", "import", export, "--database", folder / "body.sqlite", "--json"], environment)


def apple_health(folder, tools):
    large = generate(folder, megabytes)
    small = generate(folder, 200) if megabytes > 200 else None
    archive = folder / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
        packed.write(large, "apple_health_export/export.xml")
    empty = expat(folder)
    healthkit = tools.get("healthkit-to-sqlite")
    rows, taken = {}, None

    def add(label, outcome):
        if outcome:
            rows.setdefault(label, []).append(outcome)
        return outcome

    for turn in range(rounds):
        if empty:
            add("expat, empty handlers (C)", timed([empty, large]))
        taken = add("our reader, export.xml", timed([bench, "read", large])) or taken
        add("our reader, export.zip", timed([bench, "read", archive]))
        for stale in folder.glob("body.sqlite*"):
            stale.unlink()
        add("**our import into a database**", our_import(folder, large))
        if turn == 0 and healthkit:
            # Minutes each: one round is enough for the slow one.
            add("healthkit-to-sqlite (PyPI)", timed([healthkit / "healthkit-to-sqlite", "--xml", large, folder / "healthkit.db"]))
            (folder / "healthkit.db").unlink(missing_ok=True)
    if small:
        label = f"our reader, {small.stat().st_size / 1e6:.0f} MB"
        add(label, timed([bench, "read", small]))
        for stale in folder.glob("body.sqlite*"):
            stale.unlink()
        add(f"our import, {small.stat().st_size / 1e6:.0f} MB", our_import(folder, small))
    size = large.stat().st_size / 1e6
    records = json.loads(taken[2])["records"] if taken else 0
    median = lambda label: statistics.median(row[0] for row in rows[label]) if label in rows else None
    yard, slow = median("expat, empty handlers (C)"), median("healthkit-to-sqlite (PyPI)")
    print(f"Apple Health export, {size:.0f} MB, {records} records taken:\n")
    print("| | wall s (all rounds) | MB/s | of expat's speed | × healthkit-to-sqlite | peak MB |\n|---|---|---:|---:|---:|---:|")
    for label, found in rows.items():
        seconds = median(label)
        own = small.stat().st_size / 1e6 if small and " MB" in label else size
        every = ", ".join(f"{row[0]:.2f}" for row in found)
        same = own == size
        share = f"{yard / seconds:.2f}" if yard and same else "–"
        times = f"{slow / seconds:.1f}" if slow and same else "–"
        print(f"| {label} | {every} | {own / seconds:.0f} | {share} | {times} | {max(row[1] for row in found):.0f} |")
    imported = median("**our import into a database**")
    peak = max((row[1] for label in rows for row in rows[label] if "our " in label), default=0)
    goals = []
    if imported and slow:
        goals.append(f"≥ 3 × healthkit-to-sqlite: {'met' if slow / imported >= 3 else 'missed'} ({slow / imported:.1f})")
    if imported and yard:
        goals.append(f"≥ 0.4 of expat: {'met' if yard / imported >= 0.4 else 'missed'} ({yard / imported:.2f} with the database)")
    goals.append(f"≤ 200 MB: {'met' if peak <= 200 else 'missed'} ({peak:.0f})")
    print("\nGoals: " + "; ".join(goals) + ".\n")


def variability(folder, tools):
    beats = folder / "beats.txt"
    subprocess.run([bench, "beats", beats, "24"], check=True)
    ours = json.loads(timed([bench, "hrv", beats])[2])
    print(f"HRV of 24 h, {ours['beats']} beats: artefacts found and corrected, figures before and after:\n")
    print("| | s | artefacts | SDNN, ms | RMSSD, ms |\n|---|---:|---:|---:|---:|")
    print(f"| ours | {ours['seconds']:.4f} | {ours['artefacts']} | {ours['sdnnMs']:.4f} | {ours['rmssdMs']:.4f} |")
    if "neurokit2" not in tools:
        return print()
    found = timed([tools["neurokit2"] / "python", "-W", "ignore", "-c", NEUROKIT, beats])
    if not found:
        missing.append("NeuroKit2 (it failed)")
        return print()
    theirs = json.loads(found[2].splitlines()[-1])
    print(f"| NeuroKit2 {theirs['version']} | {theirs['seconds']:.2f} | {theirs['artefacts']} | {theirs['sdnnMs']:.4f} | {theirs['rmssdMs']:.4f} |")
    times = theirs["seconds"] / ours["seconds"]
    print(f"\nGoal: ≥ 20 × NeuroKit2: {'met' if times >= 20 else 'missed'} ({times:.0f} ×).\n")


def days():
    found = json.loads(timed([bench, "days", "10"])[2])
    seconds = found["seconds"]
    print(
        f"Ten years ({found['days']} days, {found['segments']} segments of sleep, {found['readings']} HRV readings, "
        f"{found['workouts']} workouts): all days computed anew in {seconds:.3f} s (goal ≤ 1 s: {'met' if seconds <= 1 else 'missed'}).\n")


if not bench.exists():
    sys.exit(f"{bench} is not there: swift build -c release")
with tempfile.TemporaryDirectory(prefix="rsn-health-", dir=os.environ.get("TMPDIR", "/tmp")) as name:
    place = pathlib.Path(name)
    tools = python(place)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the beginning, {rounds} rounds.\n")
    apple_health(place, tools)
    variability(place, tools)
    days()
    if missing:
        print("Not measured: " + ", ".join(dict.fromkeys(missing)) + ".")
