// SPDX-License-Identifier: MIT
"use strict";
/* The start of an exported page. The page is global for the console and for tests. */
window.tallyPage = new Page(new Model(JSON.parse(document.getElementById("header").textContent),
  document.getElementById("data").textContent.slice(1)));
