// A pole from above: what a web map, which ends at 85 degrees, cannot show. The server draws it.
const $ = (id) => document.getElementById(id);
const deg = 180 / Math.PI;

export class Polar {
  constructor({ pick, picture, change, say }) {
    Object.assign(this, { pick, picture, change, say, pole: 'north', reach: 20 });
    $('polar-close').addEventListener('click', () => this.hide());
    for (const button of document.querySelectorAll('#polar [data-reach]')) {
      button.addEventListener('click', () => { this.reach = Number(button.dataset.reach); this.draw(); });
    }
    $('polar-image').addEventListener('click', (e) => this.click(e));
    $('polar-image').addEventListener('load', () => $('polar-image').classList.remove('waiting'));
    $('polar-image').addEventListener('error', () => { if (!$('polar').hidden) this.say('The pole could not be drawn.'); });
  }

  show(pole) {
    this.pole = pole;
    $('polar').hidden = false;
    this.draw();
    this.change();
  }

  hide() {
    $('polar').hidden = true;
    this.change();
  }

  draw() {
    const size = Math.min(1200, Math.round(Math.min(innerWidth, innerHeight) * Math.min(2, devicePixelRatio)));
    $('polar-title').textContent = `The ${this.pole} pole, ${this.reach}° around`;
    for (const button of document.querySelectorAll('#polar [data-reach]')) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.reach) === this.reach));
    }
    $('polar-image').classList.add('waiting');
    $('polar-image').src = `/polar/${this.pole}/${this.picture()}.png?degrees=${this.reach}&size=${Math.max(256, size)}`;
  }

  // the inverse of the orthographic projection that looks down on a pole
  click(e) {
    const box = $('polar-image').getBoundingClientRect();
    const half = Math.sin(this.reach / deg);
    const x = ((e.clientX - box.left) / box.width * 2 - 1) * half;
    const y = (1 - (e.clientY - box.top) / box.height * 2) * half;
    const off = Math.asin(Math.min(1, Math.hypot(x, y))) * deg;
    const side = this.pole === 'north' ? 1 : -1;
    const lng = Math.atan2(x, -side * y) * deg;
    this.hide();
    this.pick([lng, side * (90 - off)]);
  }
}
