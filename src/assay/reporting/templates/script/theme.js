  /* Light and dark */
  const button = document.getElementById("theme");
  const themes = ["system", "light", "dark"];
  function remembered() { try { return localStorage.getItem("assay-theme"); } catch { return null; } }
  function setTheme(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    button.dataset.theme = theme;
    try { localStorage.setItem("assay-theme", theme); } catch { /* a file that may not remember still shows */ }
  }
  button.hidden = false;
  button.addEventListener("click", () => setTheme(themes[(themes.indexOf(button.dataset.theme) + 1) % themes.length]));
  setTheme(themes.includes(remembered()) ? remembered() : "system");

