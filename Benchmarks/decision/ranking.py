#!/usr/bin/env python3
"""The ranking formula in vectorised numpy: the yardstick beside the Swift kernel.

Usage: ranking.py FOLDER, which holds the columns (raw float64) and parameters.json as decision-benchmark writes them.
Prints JSON: seconds of the median run, largest difference from the Swift scores, whether the best songs are the same.
"""
import json, sys, time
from pathlib import Path
import numpy as np

folder = Path(sys.argv[1])
names = """bpm0 bpm1 bpm2 neutral weight0 weight1 weight2 energy valence instrumentalness density familiarity calm
energyEffect effectConfidence learned satiation genreScores keyScores scores best""".split()
c = {n: np.fromfile(folder / f"{n}.f64") for n in names}
genre = np.fromfile(folder / "genreSet.f64").astype(np.int32)
key = np.fromfile(folder / "key.f64").astype(np.int32)
p = json.loads((folder / "parameters.json").read_text())
# Prepared once, as the Swift table is: where features are known, and NaN replaced.
known = {n: ~np.isnan(c[n]) for n in ("bpm0", "energy", "valence", "instrumentalness", "density")}
col = {n: np.where(known[n], c[n], 0.0) for n in known}
keys = np.append(c["keyScores"], 0.0)
key_known = key < len(c["keyScores"])


def tempo(target, tolerance):
    value = c["neutral"] + c["weight0"] * np.maximum(0, 1 - np.abs(col["bpm0"] - target) / tolerance)
    for i in "12":
        value += c["weight" + i] * np.maximum(0, 1 - np.abs(c["bpm" + i] - target) / tolerance)
    return value


def score():
    wt, we, wf, wh, wc = p["weights"]
    s = wt * tempo(p["targetBpm"], 50)
    s += we * np.where(known["energy"], 1 - np.abs(col["energy"] - p["targetEnergy"]), 0.5)
    s += wf * np.minimum(1, c["familiarity"] * p["boost"])
    s += wh * (0.5 + c["effectConfidence"] * ((c["calm"] + c["energyEffect"]) * 0.5 - 0.5))
    total, number = np.zeros(len(s)), np.zeros(len(s))
    for n, r in zip(("bpm0", "energy", "valence", "instrumentalness", "density"), p["ranges"]):
        if r is None: continue
        low, high, fade = r
        outside = np.maximum(0, np.maximum(low - col[n], col[n] - high))
        total += np.where(known[n], np.maximum(0, 1 - outside / fade), 0)
        number += known[n]
    s += wc * np.where(number > 0, total / np.maximum(number, 1), 0.5)
    if p["maximumBpm"] is not None:
        over = np.maximum(np.where(known["bpm0"], (col["bpm0"] - p["maximumBpm"]) / 40, 0),
                          np.where(known["energy"], (col["energy"] - p["maximumEnergy"]) / 0.4, 0))
        day = np.where(known["bpm0"] | known["energy"], 1 - np.clip(over, 0, 1), 0.5)
        s *= 0.5 + 0.5 * day
    step = 0.4 * (0.5 + p["fromTrust"] * (tempo(p["fromBpm"], 30) - 0.5))
    step += 0.4 * np.where(known["energy"], np.maximum(0, 1 - np.abs(col["energy"] - p["fromEnergy"]) / 0.4), 0.5)
    step += 0.2 * c["genreScores"][genre]
    step = np.where(key_known, 0.85 * step + 0.15 * keys[key], step)
    s *= 0.7 + 0.3 * step
    s += c["learned"] - p["variety"] * c["satiation"]
    top = np.argpartition(s, -24)[-24:]
    return s, top[np.argsort(-s[top])]


times = []
for _ in range(max(5, min(200, 20_000_000 // len(genre)))):
    start = time.perf_counter()
    result, top = score()
    times.append(time.perf_counter() - start)
print(json.dumps({
    "seconds": sorted(times)[len(times) // 2],
    "difference": float(np.max(np.abs(result - c["scores"]))),
    "sameBest": bool(np.allclose(result[top], c["scores"][c["best"].astype(int)], atol=1e-6)),
}))
