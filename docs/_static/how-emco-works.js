// The page "How EMCO works": reads two boxes of documents, shows the chain, draws from it.
(() => {
  "use strict";
  const page = document.getElementById("emco-page");
  if (!page) return;
  const at = (name) => page.querySelector(`[data-emco="${name}"]`);
  const SYNTHETIC = 20; // documents of the growth curve
  const PRESETS = JSON.parse(at("presets").textContent);
  const state = { word: null, document: 0, timer: null };

  const lines = (box) => box.value.split("\n").map((line) => line.trim()).filter(Boolean);

  function element(tag, attributes = {}, ...children) {
    const svg = ["svg", "path", "line", "circle", "text", "g"].includes(tag);
    const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
      : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  function read() {
    const minority = lines(at("minority"));
    const majority = lines(at("majority"));
    state.data = emco.corpus(minority, majority);
    state.gamma = Number(at("gamma").value);
    at("gamma-value").textContent = state.gamma.toFixed(2);
    const enough = state.data.minority.documents > 0;
    at("problem").hidden = enough;
    at("result").hidden = !enough;
    if (!enough) return;
    state.model = emco.chain(state.data, state.gamma);
    if (!state.data.vocabulary.includes(state.word)) {
      state.word = state.data.vocabulary[state.model.own[0]];
    }
    showWords();
    showTransitions();
    showGrowth();
    restart();
  }

  function showWords() {
    const own = new Set(state.model.own);
    const reachable = new Set(state.model.rows.slice(0, own.size).flat().map(([word]) => word));
    const chips = state.data.vocabulary.map((word, id) => {
      const kind = own.has(id) ? "own" : reachable.has(id) ? "reached" : "other";
      const chip = element("button", {
        type: "button", class: `emco-word emco-${kind}`, "aria-pressed": String(word === state.word),
      }, word);
      chip.addEventListener("click", () => {
        state.word = word;
        showWords();
        showTransitions();
        at("words").querySelector("[aria-pressed=true]").focus();
      });
      return chip;
    });
    at("words").replaceChildren(...chips);
    const n = [...reachable].filter((id) => id < state.data.vocabulary.length && !own.has(id)).length;
    at("words-summary").textContent = `${own.size} words of the class, ${n} words of other `
      + `documents that its chain can reach, ${state.data.vocabulary.length} words in all`;
  }

  // The row of P for the selected word: each way on, counted in the class and in the others.
  function showTransitions() {
    const { total, minority, vocabulary } = state.data;
    const id = vocabulary.indexOf(state.word);
    const { model } = state;
    const row = model.rows[model.state[id]];
    const sum = row.reduce((all, [, weight]) => all + weight, 0);
    const isOwn = minority.words[id] > 0;
    const body = row.map(([next, weight]) => {
      const ofClass = next === model.stop || !isOwn ? weight : minority.pairs[id].get(next) || 0;
      const others = !isOwn || next === model.stop ? 0 : total.pairs[id].get(next) - ofClass;
      const bar = element("span", { class: "emco-bar" },
        element("span", { class: "emco-bar-own", style: `width:${(100 * ofClass) / sum}%` }),
        element("span", { class: "emco-bar-other", style: `width:${(100 * (weight - ofClass)) / sum}%` }));
      return element("tr", {},
        element("th", { scope: "row" }, next === model.stop ? "end of document" : vocabulary[next]),
        element("td", {}, String(ofClass)),
        element("td", {}, String(others)),
        element("td", {}, (weight / sum).toFixed(3)),
        element("td", { class: "emco-bar-cell" }, bar));
    });
    at("transitions").replaceChildren(...body);
    at("transitions-title").textContent = isOwn
      ? `After “${state.word}”`
      : `After “${state.word}”, a word of other documents: back to any word of the class`;
  }

  function showGrowth() {
    const points = emco.growth(state.data, state.model, SYNTHETIC, 0);
    const law = emco.heapsLaw(state.data, SYNTHETIC);
    const [width, height, left, bottom] = [560, 260, 48, 36];
    const lastX = points[points.length - 1][0];
    const top = Math.max(...points.map(([, y]) => y), law.at(lastX)) * 1.08;
    const x = (tokens) => left + ((width - left - 10) * tokens) / lastX;
    const y = (words) => height - bottom - ((height - bottom - 10) * words) / top;
    const path = (pairs) => pairs.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("");
    const curve = Array.from({ length: 40 }, (_, i) => law.tokens + ((lastX - law.tokens) * i) / 39);
    const label = (text, px, py, anchor) => element("text", { x: px, y: py, "text-anchor": anchor }, text);
    const chart = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `Distinct words against tokens: ${law.words} words at first, `
        + `${points[points.length - 1][1]} after ${SYNTHETIC} synthetic documents, `
        + `${law.at(lastX).toFixed(0)} by Heaps' law` },
      element("line", { x1: left, y1: y(0), x2: width - 10, y2: y(0), class: "emco-axis" }),
      element("line", { x1: left, y1: y(0), x2: left, y2: 10, class: "emco-axis" }),
      element("path", { d: path(curve.map((size) => [size, law.at(size)])), class: "emco-law" }),
      element("path", { d: path(points), class: "emco-curve" }),
      element("circle", { cx: x(law.tokens), cy: y(law.words), r: 4, class: "emco-start" }),
      label("0", left - 8, y(0) + 4, "end"), label(top.toFixed(0), left - 8, y(top) + 10, "end"),
      label(String(lastX), width - 10, height - 14, "end"), label("tokens", (width + left) / 2, height - 8, "middle"));
    at("growth").replaceChildren(chart);
    at("growth-summary").textContent = `The class uses ${law.words} words. With ${SYNTHETIC} synthetic `
      + `documents it uses ${points[points.length - 1][1]}; Heaps' law (theta ${law.theta.toFixed(2)}) `
      + `expects ${law.at(lastX).toFixed(1)}.`;
  }

  function restart() {
    clearTimeout(state.timer);
    state.document = 0;
    at("drawn").replaceChildren();
  }

  function drawOne() {
    clearTimeout(state.timer);
    const own = new Set(state.model.own);
    const words = emco.draw(state.model, state.document, 0);
    state.document += 1;
    const item = element("li", { class: "emco-document" });
    at("drawn").prepend(item);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const write = (i) => {
      if (i === words.length) return;
      const foreign = !own.has(words[i]);
      item.append(element(foreign ? "mark" : "span", {}, state.data.vocabulary[words[i]]), " ");
      if (still) write(i + 1);
      else state.timer = setTimeout(() => write(i + 1), 350);
    };
    finishOthers(item);
    item.finish = () => {
      clearTimeout(state.timer);
      for (let i = item.children.length; i < words.length; i += 1) {
        item.append(element(own.has(words[i]) ? "span" : "mark", {}, state.data.vocabulary[words[i]]), " ");
      }
    };
    write(0);
    while (at("drawn").children.length > 8) at("drawn").lastChild.remove();
  }

  // A document still being written is completed when the next one begins.
  function finishOthers(current) {
    for (const item of at("drawn").children) if (item !== current && item.finish) item.finish();
  }

  for (const name of ["minority", "majority", "gamma"]) at(name).addEventListener("input", read);
  at("draw").addEventListener("click", drawOne);
  at("preset").append(...PRESETS.map((preset, i) => element("option", { value: i }, preset.title)));
  at("preset").addEventListener("change", () => choose(PRESETS[at("preset").value]));
  function choose(preset) {
    at("minority").value = preset.minority.join("\n");
    at("majority").value = preset.majority.join("\n");
    state.word = preset.word;
    read();
  }
  choose(PRESETS[0]);
})();
