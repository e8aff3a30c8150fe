"use strict";
/* Scores texts as RareTextClassifier does, number by number: what is a float32 there is rounded
   here, and terms are added in the same order. `model` is what _scoring_page.py wrote. */
function scorer(model) {
  const round = Math.fround;
  const WORDS = new RegExp(model.words_pattern, "gv");
  const RUNS = new RegExp(model.runs_pattern, "gu");
  const WORD_OF_ONE = new RegExp(model.word_of_one, "u");
  const EDGES = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu;
  const numbered = (names) => new Map(names.map((name, i) => [name, i]));
  const words = numbered(model.words), grams = numbered(model.grams);
  const nWords = model.words.length, nPairs = model.pairs_left.length;
  const pairs = new Map();
  for (let k = 0; k < nPairs; k++) {
    pairs.set(model.pairs_left[k] * nWords + model.pairs_right[k], nWords + k);
  }
  const idf = (term) => model.kinds_idf[model.kinds[term]];
  const square = (term) => model.kinds_square[model.kinds[term]];

  // Each step is rounded, as compiled code does it. A processor that joins the two steps into one
  // would move a score by some 1e-8.
  const addProduct = (a, x, y) => round(a + round(x * y));

  const lengthOf = (word) => /[\ud800-\udfff]/.test(word) ? Array.from(word).length : word.length;

  // The name of a word: its stem, its number of digits, or null for a letter on its own.
  const stems = new Map();
  function nameOf(word) {
    if (!stems.has(word)) {
      let name = model.stems ? englishStem(word) : word;
      const shortest = model.stems ? 2 : 1;
      if (/^\p{Nd}/u.test(word)) {
        name = model.numbers[Math.min(lengthOf(word), model.numbers.length) - 1];
      } else if (lengthOf(word) < shortest && !WORD_OF_ONE.test(word)) { name = null; }
      stems.set(word, name);
    }
    return stems.get(word);
  }

  // The words of a text column: their numbers, -1 for one that is not known, and as written.
  function wordsOf(text, lower) {
    const found = [];
    for (const written of (lower ? text.toLowerCase() : text).match(WORDS) || []) {
      const name = nameOf(written.toLowerCase());
      if (name !== null) { found.push([words.has(name) ? words.get(name) : -1, written]); }
    }
    return found;
  }

  function gramsOf(run) {
    const letters = Array.from(` ${run} `), found = [];
    const n = Math.max(letters.length - 3, 1);
    for (let k = 0; k < n; k++) {
      const place = grams.get(letters.slice(k, k + 4).join(""));
      if (place !== undefined) { found.push(nWords + nPairs + place); }
    }
    return found;
  }
  const kept = new Map();
  function gramsOnce(run) {
    if (!kept.has(run)) {
      if (kept.size > 200000) { kept.clear(); }
      kept.set(run, gramsOf(run));
    }
    return kept.get(run);
  }

  const pairOf = (left, right) =>
    left < 0 || right < 0 ? undefined : pairs.get(left * nWords + right);

  // A block of terms: each with 1 + log of how often it occurs, in the order of their numbers.
  function entriesOf(terms) {
    const times = new Map();
    terms.forEach((term) => times.set(term, (times.get(term) || 0) + 1));
    const indices = Array.from(times.keys()).sort((a, b) => a - b);
    return { indices, values: indices.map((term) => round(1 + Math.log(times.get(term)))) };
  }

  function blocksOf(pieces) {
    const blocks = [];
    let nRead = 0, nKnown = 0;
    if (model.has_words) {
      const terms = [];
      pieces.forEach((piece) => {
        const found = wordsOf(piece, true);
        nRead += found.length;
        found.forEach(([term], i) => {
          if (term >= 0) { terms.push(term); nKnown += 1; }
          const pair = i + 1 < found.length ? pairOf(term, found[i + 1][0]) : undefined;
          if (pair !== undefined) { terms.push(pair); }
        });
      });
      blocks.push(entriesOf(terms));
    }
    if (model.has_grams) {
      const runs = pieces.join("\n").toLowerCase().match(RUNS) || [];
      blocks.push(entriesOf(runs.flatMap(gramsOnce)));
    }
    return { blocks, nRead, nKnown };
  }

  // What every term is multiplied by, one factor per block.
  function factorsOf(blocks) {
    const scales = blocks.map(({ indices, values }) => {
      let total = 0;
      indices.forEach((term, k) => { const x = values[k] * idf(term); total += x * x; });
      const length = Math.sqrt(total) * Math.sqrt(blocks.length);
      return length > 0 ? 1 / length : 0;
    });
    let length = 0;
    blocks.forEach(({ indices, values }, b) => {
      let part = 0;
      indices.forEach((term, k) => {
        part = addProduct(part, round(values[k] * values[k]), square(term));
      });
      length += part * scales[b] * scales[b];
    });
    return scales.map((scale) => length > 0 ? round(scale / Math.sqrt(length)) : 0);
  }

  function score(pieces) {
    const { blocks, nRead, nKnown } = blocksOf(pieces);
    const factors = factorsOf(blocks);
    let total = model.constant;
    blocks.forEach(({ indices, values }, b) => {
      let part = 0;
      indices.forEach((term, k) => { part = addProduct(part, values[k], model.weights[term]); });
      total += round(part * factors[b]);
    });
    const nothing = model.words_decide ? nKnown === 0
      : !blocks.some(({ indices }) => indices.some((term) => idf(term) > 0));
    if (nothing) { total = Math.min(total, model.lowest); }
    const probability = 1 / (1 + Math.exp(-(model.slope * total + model.curve_constant)));
    return { score: total, probability, nRead, nKnown, nothing };
  }

  // The pieces of each text column and what each adds to the score; 0 between words.
  function marked(pieces) {
    const { blocks } = blocksOf(pieces);
    const factors = factorsOf(blocks), added = new Map(), times = new Map(), places = [];
    blocks.forEach(({ indices, values }, b) => indices.forEach((term, k) => {
      added.set(term, round(round(values[k] * model.weights[term]) * factors[b]));
    }));
    pieces.forEach((piece, p) => {
      const found = model.has_words ? wordsOf(piece, false) : [];
      found.forEach(([term, written], i) => {
        if (term >= 0) { places.push([term, p, [written]]); }
        const next = found[i + 1], pair = next ? pairOf(term, next[0]) : undefined;
        if (pair !== undefined) { places.push([pair, p, [written, next[1]]]); }
      });
      for (const run of model.has_grams ? piece.match(RUNS) || [] : []) {
        const bare = run.replace(EDGES, "") || run;
        gramsOnce(run.toLowerCase()).forEach((term) => places.push([term, p, [bare]]));
      }
    });
    places.forEach(([term]) => times.set(term, (times.get(term) || 0) + 1));
    const weights = pieces.map(() => new Map());
    places.forEach(([term, p, spelt]) => spelt.forEach((word) => {
      const key = word.toLowerCase(), share = (added.get(term) || 0) / times.get(term) / spelt.length;
      weights[p].set(key, (weights[p].get(key) || 0) + share);
    }));
    return pieces.map((piece, p) => piece.split(/([\p{L}\p{N}]+)/u).map((part, i) =>
      [part, i % 2 ? weights[p].get(part.toLowerCase()) || 0 : 0]).filter(([part]) => part));
  }

  return { score, marked };
}

/* The rows of a table as text, with quotes as spreadsheets write them. */
function readTable(text) {
  const content = text.replace(/^\ufeff/, "");
  const first = content.split(/\r?\n/, 1)[0].replace(/"[^"]*"/g, "");
  const count = (mark) => first.split(mark).length;
  const delimiter = [",", ";", "\t", "|"].reduce((a, b) => count(b) > count(a) ? b : a);
  const rows = [];
  let row = [], cell = "", quoted = false;
  for (let k = 0; k < content.length; k++) {
    const mark = content[k];
    if (quoted) {
      if (mark !== "\"") { cell += mark; }
      else if (content[k + 1] === "\"") { cell += mark; k += 1; }
      else { quoted = false; }
    } else if (mark === "\"" && cell === "") { quoted = true; }
    else if (mark === delimiter) { row.push(cell); cell = ""; }
    else if (mark === "\n" || mark === "\r" && content[k + 1] === "\n") {
      if (mark === "\r") { k += 1; }
      row.push(cell); rows.push(row); row = []; cell = "";
    } else { cell += mark; }
  }
  if (cell !== "" || row.length) { row.push(cell); rows.push(row); }
  if (quoted) { throw new Error("A quotation mark in the file is never closed."); }
  const full = rows.filter((one) => one.length > 1 || one[0] !== "");
  if (!full.length) { throw new Error("The file has no rows."); }
  return { header: full[0], rows: full.slice(1), delimiter };
}

function writeTable({ header, rows, delimiter }) {
  const quote = (cell) => /["\r\n]/.test(cell) || cell.includes(delimiter)
    ? `"${cell.replace(/"/g, "\"\"")}"` : cell;
  return [header, ...rows].map((row) => row.map(quote).join(delimiter) + "\n").join("");
}
