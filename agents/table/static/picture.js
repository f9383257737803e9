// Puts a picture into a page and moves what is in it from where it was to where it is.

const SVG = "http://www.w3.org/2000/svg";
const ALLOWED = new Set([
  "svg", "g", "defs", "use", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "title", "desc",
]);
const EVENT_TIME = 320; // milliseconds that one event's movement takes
const GAP = 20; // and the pause after it
const finishers = new WeakMap(); // box -> ends the movement that runs in it

/**
 * Swap the picture in `box` for `svgText`, and move elements with the same data-key from their old to their new place.
 *
 * `order`: what moves one after the other: data-keys, names (`yellow_5` is any element's whose key ends so), or entries as
 * `keysOf` gives them; what is not in it moves first. A click or a key ends the movement; who wants less motion sees none.
 * Resolves when everything is in its place; at once if nothing moves. Throws TypeError for what is no picture.
 */
export async function show(box, svgText, { animate = true, order = null } = {}) {
  finishers.get(box)?.();
  const next = parsed(svgText);
  const before = box.querySelector(":scope > svg");
  const moves = animate && before !== null && !document.hidden && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const old = moves ? placesIn(before) : null;
  const focused = focusIn(box);
  if (before) before.replaceWith(next);
  else box.append(next);
  if (focused) focusAgain(next, focused);
  if (moves) await played(box, movements(old, next, order ?? []));
}

/** What moves in these events, one entry an event: the names in it, and the seat's place that it comes from. */
export function keysOf(events) {
  return events.map((event) => ({ names: namesIn(event), from: Number.isInteger(event.seat) ? `seat:${event.seat}` : null }));
}

function namesIn({ event, ...facts }) {
  const names = new Set();
  const collect = (value) => {
    if (typeof value === "string") names.add(value.split(":")[0]);
    else if (value && typeof value === "object") Object.values(value).forEach(collect);
  };
  collect(facts);
  if (Array.isArray(facts.dice)) facts.dice.forEach((_, slot) => names.add(`die:${slot}`));
  return [...names];
}

/** The picture as an element of this document, with nothing in it that could run or load anything. */
export function parsed(svgText) {
  const read = new DOMParser().parseFromString(svgText, "image/svg+xml");
  const root = read.documentElement;
  if (root.namespaceURI !== SVG || root.localName !== "svg" || read.getElementsByTagName("parsererror").length) {
    throw new TypeError("that is no picture");
  }
  for (const element of root.querySelectorAll("*")) {
    if (element.namespaceURI !== SVG || !ALLOWED.has(element.localName)) element.remove();
  }
  for (const element of [root, ...root.querySelectorAll("*")]) {
    for (const { name, localName, value } of [...element.attributes]) {
      if (/^on|^style$/i.test(name) || (localName === "href" && !value.startsWith("#"))) element.removeAttribute(name);
    }
  }
  return document.importNode(root, true);
}

// -- focus ---------------------------------------------------------------------------------------------------------------

function focusIn(box) {
  const element = document.activeElement;
  if (!element || element === box || !box.contains(element)) return null;
  const { key, action } = element.dataset;
  return { key, action, tabindex: element.getAttribute("tabindex") };
}

function focusAgain(root, { key, action, tabindex }) {
  const same = (element) => (key !== undefined ? element.dataset.key === key : action && element.dataset.action === action);
  const element = [...root.querySelectorAll("[data-key], [data-action]")].find(same);
  if (!element) return;
  if (tabindex !== null) element.setAttribute("tabindex", tabindex);
  element.focus({ preventScroll: true });
}

// -- movement ------------------------------------------------------------------------------------------------------------

/** data-key -> where the element is, in the picture's own units, and what it shows. */
function placesIn(root) {
  const toPicture = root.getScreenCTM()?.inverse();
  const places = new Map();
  if (!toPicture) return places; // it is not laid out
  for (const element of root.querySelectorAll("[data-key]")) {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const [from, to] = [new DOMPoint(left, top), new DOMPoint(right, bottom)].map((point) => point.matrixTransform(toPicture));
    const place = { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y };
    places.set(element.dataset.key, { element, place, shown: element.innerHTML });
  }
  return places;
}

/** A key without its kind and number: `card:yellow_5#2` is `yellow_5`. */
function nameOf(key) {
  return key.replace(/#\d+$/, "").replace(/^[^:]*:/, "");
}

/** The movements from the old places to those in the new picture: [element, keyframes, which event's, how long]. */
function movements(old, root, order) {
  const now = placesIn(root);
  const entries = order.map((entry) => (typeof entry === "object" ? entry : { names: [entry], from: null }));
  const gone = goneByName(old, now);
  const found = [];
  for (const [key, { element, place, shown }] of now) {
    if (found.some(([moving]) => moving.contains(element))) continue; // it moves with what it lies in
    const turn = entries.findIndex(({ names }) => names.includes(key) || names.includes(nameOf(key)));
    const was = old.get(key) ?? gone.get(nameOf(key));
    const change = was ? moved(element, root, was, place, shown, turn) : entered(element, root, place, old.get(entries[turn]?.from));
    if (change) found.push([element, change, turn]);
  }
  return found;
}

/** Cards that are shown elsewhere now: the same name under another kind of key. Numbers are no names. */
function goneByName(old, now) {
  const gone = new Map();
  for (const [key, was] of old) {
    if (!now.has(key) && !/^\d*$/.test(nameOf(key))) gone.set(nameOf(key), was);
  }
  return gone;
}

function moved(element, root, was, place, shown, turn) {
  if (differ(was.place, place)) return [{ transform: matrixFrom(element, root, was.place, place) }, { transform: ownMatrix(element) }];
  if (turn >= 0 && was.shown !== shown) return tumbled(element, root, place); // a die that shows another face
  return null;
}

function differ(one, other) {
  return Math.abs(one.x - other.x) > 2 || Math.abs(one.y - other.y) > 2 || Math.abs(one.width - other.width) > 8;
}

function entered(element, root, place, from) {
  if (!from) return [{ opacity: 0 }, { opacity: 1 }];
  const { x, y, width, height } = from.place;
  const start = { x: x + width / 2 - place.width / 4, y: y + height / 2 - place.height / 4, width: place.width / 2 };
  return [
    { opacity: 0, transform: matrixFrom(element, root, start, place) },
    { opacity: 1, transform: ownMatrix(element) },
  ];
}

function tumbled(element, root, { x, y, width, height }) {
  const [left, top] = [x + width / 2, y + height / 2];
  const turn = new DOMMatrix().translate(left, top).rotate(-120).scale(0.6).translate(-left, -top);
  return [{ opacity: 0.2, transform: within(element, root, turn) }, { opacity: 1, transform: ownMatrix(element) }];
}

function matrixFrom(element, root, from, to) {
  const scale = to.width ? from.width / to.width : 1;
  return within(element, root, new DOMMatrix().translate(from.x, from.y).scale(scale).translate(-to.x, -to.y));
}

/** The element's own matrix, after which the picture's `change` is done. */
function within(element, root, change) {
  const inside = DOMMatrix.fromMatrix(root.getScreenCTM().inverse().multiply(element.parentNode.getScreenCTM()));
  return String(inside.inverse().multiply(change).multiply(inside).multiply(own(element)));
}

function own(element) {
  const matrix = element.transform.baseVal.consolidate()?.matrix;
  return matrix ? DOMMatrix.fromMatrix(matrix) : new DOMMatrix();
}

function ownMatrix(element) {
  return String(own(element));
}

/** Run the movements, those of each event after those of the one before, until they end or somebody is in a hurry. */
async function played(box, found) {
  const turns = [...new Set(found.map(([, , turn]) => turn))].sort((one, other) => one - other);
  const running = found.map(([element, keyframes, turn]) =>
    element.animate(keyframes, {
      duration: EVENT_TIME,
      delay: turns.indexOf(turn) * (EVENT_TIME + GAP),
      easing: "ease-out",
      fill: "backwards",
    }),
  );
  if (!running.length) return;
  const finish = () => running.forEach((animation) => animation.finish());
  finishers.set(box, finish);
  const hurry = new AbortController();
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, finish, { capture: true, signal: hurry.signal });
  await Promise.allSettled(running.map((animation) => animation.finished));
  hurry.abort();
  if (finishers.get(box) === finish) finishers.delete(box);
}
