#!/usr/bin/env python3
"""Speed and memory of reading an Apple Health export, beside expat with empty handlers and healthkit-to-sqlite.

Writes an export of the given size (the same bytes every time), reads it with each in turn, several rounds, and prints the
medians as a Markdown table. Needs a release build; expat-empty needs gcc and libexpat1-dev, healthkit-to-sqlite comes from
PyPI into an environment of its own. What is missing reads "not installed".
Run: python3 Benchmarks/health.py [megabytes, default 200] [rounds, default 3]
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
megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 200
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3


def timed(command):
    """Wall seconds, peak resident MB and output of a command; None when it fails."""
    begin = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output = process.stdout.read()
    error = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - begin
    if process.returncode != 0:
        print(f"{command[0]} failed: {error.decode(errors='replace')[-300:]}", file=sys.stderr)
        return None
    return seconds, usage.ru_maxrss / 1024, output


def expat(folder):
    program = folder / "expat-empty"
    source = top / "Benchmarks/peers/expat-empty.c"
    if shutil.which("gcc") and subprocess.run(["gcc", "-O2", "-o", program, source, "-lexpat"]).returncode == 0:
        return program


def healthkit(folder):
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    found = subprocess.run([venv / "bin/pip", "install", "-q", "healthkit-to-sqlite"], capture_output=True)
    return venv / "bin/healthkit-to-sqlite" if found.returncode == 0 else None


def imports():
    """The tool, when it can import on its own."""
    tool = binaries / "resonance"
    if tool.exists() and subprocess.run([tool, "body", "import", "--help"], capture_output=True).returncode == 0:
        return tool


with tempfile.TemporaryDirectory(prefix="rsn-health-", dir=os.environ.get("TMPDIR", "/tmp")) as name:
    folder = pathlib.Path(name)
    export = folder / "export.xml"
    subprocess.run([binaries / "health-benchmark", "generate", export, str(megabytes)], check=True)
    size = export.stat().st_size / 1e6
    archive = folder / "export.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        packed.write(export, "apple_health_export/export.xml")
    rows = {}
    readers = {
        "expat, empty handlers (C)": (expat(folder), lambda program: [program, export]),
        "our reader, export.xml": (binaries / "health-benchmark", lambda program: [program, "read", export]),
        "our reader, export.zip": (binaries / "health-benchmark", lambda program: [program, "read", archive]),
        "our import into a database": (
            imports(), lambda program: [program, "body", "import", export, "--database", folder / "body.sqlite", "--json"]),
        "healthkit-to-sqlite (PyPI)": (
            healthkit(folder), lambda program: [program, "--xml", export, folder / "healthkit.db"]),
    }
    for turn in range(rounds):
        for label, (program, command) in readers.items():
            # Minutes each: one round is enough for the slow one.
            if program is None or (turn > 0 and "healthkit" in label):
                continue
            for stale in folder.glob("*.db*"):
                stale.unlink()
            for stale in folder.glob("*.sqlite*"):
                stale.unlink()
            found = timed(command(program))
            if found:
                rows.setdefault(label, []).append(found)
    text = timed([binaries / "health-benchmark", "read", export])[2]
    report = json.loads(text)
    print(f"{size:.0f} MB, {report['records']} records taken; {rounds} rounds, load {os.getloadavg()[0]:.1f}\n")
    yard = statistics.median(row[0] for row in rows["expat, empty handlers (C)"]) if "expat, empty handlers (C)" in rows else None
    print("| | wall s (all rounds) | MB/s | of expat | peak MB |\n|---|---|---:|---:|---:|")
    for label in readers:
        if label not in rows:
            print(f"| {label} | not installed | | | |")
            continue
        seconds = statistics.median(row[0] for row in rows[label])
        every = ", ".join(f"{row[0]:.2f}" for row in rows[label])
        share = f"{yard / seconds:.2f}" if yard else "–"
        print(f"| {label} | {every} | {size / seconds:.0f} | {share} | {max(row[1] for row in rows[label]):.0f} |")
