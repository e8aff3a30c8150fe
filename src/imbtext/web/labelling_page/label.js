"use strict";
/* The labelling page. It makes elements and sets their text; it never writes markup, so whatever a
   document, a note or a name contains stays text. */
(function () {
  const at = (id) => document.getElementById(id);
  const stored = (name, value) => sessionStorage.getItem(name) || (sessionStorage.setItem(name, value), value);
  const seat = stored("seat", Array.from(crypto.getRandomValues(new Uint32Array(2))).join("-"));
  const page = { labeller: "", classes: [], no: "no", id: null, name: "", row: null, last: "", busy: false,
    inSample: false, isEarly: true };
  const RETRY = 2000, LONGEST = 90000;  // milliseconds
  const PASSING = [408, 429, 502, 503, 504, 507];  // what may be over when the page asks again

  function make(parent, tag, attributes, text) {
    const space = tag === "svg" || (parent && parent.namespaceURI.endsWith("svg"))
      ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1999/xhtml";
    const made = document.createElementNS(space, tag);
    Object.entries(attributes || {}).forEach(([name, value]) => made.setAttribute(name, value));
    if (text !== undefined) { made.textContent = text; }
    if (parent) { parent.append(made); }
    return made;
  }

  const number = (n) => n.toLocaleString("en");
  const say = (text) => { at("status").textContent = text; };
  const wait = (ms) => new Promise((done) => { setTimeout(done, ms); });

  function problem(text) {
    at("problem").textContent = text;
    at("problem").hidden = !text;
  }

  /* ---- Asking: a request that does not get through is sent again, so that no decision is lost ---- */

  let lost = 0;  // requests that wait to be asked again

  async function ask(path, values) {
    const unsaved = path === "progress" ? "" : "Not saved: ";
    let isLost = false;
    const lose = (text) => { lost += isLost ? 0 : 1; isLost = true; problem(text); return wait(RETRY); };
    const body = JSON.stringify({ labeller: page.labeller, seat: seat, ...values });
    for (;;) {
      let answer;
      try {
        answer = await fetch(path, { method: "POST", body: body, signal: AbortSignal.timeout(LONGEST) });
      } catch (error) {
        await lose(unsaved + "imbtext does not answer. Start it again with the same command. This page "
          + "keeps trying; if the new address differs, open that one and decide on this document again.");
        continue;
      }
      const said = await answer.json().catch(() => ({ error: "the server answered " + answer.status }));
      if (answer.ok) {
        if (isLost) { lost -= 1; }
        if (isLost && !lost) { problem(""); }
        return said;
      }
      if (answer.status === 401) {
        problem(unsaved + "this address is out of date. Open the one that imbtext printed last.");
      } else if (PASSING.includes(answer.status)) {
        await lose(unsaved + said.error + ". This page tries again.");
        continue;
      } else {
        problem(said.error);
      }
      throw Object.assign(new Error(said.error), { status: answer.status });
    }
  }

  addEventListener("beforeunload", (event) => {
    if (page.busy && lost) { event.preventDefault(); }  // a decision that is not saved yet
  });

  /* One request that changes something at a time: a key pressed twice decides once. */
  async function during(work) {
    if (page.busy) { return; }
    page.busy = true;
    problem("");
    setButtons();
    at("document").setAttribute("aria-busy", "true");
    try {
      await work();
    } catch (error) {
      if (error.status === 409) {
        show(await ask("open", {}));
        problem(error.message);
      } else if (error.status === undefined) {
        problem(String(error));
      }
    } finally {
      page.busy = false;
      at("document").setAttribute("aria-busy", "false");
      setButtons();
    }
  }

  /* ---- The document ---- */

  function marked(parent, text, words) {
    const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&").replace(/\s+/g, "[\\s\\p{P}]+"));
    escaped.sort((one, other) => other.length - one.length);
    let end = 0;
    if (escaped.length) {
      const pattern = new RegExp("(?<![\\p{L}\\p{N}])(?:" + escaped.join("|") + ")(?![\\p{L}\\p{N}])", "giu");
      for (const match of text.matchAll(pattern)) {
        parent.append(text.slice(end, match.index));
        make(parent, "mark", { class: "for" }, match[0]);
        end = match.index + match[0].length;
      }
    }
    parent.append(text.slice(end));
  }

  function showText(parts, words) {
    const box = at("text");
    box.textContent = "";
    parts.forEach((part) => {
      if (parts.length > 1) { make(box, "h2", { class: "part" }, part.name); }
      marked(make(box, "p", { class: "text", dir: "auto" }), part.text, words);
    });
  }

  function showSample(counts) {
    at("sample").hidden = !counts.sample;
    at("sample-text").textContent = "Random sample: " + number(counts.sample_read) + " of " + number(counts.sample) + " read.";
    page.inSample = Boolean(counts.sample);
    offerSample();
  }

  function offerSample() { at("read-sample").hidden = page.inSample || page.isEarly; }

  /* The beginning of the document, for a screen reader. */
  const beginning = () => Array.from(at("text").children, (part) => part.textContent).join(". ").slice(0, 300);

  const sources = { search: "your search", disagreement: "the disagreements", list: "the list" };
  const named = (decision) => decision === page.no && page.classes.length === 1 ? "not " + page.classes[0] : decision;
  const quoted = (said) => (said.labeller || "the table") + ": " + named(said.decision) + (said.note ? " (" + said.note + ")" : "");

  const called = (document) => (page.id === null ? "Row" : page.id) + " " + document.name;

  function show(answer) {
    const shown = answer.document, counts = answer.counts;
    at("counts").textContent = number(counts.read) + " of " + number(counts.documents) + " read, "
      + number(counts.found) + " found";
    const again = counts.disagreements + counts.unsure;
    at("review").textContent = "Documents that need another look (" + number(again) + ")";
    at("review").title = number(counts.disagreements) + " disagreements, " + number(counts.unsure) + " unsure";
    page.row = shown ? shown.row : null;
    page.last = answer.last;
    at("document").dataset.row = shown ? shown.row : "";
    at("note").value = "";
    at("said").textContent = at("columns").textContent = "";
    showSample(counts);
    if (!shown) {
      at("place").textContent = at("words").textContent = "";
      showText([{ text: again ? "There is nothing left to read but the documents that need another look."
        : "There is nothing left to read." }], []);
      return;
    }
    at("place").textContent = called(shown) + (page.id === null ? " of " + page.name + ", counted from 0" : "")
      + (sources[shown.chosen] ? ", from " + sources[shown.chosen] : "");
    shown.columns.forEach((cell) => {
      const pair = make(at("columns"), "div");
      make(pair, "dt", {}, cell.name);
      make(pair, "dd", { dir: "auto" }, cell.text || "\u2013");
    });
    showText(shown.parts, shown.words);
    at("words").textContent = shown.words.length ? "Speaks for it: " : "";
    shown.words.slice(0, 8).forEach((word) => make(at("words"), "span", { class: "chip for" }, word));
    const mine = shown.said.find((said) => said.labeller === page.labeller);
    if (mine) { at("note").value = mine.note; }
    if (sources[shown.chosen] || mine) {
      shown.said.forEach((said) => make(at("said"), "li", {}, quoted(said)));
    }
    at("start").hidden = counts.found > 2;
    at("train").hidden = !counts.found;
    at("no-model").hidden = Boolean(counts.found);
  }

  function setButtons() {
    document.querySelectorAll("#decisions button").forEach((button) => {
      // Not disabled: that would take the focus away from who decides by Tab and Enter.
      button.setAttribute("aria-disabled", page.busy || (page.row === null && !button.classList.contains("undo")));
    });
  }

  async function decide(decision) {
    if (page.row === null) { return; }
    await during(async () => {
      const byButton = at("decisions").contains(document.activeElement);
      const answer = await ask("decide", { row: page.row, decision: decision, note: at("note").value });
      show(answer);
      if (answer.counts.found) { at("start").open = false; }  // the finds say more than words
      say("Saved: " + named(decision) + ". " + (page.row === null ? "There is nothing left to read."
        : "Next: " + beginning()));
      scrollTo(0, 0);
      if (!byButton) { at("document").focus({ preventScroll: true }); }
    });
    refresh();
  }

  async function undo() {
    await during(async () => {
      const answer = await ask("undo", { last: page.last });
      show(answer);
      say(answer.undone ? "Taken back. Decide again: " + beginning() : "There is nothing to take back.");
    });
    refresh();
  }

  /* Open another document, and say which. */
  const goTo = (path, values, what) => during(async () => {
    show(await ask(path, values));
    scrollTo(0, 0);
    say(what + beginning());
    at("document").focus({ preventScroll: true });
  }).then(refresh);

  at("read-sample").addEventListener("click", () => goTo("sample", {}, "Random sample. First: "));
  at("leave-sample").addEventListener("click", () => goTo("leave-sample", {}, "The likeliest document: "));

  /* ---- Progress ---- */

  function draw(curve) {
    const box = at("curve"), width = 320, height = 130, left = 8, top = 20, low = height - 26;
    box.textContent = "";
    const [read, found] = curve[curve.length - 1];
    if (!read) { return; }
    const svg = make(box, "svg", { viewBox: "0 0 " + width + " " + height, role: "img",
      "aria-label": "Found against read: " + number(found) + " found in " + number(read) + " documents read" });
    const x = (n) => left + (width - left - 8) * n / read, y = (n) => low - (low - top) * n / Math.max(found, 1);
    make(svg, "path", { class: "axis grid", d: "M" + left + " " + top + "V" + low + "H" + (width - 8), fill: "none" });
    make(svg, "polyline", { class: "found", points: curve.map(([r, f]) => x(r).toFixed(1) + "," + y(f).toFixed(1)).join(" ") });
    make(svg, "text", { x: left, y: 11 }, number(found) + " found");
    make(svg, "text", { x: width - 8, y: height - 8, "text-anchor": "end" }, number(read) + " read");
  }

  function showTraining(training) {
    const box = at("trained");
    if (box.dataset.state === training.state && training.state !== "done") { return; }
    box.dataset.state = training.state;
    box.textContent = "";
    at("train").setAttribute("aria-disabled", training.state === "running");
    if (training.state === "running") { box.textContent = "Training. You can go on reading."; }
    if (training.state === "failed") { box.textContent = "No model yet: " + training.message; }
    if (training.state === "done") {
      make(box, "p", {}, "Wrote " + training.model + ", and what is decided on every document: "
        + training.decided + ". What to expect:");
      const list = make(box, "ul", {});
      training.sentences.forEach((sentence) => make(list, "li", {}, sentence));
      make(box, "p", {}, "New documents:");
      make(box, "pre", {}, training.command);
    }
  }

  let refreshing = false, stale = false, later = 0;
  async function refresh() {
    stale = true;
    if (refreshing) { return; }
    refreshing = true;
    try {
      while (stale) {
        stale = false;
        clearTimeout(later);
        const answer = await ask("progress", {});
        draw(answer.curve);
        const box = at("sentences");
        box.textContent = "";
        at("left").classList.toggle("stop", answer.may_stop);
        at("left").textContent = answer.left;
        answer.sentences.forEach((sentence) => make(box, "p", {}, sentence));
        page.isEarly = answer.is_early;
        offerSample();
        at("read-sample").textContent = answer.sample_needed
          ? "Read " + number(answer.sample_needed) + " documents at random" : "Check with documents read at random";
        at("progress").hidden = answer.curve.length < 2 && !answer.sentences.length;
        answer.by_class.forEach((one) => make(box, "p", {}, one.label + ": " + number(one.found) + " found"));
        showTraining(answer.training);
        const isTraining = answer.training.state === "running";
        if (isTraining || answer.is_encoding) { later = setTimeout(refresh, isTraining ? 1000 : 5000); }
      }
    } catch (error) {
      // The line at the top says what is wrong.
    } finally {
      refreshing = false;
    }
  }

  /* ---- Lists ---- */

  function showList(title, documents, from) {
    const list = at("list");
    at("list-title").textContent = title;
    list.textContent = "";
    documents.forEach((one) => {
      const button = make(make(list, "li"), "button", { type: "button" });
      make(button, "span", { class: "said" }, called(one) + " ");
      button.append(one.text || "(empty)");
      if (one.said.length) { make(button, "span", { class: "said" }, one.said.map(quoted).join("; ")); }
      button.addEventListener("click", () => goTo("look-up", { row: one.row, from: from }, "Document: "));
    });
    say(title);
  }

  at("search-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = at("search").value.trim();
    if (!words) { return; }
    const answer = await ask("search", { words: words }).catch(() => null);
    if (answer) { showList(answer.documents.length ? "The most similar documents:" : "No document has such words.", answer.documents, "search"); }
  });

  at("review").addEventListener("click", async () => {
    const answer = await ask("review", {}).catch(() => null);
    if (answer) { showList(answer.documents.length ? "Labellers disagree, or are unsure:" : "No document needs another look.", answer.documents, "list"); }
  });

  at("train").addEventListener("click", async () => {
    const answer = await ask("train", {}).catch(() => null);
    if (answer) { showTraining(answer.training); refresh(); }
  });

  at("start-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const start = { words: at("start-words").value, example: at("start-example").value };
    page.start[at("class").value] = start;
    goTo("start", { ...start, class: at("class").value }, "First: ").then(() => {
      if (at("problem").hidden) { at("start").open = false; }
    });
  });

  function fillStart() {
    const start = page.start[at("class").value];
    at("start-words").value = start.words;
    at("start-example").value = start.example;
  }
  at("class").addEventListener("change", fillStart);

  at("labeller-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("labeller", at("labeller").value.trim());
    during(begin);
  });

  /* ---- Keys ---- */

  const keys = {};

  function addButton(name, text, key, kind, act, more) {
    const button = make(at("decisions"), "button", { type: "button", "data-decision": name, class: kind }, text);
    button.addEventListener("click", act);
    if (!key) { return; }
    button.setAttribute("aria-keyshortcuts", key);
    button.append(" ");
    make(button, "kbd", { "aria-hidden": "true" }, key.toUpperCase());
    [key].concat(more || []).forEach((one) => { keys[one] = act; });
    make(at("keys"), "li", {}, key.toUpperCase() + ": " + text);
  }

  const addDecision = (decision, text, key, kind, more) => addButton(decision, text, key, kind, () => decide(decision), more);

  function addButtons() {
    at("decisions").textContent = at("keys").textContent = "";
    if (page.classes.length === 1) {
      const isYes = page.classes[0] === "yes";
      addDecision(page.classes[0], isYes ? "Yes" : page.classes[0], "y", "class", ["1"]);
      addDecision(page.no, isYes ? "No" : "not " + page.classes[0], "n", "no", ["0"]);
    } else {
      page.classes.forEach((name, i) => addDecision(name, name, i < 9 ? String(i + 1) : "", "class"));
      addDecision(page.no, "None of them", "n", "no", ["0"]);
    }
    addDecision("unsure", "Unsure", "u", "");
    addDecision("skip", "Skip", "s", "");
    addButton("undo", "Undo", "z", "undo", undo);
    [["E", "write a note"], ["/", "search"], ["Escape", "back to the document"]].forEach(([key, text]) => make(at("keys"), "li", {}, key + ": " + text));
    keys.e = () => at("note").focus();
    keys["/"] = () => at("search").focus();
  }

  /* What a key does. Keyboards of other scripts have no Y, and French ones no digits without Shift: there
     the place of the key counts. */
  function actOf(event) {
    const place = /^(?:Key|Digit)(.)$/.exec(event.code || "");
    const isForeign = /[^\x00-\x7f]/.test(event.key) || (place && /\d/.test(place[1]) && !event.shiftKey);
    return keys[event.key.toLowerCase()] || (place && isForeign && keys[place[1].toLowerCase()]);
  }

  document.addEventListener("keydown", (event) => {
    if (event.isComposing) { return; }  // Enter ends a word there, not the note
    const isTyping = event.target.matches("input:not([type=checkbox]), textarea, select");
    if (event.key === "Escape" || (event.key === "Enter" && event.target === at("note"))) {
      event.preventDefault();
      at("document").focus();
      return;
    }
    if (isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !at("use-keys").checked) { return; }
    const act = actOf(event);
    if (act) {
      event.preventDefault();
      act();
    }
  });

  /* ---- The beginning ---- */

  async function begin() {
    const given = new URLSearchParams(location.search).get("labeller");
    page.labeller = sessionStorage.getItem("labeller") || given || "";
    const answer = await ask("open", {});
    Object.assign(page, { labeller: answer.labeller, classes: answer.classes, no: answer.no, start: answer.start, id: answer.id,
      name: answer.name });
    at("labeller").value = answer.labeller;
    at("name").textContent = answer.name + ":";
    at("file").textContent = answer.labels;
    document.title = "Label " + answer.name;
    const one = answer.classes.length === 1;
    at("question").textContent = !one ? "What is this document?"
      : answer.classes[0] === "yes" ? "Is this what you are looking for?" : "Is this \u201c" + answer.classes[0] + "\u201d?";
    at("start-class").hidden = one;
    at("class").textContent = "";
    answer.classes.forEach((name) => make(at("class"), "option", { value: name }, name));
    fillStart();
    at("command").textContent = answer.command;
    addButtons();
    show(answer);
    const isGiven = Object.values(answer.start).some((start) => start.words || start.example);
    at("start-title").textContent = isGiven ? "Begin with other words" : "Begin with words or an example";
    at("start").open = answer.counts.found === 0 && !isGiven;
    setButtons();
    document.body.dataset.ready = "yes";
  }

  during(begin).then(refresh);
})();
