"use strict";
/* A button on each block of code copies it; of a session of Python, only what was typed. */
document.querySelectorAll("div.highlight pre").forEach((block) => {
  if (block.closest(".output") || !navigator.clipboard) { return; }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    let lines = block.textContent.replace(/\n$/, "").split("\n");
    if (lines.some((line) => line.startsWith(">>> "))) {
      lines = lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4));
    }
    await navigator.clipboard.writeText(lines.join("\n"));
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  block.closest("div.highlight").append(button);
});
