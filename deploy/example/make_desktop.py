#!/usr/bin/env python3
"""Writes the invented desktop of one day: activitywatch.json and focus.jsonl. CC0.

The context agent repeats the day every day (--every-day) and reads its UTC clock as the listener's own.
Run: python3 make_desktop.py   (the same files every time)
"""
import datetime as dt
import json
import pathlib
import random

here = pathlib.Path(__file__).parent
rng = random.Random(9)
day = dt.datetime(2026, 1, 5, tzinfo=dt.timezone.utc)
at = lambda hour, minute=0: day + dt.timedelta(hours=hour, minutes=minute)
iso = lambda time: time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

deep = [("code", "Planner.swift"), ("code", "Planner.swift"), ("gnome-terminal", "swift test")]
mixed = [("firefox", "News"), ("thunderbird", "Inbox"), ("code", "README.md"), ("slack", "#team")]
meeting = [("zoom", "Zoom Meeting")]
evening = [("mpv", "film.mkv"), ("firefox", "YouTube")]
windows = []


def block(start, end, apps, seconds):
    time = start
    while time < end:
        app, title = rng.choice(apps)
        stop = min(end, time + dt.timedelta(seconds=max(20, rng.gauss(seconds, seconds / 4))))
        windows.append((time, stop, app, title))
        time = stop


block(at(8, 30), at(9, 30), mixed, 80)
block(at(9, 30), at(9, 45), meeting, 900)
block(at(9, 50), at(12), deep, 500)
block(at(12, 40), at(14), mixed, 90)
block(at(14), at(15), meeting, 1800)
block(at(15), at(17), mixed, 60)
block(at(20), at(21, 45), evening, 900)

presence, here_until = [], at(6)
for start, stop, _, _ in windows:
    if start > here_until:
        presence.append((here_until, start, "afk"))
    if presence and presence[-1][2] == "not-afk" and start <= here_until:
        presence[-1] = (presence[-1][0], stop, "not-afk")
    else:
        presence.append((start, stop, "not-afk"))
    here_until = stop
presence.append((here_until, at(23, 59), "afk"))


def bucket(name, kind, client, rows, data):
    events = [{"timestamp": iso(a), "duration": round((b - a).total_seconds(), 3), "data": data(*rest)}
              for a, b, *rest in rows]
    return {"id": name, "type": kind, "client": client, "hostname": "desk", "events": events[::-1]}


export = {"buckets": {
    "aw-watcher-window_desk": bucket("aw-watcher-window_desk", "currentwindow", "aw-watcher-window", windows,
                                     lambda app, title: {"app": app, "title": title}),
    "aw-watcher-afk_desk": bucket("aw-watcher-afk_desk", "afkstatus", "aw-watcher-afk", presence,
                                  lambda status: {"status": status})}}
(here / "activitywatch.json").write_text(json.dumps(export, indent=0) + "\n", encoding="utf-8")
focus = [(at(0), False, None), (at(10), True, "Work"), (at(12), False, None), (at(22), True, "Sleep")]
(here / "focus.jsonl").write_text("".join(
    json.dumps({"at": iso(time), "active": on, **({"name": name} if name else {})}) + "\n" for time, on, name in focus),
    encoding="utf-8")
