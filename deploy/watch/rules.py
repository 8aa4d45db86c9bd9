"""The rules of supervision: observations in, actions out. No clock, no process, no file; tests are in test_rules.py.

The words are those of Erlang/OTP: every process is `permanent`, the strategy is one_for_one (the others survive a
restart of the hub), and the restart intensity is limited. supervisord starts and stops; what it cannot do is here:
limits that also hold for a process that looks healthy after each start, a back-off that grows, and an end for a process
that is frozen as a whole, which its own watchdog cannot give it.
"""

import dataclasses

# States of supervisord (supervisor.states.ProcessStates).
STOPPED, STARTING, RUNNING, BACKOFF, STOPPING, EXITED, FATAL = 0, 10, 20, 30, 40, 100, 200
# Exit code of a command line that was not understood (sysexits.h): starting again cannot help.
USAGE = 64


@dataclasses.dataclass(frozen=True)
class Limits:
    """Times in seconds."""

    intensity: int = 5  # restarts within `period` before a process is given up
    period: float = 30.0
    patience: int = 10  # restarts, however far apart, without `healthy` seconds of life between two of them
    healthy: float = 60.0
    first_delay: float = 0.1  # before the first restart; doubles up to `last_delay`
    last_delay: float = 5.0
    jitter: float = 0.2  # part of a delay by which it varies up or down
    silence: float = 15.0  # without a word to the hub after which a running process is replaced
    confirmation: float = 2.0  # between the two looks that it takes
    arrival: float = 60.0  # until a started process must be on the bus
    hub_misses: int = 3  # questions in a row that the hub leaves unanswered


@dataclasses.dataclass(frozen=True)
class Program:
    """One program as supervisord has it now."""

    name: str
    state: int
    pid: int = 0
    code: int | None = None  # exit code of its last end; None = a signal, or it never ran
    signal: str | None = None
    error: str | None = None  # why it could not be started at all


@dataclasses.dataclass(frozen=True)
class Action:
    verb: str  # start, kill, note
    name: str
    pid: int = 0
    text: str = ""


@dataclasses.dataclass
class Record:
    """What is remembered of one program; everything in it can be JSON."""

    wanted: str = "no"
    pid: int = 0
    since: float = 0.0  # first seen alive
    due: float | None = None  # when it is to be started again
    ours: bool = False  # the coming life was started by these rules
    ended: bool = True  # the end of the last life has been counted
    restarts: int = 0
    failures: list = dataclasses.field(default_factory=list)  # ends since it was last healthy
    suspicion: int = 0  # looks in a row at which it seemed frozen
    killing: str | None = None  # why it was killed by these rules
    last_exit: dict | None = None
    reason: str | None = None  # why it was given up


class Supervision:
    """Decides; `now` is monotonic seconds, `wall_ms` Unix milliseconds, `random` gives 0 ... 1."""

    def __init__(self, limits=Limits(), random=lambda: 0.5):
        self.limits = limits
        self.random = random
        self.records = {}
        self.misses = 0
        self.patience = float("inf")  # seconds until somebody may have been silent for too long

    # What supervisord says

    def observe(self, now, wall_ms, programs):
        """Compares what is with what was; to be called after every change and at every due time."""
        actions = []
        for program in programs:
            record = self.records.setdefault(program.name, Record())
            if program.state in (STARTING, RUNNING):
                self._alive(record, program, now)
            elif program.state in (EXITED, FATAL):
                actions += self._gone(record, program, now, wall_ms)
            elif program.state != BACKOFF:
                self._stopped(record)
        return actions

    def _alive(self, record, program, now):
        if record.pid != program.pid:
            if not record.ours:
                record.failures, record.reason = [], None
            if program.name == "hub":
                self.misses = 0
            record.pid, record.since = program.pid, now
            record.ours, record.ended, record.suspicion, record.killing = False, False, 0, None
        record.wanted, record.due = "yes", None
        if now - record.since >= self.limits.healthy:
            record.failures = []

    def _gone(self, record, program, now, wall_ms):
        if not record.ended or (record.wanted == "no" and record.due is None):
            return self._end(record, program, now, wall_ms)
        if record.wanted == "givenUp" or record.due is None or now < record.due:
            return []
        record.due, record.ours, record.ended = None, True, False
        record.restarts += 1
        return [Action("start", program.name)]

    def _end(self, record, program, now, wall_ms):
        limits = self.limits
        if record.pid and now - record.since >= limits.healthy:
            record.failures = []
        record.ended, record.ours, record.pid, record.wanted = True, False, 0, "yes"
        record.failures.append(now)
        record.last_exit = {"at": wall_ms}
        if program.signal:
            record.last_exit["signal"] = program.signal
        elif program.code is not None and program.state == EXITED:
            record.last_exit["code"] = program.code
        reason = record.killing or program.error
        if reason:
            record.last_exit["reason"] = reason
        lately = [at for at in record.failures if now - at <= limits.period]
        if program.state == FATAL:
            return self._give_up(record, program, "cannot be started: %s" % (program.error or "see supervisord.log"))
        if program.state == EXITED and program.code == USAGE and not program.signal:
            return self._give_up(record, program, "its options are wrong: it ended with 64")
        if len(lately) > limits.intensity:
            return self._give_up(record, program, "ended %d times within %g s" % (len(lately), limits.period))
        if len(record.failures) > limits.patience:
            return self._give_up(
                record, program, "ended %d times without %g s of health" % (len(record.failures), limits.healthy))
        record.due = now + self._delay(len(record.failures))
        return [Action("note", program.name, text="ended, will be started again")]

    def _give_up(self, record, program, reason):
        record.wanted, record.due, record.reason = "givenUp", None, reason
        return [Action("note", program.name, text="given up: " + reason)]

    def _stopped(self, record):
        record.wanted, record.due, record.pid, record.ended, record.ours = "no", None, 0, True, False
        record.failures, record.reason, record.killing = [], None, None

    def _delay(self, failures):
        limits = self.limits
        delay = min(limits.last_delay, limits.first_delay * 2 ** (failures - 1))
        return delay * (1 + limits.jitter * (2 * self.random() - 1))

    def not_started(self, name, now):
        """supervisord could not do as it was told: try again later."""
        record = self.records[name]
        record.due, record.ended, record.ours = now + self.limits.last_delay, True, False

    def next_due(self):
        """When observe() must be called again, or None."""
        return min((record.due for record in self.records.values() if record.due is not None), default=None)

    # What the hub says

    def hear(self, now, rows):
        """Judges by the hub's table who is frozen; rows = None when the hub did not answer."""
        hub = self.records.get("hub")
        self.patience = float("inf")
        if rows is None:
            return self._miss(hub, now)
        self.misses = 0
        # Who is starting and not on the bus has a row by our own word.
        by_pid = {row.get("pid"): row for row in rows if row.get("running") or row.get("state") == "silent"}
        actions = []
        for name, record in sorted(self.records.items()):
            if name == "hub" or record.wanted != "yes" or not record.pid:
                continue
            row, age = by_pid.get(record.pid), now - record.since
            if row is not None:
                silent, limit = min(row.get("silentSeconds", 0), age), self.limits.silence
                reason = "silent for %d s" % silent
            elif hub is not None:
                silent, limit = min(age, now - hub.since), self.limits.arrival
                reason = "not on the bus %d s after its start" % age
            else:
                continue
            # Twice: the hub itself may have stood still, and have its queue yet to read.
            suspect = limit - self.limits.confirmation
            if silent >= limit and record.suspicion >= 1:
                record.killing = reason
                actions.append(Action("kill", name, record.pid, reason))
            record.suspicion = record.suspicion + 1 if silent >= suspect else 0
            wait = suspect - silent if record.suspicion == 0 else max(limit - silent, self.limits.confirmation)
            self.patience = min(self.patience, wait)
        return actions

    def next_question(self, poll):
        """Seconds until the hub is to be asked again: sooner than usual when it did not answer, or somebody is silent."""
        usual = poll if self.misses == 0 else min(1.0, poll)
        return min(usual, max(self.patience, 0.1))

    def _miss(self, hub, now):
        if hub is None or not hub.pid or now - hub.since < self.limits.last_delay:
            self.misses = 0
            return []
        self.misses += 1
        if self.misses < self.limits.hub_misses:
            return []
        hub.killing = "did not answer %d times" % self.misses
        return [Action("kill", "hub", hub.pid, hub.killing)]

    # What others read

    def report(self):
        """Of every program, as `processes.json` has it (Protocols/Messages/Supervision.swift)."""
        processes = {}
        for name, record in self.records.items():
            process = {"wanted": record.wanted, "restarts": record.restarts}
            if record.last_exit:
                process["lastExit"] = record.last_exit
            if record.reason:
                process["reason"] = record.reason
            if record.pid:
                process["pid"] = record.pid
            processes[name] = process
        return processes

    def memory(self):
        return {name: dataclasses.asdict(record) for name, record in self.records.items()}

    def remember(self, memory):
        """Takes up where another life of the watch ended."""
        fields = {field.name for field in dataclasses.fields(Record)}
        for name, values in memory.items():
            self.records[name] = Record(**{key: value for key, value in values.items() if key in fields})
