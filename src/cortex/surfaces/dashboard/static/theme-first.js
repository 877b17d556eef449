// Set the theme before the first paint: the one last chosen in this browser.
(function () {
  try {
    const chosen = localStorage.getItem("cortex.theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be turned off; the system's own theme is then used.
  }
})();
