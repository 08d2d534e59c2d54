// Everything about a place, as figures and small drawings.
import { number, metres, placeText } from './world.js';

const SVG = 'http://www.w3.org/2000/svg';

function node(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((c) => c !== null && c !== undefined));
  return made;
}

function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function list(rows) {
  return node('dl', {}, ...rows.filter(Boolean).flatMap(([term, value]) => [node('dt', {}, term), node('dd', {}, value)]));
}

const m = (v) => `${number(Math.round(v))} m`;
const flow = (q) => `${number(q, q < 10 ? 2 : q < 100 ? 1 : 0)} m³/s`;
const area = (km2) => `${number(Math.round(km2))} km²`;

// ---- climate: rain as columns, temperature as a line -------------------------------------------------------------

function nice(value) {
  const decade = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 1.5, 2, 3, 4, 6, 8, 10].map((k) => k * decade).find((v) => v >= value) ?? value;
}

function climateChart({ temperature_c: warmth, rain_mm: rain }) {
  const [w, h, left, right, top, foot] = [300, 120, 26, 26, 8, 14];
  const most = nice(Math.max(...rain, 20));
  const low = Math.min(0, Math.floor(Math.min(...warmth) / 10) * 10);
  const high = Math.max(low + 10, Math.ceil(Math.max(...warmth, 0) / 10) * 10);
  const x = (i) => left + (w - left - right) * (i + 0.5) / 12;
  const yRain = (v) => h - foot - (h - top - foot) * v / most;
  const yWarm = (v) => h - foot - (h - top - foot) * (v - low) / (high - low);
  const step = (w - left - right) / 12;
  const bars = rain.map((v, i) => svg('rect', { x: x(i) - step * 0.36, width: step * 0.72, y: yRain(v), height: Math.max(0, h - foot - yRain(v)), fill: '#7fa6c6' }));
  const line = svg('polyline', { points: warmth.map((v, i) => `${x(i)},${yWarm(v)}`).join(' '), fill: 'none', stroke: '#a8331c', 'stroke-width': 1.8, 'stroke-linejoin': 'round' });
  const months = [...'JFMAMJJASOND'].map((letter, i) => svg('text', { x: x(i), y: h - 3, 'text-anchor': 'middle' }, letter));
  const labels = [
    svg('text', { x: left - 4, y: yWarm(high) + 4, 'text-anchor': 'end' }, `${number(high)}°`),
    svg('text', { x: left - 4, y: yWarm(low) + 1, 'text-anchor': 'end' }, `${number(low)}°`),
    svg('text', { x: w - right + 4, y: yRain(most) + 4 }, number(most)),
    svg('text', { x: w - right + 4, y: yRain(0) + 1 }, 'mm'),
  ];
  const rules = [svg('line', { x1: left, x2: w - right, y1: h - foot, y2: h - foot, stroke: '#b9b1a0' })];
  if (low < 0) rules.push(svg('line', { x1: left, x2: w - right, y1: yWarm(0), y2: yWarm(0), stroke: '#a8331c', 'stroke-dasharray': '2 3', 'stroke-width': 0.6 }));
  return svg('svg', { viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': 'Temperature and precipitation by month' }, ...rules, ...bars, line, ...months, ...labels);
}

// ---- ridges: the byte as a rose ------------------------------------------------------------------------------------

const POINTS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

function rose({ ridge_byte: byte, ridges }) {
  const parts = [svg('circle', { cx: 50, cy: 50, r: 34, fill: 'none', stroke: '#b9b1a0', 'stroke-width': 0.8 })];
  POINTS.forEach((name, i) => {
    const on = ridges.includes(name);
    const angle = i * Math.PI / 4;
    const [dx, dy] = [Math.sin(angle), -Math.cos(angle)];
    const length = i % 2 ? 27 : 34;
    if (on) {
      parts.push(svg('polygon', { points: `${50 + dx * length},${50 + dy * length} ${50 + dy * 4.5},${50 - dx * 4.5} ${50 - dy * 4.5},${50 + dx * 4.5}`, fill: '#6b3a1c' }));
    } else {
      parts.push(svg('line', { x1: 50 + dx * 5, y1: 50 + dy * 5, x2: 50 + dx * length, y2: 50 + dy * length, stroke: '#cfc7b4', 'stroke-width': 0.8 }));
    }
    if (i % 2 === 0) parts.push(svg('text', { x: 50 + dx * 43, y: 53.5 + dy * 43, 'text-anchor': 'middle', class: on ? 'key' : '' }, name));
  });
  parts.push(svg('circle', { cx: 50, cy: 50, r: 2.5, fill: ridges.length ? '#6b3a1c' : '#cfc7b4' }));
  const label = ridges.length ? `Ridges leave to ${ridges.join(', ')}` : 'No ridge';
  return svg('svg', { viewBox: '0 0 100 100', role: 'img', 'aria-label': label }, svg('title', {}, `${label}; byte ${byte}`), ...parts);
}

// ---- the way to the sea ------------------------------------------------------------------------------------------------

function profileChart(stations) {
  const [w, h, left, right, top, foot] = [300, 104, 34, 8, 8, 16];
  const length = Math.max(...stations.map((s) => s.distance_km), 1e-9);
  const heights = stations.flatMap((s) => [s.ground_m, s.level_m]);
  const low = Math.min(0, ...stations.map((s) => s.level_m));
  const high = Math.max(...heights, low + 1);
  const x = (km) => left + (w - left - right) * km / length;
  const y = (v) => h - foot - (h - top - foot) * (Math.max(v, low) - low) / (high - low);
  const points = (key) => stations.map((s) => `${x(s.distance_km).toFixed(1)},${y(s[key]).toFixed(1)}`).join(' ');
  const ground = svg('polygon', { points: `${x(0)},${y(low)} ${points('ground_m')} ${x(length)},${y(low)}`, fill: '#e2d8c1' });
  const water = svg('polyline', { points: points('level_m'), fill: 'none', stroke: '#15548f', 'stroke-width': 1.6, 'stroke-linejoin': 'round' });
  const axis = svg('line', { x1: left, x2: w - right, y1: h - foot, y2: h - foot, stroke: '#b9b1a0' });
  const texts = [
    svg('text', { x: left - 4, y: y(high) + 6, 'text-anchor': 'end' }, m(high)),
    svg('text', { x: left - 4, y: y(low) + 1, 'text-anchor': 'end' }, m(low)),
    svg('text', { x: left, y: h - 4 }, '0'),
    svg('text', { x: w - right, y: h - 4, 'text-anchor': 'end' }, metres(length * 1000)),
  ];
  return svg('svg', { viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': 'Profile of the way to the sea' }, ground, water, axis, ...texts);
}

function regimeChart(months) {
  const [w, h] = [300, 54];
  const most = Math.max(...months, 1e-9);
  const step = w / 12;
  const bars = months.map((q, i) => svg('rect', { x: i * step + step * 0.15, width: step * 0.7, y: h - 14 - (h - 16) * q / most, height: (h - 16) * q / most, fill: '#426e9c' }, svg('title', {}, flow(q))));
  const letters = [...'JFMAMJJASOND'].map((letter, i) => svg('text', { x: (i + 0.5) * step, y: h - 3, 'text-anchor': 'middle' }, letter));
  return svg('svg', { viewBox: `0 0 ${w} ${h}`, role: 'img', 'aria-label': 'Discharge by month' }, ...bars, ...letters);
}

// ---- all together ----------------------------------------------------------------------------------------------------------

function title({ kind, elevation_m: z, water_surface_m: surface, water_depth_m: depth, river_here: here }) {
  if (kind === 'sea') return `Sea, ${m(depth)} deep`;
  if (kind === 'lake') return `Lake, ${m(depth)} deep`;
  return here && depth > 0 ? `River, ${m(surface)}` : `Land, ${m(z)}`;
}

function waterSection({ river, lake, basin, river_here: here }) {
  const parts = [];
  // in which line of the river of the cell one stands is told by its water
  const isSame = here && river && Math.abs(here.discharge_m3_s - river.discharge_m3_s) < 0.1 * river.discharge_m3_s;
  if (here) {
    parts.push(node('h2', {}, basin?.name ? `The river here, in the basin of the ${basin.name}` : 'The river here'), list([
      ['discharge', flow(here.discharge_m3_s)], ['width', m(here.width_m)],
      here.order > 0 && ['Strahler order', String(here.order)],
      isSame && ['drains', area(river.drainage_km2)],
    ]));
    if (isSame && river.discharge_m3_s > 0) parts.push(regimeChart(river.months_m3_s));
  }
  if (lake) {
    parts.push(node('h2', {}, lake.is_salt ? 'Salt lake' : 'Lake'), list([['level', m(lake.level_m)], ['area', area(lake.area_km2)], ['greatest depth', m(lake.greatest_depth_m)]]));
  }
  if (river && !lake && !isSame) {
    const name = river.is_river ? (river.comes_to ? `River of the cell, to the mouth of the ${river.comes_to}` : 'River of the cell') : 'Brooks';
    parts.push(node('h2', {}, name), list([
      ['discharge', flow(river.discharge_m3_s)],
      river.is_river && ['width', m(river.width_m)],
      river.is_river && ['Strahler order', String(river.order)],
      ['drains', area(river.drainage_km2)],
    ]));
    if (river.discharge_m3_s > 0) parts.push(regimeChart(river.months_m3_s));
  }
  return parts;
}

function basinSection(basin) {
  if (!basin) return [];
  const ends = { delta: 'a delta', estuary: 'an estuary', mouth: 'the sea', lake: 'a closed lake', dry: 'the desert' };
  return [node('h2', {}, basin.name ? `Basin of the ${basin.name}` : 'Basin'), list([
    ['area', area(basin.area_km2)], ['longest way', `${number(Math.round(basin.longest_km))} km`],
    ['discharge at the mouth', flow(basin.discharge_m3_s)], ['ends in', ends[basin.ends_in] ?? basin.ends_in],
  ])];
}

function waySection(way) {
  if (!way || way.profile.length < 2) return [];
  return [node('h2', {}, way.ends_in === 'sea' ? 'The way to the sea' : `The way to the ${way.ends_in}`),
    list([['length', `${number(Math.round(way.length_km))} km`], ['falls', m(way.drop_m)]]), profileChart(way.profile)];
}

export function describe(about) {
  const { cell, climate, place } = about;
  const isLand = about.kind !== 'sea';
  const heights = list([
    ['elevation', m(about.elevation_m)],
    about.water_depth_m > 0 && isLand && ['water level', m(about.water_surface_m)],
    about.water_depth_m > 0 && ['depth', `${number(about.water_depth_m, about.water_depth_m < 10 ? 1 : 0)} m`],
    ['base', m(about.base_m)],
    isLand && ['mountains', m(about.mountains_m)],
    isLand && cell.mountain_height_m > 0 && ['their summits', m(cell.mountain_height_m)],
    ['ridges', cell.ridges.length ? `${cell.ridges.join(' ')} (${cell.ridge_byte})` : 'none'],
  ]);
  const facts = [
    climate.class && ['class', climate.class], climate.biome && ['biome', climate.biome],
    ['mean', `${number(climate.mean_c, 1)} °C`], ['precipitation', `${number(Math.round(climate.year_mm))} mm a year`],
    !isLand && climate.ice_months > 0 && ['ice', `${number(climate.ice_months)} months`],
  ];
  return [
    node('h1', {}, title(about)),
    node('p', { class: 'where' }, placeText(place)),
    node('div', { class: 'pair' }, heights, rose(cell)),
    node('h2', {}, 'Climate'), list(facts), climateChart(climate),
    ...waterSection(about), ...basinSection(about.basin), ...waySection(about.way),
  ];
}
