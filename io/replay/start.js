"use strict";
// Plays the run that the page holds.

async function start() {
  const flags = new URLSearchParams(location.hash.slice(1));
  const message = $("message");
  try {
    if (typeof DecompressionStream === "undefined") throw Error("this browser is too old; needed: one of 2023 or later");
    const run = await readRun();
    $("title").textContent = run.title || "A run of scree";
    if (run.frames === 0) throw Error("this run has no frames yet");
    if (run.found_hash !== run.hash) throw Error("this file is damaged: its poses are not those that were written");
    const player = makePlayer(fileSource(run), flags);
    message.textContent = "";
    document.documentElement.dataset.ready = player.kind;
    // For tests: what was decoded, and by what it is drawn.
    if (flags.has("test")) {
      document.title = `ready ${player.frame()} ${run.found_hash} ${player.kind}`;
      window.scree = player;
    }
  } catch (error) {
    message.textContent = `Cannot show this run: ${error.message}`;
  }
}
start();
