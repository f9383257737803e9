// What a person has chosen in this browser: language, theme, speed; and the secrets of the seats that it has.

import { LANGUAGES } from "./words.js";

export const SPEEDS = { calm: 900, quick: 350, at_once: 0 }; // milliseconds that a decision of another stays

const TALL = matchMedia("(max-width: 700px) and (orientation: portrait)");
const DARK = matchMedia("(prefers-color-scheme: dark)");

/** What is kept under a name; null where there is nothing or no storage. */
export function kept(name) {
  try {
    return localStorage.getItem(`pirates.${name}`);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(`pirates.${name}`, value);
  } catch {
    // private windows may have none: it holds until the page is left
  }
}

export function language() {
  const wanted = [kept("language"), ...navigator.languages.map((name) => name.slice(0, 2))];
  return wanted.find((name) => LANGUAGES.includes(name)) ?? LANGUAGES[0];
}

export function theme() {
  return document.documentElement.dataset.theme ?? (DARK.matches ? "dark" : "light");
}

export function speed() {
  return kept("speed") in SPEEDS ? kept("speed") : "calm";
}

/** How pictures and sentences are asked for. */
export function look() {
  return { theme: theme(), language: language(), tall: TALL.matches, steps: SPEEDS[speed()] > 0 };
}

/** Call `act` whenever the look changes. */
export function onLook(act) {
  TALL.addEventListener("change", act);
  DARK.addEventListener("change", act);
  document.addEventListener("themechange", act);
}

export function switchTheme() {
  const next = theme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  keep("theme", next);
  document.dispatchEvent(new Event("themechange"));
}
