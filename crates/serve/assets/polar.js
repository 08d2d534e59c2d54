// A pole from above: what a web map, which ends at 85 degrees, cannot show. The server draws it; what was picked lies over it.
import { withoutCut } from './map.js';

const $ = (id) => document.getElementById(id);
const deg = 180 / Math.PI;
const REACHES = [2, 5, 10, 20, 40, 60];
const SVG = 'http://www.w3.org/2000/svg';
// from this reach on mountains are symbols, as on the map from far
const ATLAS_FROM = 20;

export class Polar {
  constructor({ pick, picture, over, change, say }) {
    Object.assign(this, { pick, picture, over, change, say, pole: null, reach: 20, about: null });
    $('polar-close').addEventListener('click', () => this.hide());
    $('polar-reaches').append(...REACHES.map((reach) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = `${reach}°`;
      button.dataset.reach = reach;
      button.addEventListener('click', () => this.zoom(reach));
      return button;
    }));
    const image = $('polar-image');
    image.addEventListener('click', (e) => this.pick(this.place(e)));
    image.addEventListener('load', () => image.classList.remove('waiting'));
    image.addEventListener('error', () => { if (this.isOpen) this.say('The pole could not be drawn.'); });
    image.addEventListener('wheel', (e) => { e.preventDefault(); this.turn(e.deltaY); }, { passive: false });
  }

  get isOpen() { return this.pole !== null; }

  show(pole, reach = this.reach) {
    Object.assign(this, { pole, reach: REACHES.includes(reach) ? reach : 20 });
    $('polar').hidden = false;
    this.draw();
    this.change();
  }

  hide() {
    this.pole = null;
    $('polar').hidden = true;
    this.change();
  }

  zoom(reach) {
    if (reach === this.reach) return;
    this.reach = reach;
    this.draw();
    this.change();
  }

  // one step a notch of the wheel, however finely it tells of it
  turn(delta) {
    this.turned = (this.turned ?? 0) + delta;
    if (Math.abs(this.turned) < 60) return;
    this.nearer(this.turned < 0);
    this.turned = 0;
  }

  nearer(isNearer) {
    const next = REACHES.indexOf(this.reach) + (isNearer ? -1 : 1);
    this.zoom(REACHES[Math.min(REACHES.length - 1, Math.max(0, next))]);
  }

  address(size) {
    const picture = this.picture(this.reach >= ATLAS_FROM);
    return `/polar/${this.pole}/${picture}.png?degrees=${this.reach}&size=${size}&on=${this.over()}`;
  }

  draw() {
    const size = Math.min(1200, Math.round(Math.min(innerWidth, innerHeight) * Math.min(2, devicePixelRatio)));
    $('polar-title').textContent = this.pole === 'north' ? 'North pole' : 'South pole';
    for (const button of $('polar-reaches').children) button.setAttribute('aria-pressed', String(Number(button.dataset.reach) === this.reach));
    const address = this.address(Math.max(256, size));
    $('polar-save').href = this.address(2048);
    $('polar-save').download = `${this.pole}-pole.png`;
    this.outline(this.about);
    if ($('polar-image').getAttribute('src') === address) return;
    $('polar-image').classList.add('waiting');
    $('polar-image').src = address;
  }

  // the inverse of the orthographic projection that looks down on a pole
  place(e) {
    const box = $('polar-image').getBoundingClientRect();
    const half = Math.sin(this.reach / deg);
    const x = ((e.clientX - box.left) / box.width * 2 - 1) * half;
    const y = (1 - (e.clientY - box.top) / box.height * 2) * half;
    const off = Math.asin(Math.min(1, Math.hypot(x, y))) * deg;
    const side = this.pole === 'north' ? 1 : -1;
    return [Math.atan2(x, -side * y) * deg, side * (90 - off)];
  }

  // where a place lies on a picture from -1 to 1; nowhere on the other half of the globe
  spot([lng, lat]) {
    const side = this.pole === 'north' ? 1 : -1;
    if (lat * side < 0) return null;
    const off = Math.cos(lat / deg) / Math.sin(this.reach / deg);
    return [off * Math.sin(lng / deg), off * Math.cos(lng / deg) * side];
  }

  // what was picked: its basin, the way of its water, and the place itself
  outline(about) {
    this.about = about;
    if (!this.isOpen) return;
    const path = (lines, kind) => {
      const d = lines.flatMap((line) => line.map((place, i) => [this.spot(place), i > 0 && this.spot(line[i - 1])]))
        .flatMap(([at, before]) => (at ? [`${before ? 'L' : 'M'}${at[0].toFixed(5)} ${at[1].toFixed(5)}`] : [])).join('');
      const node = document.createElementNS(SVG, 'path');
      node.setAttribute('d', d);
      node.setAttribute('class', kind);
      return node;
    };
    const nodes = [];
    if (about?.basin) {
      const rings = about.basin.polygons.flat();
      nodes.push(path(rings, 'basin'), path(rings.flatMap(withoutCut), 'divide'));
    }
    if (about?.way) nodes.push(path([about.way.line], 'way-halo'), path([about.way.line], 'way'));
    const at = about?.place && this.spot(about.place);
    if (at) {
      const mark = document.createElementNS(SVG, 'circle');
      for (const [name, value] of Object.entries({ cx: at[0], cy: at[1], r: 0.014, class: 'mark' })) mark.setAttribute(name, value);
      nodes.push(mark);
    }
    $('polar-over').replaceChildren(...nodes);
  }
}
