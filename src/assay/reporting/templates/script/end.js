
  document.documentElement.dataset.ready = "";
})();
