// What stands on every page, and which page this is.

import { h } from "./dom.js";
import { openHelp } from "./help.js";
import { keep, language, switchTheme } from "./settings.js";
import { LANGUAGES, load, t } from "./words.js";

const PAGES = [
  [/^\/$/, "./new.js"],
  [/^\/t\/([^/]+)$/, "./play.js"],
  [/^\/tv$/, "./tv.js"],
  [/^\/tv\/([^/]+)$/, "./play.js"],
  [/^\/rules\/([^/]+)$/, "./rules.js"],
  [/^\/puzzles(?:\/([^/]+))?(?:\/(\d+))?$/, "./puzzles.js"],
];

function header() {
  const here = location.pathname;
  const link = (address, key) => h("a", { href: address, "aria-current": here === address && "page" }, t(key));
  const choose = h(
    "select",
    { id: "language", "aria-label": t("main.language"), title: t("main.language"), class: "said", onchange: changeLanguage },
    LANGUAGES.map((name) => h("option", { value: name, lang: name, selected: name === language() }, name.toUpperCase())),
  );
  return h(
    "header",
    {},
    h("a", { class: "skip", href: "#main", onclick: skip }, t("main.skip")),
    h("a", { class: "brand", href: "/" }, h("img", { src: "/static/icon.svg", alt: "", width: 32, height: 32 }), t("main.title")),
    h("nav", { "aria-label": t("main.pages") }, link("/", "main.new"), link("/tv", "main.tv"), link("/puzzles", "main.puzzles")),
    h(
      "div",
      { class: "settings" },
      choose,
      h("button", { id: "theme", type: "button", onclick: switchTheme, "aria-label": t("main.theme"), title: t("main.theme") }, moon()),
      h("button", { id: "help", type: "button", onclick: openHelp, "aria-label": t("main.help"), title: t("main.help") }, "?"),
    ),
  );
}

function moon() {
  const image = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  image.setAttribute("viewBox", "0 0 24 24");
  image.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M12 2a10 10 0 1 0 0 20a10 10 0 1 0 0-20zM12 4.500a7.500 7.500 0 0 1 0 15z");
  path.setAttribute("fill-rule", "evenodd");
  image.append(path);
  return image;
}

/** To the content, leaving the fragment alone: it may hold a seat's secret. */
function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function changeLanguage(event) {
  keep("language", event.target.value);
  location.reload(); // whoever plays is told everything again
}

async function start() {
  await load(language());
  const main = h("main", { id: "main", tabindex: -1 });
  document.body.replaceChildren(header(), main);
  document.addEventListener("keydown", (event) => {
    const writing = event.target.matches("input, select, textarea");
    if (event.key === "?" && !writing && !event.ctrlKey && !event.metaKey) openHelp();
  });
  const [pattern, module] = PAGES.find(([address]) => address.test(location.pathname)) ?? PAGES[0];
  const { show } = await import(module);
  await show(main, ...location.pathname.match(pattern).slice(1));
  document.body.dataset.ready = "";
}

start();
