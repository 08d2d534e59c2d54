// What the page knows of the world, and how it asks for more.

const MOST_TRIES = 8;
const LONGEST_WAIT_S = 10;

const pause = (ms, signal) => new Promise((resolve, reject) => {
  const given = () => { clearTimeout(timer); reject(signal.reason); };
  const timer = setTimeout(() => { signal?.removeEventListener('abort', given); resolve(); }, ms);
  signal?.addEventListener('abort', given, { once: true });
});

// What the server answers; where it is busy, it is asked again as late as it says (`Retry-After`, in seconds), a little
// later each time, so that what was refused together does not come back together.
export async function fetchPatiently(path, signal) {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch(path, { signal }).catch((e) => {
      if (signal?.aborted) throw e;
      throw new Error('The server does not answer. Is terrane serve still running?');
    });
    if (response.status !== 503 || tries === MOST_TRIES) return response;
    const wanted = Number(response.headers.get('Retry-After'));
    const seconds = Number.isFinite(wanted) ? Math.min(LONGEST_WAIT_S, Math.max(0.1, wanted)) : 1;
    await pause(1000 * seconds * (1 + 0.25 * Math.random() * tries), signal);
  }
}

async function refusal(response) {
  const text = (await response.text()).trim();
  return Object.assign(new Error(text || `The server answered ${response.status}`), { status: response.status });
}

export async function ask(path, signal) {
  const response = await fetchPatiently(path, signal);
  if (!response.ok) throw await refusal(response);
  return response.json();
}

// A file as bytes.
export async function askBytes(path, signal) {
  const response = await fetchPatiently(path, signal);
  if (!response.ok) throw await refusal(response);
  return response.arrayBuffer();
}

// The sphere that browsers draw web maps on; a flat map lies on it metre for metre around (0, 0).
export const PAGE_RADIUS = 6378137;
// MapLibre reckons heights on this one.
export const HEIGHT_RADIUS = 6371008.8;
const rad = Math.PI / 180;

export const world = {
  async load() {
    const about = await ask('/api/world');
    Object.assign(this, about, about.surface);
    this.isGlobe = about.surface.kind === 'globe';
  },
  distance(a, b) {
    if (!this.isGlobe) return Math.hypot(a[0] - b[0], a[1] - b[1]);
    const [f, g] = [a[1] * rad, b[1] * rad];
    const h = Math.sin((g - f) / 2) ** 2 + Math.cos(f) * Math.cos(g) * Math.sin((b[0] - a[0]) * rad / 2) ** 2;
    return 2 * this.radius_m * Math.asin(Math.min(1, Math.sqrt(h)));
  },
};

export function toPage([x, y]) {
  if (world.isGlobe) return [x, y];
  const [east, north] = [x - world.width_m / 2, y - world.height_m / 2];
  return [east / PAGE_RADIUS / rad, Math.atan(Math.sinh(north / PAGE_RADIUS)) / rad];
}

export function toWorld([lng, lat]) {
  if (world.isGlobe) return [lng, lat];
  return [lng * rad * PAGE_RADIUS + world.width_m / 2, Math.asinh(Math.tan(lat * rad)) * PAGE_RADIUS + world.height_m / 2];
}

export const number = (v, digits = 0) => {
  if (v === null || v === undefined || !Number.isFinite(v)) return '–';
  const text = v.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: 0 });
  return text.replaceAll(',', ' ').replace('-', '−');
};

export function metres(m) {
  if (m >= 1000) return `${number(m / 1000, m < 10000 ? 1 : 0)} km`;
  return `${number(m, m < 10 ? 1 : 0)} m`;
}

// What places of a flat map are called: an imported one has the coordinates of its raster, in metres.
const called = (own) => own.map((v, k) => world.corner_m[k] + v * world.stretch[k]);
const ownOf = (told) => told.map((v, k) => (v - world.corner_m[k]) / world.stretch[k]);
export const isImported = () => !world.isGlobe && world.corner_m.some((v) => v !== 0);

export function placeText([x, y]) {
  if (isImported()) return called([x, y]).map((v, k) => `${Math.round(v)} m ${'EN'[k]}`).join(', ');
  if (!world.isGlobe) return `${number(x / 1000, 1)} km E, ${number(y / 1000, 1)} km N`;
  const lng = ((x + 540) % 360 + 360) % 360 - 180;
  return `${Math.abs(y).toFixed(3)}° ${y < 0 ? 'S' : 'N'}, ${Math.abs(lng).toFixed(3)}° ${lng < 0 ? 'W' : 'E'}`;
}

// "47.2, 11.5", "47.2N 11.5E", "E 11.5 N 47.2", "-12 130.5", 47°12'30"N 11°30'E
const ANGLE = String.raw`([+\-−]?\d+(?:\.\d+)?)\s*°?(?:\s*(\d+(?:\.\d+)?)\s*['′’](?:\s*(\d+(?:\.\d+)?)\s*["″”])?)?`;
const SIDED = new RegExp(String.raw`([NSEW])\s*${ANGLE}|${ANGLE}\s*([NSEW])?`, 'gi');

export const expectedPlace = () => {
  if (world.isGlobe) return 'Expected a latitude and a longitude: 47.2, 11.5 or 47.2N 11.5E';
  if (isImported()) return `Expected x and y in metres: ${called([world.width_m / 2, world.height_m / 2]).map(Math.round).join(', ')}`;
  return 'Expected x and y in km: 120, 80';
};

export function parsePlace(text) {
  const found = [...text.matchAll(SIDED)].map((m) => {
    const [degrees, minutes, seconds] = m[1] ? m.slice(2, 5) : m.slice(5, 8);
    const v = Number(degrees.replace('−', '-'));
    const part = Number(minutes ?? 0) / 60 + Number(seconds ?? 0) / 3600;
    return { v: /^[-−]/.test(degrees) ? v - part : v + part, side: (m[1] ?? m[8])?.toUpperCase() };
  });
  // nothing else may stand there but what a readout says
  const words = world.isGlobe ? /[\s,;]/g : /[\s,;]|k?m|[NE]/gi;
  if (found.length !== 2 || text.replace(SIDED, '').replace(words, '')) return null;
  if (isImported()) return ownOf(found.map(({ v }) => v));
  if (!world.isGlobe) return found.map(({ v }) => v * 1000);
  const signed = ({ v, side }) => (side === 'S' || side === 'W' ? -v : v);
  const turned = 'EW'.includes(found[0].side ?? '-') || 'NS'.includes(found[1].side ?? '-');
  const [lat, lng] = (turned ? [found[1], found[0]] : found).map(signed);
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 360 ? [((lng + 540) % 360) - 180, lat] : null;
}

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
export const month = (m) => MONTHS[m - 1];
