#!/usr/bin/python3
"""Event listener of supervisord: applies the rules of supervision (rules.py) to what supervisord and the hub say.

supervisord tells it on standard input when something changes (http://supervisord.org/events.html); what it does then
depends only on what supervisord answers when asked for all processes, so a lost or late event does no harm. It writes
`processes.json` into the runtime directory for the hub and the command line, and takes up from there when it is itself
restarted. When supervisord is killed, it ends what is left of the processes.
"""

import argparse
import dataclasses
import http.client
import json
import os
import random
import re
import select
import signal
import socket
import sys
import time
import xmlrpc.client

from supervisor import childutils

import rules

# Seconds that processes have to end by themselves when supervisord is gone.
GRACE = 5.0
LEVELS = {"note": "warning", "start": "info", "kill": "error"}


def log(level, message, **values):
    """One JSON object per line, as the other processes write them."""
    line = {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "level": level, "process": "watch"}
    line.update({key: str(value) for key, value in values.items()}, message=message)
    try:
        os.write(2, (json.dumps(line, sort_keys=True) + "\n").encode())
    except OSError:
        pass  # supervisord, which reads it, is gone


def stat_fields(pid):
    """Fields of /proc/PID/stat from the third on (proc(5)), or None."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def parent(pid):
    fields = stat_fields(pid)
    return int(fields[1]) if fields else None


def birth(pid):
    """Start of a process in ticks after boot: tells it from a later one with the same number; None = it is gone."""
    fields = stat_fields(pid)
    return int(fields[19]) if fields and fields[0] != "Z" else None


def kill_group(pid):
    """supervisord makes every program the leader of a process group."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError) as error:
        log("warning", "could not be killed", pid=pid, error=error)


class LocalConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Watch:
    def __init__(self, runtime, limits, poll, seed):
        self.runtime = runtime
        self.path = os.path.join(runtime, "processes.json")
        self.poll = poll
        self.rpc = childutils.getRPCInterface(os.environ).supervisor
        self.supervision = rules.Supervision(limits, random.Random(seed).random)
        self.written = None
        self.births = {}
        self.input = b""
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            self.boot = file.read().strip()

    # Reading

    def programs(self):
        own = os.environ.get("SUPERVISOR_PROCESS_NAME", "watch")
        for info in self.rpc.getAllProcessInfo():
            if info["name"] == own:
                continue
            by_signal = info["exitstatus"] == -1
            yield rules.Program(
                name=info["name"], state=info["state"], pid=info["pid"],
                code=None if by_signal else info["exitstatus"],
                signal=self.last_signal(info["name"]) if by_signal and info["state"] == rules.EXITED else None,
                error=info["spawnerr"] or None if info["state"] == rules.FATAL else None)

    def last_signal(self, name):
        """supervisord knows the signal that ended a process only in its log."""
        try:
            tail = self.rpc.readLog(-16384, 0)
        except (xmlrpc.client.Fault, OSError):
            return "SIGKILL"
        found = re.findall(r"exited: %s \(terminated by (SIG\w+)" % re.escape(name), tail)
        return found[-1] if found else "SIGKILL"

    def table(self):
        """Rows of the hub's table, or None when it does not answer."""
        connection = LocalConnection(os.path.join(self.runtime, "hub-metrics"), timeout=2)
        try:
            connection.request("GET", "/processes")
            answer = connection.getresponse()
            body = answer.read()
            return json.loads(body)["processes"] if answer.status == 200 else None
        except (OSError, ValueError, KeyError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    # Doing

    def look(self, ask_hub):
        try:
            programs = list(self.programs())
        except (OSError, xmlrpc.client.Error, http.client.HTTPException) as error:
            log("warning", "supervisord does not answer", error=type(error).__name__)
            return
        self.act(self.supervision.observe(time.monotonic(), int(time.time() * 1000), programs))
        for program in programs:
            if program.pid and program.pid not in self.births:
                self.births[program.pid] = birth(program.pid)
        alive = {program.pid for program in programs}
        self.births = {pid: at for pid, at in self.births.items() if pid in alive}
        if ask_hub:
            rows = self.table()
            self.act(self.supervision.hear(time.monotonic(), rows))
        self.write()

    def act(self, actions):
        for action in actions:
            log(LEVELS[action.verb], action.text or action.verb, name=action.name, pid=action.pid)
            if action.verb == "kill" and parent(action.pid) == os.getppid():
                kill_group(action.pid)
            elif action.verb == "start":
                try:
                    self.rpc.startProcess(action.name, False)
                except (OSError, xmlrpc.client.Error, http.client.HTTPException) as error:
                    log("warning", "supervisord did not start it", name=action.name, error=error)
                    self.supervision.not_started(action.name, time.monotonic())

    def write(self):
        report = {
            "supervisor": os.getppid(), "processes": self.supervision.report(),
            "memory": self.supervision.memory(), "boot": self.boot,
        }
        if report == self.written:
            return
        # Compared without the time, and copied: the records go on changing.
        self.written = json.loads(json.dumps(report))
        beside = self.path + ".new"
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(dict(report, at=int(time.time() * 1000)), file, sort_keys=True)
        os.replace(beside, self.path)

    def take_up(self):
        """What another life under the same supervisord has left."""
        try:
            with open(self.path, encoding="utf-8") as file:
                report = json.load(file)
            if report["supervisor"] == os.getppid() and report["boot"] == self.boot:
                self.supervision.remember(report["memory"])
                log("info", "took up the state of the watch before")
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass

    def forget(self):
        try:
            os.unlink(self.path)
        except OSError:
            pass

    # Living

    def run(self):
        self.take_up()
        sys.stdout.write("READY\n")
        sys.stdout.flush()
        next_poll = time.monotonic()
        while True:
            now = time.monotonic()
            due = self.supervision.next_due()
            wait = max(0.0, min(next_poll, next_poll if due is None else due) - now)
            if select.select([0], [], [], wait)[0] and not self.take_event():
                self.finish_orphans()
                return
            is_time = time.monotonic() >= next_poll
            self.look(ask_hub=is_time)
            if is_time:
                next_poll = time.monotonic() + self.supervision.next_question(self.poll)

    def take_event(self):
        """Reads what there is of an event, and confirms a whole one; False when supervisord is gone."""
        data = os.read(0, 65536)
        if not data:
            return False
        self.input += data
        while b"\n" in self.input:
            head, _, rest = self.input.partition(b"\n")
            length = int(childutils.get_headers(head.decode())["len"])
            if len(rest) < length:
                break
            self.input = rest[length:]
            sys.stdout.write("RESULT 2\nOKREADY\n")
            sys.stdout.flush()
        return True

    def finish_orphans(self):
        """supervisord was killed. Its processes end by themselves, by the kernel's word, but for those that are frozen."""
        log("error", "the supervisor is gone: ending its processes", count=len(self.births))
        end = time.monotonic() + GRACE

        def left():
            return [pid for pid, at in self.births.items() if at is not None and birth(pid) == at]

        while left() and time.monotonic() < end:
            time.sleep(0.1)
        for pid in left():
            log("error", "did not end and is killed", pid=pid)
            kill_group(pid)
        self.forget()


def main():
    parser = argparse.ArgumentParser(description="Applies restart limits and replaces frozen processes; run by supervisord.")
    parser.add_argument("--runtime", required=True, help="runtime directory of Resonance")
    parser.add_argument("--poll", type=float, default=5.0, help="seconds between two looks at the hub")
    parser.add_argument("--seed", type=int, default=None, help="of the jitter")
    for field in dataclasses.fields(rules.Limits):
        parser.add_argument(
            "--" + field.name.replace("_", "-"), type=type(field.default), default=field.default, help="see rules.py")
    options = vars(parser.parse_args())
    runtime, poll, seed = options.pop("runtime"), options.pop("poll"), options.pop("seed")
    os.umask(0o077)
    watch = Watch(runtime, rules.Limits(**options), poll, seed)

    def stop(*_):
        watch.forget()
        sys.exit(0)

    signal.signal(signal.SIGTERM, stop)
    watch.run()


if __name__ == "__main__":
    main()
