// The map: its sources, its layers, and how they follow what is chosen.
import * as maplibregl from './maplibre/maplibre-gl.mjs';
import { world, toPage, askBytes, HEIGHT_RADIUS, PAGE_RADIUS } from './world.js';

const FONT = ['Georgia', 'DejaVu Serif', 'serif'];
const WATER_FONT = ['Italic', 'Georgia', 'DejaVu Serif', 'serif'];
const RIVER = '#426e9c';
const FROZEN = '#c4d3e0';
const SEA = '#a6bed0';
const PAPER = '#ece6d6';
// where the atlas gives way to terrain
const FADE = [3.4, 4.8];
// from here on names of rivers are written along them, no longer at the middle of their outlet's cell
const NAMED = 7;
// nearer, the terrain's own crests are seen, and lines over them wander off
const LAST_RIDGES = 13;
const EMPTY = { type: 'FeatureCollection', features: [] };

// about as many rivers on each tile: as the server chooses them
const leastDischarge = (zoom) => 6000 / 2.6 ** zoom;

const ZOOMS = Array.from({ length: 17 }, (_, zoom) => zoom);
const byZoom = (value) => ['interpolate', ['linear'], ['zoom'], ...ZOOMS.flatMap((zoom) => [zoom, value(zoom)])];
// pixels
const widestLine = (zoom) => 2 + Math.min(zoom, 14) * 0.16;

function riverWidth() {
  return byZoom((zoom) => ['max', 0.4, ['min', widestLine(zoom), ['*', 0.32 / Math.sqrt(leastDischarge(Math.min(zoom, 13))), ['sqrt', ['get', 'q']]]]]);
}

// Width of a river of a discharge q, as the world has it: WIDTH sqrt(q) metres.
const WIDTH = 7.2;
const channelWidth = (q) => WIDTH * Math.sqrt(q);

// So many pixels from a river's line one has clicked on it.
const REACH = 4;

// Where the relief shows a river wider than its line the line gives way.
function riverOpacity() {
  const metresToPixel = (zoom) => 2 ** zoom * 512 / (2 * Math.PI * (world.radius_m ?? PAGE_RADIUS));
  return byZoom((zoom) => {
    const wider = ['*', WIDTH * metresToPixel(zoom) / widestLine(zoom), ['sqrt', ['get', 'q']]];
    return ['interpolate', ['linear'], wider, 1, 0.9, 2, 0];
  });
}

// Rivers are ice where the mean of the year is as low as on the relief's ice; near the sea they look as it does.
function riverColour() {
  const fresh = ['interpolate', ['linear'], ['coalesce', ['get', 'tide'], 0], 0, RIVER, 1, SEA];
  return ['interpolate', ['linear'], ['coalesce', ['get', 't'], 20], -15, FROZEN, -9, fresh];
}

// Tiles are asked for by the page, not by the map library, which gives up at the first 503.
const PATIENT = 'patient://';

function tiles(name, ending) {
  return [`${PATIENT}tiles/${name}/{z}/{x}/{y}.${ending}`];
}

function sources() {
  const raster = (name) => ({ type: 'raster', tiles: tiles(name, 'png'), tileSize: 256, maxzoom: world.max_zoom });
  const dem = { type: 'raster-dem', encoding: 'terrarium', tiles: tiles('surface', 'png'), tileSize: 256, maxzoom: 14 };
  const lines = (name, maxzoom) => ({ type: 'vector', tiles: tiles(name, 'mvt'), maxzoom });
  return {
    near: raster('relief'), far: raster('atlas'),
    dem: { ...dem }, light: { ...dem },
    water: lines('water', 13), crests: lines('crests', 13), faults: lines('faults', 6), cells: lines('cells', 10),
    basin: { type: 'geojson', data: EMPTY }, way: { type: 'geojson', data: EMPTY },
  };
}

function layers() {
  return [
    { id: 'paper', type: 'background', paint: { 'background-color': '#dfe6ea' } },
    { id: 'near', type: 'raster', source: 'near', paint: { 'raster-fade-duration': 150 } },
    { id: 'far', type: 'raster', source: 'far', paint: { 'raster-fade-duration': 150 } },
    { id: 'light', type: 'hillshade', source: 'light', paint: { 'hillshade-exaggeration': 0.35, 'hillshade-shadow-color': '#33405a' } },
    { id: 'basin-fill', type: 'fill', source: 'basin', filter: ['==', ['geometry-type'], 'Polygon'], paint: { 'fill-antialias': false, 'fill-color': '#8c3b24', 'fill-opacity': 0.17 } },
    { id: 'lakes', type: 'fill', source: 'water', 'source-layer': 'lakes', paint: { 'fill-color': '#9cbed6', 'fill-opacity': 0.55, 'fill-antialias': false } },
    { id: 'rivers', type: 'line', source: 'water', 'source-layer': 'rivers', layout: { 'line-cap': 'round', 'line-join': 'round' }, paint: { 'line-color': riverColour(), 'line-width': riverWidth(), 'line-opacity': riverOpacity() } },
    { id: 'ridges', type: 'line', source: 'crests', 'source-layer': 'ridges', minzoom: 5.5, maxzoom: LAST_RIDGES, layout: { 'line-join': 'round' }, paint: { 'line-color': '#6b3a1c', 'line-width': ['interpolate', ['linear'], ['zoom'], 6, 0.5, 11, 1.6], 'line-opacity': ['interpolate', ['linear'], ['zoom'], 5.5, 0, 6.5, 0.5, 10, 0.6, LAST_RIDGES - 1.5, 0.5, LAST_RIDGES, 0] } },
    { id: 'cells', type: 'line', source: 'cells', 'source-layer': 'cells', paint: { 'line-color': '#3b3528', 'line-width': 0.7, 'line-opacity': 0.5 } },
    { id: 'faults', type: 'line', source: 'faults', 'source-layer': 'faults', layout: { 'line-join': 'round' }, paint: { 'line-color': ['match', ['get', 'kind'], 'convergent', '#be2828', 'divergent', '#2846aa', '#505050'], 'line-width': ['interpolate', ['linear'], ['zoom'], 0, 1, 6, 2.5] } },
    { id: 'volcanoes', type: 'symbol', source: 'faults', 'source-layer': 'volcanoes', layout: { 'icon-image': 'volcano', 'icon-size': 0.5, 'icon-allow-overlap': ['step', ['zoom'], false, 5, true] } },
    { id: 'basin-line', type: 'line', source: 'basin', filter: ['==', ['geometry-type'], 'LineString'], layout: { 'line-join': 'round' }, paint: { 'line-color': '#8c3b24', 'line-width': 1.4, 'line-dasharray': [3, 2] } },
    { id: 'way-halo', type: 'line', source: 'way', layout: { 'line-cap': 'round', 'line-join': 'round' }, paint: { 'line-color': '#ffffff', 'line-width': 5, 'line-opacity': 0.75 } },
    { id: 'way', type: 'line', source: 'way', layout: { 'line-cap': 'round', 'line-join': 'round' }, paint: { 'line-color': '#15548f', 'line-width': 2.4 } },
    { id: 'ranges', type: 'symbol', source: 'crests', 'source-layer': 'ranges', maxzoom: FADE[1] + 0.6, layout: { 'icon-image': ['step', ['get', 'height'], 'hill', 900, 'mountain', 2300, 'summit'], 'icon-size': ['interpolate', ['linear'], ['zoom'], 1, ['interpolate', ['linear'], ['get', 'height'], 300, 0.2, 4500, 0.34], 4.5, ['interpolate', ['linear'], ['get', 'height'], 300, 0.4, 4500, 0.66]], 'icon-anchor': 'bottom', 'icon-padding': 0, 'symbol-sort-key': ['-', 0, ['get', 'height']], 'symbol-z-order': 'viewport-y' }, paint: { 'icon-opacity': ['interpolate', ['linear'], ['zoom'], FADE[0], 1, FADE[1] + 0.4, 0] } },
    { id: 'peaks', type: 'symbol', source: 'crests', 'source-layer': 'peaks', minzoom: 7.5, layout: { 'icon-image': 'peak', 'icon-size': 0.4, 'text-field': ['to-string', ['get', 'elevation']], 'text-font': FONT, 'text-size': 11, 'text-anchor': 'top', 'text-offset': [0, 0.4], 'text-optional': true, 'icon-padding': 14, 'symbol-sort-key': ['-', 0, ['get', 'elevation']] }, paint: { 'text-color': '#3a2d20', 'text-halo-color': '#fffdf6', 'text-halo-width': 1.1 } },
    { id: 'names', type: 'symbol', source: 'water', 'source-layer': 'names', minzoom: NAMED, layout: { 'symbol-placement': 'line', 'text-field': ['get', 'name'], 'text-font': WATER_FONT, 'text-size': ['interpolate', ['linear'], ['get', 'q'], 50, 11, 15000, 16], 'text-letter-spacing': 0.1, 'text-max-angle': 35, 'text-offset': [0, -0.9], 'symbol-spacing': 420, 'symbol-sort-key': ['-', 0, ['get', 'q']] }, paint: { 'text-color': '#1f4d7d', 'text-halo-color': 'rgba(255,253,246,0.85)', 'text-halo-width': 1.2 } },
    { id: 'outlets', type: 'symbol', source: 'water', 'source-layer': 'outlets', minzoom: 2.2, maxzoom: NAMED, layout: { 'text-field': ['get', 'name'], 'text-font': WATER_FONT, 'text-size': ['interpolate', ['linear'], ['get', 'q'], 50, 11, 15000, 16], 'text-letter-spacing': 0.03, 'text-variable-anchor': ['left', 'right', 'bottom', 'top'], 'text-radial-offset': 0.5, 'text-justify': 'auto', 'symbol-sort-key': ['-', 0, ['get', 'q']] }, paint: { 'text-color': '#1f4d7d', 'text-halo-color': 'rgba(255,253,246,0.85)', 'text-halo-width': 1.2 } },
  ];
}

// A little mountain, as engravers drew it: light from the left, hatched on the right.
function mountain(height, width, hatches, snow) {
  const scale = 2;
  const canvas = document.createElement('canvas');
  canvas.width = width * scale;
  canvas.height = (height + 4) * scale;
  const pen = canvas.getContext('2d');
  pen.scale(scale, scale);
  const [top, foot] = [[width * 0.46, 3], height + 2];
  pen.beginPath();
  pen.moveTo(2, foot);
  pen.quadraticCurveTo(width * 0.3, height * 0.62, ...top);
  pen.quadraticCurveTo(width * 0.66, height * 0.5, width - 2, foot);
  pen.fillStyle = snow ? '#fbfaf5' : '#f1e9d6';
  pen.fill();
  pen.strokeStyle = '#54452f';
  pen.lineWidth = 1.3;
  pen.lineJoin = 'round';
  pen.stroke();
  pen.lineWidth = 0.9;
  for (let i = 1; i <= hatches; i += 1) {
    const t = i / (hatches + 1);
    const x = top[0] + (width - 4 - top[0]) * t * 0.86;
    const y = top[1] + (foot - top[1]) * (t * 0.95);
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x - width * 0.05, Math.min(foot - 1, y + (foot - y) * 0.85));
    pen.stroke();
  }
  return { image: pen.getImageData(0, 0, canvas.width, canvas.height), ratio: scale };
}

function triangle(size, fill, stroke) {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const pen = canvas.getContext('2d');
  pen.beginPath();
  pen.moveTo(size / 2, size * 0.1);
  pen.lineTo(size * 0.9, size * 0.85);
  pen.lineTo(size * 0.1, size * 0.85);
  pen.closePath();
  pen.fillStyle = fill;
  pen.fill();
  pen.lineWidth = size * 0.06;
  pen.strokeStyle = stroke;
  pen.stroke();
  return { image: pen.getImageData(0, 0, size, size), ratio: 1 };
}

function addImages(map) {
  const images = {
    hill: mountain(22, 52, 2, false), mountain: mountain(36, 58, 4, false), summit: mountain(50, 62, 6, true),
    volcano: triangle(32, '#96281a', '#fff3e6'), peak: triangle(28, '#3a2d20', '#fffdf6'),
  };
  for (const [name, { image, ratio }] of Object.entries(images)) map.addImage(name, image, { pixelRatio: ratio });
}

const GROUPS = {
  water: ['lakes', 'rivers', 'outlets', 'names'], crests: ['ranges', 'ridges', 'peaks'], faults: ['faults', 'volcanoes'],
  cells: ['cells'], light: ['light'],
};
const ON_LAND_ONLY = new Set(['biomes', 'climate', 'rain', 'mountains']);

function pictureName({ picture, month }) {
  if (picture === 'auto') return 'relief';
  return month && (picture === 'temperature' || picture === 'rain') ? `${picture}-${String(month).padStart(2, '0')}` : picture;
}

// What an export shows of a view: the atlas where the view shows that, at most in part.
function exportName(state, isFar) {
  return state.picture === 'auto' && isFar ? 'atlas' : pictureName(state);
}

function show(map, state) {
  const isAuto = state.picture === 'auto';
  const name = pictureName(state);
  if (map.shownPicture !== name) {
    map.shownPicture = name;
    map.getSource('near').setTiles(tiles(name, 'png'));
  }
  map.setLayoutProperty('far', 'visibility', isAuto ? 'visible' : 'none');
  map.setPaintProperty('far', 'raster-opacity', ['interpolate', ['linear'], ['zoom'], FADE[0], 1, FADE[1], 0]);
  map.setLayerZoomRange('far', 0, isAuto ? FADE[1] + 0.1 : 24);
  map.setLayerZoomRange('near', isAuto ? FADE[0] - 0.1 : 0, 24);
  for (const [group, ids] of Object.entries(GROUPS)) {
    for (const id of ids) {
      const on = state.overlays.has(group) && !(id === 'ranges' && !isAuto && state.picture !== 'atlas');
      map.setLayoutProperty(id, 'visibility', on ? 'visible' : 'none');
    }
  }
  map.setPaintProperty('lakes', 'fill-opacity', ON_LAND_ONLY.has(state.picture) || state.picture === 'plates' || state.picture === 'temperature' ? 0.9 : 0);
  const projection = state.globe ? 'globe' : 'mercator';
  if (map.getProjection()?.type !== projection) map.setProjection({ type: projection });
  const scale = world.isGlobe ? HEIGHT_RADIUS / world.radius_m : 1;
  const wanted = state.relief3d ? { source: 'dem', exaggeration: 1.3 * scale } : null;
  if (Boolean(map.getTerrain()) !== Boolean(wanted)) map.setTerrain(wanted);
}

const NAME_PX = 80;
const RAD = Math.PI / 180;

// How far from the middle of the view, in degrees, a name may begin so that it ends on the globe's disc; nothing where the
// disc is larger than the view.
function widestName(map) {
  const { clientWidth, clientHeight } = map.getContainer();
  const radius = 512 * 2 ** map.getZoom() / (2 * Math.PI) / Math.cos(map.getCenter().lat * RAD);
  const camera = clientHeight / 2 / Math.tan(map.getVerticalFieldOfView() / 2 * RAD);
  const off = (angle) => camera * radius * Math.sin(angle) / (camera + radius - radius * Math.cos(angle));
  let [low, high] = [0, Math.acos(radius / (camera + radius))];
  const widest = Math.max(0, off(high) - NAME_PX);
  if (widest > Math.hypot(clientWidth, clientHeight) / 2) return null;
  for (let i = 0; i < 30; i += 1) {
    const middle = (low + high) / 2;
    if (off(middle) < widest) low = middle;
    else high = middle;
  }
  return low / RAD;
}

// Leaves out names that would stand beside the globe.
function keepOnDisc(map) {
  const widest = map.getProjection()?.type === 'globe' && world.isGlobe ? widestName(map) : null;
  const { lng, lat } = map.getCenter();
  const rad = (name) => ['*', ['get', name], RAD];
  const filter = widest === null ? null : ['>=', ['+',
    ['*', ['sin', rad('lat')], Math.sin(lat * RAD)],
    ['*', ['cos', rad('lat')], Math.cos(lat * RAD), ['cos', ['-', rad('lon'), lng * RAD]]]], Math.cos(widest * RAD)];
  const text = JSON.stringify(filter);
  if (map.nameFilter === text) return;
  map.nameFilter = text;
  map.setFilter('outlets', filter);
}

function outline(map, about) {
  const feature = (type, coordinates) => ({ type: 'Feature', properties: {}, geometry: { type, coordinates } });
  const rings = (polygon) => polygon.map((ring) => ring.map(toPage));
  const basin = about?.basin?.polygons ?? [];
  // the outline apart: basins are cut at the antimeridian, and the cut is no divide
  const parts = [feature('MultiPolygon', basin.map(rings)), feature('MultiLineString', basin.flatMap(rings).flatMap(withoutCut))];
  map.getSource('basin').setData(basin.length ? { type: 'FeatureCollection', features: parts } : EMPTY);
  const line = unrolled((about?.way?.line ?? []).map(toPage));
  map.getSource('way').setData(line.length > 1 ? feature('LineString', line) : EMPTY);
}

// the parts of a ring that do not run along the antimeridian
export function withoutCut(ring) {
  const isCut = ([a], [b]) => Math.abs(a) > 179.9999 && Math.abs(b) > 179.9999;
  const lines = [];
  let line = [];
  ring.forEach((place, i) => {
    if (i > 0 && isCut(ring[i - 1], place)) { lines.push(line); line = []; }
    line.push(place);
  });
  lines.push(line);
  return lines.filter((part) => part.length > 1);
}

// a line that goes on over the antimeridian instead of back around the world
function unrolled(line) {
  let before = line[0]?.[0];
  return line.map(([lng, lat]) => {
    const near = lng - 360 * Math.round((lng - before) / 360);
    before = near;
    return [near, lat];
  });
}

// What is on the screen, as a picture: the map is drawn once more, since a browser forgets what it has shown.
function picture(map) {
  return new Promise((resolve) => {
    map.once('render', () => {
      const shown = map.getCanvas();
      const canvas = document.createElement('canvas');
      canvas.width = shown.width;
      canvas.height = shown.height;
      const pen = canvas.getContext('2d');
      pen.fillStyle = PAPER;
      pen.fillRect(0, 0, canvas.width, canvas.height);
      pen.drawImage(shown, 0, 0);
      canvas.toBlob(resolve, 'image/png');
    });
    map.triggerRepaint();
  });
}

export async function createMap(container, state, say) {
  maplibregl.addProtocol('patient', async ({ url }, given) => (
    { data: await askBytes(`/${url.slice(PATIENT.length)}`, given.signal) }));
  const home = world.isGlobe ? { center: [10, 15], zoom: Math.log2(Math.min(innerWidth, innerHeight) / 148) }
    : { center: [0, 0], zoom: Math.log2(Math.min(innerWidth / world.degrees[0], innerHeight / world.degrees[1]) * 360 / 512 * 0.9) };
  const map = new maplibregl.Map({
    container,
    style: { version: 8, sources: sources(), layers: layers(), projection: { type: state.globe ? 'globe' : 'mercator' } },
    ...home,
    ...(state.view ?? {}),
    minZoom: 0,
    maxZoom: world.max_zoom,
    maxPitch: 75,
    attributionControl: false,
    renderWorldCopies: world.isGlobe,
    refreshExpiredTiles: false,
    keyboard: true,
    canvasContextAttributes: { antialias: true },
  });
  map.on('error', (e) => {
    say(e.error?.message ?? 'The map could not be drawn.');
  });
  await new Promise((resolve) => { map.once('style.load', resolve); });
  addImages(map);
  map.home = home;
  map.shows = (layer) => map.getLayoutProperty(layer, 'visibility') !== 'none' && map.queryRenderedFeatures({ layers: [layer] }).length > 0;
  map.riverAt = ({ x, y }) => {
    if (map.getLayoutProperty('rivers', 'visibility') === 'none') return null;
    const box = [[x - REACH, y - REACH], [x + REACH, y + REACH]];
    const most = Math.max(0, ...map.queryRenderedFeatures(box, { layers: ['rivers'] }).map((f) => f.properties.q));
    return most > 0 ? { discharge_m3_s: most, width_m: channelWidth(most), order: 0 } : null;
  };
  map.exportName = (s, isFar = map.getZoom() < (FADE[0] + FADE[1]) / 2) => exportName(s, isFar);
  map.picture = () => picture(map);
  map.show = (s) => { show(map, s); keepOnDisc(map); };
  map.on('moveend', () => keepOnDisc(map));
  map.outline = (about) => outline(map, about);
  let marker;
  map.mark = (place) => {
    marker?.remove();
    marker = place ? new maplibregl.Marker({ color: '#8c3b24', scale: 0.7 }).setLngLat(toPage(place)).addTo(map) : null;
  };
  map.shownPicture = 'relief';
  map.show(state);
  return map;
}
