"""Where water runs, on any array of heights.

Every function takes NumPy arrays of rows from the north and columns from the west, or xarray DataArrays, and returns
the same kind. NaN is where there is no data; water leaves at the border and into what has no data.

``cell`` says how large cells are, for NumPy: metres, or (width, height) in metres. A DataArray says it by its
coordinates: degrees where they are latitudes and longitudes, else metres. Degrees are on the sphere of ``spatial_ref``, or
the sphere of the same area as its ellipsoid; on one of 6371 km if it says neither.

>>> import numpy as np
>>> from terrane import hydro
>>> heights = np.array([[9, 9, 9, 9], [9, 3, 6, 9], [9, 4, 5, 2], [9, 9, 9, 9]], dtype=np.float32)
>>> filled = hydro.fill(heights)
>>> filled[1, 1]
np.float32(5.0)
>>> ways = hydro.directions(filled)
>>> cells = hydro.accumulate(ways)
>>> cells[2, 3]
np.uint32(16)
>>> hydro.reaches(filled, ways, cells >= 4)["magnitude"][-1]
np.uint32(2)

From heights to streams: :func:`fill` or :func:`breach`, :func:`directions`, :func:`accumulate`; :func:`flow` does all at
once. Streams are where enough comes together (``cells >= 1000``). Of these: orders (:func:`strahler`, :func:`shreve`,
:func:`hack`, :func:`horton`, :func:`pfafstetter`), tables and lines (:func:`reaches`, :func:`stream_lines`), areas
(:func:`basins`, :func:`subbasins`, :func:`watersheds`, :func:`polygons`), heights and lengths
(:func:`height_above_drainage`, :func:`way_to_stream`, :func:`upstream`, :func:`downstream`, :func:`chi`, :func:`profile`),
:func:`laws`. Water that spreads: :func:`dinf`, :func:`mfd` and what belongs to them; indices of it: :func:`wetness`,
:func:`power`.

Names of methods and layers are those of ``terrane hydro``, and so are the values where cells are of the same size. Ctrl-C
ends any of these functions within half a second; what was begun is finished beside, and dropped.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._fill import Breached, Method, breach, fill
from ._ground import LEAST_SLOPE, downslope, length_slope, power, slope_and_aspect, specific_area, stream_power, wetness
from ._network import (
    chi,
    hack,
    height_above_drainage,
    horton,
    hypsometry,
    laws,
    pfafstetter,
    relief_ratios,
    shreve,
    strahler,
    subbasins,
    way_to_stream,
)
from ._raster import EARTH_RADIUS_M, LEAVES, Array, Cell, Point
from ._spread import DInfinity, accumulate_dinf, accumulate_mfd, dinf, dinf_directions, mfd, mfd_shares
from ._tables import polygons, reaches, stream_lines
from ._ways import (
    accumulate,
    areas,
    basins,
    directions,
    discharge,
    downstream,
    profile,
    snap,
    snap_to_stream,
    upstream,
    watersheds,
)

__all__ = [
    "EARTH_RADIUS_M",
    "LEAST_SLOPE",
    "LEAVES",
    "Array",
    "Breached",
    "Cell",
    "DInfinity",
    "Point",
    "accumulate",
    "accumulate_dinf",
    "accumulate_mfd",
    "areas",
    "basins",
    "breach",
    "chi",
    "dinf",
    "dinf_directions",
    "directions",
    "discharge",
    "downslope",
    "downstream",
    "fill",
    "flow",
    "hack",
    "height_above_drainage",
    "horton",
    "hypsometry",
    "laws",
    "length_slope",
    "mfd",
    "mfd_shares",
    "pfafstetter",
    "polygons",
    "power",
    "profile",
    "reaches",
    "relief_ratios",
    "shreve",
    "slope_and_aspect",
    "snap",
    "snap_to_stream",
    "specific_area",
    "strahler",
    "stream_lines",
    "stream_power",
    "subbasins",
    "upstream",
    "watersheds",
    "way_to_stream",
    "wetness",
]


def flow(
    elevation: Array,
    *,
    cell: Cell | None = None,
    method: Method = "fill",
    threshold: int | None = None,
) -> Any:
    """All at once: what :func:`fill`, :func:`directions`, :func:`accumulate`, :func:`basins` and :func:`strahler` find,
    with streams where so many cells meet (a thousandth of all if nothing is said). A Dataset for a DataArray, else a dict.
    Cells without data have no basin and no order.
    """
    surface = fill(elevation, cell=cell, method=method)
    ways = directions(surface, cell=cell)
    cells = accumulate(ways, cell=cell)
    least = max(2, cells.size // 1000) if threshold is None else threshold
    has_data: Any = np.isfinite(elevation)
    found = {
        "filled": surface,
        "flow_direction": ways,
        "accumulation": cells,
        "basin": basins(ways, has_data, cell=cell),
        "strahler": strahler(ways, (cells >= least) & has_data, cell=cell),
    }
    if isinstance(elevation, np.ndarray):
        return found
    import xarray

    return xarray.Dataset(found)
