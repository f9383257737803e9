// The words of the interface, in the language that was loaded.

let words = {};

export const LANGUAGES = ["en", "fr", "de"];

/** Load a language; what is missing in it is shown as its key, which a test looks for. */
export async function load(language) {
  const answer = await fetch(`/static/words/${language}.json`);
  words = await answer.json();
  document.documentElement.lang = language;
}

/** A text of the interface, `{name}` replaced by its value. */
export function t(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** Whether there is such a text. */
export function has(key) {
  return key in words;
}
