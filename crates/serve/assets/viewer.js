// The page: joins the map, the menus and the panel. Everything comes from the server that sent this file.
import { createMap } from './map.js';
import { describe } from './panel.js';
import { drawLegend } from './legend.js';
import { Polar } from './polar.js';
import { world, ask, toPage, toWorld, isImported, placeText, parsePlace, expectedPlace, metres, month as monthName, number } from './world.js';

const $ = (id) => document.getElementById(id);

const PICTURES = [
  ['auto', 'Atlas and terrain'], ['relief', 'Terrain'], ['atlas', 'Atlas'], ['heights', 'Elevation'],
  ['mountains', 'Mountain height'], ['biomes', 'Biomes'], ['climate', 'Climates'],
  ['temperature', 'Temperature'], ['rain', 'Precipitation'], ['plates', 'Plates'],
];
const OVERLAYS = [
  ['water', 'Rivers and lakes', 'r'], ['crests', 'Ranges, ridges, peaks', 'c'], ['faults', 'Faults and volcanoes', 'p'],
  ['cells', 'Grid of cells', 'k'], ['light', 'Stronger light', 'h'],
];
const MONTHLY = new Set(['temperature', 'rain']);
const START = { picture: 'auto', month: 0, overlays: new Set(['water', 'crests']), globe: true, relief3d: false };

let state, map, polar;
let toastTimer;

export function say(text) {
  const toast = $('toast');
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, 7000);
}
addEventListener('error', (e) => say(e.message));
addEventListener('unhandledrejection', (e) => say(e.reason?.message ?? String(e.reason)));

// ---- the address bar -------------------------------------------------------------------------------------------

const clamp = (v, low, high) => Math.min(high, Math.max(low, v));

const isPlace = (at) => at.length === 2 && at.every(Number.isFinite) && (!world.isGlobe || (Math.abs(at[0]) <= 540 && Math.abs(at[1]) <= 90));

function readHash() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const view = (hash.get('map') ?? '').split('/').map(Number);
  const known = view.length >= 3 && view.every(Number.isFinite);
  const overlays = hash.get('on');
  const pole = (hash.get('pole') ?? '').split('/');
  const at = (hash.get('at') ?? '').split(',').map(Number);
  return {
    view: known ? {
      zoom: clamp(view[0], 0, world.max_zoom), center: [clamp(view[2], -540, 540), clamp(view[1], -85, 85)],
      bearing: view[3] ?? 0, pitch: clamp(view[4] ?? 0, 0, 75),
    } : null,
    picture: PICTURES.some(([name]) => name === hash.get('layer')) ? hash.get('layer') : START.picture,
    month: Math.min(12, Math.max(0, Math.trunc(Number(hash.get('month')) || 0))),
    overlays: new Set(overlays === null ? START.overlays : overlays.split(',').filter((o) => OVERLAYS.some(([n]) => n === o))),
    globe: world.isGlobe && hash.get('flat') !== '1',
    relief3d: hash.get('3d') === '1',
    pole: world.isGlobe && ['north', 'south'].includes(pole[0]) ? [pole[0], Number(pole[1])] : null,
    at: isPlace(at) && hash.get('at') ? at : null,
  };
}

function writeHash() {
  const { lng, lat } = map.getCenter();
  const round = (v, digits) => Number(v.toFixed(digits));
  const digits = Math.min(6, 2 + Math.ceil(map.getZoom() / 3));
  const view = [round(map.getZoom(), 2), round(lat, digits), round(lng, digits)];
  if (map.getBearing() || map.getPitch()) view.push(round(map.getBearing(), 1), round(map.getPitch(), 1));
  const parts = [`map=${view.join('/')}`];
  if (state.picture !== START.picture) parts.push(`layer=${state.picture}`);
  if (state.month && MONTHLY.has(state.picture)) parts.push(`month=${state.month}`);
  const on = [...state.overlays].sort().join(',');
  if (on !== [...START.overlays].sort().join(',')) parts.push(`on=${on}`);
  if (world.isGlobe && !state.globe) parts.push('flat=1');
  if (state.relief3d) parts.push('3d=1');
  if (polar.isOpen) parts.push(`pole=${polar.pole}/${polar.reach}`);
  if (state.at) parts.push(`at=${state.at.map((v) => round(v, 5)).join(',')}`);
  history.replaceState(null, '', `#${parts.join('&')}`);
}

// ---- menus -----------------------------------------------------------------------------------------------------

const MENUS = ['layers', 'sights', 'export', 'help'];

function openMenu(name) {
  for (const menu of MENUS) {
    const isOpen = menu === name && $(`menu-${menu}`).hidden;
    $(`menu-${menu}`).hidden = !isOpen;
    $(`tool-${menu}`).setAttribute('aria-expanded', String(isOpen));
    if (isOpen && menu === 'sights') fillSights();
    if (isOpen && menu === 'export') fillExport();
  }
}

function choice(role, label, key, onClick) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'choice';
  button.setAttribute('role', role);
  button.textContent = label;
  if (key) {
    const kbd = document.createElement('kbd');
    kbd.textContent = key;
    button.append(kbd);
  }
  button.addEventListener('click', onClick);
  return button;
}

const buttons = { pictures: new Map(), overlays: new Map(), views: new Map() };

function fillLayers() {
  PICTURES.forEach(([name, label], i) => {
    const button = choice('radio', label, String((i + 1) % 10), () => change({ picture: name }));
    buttons.pictures.set(name, button);
    $('pictures').append(button);
  });
  for (const [name, label, key] of OVERLAYS) {
    const button = choice('checkbox', label, key.toUpperCase(), () => toggle(name));
    buttons.overlays.set(name, button);
    $('overlays').append(button);
  }
  const views = [['relief3d', 'Relief in 3D', 'T']];
  if (world.isGlobe) views.unshift(['globe', 'Globe', 'O']);
  for (const [name, label, key] of views) {
    const button = choice('checkbox', label, key, () => change({ [name]: !state[name] }));
    buttons.views.set(name, button);
    $('views').append(button);
  }
  if (world.isGlobe) {
    $('views').append(choice('button', 'North pole from above', 'N', () => polar.show('north')));
    $('views').append(choice('button', 'South pole from above', 'S', () => polar.show('south')));
  }
  $('month').addEventListener('input', () => change({ month: Number($('month').value) }));
}

function toggle(name) {
  const overlays = new Set(state.overlays);
  if (!overlays.delete(name)) overlays.add(name);
  change({ overlays });
}

function change(what) {
  Object.assign(state, what);
  map.show(state);
  if (polar.isOpen) polar.draw();
  reflect();
  writeHash();
}

function reflect() {
  for (const [name, button] of buttons.pictures) button.setAttribute('aria-checked', String(name === state.picture));
  for (const [name, button] of buttons.overlays) button.setAttribute('aria-checked', String(state.overlays.has(name)));
  for (const [name, button] of buttons.views) button.setAttribute('aria-checked', String(state[name]));
  $('months').hidden = !MONTHLY.has(state.picture);
  $('month').value = state.month;
  $('month-name').textContent = state.month ? monthName(state.month) : 'year';
  legend();
  fillExport();
}

function legend() {
  drawLegend($('legend'), state, map.getZoom(), map.shows);
}

async function fillSights() {
  const sights = await ask('/api/sights').catch((e) => { say(e.message); return []; });
  $('sights').replaceChildren(...sights.map((sight) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sight';
    button.textContent = sight.title;
    const text = document.createElement('span');
    text.textContent = sight.text;
    button.append(text);
    button.addEventListener('click', () => { openMenu(null); go(sight.place, sight.zoom); pick(sight.place); });
    return button;
  }));
}

function go(place, zoom) {
  const center = toPage(place);
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (calm) map.jumpTo({ center, zoom }); else map.flyTo({ center, zoom, speed: 1.6, maxDuration: 5000 });
}

// What the server can draw over its pictures, of what lies over the map.
function drawnOver() {
  return [...state.overlays].filter((name) => name !== 'light').sort().join(',');
}

async function saveScreen() {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await map.picture());
  link.download = 'screen.png';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function fillExport() {
  if ($('menu-export').hidden) return;
  const bounds = map.getBounds();
  const limit = world.isGlobe ? 85.05 : 90;
  let [west, south] = toWorld([bounds.getWest(), clamp(bounds.getSouth(), -limit, limit)]);
  let [east, north] = toWorld([bounds.getEast(), clamp(bounds.getNorth(), -limit, limit)]);
  if (world.isGlobe && east - west > 360) [west, east] = [-180, 180];
  const width = Math.min(2000, Math.round(map.getContainer().clientWidth * Math.min(2, devicePixelRatio)));
  const query = new URLSearchParams({ west: west.toFixed(5), south: south.toFixed(5), east: east.toFixed(5), north: north.toFixed(5), width });
  query.set('on', drawnOver());
  const picture = map.exportName(state);
  $('export-tif').href = `/export/elevation.tif?${query}`;
  $('export-png').href = `/export/${picture}.png?${query}`;
  for (const kind of ['pdf', 'svg', 'png']) $(`export-print-${kind}`).href = `/export/print-${picture}.${kind}?${query}`;
  const span = world.isGlobe
    ? `${(east - west).toFixed(2)}° × ${(north - south).toFixed(2)}°` : `${metres(east - west)} × ${metres(north - south)}`;
  $('export-note').textContent = `${span}. All but the screen have north up. Larger pieces and more layers: terrane region.`;
}

// ---- a place ---------------------------------------------------------------------------------------------------

let asking;

// `drawn` is the river whose line was clicked, if any.
async function pick(place, drawn = null) {
  asking?.abort();
  asking = new AbortController();
  state.at = place;
  map.mark(place);
  writeHash();
  document.body.classList.add('busy');
  try {
    const about = await ask(`/api/place?lon=${place[0].toFixed(6)}&lat=${place[1].toFixed(6)}`, asking.signal);
    about.river_here ??= drawn;
    $('panel-body').replaceChildren(...describe(about));
    $('panel').hidden = false;
    document.body.classList.add('reading');
    $('panel').scrollTop = 0;
    if (!polar.isOpen) uncover(place);
    map.outline(about);
    polar.outline(about);
  } catch (e) {
    if (e.name !== 'AbortError') say(e.message);
  } finally {
    document.body.classList.toggle('busy', !map.loaded());
  }
}

// Whether a click is beside the globe: the map takes the nearest place of its edge for it.
function isBeside({ lngLat, point }) {
  const there = map.project(lngLat);
  return Math.hypot(there.x - point.x, there.y - point.y) > 8;
}

// What was picked is not hidden by what is told of it.
function uncover(place) {
  const [at, box] = [map.project(toPage(place)), $('panel').getBoundingClientRect()];
  if (at.x < box.left || at.x > box.right || at.y < box.top || at.y > box.bottom) return;
  if (box.width > 0.7 * innerWidth) map.panBy([0, at.y - box.top / 2]); else map.panBy([at.x - box.left / 2, 0]);
}

function unpick() {
  $('panel').hidden = true;
  document.body.classList.remove('reading');
  state.at = null;
  map.mark(null);
  map.outline(null);
  polar.outline(null);
  writeHash();
}

// ---- scale and readout -----------------------------------------------------------------------------------------

function measure() {
  const { width, height } = map.getCanvas().getBoundingClientRect();
  const row = Math.min(height - 1, height * 0.5);
  const [a, b] = [-40, 40].map((dx) => map.unproject([width / 2 + dx, row]));
  const across = world.distance(toWorld([a.lng, a.lat]), toWorld([b.lng, b.lat])) / 80;
  if (!(across > 0)) return;
  const longest = across * 130;
  const decade = 10 ** Math.floor(Math.log10(longest));
  const length = [5, 2, 1].map((k) => k * decade).find((v) => v <= longest) ?? decade;
  $('scale-bar').style.width = `${length / across}px`;
  $('scale-text').textContent = metres(length);
  const { lng, lat } = map.getCenter();
  $('readout').textContent = `${placeText(toWorld([lng, lat]))}  ·  ${metres(across)} a pixel`;
  const nearPole = world.isGlobe && Math.abs(lat) > 78 && !polar.isOpen;
  $('pole-hint').hidden = !nearPole;
  if (nearPole) $('pole-hint').textContent = `See the ${lat > 0 ? 'north' : 'south'} pole from above`;
}

// ---- keys ------------------------------------------------------------------------------------------------------

const KEYS = [
  ['arrows', 'move (with shift: turn and tilt)'], ['+ −', 'zoom'], ['1 – 0', 'maps'], ['[ ]', 'month'],
  ['R C P K H', 'rivers, crests, faults, cells, light'], ['T', '3D'], ['O', 'globe or flat'], ['N S', 'poles'],
  ['L G E', 'layers, take me to, export'], ['/', 'search'], ['Home', 'the whole world'], ['Esc', 'close'],
];

function fillHelp() {
  for (const [keys, text] of KEYS) {
    const dt = document.createElement('dt');
    const kbd = document.createElement('kbd');
    kbd.textContent = keys;
    dt.append(kbd);
    const dd = document.createElement('dd');
    dd.textContent = text;
    $('keys').append(dt, dd);
  }
}

function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === 'Escape') {
    if (polar.isOpen) polar.hide();
    else if (MENUS.some((m) => !$(`menu-${m}`).hidden)) openMenu(null);
    else if (!$('panel').hidden) unpick();
    map.getCanvas().focus({ preventScroll: true });
    return;
  }
  if (e.target.matches?.('input[type="text"]')) return;
  if (polar.isOpen && '+-='.includes(e.key)) { polar.nearer(e.key !== '-'); return; }
  const key = e.key.toLowerCase();
  const overlay = OVERLAYS.find(([, , k]) => k === key);
  if (overlay) toggle(overlay[0]);
  else if (/^[0-9]$/.test(key)) change({ picture: PICTURES[(Number(key) + 9) % 10][0] });
  else if (key === '[' || key === ']') change({ month: (state.month + (key === ']' ? 1 : 12)) % 13 });
  else if (key === 't') change({ relief3d: !state.relief3d });
  else if (key === 'o' && world.isGlobe) change({ globe: !state.globe });
  else if (key === 'n' && world.isGlobe) polar.show('north');
  else if (key === 's' && world.isGlobe) polar.show('south');
  else if (key === 'l') openMenu('layers');
  else if (key === 'g') openMenu('sights');
  else if (key === 'e') openMenu('export');
  else if (key === '?') openMenu('help');
  else if (key === '/') { e.preventDefault(); $('query').focus(); }
  else if (key === 'home') map.flyTo({ ...map.home, bearing: 0, pitch: 0 });
}

// ---- beginning -------------------------------------------------------------------------------------------------

async function begin() {
  await world.load();
  $('name').textContent = world.name;
  document.title = `${world.name} · Terrane`;
  $('subtitle').textContent = world.isGlobe
    ? `a planet of ${number(Math.round(world.radius_m / 1000))} km radius, seed ${world.notes.seed}`
    : `a flat map of ${metres(world.width_m)} by ${metres(world.height_m)}, seed ${world.notes.seed}`;
  if (!world.isGlobe) $('query').placeholder = `Go to x, y in ${isImported() ? world.reference ?? 'm' : 'km'}`;
  state = readHash();
  map = await createMap($('map'), state, say);
  polar = new Polar({
    pick, picture: (isFar) => map.exportName(state, isFar), over: drawnOver, change: () => { measure(); writeHash(); }, say,
  });
  fillLayers();
  fillHelp();
  reflect();
  $('export-screen').addEventListener('click', saveScreen);
  for (const menu of MENUS) $(`tool-${menu}`).addEventListener('click', () => openMenu(menu));
  $('panel-close').addEventListener('click', unpick);
  $('pole-hint').addEventListener('click', () => polar.show(map.getCenter().lat > 0 ? 'north' : 'south'));
  $('search').addEventListener('submit', (e) => {
    e.preventDefault();
    const place = parsePlace($('query').value);
    if (!place) { say(expectedPlace()); return; }
    go(place, Math.max(map.getZoom(), 8));
    pick(place);
  });
  map.on('move', measure);
  map.on('moveend', () => { writeHash(); legend(); fillExport(); });
  map.on('dataloading', () => document.body.classList.add('busy'));
  map.on('idle', () => { document.body.classList.remove('busy'); legend(); });
  map.on('click', (e) => {
    if (MENUS.some((m) => !$(`menu-${m}`).hidden)) openMenu(null);
    if (!state.relief3d && isBeside(e)) return;
    pick(toWorld([e.lngLat.wrap().lng, e.lngLat.lat]), map.riverAt(e.point));
  });
  addEventListener('keydown', onKey);
  addEventListener('hashchange', () => location.reload());
  measure();
  map.getCanvas().focus({ preventScroll: true });
  if (state.pole) polar.show(...state.pole);
  if (state.at) pick(state.at);
  // for tests: what the page shows, once it is there
  window.terrane = { map, state: () => state, pick, go };
}

begin().catch((e) => say(e.message));
