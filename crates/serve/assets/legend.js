// What colours and lines mean, for what is on the map.
import { world, number } from './world.js';

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'style') Object.assign(node.style, value); else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function ramp(title, { low, high, colours }, unit) {
  const gradient = `linear-gradient(90deg, ${colours.join(', ')})`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((t) => element('span', {}, String(Math.round(low + (high - low) * t)).replace('-', '−')));
  return [
    element('h2', {}, `${title}, ${unit}`),
    element('div', { class: 'ramp', style: { background: gradient } }),
    element('div', { class: 'ticks' }, ...ticks),
  ];
}

function swatches(title, classes, isNarrow) {
  const dark = (hex) => parseInt(hex.slice(1, 3), 16) * 0.3 + parseInt(hex.slice(3, 5), 16) * 0.59 + parseInt(hex.slice(5, 7), 16) * 0.11 < 110;
  const items = classes.map(({ name, colour }) => (isNarrow
    ? element('span', { style: { background: colour, color: dark(colour) ? '#fff' : '#222' } }, name)
    : element('span', {}, element('i', { style: { background: colour } }), name)));
  return [element('h2', {}, title), element('div', { class: isNarrow ? 'swatches narrow' : 'swatches' }, ...items)];
}

function line(label, colour) {
  return element('div', {}, element('i', { class: 'line', style: { borderColor: colour } }), label);
}

function sign(label, letter, colour) {
  return element('div', {}, element('i', { class: 'sign', style: { color: colour } }, letter), label);
}

// What lines and signs mean: those alone that can be seen, as far as that is known.
const SIGNS = [
  ['rivers', () => [line('river', '#426e9c')]],
  ['ridges', () => [line('ridge', '#6b3a1c')]],
  ['peaks', () => [sign('summit, height in m', '▲', '#3a2d20')]],
  ['faults', () => [line('plates meet', '#be2828'), line('plates part', '#2846aa'), line('plates pass', '#505050')]],
  ['volcanoes', () => [sign('volcano', '▲', '#96281a')]],
  ['cells', () => [line('cell of the world', '#3b3528')]],
];

function ofPicture(state, zoom) {
  const c = world.classes;
  switch (state.picture) {
    case 'climate': return swatches('Köppen and Geiger', c.climate, true);
    case 'biomes': return swatches('Biomes', c.biomes, false);
    case 'temperature': return ramp('Temperature', c.temperature, '°C');
    case 'rain': return state.month ? ramp('Precipitation', c.rain_month, 'mm a month') : ramp('Precipitation', c.rain, 'mm a year');
    case 'mountains': return ramp('Mountains over their land', c.mountains, 'm');
    case 'heights': return [...ramp('Land', c.land, 'm'), ...ramp('Sea floor', c.sea, 'm')];
    case 'atlas': return ramp('Land', c.land, 'm');
    case 'auto': return zoom < 4 ? ramp('Land', c.land, 'm') : [];
    default: return [];
  }
}

export function drawLegend(box, state, zoom, isShown) {
  const nodes = ofPicture(state, zoom);
  const lines = SIGNS.flatMap(([layer, signs]) => (isShown(layer) ? signs() : []));
  // where cells are too small to draw, say so
  if (state.overlays.has('cells') && !isShown('cells') && zoom < 6) lines.push(element('div', {}, 'cells of the world: zoom in'));
  box.replaceChildren(...nodes, ...lines);
  box.hidden = !nodes.length && !lines.length;
}
