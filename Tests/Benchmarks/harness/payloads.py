"""What the server sends: the JSON that `Person` and `People` in BenchSupport decode, and bytes."""

import json
import os


def person():
    return {
        "id": 7,
        "name": "Ada Lovelace",
        "email": "ada@example.com",
        "isActive": True,
        "score": 98.25,
        "nickname": None,
        "tags": ["mathematics", "poetry", "engines", "flight"],
        "address": {
            "street": "12 St James's Square", "city": "London", "postalCode": "SW1Y 4JH",
            "latitude": 51.507351, "longitude": -0.133611,
        },
        "visits": [
            {"day": f"2026-0{month}-1{month}", "minutes": 13 * month, "pages": [month, month * 2, month * 3]}
            for month in range(1, 6)
        ],
        "biography": "",
    }


def kilobyte():
    """A person of 1,024 bytes; the biography, with characters that need two bytes or an escape, fills it up."""
    words = 'She wrote "notes" on the Analytical Engine; translated Menabrea\u2019s m\u00e9moire. '
    ada = person()
    while len(encoded(ada)) < 1024:
        ada["biography"] += words[len(ada["biography"]) % len(words)]
    while len(encoded(ada)) > 1024:
        ada["biography"] = ada["biography"][:-1]
    ada["biography"] += "." * (1024 - len(encoded(ada)))
    return ada


def encoded(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def write(folder, large=0):
    """Writes the site; gives the size of each file. `large` is the size of the download, 0 for none."""
    ada = kilobyte()
    files = {"person.json": encoded(ada), "people.json": encoded({"people": [ada] * 100})}
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    if large:
        with open(os.path.join(folder, "large.bin"), "wb") as file:
            block = os.urandom(1_000_000)
            for _ in range(large // len(block)):
                file.write(block)
    return {name: len(content) for name, content in files.items()} | {"large.bin": large}
