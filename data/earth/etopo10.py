"""Makes etopo10.tif of ETOPO5, the 5-minute grid that Debian's package ferret-datasets carries.

    apt-get download ferret-datasets && dpkg-deb -x ferret-datasets_*.deb x
    python3 etopo10.py x/usr/share/ferret-vis/data/etopo5.cdf etopo10.tif

Of the four heights that fall into one of 10 minutes, those at or above the sea's level and those below it are taken
apart (plains at a coast are 0 in ETOPO5, rivers -10); the greater part decides, land where both are equal, and its mean
is taken and rounded to metres. The columns are turned so that the first one begins at 180 degrees west; the rows run
southwards, without the one at the south pole. No library is needed.
"""

import array
import struct
import sys
import zlib

COLUMNS, ROWS = 2160, 1080
# of the file's header: where the heights begin (big-endian float, from the south, from Greenwich eastwards)
HEIGHTS_AT, FILE_COLUMNS, FILE_ROWS = 52552, 4320, 2161
STEP_DEG = 1 / 6


def read(path):
    """The rows of the file from the north, each from 180 degrees west."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == b"CDF\x01" and len(data) == HEIGHTS_AT + 4 * FILE_COLUMNS * FILE_ROWS, "another file"
    for row in reversed(range(FILE_ROWS)):
        at = HEIGHTS_AT + 4 * FILE_COLUMNS * row
        heights = [round(h) for h in struct.unpack(f">{FILE_COLUMNS}f", data[at : at + 4 * FILE_COLUMNS])]
        yield heights[FILE_COLUMNS // 2 :] + heights[: FILE_COLUMNS // 2]


def gathered(rows):
    """Rows of 10 minutes."""
    rows = iter(rows)
    return [[joined(four) for four in zip(a[::2], a[1::2], b[::2], b[1::2])] for a, b in zip(rows, rows)]


def joined(four):
    """One height for four."""
    land = [h for h in four if h >= 0]
    if 2 * len(land) >= len(four):
        return round(sum(land) / len(land))
    sea = [h for h in four if h < 0]
    return min(round(sum(sea) / len(sea)), -1)


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
    write(sys.argv[2], gathered(read(sys.argv[1])))
