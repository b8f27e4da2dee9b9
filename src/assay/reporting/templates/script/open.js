"use strict";
(async () => {
  /* Every text goes in as a text node: agents wrote some of it. */
  function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  }

