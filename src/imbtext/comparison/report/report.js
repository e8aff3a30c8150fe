"use strict";
/* The page's only script. It makes elements and sets their text. It never writes markup, so
   documents, labels and names of methods stay text. */
(function () {
  const at = (id) => document.getElementById(id);
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  function make(parent, tag, attributes, text) {
    const svg = parent && parent.namespaceURI === "http://www.w3.org/2000/svg";
    const space = svg || tag === "svg" ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
    const element = document.createElementNS(space, tag);
    Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
    if (text !== undefined) { element.textContent = text; }
    if (parent) { parent.append(element); }
    return element;
  }

  /* ---- Tables: press a heading to sort ---- */

  function valueOf(row, column) {
    const cell = row.cells[column];
    return cell.dataset.value !== undefined ? Number(cell.dataset.value)
      : cell.dataset.text || cell.textContent.trim();
  }

  function sortBy(header) {
    const table = header.closest("table");
    const numeric = header.hasAttribute("data-numeric");
    const before = header.getAttribute("aria-sort");
    // The first press shows the highest numbers first: readers look for those.
    const descending = before === null ? numeric : before !== "descending";
    Array.from(header.parentNode.cells).forEach((cell) => cell.removeAttribute("aria-sort"));
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const rows = Array.from(table.tBodies[0].rows);
    rows.sort((first, second) => {
      const a = valueOf(first, header.cellIndex), b = valueOf(second, header.cellIndex);
      if (!numeric) { return descending ? String(b).localeCompare(a) : String(a).localeCompare(b); }
      // What is not a number comes last in both directions.
      const missing = Number.isNaN(Number(a)) - Number.isNaN(Number(b));
      return missing || (descending ? b - a : a - b);
    });
    table.tBodies[0].append(...rows);
    at("status").textContent = table.getAttribute("aria-label") + ", sorted by "
      + header.textContent.trim() + ", " + (descending ? "highest first" : "lowest first");
  }

  all("thead th button").forEach((button) => {
    button.addEventListener("click", () => sortBy(button.closest("th")));
  });

  /* ---- A narrow page begins with what matters: the rest is folded, and opens at a touch ---- */

  const narrow = matchMedia("(max-width: 36rem)").matches;
  all(".unfold").forEach((button) => {
    const table = at(button.getAttribute("aria-controls"));
    if (table.tBodies[0].rows.length < 3) { return; }
    table.classList.add("folded");
    button.hidden = false;
    button.addEventListener("click", () => {
      table.classList.remove("folded");
      button.setAttribute("aria-expanded", "true");
      button.hidden = true;
      const next = table.tBodies[0].rows[2];
      next.tabIndex = -1;
      next.focus();
    });
  });
  if (narrow) { all("details.fold").forEach((part) => { part.open = false; }); }

  /* ---- Gamma: one frame at a time ---- */

  const gamma = at("gamma");
  if (gamma) {
    const show = () => {
      all("[data-gamma]").forEach((part) => { part.hidden = part.dataset.gamma !== gamma.value; });
      const text = all("[data-gamma]")[Number(gamma.value)].dataset.label;
      at("gamma-value").textContent = text;
      gamma.setAttribute("aria-valuetext", text);
    };
    gamma.addEventListener("input", show);
    show();
  }

  /* ---- Paper: what is folded opens, and closes again afterwards ---- */

  let opened = [];
  function forPaper(printing) {
    if (printing && !opened.length) {
      opened = all("details:not([open])");
      opened.forEach((part) => { part.open = true; });
    } else if (!printing) {
      opened.forEach((part) => { part.open = false; });
      opened = [];
    }
  }
  matchMedia("print").addEventListener("change", (event) => forPaper(event.matches));
  addEventListener("beforeprint", () => forPaper(true));
  addEventListener("afterprint", () => forPaper(false));

  /* ---- Look inside ---- */

  if (!at("data")) { return; }
  const data = JSON.parse(at("data").textContent);
  const FIRST = narrow ? 3 : 10;
  const KINDS = { missed: true, wrong: false, found: true };
  const state = { chosen: null, method: null, place: 0, list: "missed", filter: "", label: "",
    order: "nearest", shown: {} };
  const slider = at("threshold");
  const whole = (n) => n.toLocaleString("en");
  const part = (x) => (Number.isNaN(x) ? "\u2013" : x.toFixed(3));
  // A share of a few documents is no percentage: 2 of 2, not 100%.
  const ofAll = (n, all) => (!all ? "\u2013" : all < 10 ? whole(n) + " of " + whole(all)
    : Math.round(100 * n / all) + "%");
  // Pieces of words may begin or end with a space.
  const spelled = (word) => word.replace(/^ | $/g, "\u2423");
  const signed = (x) => {
    const size = Math.abs(x).toFixed(2);
    return (size === "0.00" ? "" : x > 0 ? "+" : "\u2212") + size;
  };
  const percent = (x) => (100 * x).toFixed(x > 0 && x < 0.0995 ? 1 : 0) + "%";

  function figures(method, place) {
    const found = method.found[place], wrong = method.wrong[place];
    const missed = state.chosen.nClass - found;
    const f = (beta) => {
      const weighted = (1 + beta * beta) * found + beta * beta * missed + wrong;
      return weighted ? (1 + beta * beta) * found / weighted : 0;
    };
    // Averages over several passes through the folds are shown as whole documents.
    const nFound = Math.round(found), nWrong = Math.round(wrong);
    return {
      listed: { found: method.listedFound[place], wrong: method.listedWrong[place],
        missed: state.chosen.nClass - method.listedFound[place] },
      found: nFound, wrong: nWrong, missed: state.chosen.nClass - nFound, left: state.chosen.nRest - nWrong,
      recall: found / state.chosen.nClass, precision: found + wrong ? found / (found + wrong) : NaN,
      f1: f(1), f2: f(2),
    };
  }

  const own = (method) => method.thresholds.indexOf(0);

  function best(method, measure) {
    const values = method.thresholds.map((_, place) => figures(method, place)[measure]);
    return values.indexOf(Math.max(...values));
  }

  /* A picture with axes; returns where to draw and the two scales. */
  function picture(id, label, xs, ys, options) {
    const longest = Math.max(...(options.yTicks || ticks(ys)).map((v) => options.yFormat(v).length));
    const box = { width: 360, height: 270, left: Math.max(50, 30 + 7.5 * longest), right: 10, top: 10, bottom: 44 };
    const holder = at(id);
    holder.replaceChildren();
    holder.setAttribute("aria-label", label);
    const svg = make(holder, "svg", { viewBox: "0 0 " + box.width + " " + box.height });
    const scale = (ends, from, to) => (v) => from + (v - ends[0]) / (ends[1] - ends[0] || 1) * (to - from);
    const x = scale(xs, box.left, box.width - box.right);
    const y = scale(ys, box.height - box.bottom, box.top);
    (options.yTicks || ticks(ys)).forEach((v) => {
      make(svg, "line", { class: "grid", x1: box.left, x2: box.width - box.right, y1: y(v), y2: y(v) });
      make(svg, "text", { x: box.left - 7, y: y(v) + 4, "text-anchor": "end" }, options.yFormat(v));
    });
    (options.xTicks || ticks(xs)).forEach((tick) => {
      const v = Array.isArray(tick) ? tick[0] : tick;
      make(svg, "text", { x: x(v), y: box.height - box.bottom + 18, "text-anchor": "middle" },
        Array.isArray(tick) ? tick[1] : options.xFormat(v));
    });
    make(svg, "text", { x: (box.left + box.width - box.right) / 2, y: box.height - 6,
      "text-anchor": "middle" }, options.xTitle);
    make(svg, "text", { x: 12, y: (box.top + box.height - box.bottom) / 2, "text-anchor": "middle",
      transform: "rotate(-90 12 " + (box.top + box.height - box.bottom) / 2 + ")" }, options.yTitle);
    return { svg: svg, x: x, y: y, box: box };
  }

  function ticks(ends) {
    const span = ends[1] - ends[0] || 1;
    const rough = span / 5, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough);
    const values = [];
    for (let v = Math.ceil(ends[0] / step) * step; v <= ends[1] + step / 1e6; v += step) {
      values.push(Number(v.toPrecision(12)));
    }
    return values;
  }

  const tenths = (v) => v.toFixed(1);
  const short = (v) => String(Number(v.toPrecision(3))).replace("-", "\u2212");

  function drawCurve() {
    const drawn = picture("curve",
      "Precision against recall of " + state.chosen.methods.length + " methods; "
      + state.method.name + " stands out", [0, 1], [0, 1],
      { xTitle: "recall: documents found", yTitle: "precision: alarms that are right",
        xFormat: tenths, yFormat: tenths });
    const order = state.chosen.methods.slice().sort((a, b) => (a === state.method) - (b === state.method));
    order.forEach((method) => {
      const kind = method.kind.split(" ")[0] + (method === state.method ? " current" : "");
      const points = method.thresholds.map((_, place) => figures(method, place))
        .filter((now) => now.found + now.wrong)
        .map((now) => drawn.x(now.recall).toFixed(1) + "," + drawn.y(now.precision).toFixed(1));
      const line = make(drawn.svg, "polyline", { class: "curve " + kind, points: points.join(" ") });
      const now = figures(method, own(method));
      const dot = make(drawn.svg, "circle", { class: "point " + kind, r: method === state.method ? 5 : 3.5,
        cx: drawn.x(now.recall), cy: drawn.y(now.precision || 0) });
      [line, dot].forEach((part) => part.addEventListener("click", () => {
        chooseMethod(state.chosen.methods.indexOf(method));
      }));
      make(dot, "title", {}, method.name + ": recall " + part(now.recall) + ", precision "
        + part(now.precision) + ", average precision " + part(method.averagePrecision));
    });
    drawn.ring = make(drawn.svg, "circle", { class: "ring", r: 9 });
    return drawn;
  }

  function drawCalibration() {
    const bins = state.method.bins;
    const low = Math.max(bins[0][0], bins.length > 1 ? bins[1][0] - (bins[bins.length - 1][1] - bins[1][0]) : bins[0][0]);
    const ends = [low, bins[bins.length - 1][1]];
    const drawn = picture("calibration", "Share of documents that belong to the class, by score",
      ends, [0, 1], { xTitle: "score, less the method's own threshold", yTitle: "share in the class",
        xFormat: short, yFormat: tenths });
    bins.forEach(([from, to, n, nClass, lower, upper]) => {
      const a = drawn.x(Math.max(from, low)), b = Math.max(drawn.x(to), a + 2), share = nClass / n;
      const bar = make(drawn.svg, "rect", { class: "limits", x: a, width: b - a, y: drawn.y(upper),
        height: drawn.y(lower) - drawn.y(upper) });
      make(bar, "title", {}, whole(nClass) + " of " + whole(n) + " documents with scores from "
        + short(from) + " to " + short(to) + ": " + percent(share));
      make(drawn.svg, "line", { class: "share", x1: a, x2: b, y1: drawn.y(share), y2: drawn.y(share) });
    });
    drawn.rule = make(drawn.svg, "line", { class: "rule", y1: drawn.box.top, y2: drawn.box.height - drawn.box.bottom });
    drawn.ends = ends;
    return drawn;
  }

  function drawLengths() {
    const groups = state.method.lengths;
    const values = groups.flatMap((g) => g[4].concat(g[5])).concat([0]);
    const ends = [Math.min(...values), Math.max(...values)];
    const pad = (ends[1] - ends[0]) * 0.08 || 0.1;
    const drawn = picture("lengths", "Quartiles of scores by document length, of the class and of the rest",
      [-0.5, groups.length - 0.5], [ends[0] - pad, ends[1] + pad],
      { xTitle: "words in the document", yTitle: "score", yFormat: short,
        xTicks: groups.map((g, i) => [i, g[0] === g[1] ? whole(g[0]) : whole(g[0]) + "\u2013" + whole(g[1])]) });
    groups.forEach((g, i) => {
      [[g[4], "class", -0.2, g[2]], [g[5], "rest", 0.2, g[3]]].forEach(([q, kind, shift, n]) => {
        if (!q.length) { return; }
        const middle = drawn.x(i + shift);
        const bar = make(drawn.svg, "rect", { class: "span " + kind, x: middle - 11, width: 22,
          y: drawn.y(q[2]), height: Math.max(2, drawn.y(q[0]) - drawn.y(q[2])) });
        make(bar, "title", {}, whole(n) + " documents " + (kind === "class" ? "of the class" : "of the rest")
          + ": median score " + short(q[1]));
        make(drawn.svg, "line", { class: "median", x1: middle - 15, x2: middle + 15, y1: drawn.y(q[1]), y2: drawn.y(q[1]) });
      });
    });
    drawn.rule = make(drawn.svg, "line", { class: "rule", x1: drawn.box.left, x2: drawn.box.width - drawn.box.right });
    return drawn;
  }

  function fillWords(id, rows) {
    const body = at(id).tBodies[0];
    body.replaceChildren();
    const most = Math.max(...rows.map((row) => row[1]), 1e-9);
    rows.forEach(([word, apart, inClass, inRest]) => {
      const row = make(body, "tr");
      make(make(row, "th", { scope: "row", class: "name" }), "bdi", {}, spelled(word));
      const cell = make(row, "td", { class: "bar" }, apart.toFixed(3));
      cell.style.setProperty("--length", (100 * apart / most).toFixed(0) + "%");
      make(row, "td", {}, percent(inClass));
      make(row, "td", {}, percent(inRest));
    });
    if (!rows.length) {
      make(make(body, "tr"), "td", { colspan: 4, class: "name soft" }, "This method does not weigh words one by one.");
    }
  }

  /* A document with the words that spoke for and against it marked in it. */
  function fillDocument(item, place) {
    const [text, labels, nWords, ofClass, id] = state.chosen.documents[place];
    const contributions = new Map(), packed = state.method.words[place];
    for (let i = 0; i < packed.length; i += 2) {
      contributions.set(state.chosen.vocabulary[packed[i]], packed[i + 1] / 1000);
    }
    const score = state.method.scores[place];
    const head = make(item, "p", { class: "head" });
    make(head, "span", { class: "score" }, signed(score));
    make(make(head, "span", { class: "id" }), "bdi", {}, id);
    if (!ofClass && labels) { make(make(head, "span", { class: "soft" }, "labelled "), "bdi", {}, labels); }
    make(head, "span", { class: "soft" }, whole(nWords) + (nWords === 1 ? " word" : " words"));
    const line = make(item, "p", { class: "text" });
    const run = make(line, "bdi");
    const mark = (word) => {
      const value = contributions.has(word) ? contributions.get(word) : contributions.get(word.toLowerCase());
      if (value === undefined) { run.append(word); return; }
      make(run, "mark", { class: value > 0 ? "for" : "against", title: signed(value) }, word);
    };
    text.split(/(\s+)/).forEach((chunk) => {
      if (contributions.has(chunk) || contributions.has(chunk.toLowerCase())) { mark(chunk); return; }
      chunk.split(/([\p{L}\p{N}\p{M}_]+)/u).forEach(mark);
    });
    if (!text) { make(run, "span", { class: "soft" }, "(empty)"); }
    [["for", 1], ["against", -1]].forEach(([kind, sign]) => {
      const words = Array.from(contributions).filter(([, value]) => value * sign > 0);
      if (sign < 0) { words.reverse(); }
      if (!words.length) { return; }
      const list = make(item, "p", { class: "said" });
      make(list, "span", { class: "soft" }, kind === "for" ? "for: " : "against: ");
      words.forEach(([word, value]) => {
        const chip = make(list, "span", { class: "chip " + kind });
        make(chip, "bdi", {}, spelled(word));
        chip.append(" " + signed(value));
      });
    });
    const constant = state.method.constants[place];
    if (constant !== null) {
      // What is printed adds up, so the sum is one of printed numbers.
      const printed = (x) => Math.round(100 * x) / 100;
      const shown = Array.from(contributions.values()).reduce((sum, value) => sum + printed(value), 0);
      const others = printed(score) - printed(constant) - printed(shown);
      const sum = make(item, "p", { class: "said sum" });
      make(sum, "span", { class: "soft" }, "words above " + signed(shown) + ", other words " + signed(others)
        + ", constant " + signed(constant) + ": score " + signed(score));
    }
  }

  function placesOf(kind, threshold) {
    const scores = state.method.scores;
    return scores.map((_, place) => place).filter((place) =>
      state.chosen.documents[place][3] === KINDS[kind] && (scores[place] > threshold) === (kind !== "missed"));
  }

  /* The documents that the reader asks for, in that order. A small change of the threshold would
     put the nearest ones on the other side. */
  function filtered(places, threshold) {
    const scores = state.method.scores, phrase = state.filter.toLowerCase();
    const far = { nearest: (place) => Math.abs(scores[place] - threshold),
      highest: (place) => -scores[place], lowest: (place) => scores[place] }[state.order];
    return places.filter((place) => {
      const [text, labels, , , id] = state.chosen.documents[place];
      return (text.toLowerCase().includes(phrase) || id.toLowerCase() === phrase)
        && (!state.label || labels === state.label);
    }).sort((a, b) => far(a) - far(b));
  }

  /* The list as CSV: what a spreadsheet would run as a formula gets an apostrophe. */
  function listAsCsv() {
    const cell = (value) => {
      const text = /^[=+\-@\t\r]/.test(value) ? "'" + value : value;
      return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
    };
    const threshold = state.method.thresholds[state.place];
    const rows = filtered(placesOf(state.list, threshold), threshold).map((place) => {
      const [text, labels, , , id] = state.chosen.documents[place];
      return [cell(id), state.list, state.method.scores[place].toFixed(5), cell(labels), cell(text)];
    });
    return [["id", "list", "score", "label", "text"]].concat(rows).map((row) => row.join(",") + "\r\n").join("");
  }

  function copy(text) {
    const area = make(document.body, "textarea", { class: "hidden", "aria-hidden": "true" });
    area.value = text;
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }

  function fillList(kind, threshold, now) {
    const holder = at("list-" + kind), list = holder.querySelector("ol");
    const sampled = placesOf(kind, threshold), places = filtered(sampled, threshold);
    const isFiltered = state.filter || state.label;
    const total = now.listed[kind], shown = Math.min(places.length, state.shown[kind] || FIRST);
    list.replaceChildren();
    places.slice(0, shown).forEach((place) => fillDocument(make(list, "li"), place));
    const sample = data.sampled && sampled.length < total
      ? " The page has a sample of " + whole(sampled.length) + " of these " + whole(total) + " documents." : "";
    holder.querySelector("[data-note]").textContent = (places.length
      ? "Showing " + whole(shown) + " of " + whole(places.length) + (isFiltered ? " that match" : "")
        + (data.nRepeats > 1 ? " in the first of " + data.nRepeats + " repeats" : "") + "."
      : isFiltered ? "No document matches." : total ? "None of these is in the sample." : "None.") + sample;
    const more = holder.querySelector(".more");
    more.hidden = shown >= places.length;
    holder.hidden = kind !== state.list;
    // One number for one thing: with several repeats the lists are of the first, the counts of all.
    at("count-" + kind).textContent = data.nRepeats > 1 ? "" : whole(total);
  }

  let drawings = {};

  function update() {
    const method = state.method, threshold = method.thresholds[state.place];
    const now = figures(method, state.place);
    at("now-recall").textContent = ofAll(now.found, state.chosen.nClass);
    at("now-precision").textContent = ofAll(now.found, now.found + now.wrong);
    ["found", "missed", "wrong", "left"].forEach((name) => { at("now-" + name).textContent = whole(now[name]); });
    const where = state.place === own(method) ? "as trained" : signed(threshold);
    const words = whole(now.found) + " of " + whole(state.chosen.nClass) + " found, "
      + whole(now.wrong) + (now.wrong === 1 ? " wrong alarm" : " wrong alarms");
    at("look-sentence").textContent = where + ": " + words;
    slider.setAttribute("aria-valuetext", where + ", " + words);
    drawings.curve.ring.setAttribute("cx", drawings.curve.x(now.recall));
    drawings.curve.ring.setAttribute("cy", drawings.curve.y(now.precision || 0));
    const ends = drawings.calibration.ends;
    const x = drawings.calibration.x(Math.min(Math.max(threshold, ends[0]), ends[1]));
    drawings.calibration.rule.setAttribute("x1", x);
    drawings.calibration.rule.setAttribute("x2", x);
    const y = drawings.lengths.y(threshold), box = drawings.lengths.box;
    const inside = Math.min(Math.max(y, box.top), box.height - box.bottom);
    drawings.lengths.rule.setAttribute("y1", inside);
    drawings.lengths.rule.setAttribute("y2", inside);
    Object.keys(KINDS).forEach((kind) => fillList(kind, threshold, now));
  }

  function moveTo(place) {
    state.place = place;
    state.shown = {};
    slider.value = place;
    update();
  }

  function chooseMethod(number) {
    state.method = state.chosen.methods[number];
    at("look-method").value = number;
    slider.max = state.method.thresholds.length - 1;
    drawings = { curve: drawCurve(), calibration: drawCalibration(), lengths: drawLengths() };
    fillWords("speak-for", state.method.speakFor);
    fillWords("speak-against", state.method.speakAgainst);
    moveTo(own(state.method));
  }

  function fillLabels() {
    const menu = at("look-label");
    const labels = Array.from(new Set(state.chosen.documents.map((item) => item[1]))).sort();
    menu.replaceChildren();
    make(menu, "option", { value: "" }, "any");
    labels.filter(Boolean).forEach((label) => make(menu, "option", { value: label }, label));
    menu.closest(".field").hidden = labels.length < 3;
    state.label = "";
  }

  function chooseClass(number) {
    state.chosen = data.classes[number];
    at("look-class").value = number;
    all("[data-class]").forEach((part) => { part.hidden = Number(part.dataset.class) !== number; });
    const menu = at("look-method");
    menu.replaceChildren();
    state.chosen.methods.forEach((method, i) => {
      make(menu, "option", { value: i }, method.name + (method.chosen ? " (recommended)" : ""));
    });
    fillLabels();
    chooseMethod(Math.max(0, state.chosen.methods.findIndex((method) => method.chosen)));
  }

  slider.addEventListener("input", () => moveTo(Number(slider.value)));
  at("look-method").addEventListener("change", (event) => chooseMethod(Number(event.target.value)));
  at("look-class").addEventListener("change", (event) => chooseClass(Number(event.target.value)));
  at("look-filter").addEventListener("input", (event) => {
    state.filter = event.target.value.trim();
    state.shown = {};
    update();
  });
  [["look-label", "label"], ["look-order", "order"]].forEach(([id, what]) => {
    at(id).addEventListener("change", (event) => {
      state[what] = event.target.value;
      state.shown = {};
      update();
    });
  });
  at("copy-csv").addEventListener("click", () => {
    const text = listAsCsv(), n = text.split("\r\n").length - 2;
    const done = copy(text);
    at("copy-csv").focus();
    at("copied").textContent = done ? whole(n) + (n === 1 ? " document copied." : " documents copied.")
      : "This browser does not let the page copy.";
  });
  all("[data-preset]").forEach((button) => button.addEventListener("click", () => {
    moveTo(button.dataset.preset === "own" ? own(state.method) : best(state.method, button.dataset.preset));
  }));
  all("input[name=list]").forEach((choice) => choice.addEventListener("change", () => {
    state.list = choice.value;
    update();
  }));
  all(".list").forEach((holder) => holder.querySelector(".more").addEventListener("click", () => {
    const kind = holder.id.replace("list-", ""), before = holder.querySelectorAll("li").length;
    state.shown[kind] = before + FIRST;
    update();
    const next = holder.querySelectorAll("li")[before];
    next.tabIndex = -1;
    next.focus();
  }));
  all("[data-look]").forEach((button) => button.addEventListener("click", () => {
    chooseClass(Number(button.dataset.look));
    at("look").scrollIntoView();
    at("look-class").focus();
  }));
  chooseClass(0);
}());
