"use strict";
/* The page around the scorer. It makes elements and sets their text; it never writes markup, so
   documents and labels stay text. Nothing is sent: the policy of the page allows no connection. */
(async function () {
  const at = (id) => document.getElementById(id);
  const MOST_SHOWN = 200;
  const settings = JSON.parse(at("settings").textContent);
  const bytes = Uint8Array.from(atob(at("numbers").textContent.trim()), (c) => c.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const buffer = await new Response(unpacked).arrayBuffer();
  const model = { ...settings.model };
  const KINDS = { float32: Float32Array, float64: Float64Array, int32: Int32Array };
  settings.arrays.forEach(({ name, kind, first, length }) => {
    model[name] = kind === "text"
      ? (length ? new TextDecoder().decode(buffer.slice(first, first + length)).split("\n") : [])
      : new KINDS[kind](buffer.slice(first, first + length));
  });
  const { score, marked } = scorer(model);
  const boxes = Array.from(document.querySelectorAll("textarea"));
  let point = settings.points[settings.chosen];
  let table = null;
  window.imbtext = { score, marked, readTable };

  function make(parent, tag, text, attributes) {
    const element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(([name, value]) => element.setAttribute(name, value));
    if (text !== undefined) { element.textContent = text; }
    parent.append(element);
    return element;
  }
  const decisionOf = (number) => settings.labels[number > point.threshold ? 1 : 0];

  function showText() {
    const pieces = boxes.map((box) => box.value), out = at("marked");
    out.replaceChildren();
    at("verdict").textContent = "";
    if (!pieces.some((piece) => piece.trim())) { return; }
    const { score: number, probability, nRead, nKnown, nothing } = score(pieces);
    const side = number > point.threshold ? "above" : "not above";
    let said = `${decisionOf(number)}: score ${number.toFixed(3)}, ${side} the threshold `
      + `${point.threshold.toFixed(3)} (probability ${probability.toFixed(2)}).`;
    if (model.has_words) { said += ` The model knows ${nKnown} of ${nRead} words.`; }
    if (nothing) { said += " It knows nothing of this text, so it cannot be an alarm."; }
    at("verdict").textContent = said;
    const texts = marked(pieces);
    const largest = Math.max(...texts.flat().map(([, weight]) => Math.abs(weight))) || 1;
    texts.forEach((parts) => {
      const line = make(out, "p", undefined, { class: "text" });
      parts.forEach(([part, weight]) => {
        if (!weight) { line.append(part); return; }
        const mark = make(line, "mark", part, { class: weight > 0 ? "for" : "against" });
        mark.title = (weight > 0 ? "+" : "") + weight.toFixed(3);
        const strength = Math.round(100 * (0.15 + 0.85 * Math.abs(weight) / largest));
        mark.style.background = `color-mix(in srgb, var(--${mark.className}) ${strength}%, transparent)`;
      });
    });
  }

  function showTable() {
    const body = at("rows");
    body.replaceChildren();
    if (!table || !table.scores) { return; }
    const order = table.scores.map((_, i) => i)
      .sort((a, b) => table.scores[b].score - table.scores[a].score || a - b);
    const n = table.scores.filter((one) => one.score > point.threshold).length;
    at("counted").textContent = `${n} of ${order.length} rows are above the threshold.`
      + (order.length > MOST_SHOWN ? ` The ${MOST_SHOWN} highest are shown.` : "");
    order.slice(0, MOST_SHOWN).forEach((i) => {
      const row = make(body, "tr"), one = table.scores[i];
      make(row, "td", String(i + 1));
      make(row, "td", decisionOf(one.score));
      make(row, "td", one.score.toFixed(3));
      make(row, "td", one.probability.toFixed(2));
      make(row, "td", one.text.length > 300 ? `${one.text.slice(0, 300)} …` : one.text,
        { class: "name" });
    });
    at("results").hidden = false;
  }

  const chosenColumns = () => Array.from(document.querySelectorAll("#columns select"))
    .map((select) => Number(select.value));

  function scoreTable() {
    const places = chosenColumns();
    table.scores = table.rows.map((row) => {
      const pieces = places.map((place) => row[place] || "");
      return { ...score(pieces), text: pieces.join("\n") };
    });
    showTable();
  }

  async function readFile(file) {
    at("problem").textContent = "";
    at("results").hidden = true;
    try {
      const content = new Uint8Array(await file.arrayBuffer());
      const wide = content[0] === 0xff && content[1] === 0xfe ? "utf-16le" : "utf-8";
      let text;
      try { text = new TextDecoder(wide, { fatal: true }).decode(content); }
      catch { throw new Error("The file is not UTF-8. Save it as \"CSV UTF-8\" and drop it again."); }
      table = { ...readTable(text), name: file.name };
    } catch (error) {
      at("problem").textContent = error.message;
      return;
    }
    const columns = at("columns");
    columns.replaceChildren();
    settings.columns.forEach((column, i) => {
      const field = make(columns, "p", undefined, { class: "field" });
      make(field, "label", `Column of ${column || "the texts"}`, { for: `column-${i}` });
      const select = make(field, "select", undefined, { id: `column-${i}` });
      table.header.forEach((name, k) => make(select, "option", name, { value: k }));
      select.value = Math.max(table.header.indexOf(column), 0);
      select.addEventListener("change", scoreTable);
    });
    scoreTable();
  }

  function saveTable() {
    const added = table.scores.map((one) =>
      [decisionOf(one.score), one.score, point.threshold, one.probability].map(String));
    const header = [...table.header, "decision", "score", "threshold", "probability"];
    const rows = table.rows.map((row, i) => [...table.header.map((_, k) => row[k] || ""), ...added[i]]);
    const text = writeTable({ header, rows, delimiter: table.delimiter });
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = table.name.replace(/(\.[^.]*)?$/, ".scored.csv");
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  function movePoint(place) {
    point = settings.points[place];
    at("threshold").value = place;
    at("cut").textContent = point.threshold.toFixed(3);
    at("threshold").setAttribute("aria-valuetext", at("cut").textContent);
    const expected = at("expected");
    expected.replaceChildren();
    point.sentences.forEach((sentence) => make(expected, "li", sentence));
    showText();
    showTable();
  }

  boxes.forEach((box) => box.addEventListener("input", showText));
  at("threshold").addEventListener("input", () => movePoint(Number(at("threshold").value)));
  at("back").addEventListener("click", () => movePoint(settings.chosen));
  at("file").addEventListener("change", () => { if (at("file").files.length) { readFile(at("file").files[0]); } });
  at("save").addEventListener("click", saveTable);
  const zone = at("zone");
  ["dragover", "drop"].forEach((name) => document.addEventListener(name, (event) => {
    event.preventDefault();
    zone.classList.toggle("over", name === "dragover");
  }));
  document.addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length) { readFile(event.dataTransfer.files[0]); }
  });
  movePoint(settings.chosen);
  document.body.dataset.ready = "";
})().catch((error) => {
  document.getElementById("problem").textContent =
    `This browser cannot run the page: ${error.message}. Use a current one.`;
});
