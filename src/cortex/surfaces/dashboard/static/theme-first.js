// Before the first paint, so that nobody is dazzled: the theme this browser was last told to use.
(function () {
  try {
    const chosen = localStorage.getItem("cortex.theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be turned off; the system's own theme is then used.
  }
})();
