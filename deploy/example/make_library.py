#!/usr/bin/env python3
"""Writes the invented library of this folder: songs.csv and the playlists. Nothing in it exists; CC0.

Run: python3 make_library.py   (the same files every time)
"""
import csv
import pathlib
import random

here = pathlib.Path(__file__).parent
rng = random.Random(20)

first = "Amber Paper Northern Hollow Silver Velvet Quiet Second Glass Copper Winter Lantern Marble Orchard Static Ivory Tidal Ember Cedar Violet".split()
second = "Harbour Parade Foxes Signal Garden Motel Atlas Choir Engine Postcards Rivers Theory Meridian Kites Arcade Almanac Shoreline Union Weather Tapes".split()
verbs = "Drifting Falling Running Waiting Burning Turning Leaving Counting Folding Crossing Humming Floating Chasing Holding Sailing".split()
nouns = "Tide Lights Static Morning Windows Satellites Gravel Rain Maps Echoes Embers Avenues Thunder Lanterns Clouds Signals Snow Harvest Mirrors Orbit".split()
adjectives = "Slow Bright Heavy Gentle Electric Golden Distant Wild Hidden Endless Restless Silent Broken Warm Early".split()

# genre: tempo mean and SD, energy, valence, instrumentalness, acoustic density, loudness (LUFS)
genres = {
    "ambient": (70, 8, .15, .40, .90, .30, -22), "classical": (82, 14, .25, .45, .95, .35, -20),
    "acoustic": (92, 12, .32, .55, .15, .30, -14), "lo-fi": (82, 6, .35, .50, .85, .45, -13),
    "jazz": (104, 18, .42, .60, .70, .45, -15), "soul": (98, 10, .50, .70, .05, .50, -11),
    "indie": (118, 12, .60, .58, .08, .60, -9), "pop": (116, 10, .68, .72, .02, .65, -8),
    "house": (124, 3, .78, .65, .45, .72, -8), "rock": (132, 14, .82, .52, .05, .85, -7),
    "drum and bass": (174, 2, .92, .50, .55, .88, -6), "metal": (150, 18, .95, .30, .15, .95, -6),
}
clip = lambda value, low=0.0, high=1.0: min(high, max(low, value))
artists = []
while len(artists) < 48:
    name = f"{rng.choice(first)} {rng.choice(second)}"
    if name not in artists:
        artists.append(name)

rows, titles = [], set()
for index, artist in enumerate(artists):
    genre = list(genres)[index % len(genres)]
    for _ in range(rng.randint(4, 7)):
        while True:
            title = rng.choice([
                f"{rng.choice(adjectives)} {rng.choice(nouns)}", f"{rng.choice(verbs)} {rng.choice(nouns)}",
                f"{rng.choice(nouns)} and {rng.choice(nouns)}", f"{rng.choice(verbs)} Home"])
            if (title, artist) not in titles:
                break
        titles.add((title, artist))
        tempo, spread, energy, valence, instrumental, density, loudness = genres[genre]
        bpm = clip(rng.gauss(tempo, spread), 58, 178)
        guest = f" feat. {rng.choice(artists)}" if rng.random() < .06 else ""
        row = {
            "title": title, "artist": artist + guest, "album": f"{artist}: {rng.choice(['One', 'Two', 'Live Sessions'])}",
            "genre": genre, "year": rng.randint(1971, 2025), "tempoBpm": f"{bpm:.1f}",
            "energy": f"{clip(rng.gauss(energy, .08)):.2f}", "valence": f"{clip(rng.gauss(valence, .12)):.2f}",
            "instrumentalness": f"{clip(rng.gauss(instrumental, .05)):.2f}",
            "acousticDensity": f"{clip(rng.gauss(density, .06)):.2f}",
            "loudnessLufs": f"{rng.gauss(loudness, 1):.1f}", "durationSeconds": rng.randint(125, 330)}
        # Real libraries have holes.
        for name in ("tempoBpm", "energy", "valence", "instrumentalness", "acousticDensity"):
            if rng.random() < .03:
                row[name] = ""
        rows.append(row)
        if rng.random() < .07:
            kind = rng.choice(["Live", "Acoustic", "Remix", "Remastered 2019"])
            other = dict(row, title=f"{title} ({kind})", durationSeconds=row["durationSeconds"] + rng.choice([-9, 14, 31]))
            if kind == "Acoustic" and other["energy"]:
                other["energy"] = f"{clip(float(other['energy']) - .25):.2f}"
            if kind == "Remix" and other["tempoBpm"]:
                other["tempoBpm"], other["energy"] = "126.0", "0.85"
            rows.append(other)

with open(here / "songs.csv", "w", newline="", encoding="utf-8") as out:
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def number(row, name, default):
    return float(row[name]) if row[name] else default


def playlist(name, chosen):
    with open(here / f"{name}.m3u8", "w", encoding="utf-8") as out:
        out.write(f"#EXTM3U\n#PLAYLIST:{name}\n")
        for row in chosen:
            path = f"{row['artist']}/{row['title']}.flac".replace("?", "")
            out.write(f"#EXTINF:{row['durationSeconds']},{row['artist']} - {row['title']}\nMusic/{path}\n")


playlist("Everything", rows)
playlist("Deep Focus", [r for r in rows if number(r, "instrumentalness", 0) > .4 and number(r, "energy", 1) < .65])
playlist("Run", [r for r in rows if number(r, "tempoBpm", 0) >= 118 and number(r, "energy", 0) >= .6])
playlist("Evening Calm", [r for r in rows if number(r, "tempoBpm", 200) <= 105 and number(r, "energy", 1) <= .45])
playlist("Tiny", rows[3:243:40])
one = max(artists, key=lambda a: sum(r["artist"] == a for r in rows))
playlist("One Artist", [r for r in rows if r["artist"] == one])
print(len(rows), "songs")
