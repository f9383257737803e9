// Before anything is painted: the theme that was chosen last, if any.
try {
  const theme = localStorage.getItem("pirates.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // no storage: the system's theme
}
