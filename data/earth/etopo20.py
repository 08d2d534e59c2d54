"""Makes etopo20.tif of the 20-minute grid that Debian's package ferret-datasets carries.

    apt-get download ferret-datasets && dpkg-deb -x ferret-datasets_*.deb x
    python3 etopo20.py x/usr/share/ferret-vis/data/etopo20.cdf etopo20.tif

Heights are rounded to metres; the columns are turned so that the first one begins at 180 degrees west, the column
that stands twice is left out, and the rows run southwards. No library is needed.
"""

import array
import struct
import sys
import zlib

COLUMNS, ROWS = 1080, 540
# of the file's header: where the heights begin (big-endian float, from the south, from 20 degrees east)
HEIGHTS_AT, FILE_COLUMNS, FIRST_EAST_DEG = 13552, 1081, 20
STEP_DEG = 1 / 3


def read(path):
    """The rows from the north, each from 180 degrees west."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == b"CDF\x01" and len(data) == HEIGHTS_AT + 4 * FILE_COLUMNS * ROWS, "another file"
    turn = round((180 - FIRST_EAST_DEG) / STEP_DEG)
    rows = []
    for row in range(ROWS):
        at = HEIGHTS_AT + 4 * FILE_COLUMNS * row
        heights = [round(h) for h in struct.unpack(f">{FILE_COLUMNS}f", data[at : at + 4 * FILE_COLUMNS])]
        rows.append(heights[turn:COLUMNS] + heights[:turn])
    return rows[::-1]


def packed(rows):
    """Differences along each row as 16-bit numbers, deflated."""
    out = bytearray()
    for row in rows:
        differences = [row[0]] + [b - a for a, b in zip(row, row[1:])]
        out += array.array("H", [d & 0xFFFF for d in differences]).tobytes()
    return zlib.compress(bytes(out), 9)


def write(path, rows):
    """One strip of deflated int16 with its place on EPSG:4326."""
    strip = packed(rows)
    keys = struct.pack("<16H", 1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)
    tie = struct.pack("<6d", 0, 0, 0, -180, 90, 0)
    short, long, double = 3, 4, 12
    tags = [(256, short, COLUMNS), (257, short, ROWS), (258, short, 16), (259, short, 8), (262, short, 1)]
    tags += [(273, long, 8), (277, short, 1), (278, short, ROWS), (279, long, len(strip)), (317, short, 2)]
    tags += [(339, short, 2), (33550, double, struct.pack("<3d", STEP_DEG, STEP_DEG, 0))]
    tags += [(33922, double, tie), (34735, short, keys)]
    more, entries = bytearray(), b""
    more_at = 8 + len(strip) + len(strip) % 2
    for tag, kind, value in tags:
        if isinstance(value, bytes):
            size = {short: 2, double: 8}[kind]
            entries += struct.pack("<HHII", tag, kind, len(value) // size, more_at + len(more))
            more += value
        else:
            entries += struct.pack("<HHII", tag, kind, 1, value)
    with open(path, "wb") as file:
        file.write(b"II" + struct.pack("<HI", 42, more_at + len(more)) + strip + b"\0" * (len(strip) % 2) + more)
        file.write(struct.pack("<H", len(tags)) + entries + struct.pack("<I", 0))


if __name__ == "__main__":
    write(sys.argv[2], read(sys.argv[1]))
