// EMCO in JavaScript, for the page "How EMCO works". The arithmetic is that of imbtext.markov,
// down to the random numbers; tests/docs compares the two.
const emco = (() => {
  "use strict";

  const STEP = 0x9e3779b97f4a7c15n;
  const wrap = (z) => BigInt.asUintN(64, z);

  // SplitMix64's finaliser, used as a counter: a document's k-th number is a hash of its key and k.
  function mix(z) {
    z = wrap((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = wrap((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  }

  function documentKey(seed, stream, document) {
    let key = mix(wrap(BigInt(seed) + STEP));
    key = mix(key ^ mix(wrap(BigInt(stream) + 2n * STEP)));
    return mix(key ^ mix(wrap(BigInt(document) + 3n * STEP)));
  }

  // scikit-learn's default tokens: runs of two or more letters, digits and underscores.
  const tokenize = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) || [];

  // Transitions between neighbouring words, first and last words, words and lengths (section 4.1).
  function count(documents, ids) {
    const n = ids.size;
    const counts = {
      pairs: Array.from({ length: n }, () => new Map()),
      initial: new Array(n).fill(0),
      ending: new Array(n).fill(0),
      words: new Array(n).fill(0),
      lengths: new Map(),
      documents: 0,
    };
    for (const words of documents) {
      if (!words.length) continue;
      const row = words.map((word) => ids.get(word));
      counts.documents += 1;
      counts.initial[row[0]] += 1;
      counts.ending[row[row.length - 1]] += 1;
      counts.lengths.set(row.length, (counts.lengths.get(row.length) || 0) + 1);
      row.forEach((word, i) => {
        counts.words[word] += 1;
        if (i + 1 < row.length) {
          const next = counts.pairs[word];
          next.set(row[i + 1], (next.get(row[i + 1]) || 0) + 1);
        }
      });
    }
    return counts;
  }

  // All documents and those of the class, counted on one sorted vocabulary.
  function corpus(minority, majority) {
    const all = [...minority, ...majority].map(tokenize);
    const vocabulary = [...new Set(all.flat())].sort();
    const ids = new Map(vocabulary.map((word, i) => [word, i]));
    return {
      vocabulary,
      total: count(all, ids),
      minority: count(all.slice(0, minority.length), ids),
    };
  }

  // The rows of P: C_min + gamma (C - C_min) off the diagonal, and E_min to <stop> (Table 1).
  function chain({ vocabulary, total, minority }, gamma) {
    const stop = vocabulary.length;
    const own = vocabulary.map((_, i) => i).filter((i) => minority.words[i] > 0);
    const rows = own.map((i) => {
      const row = [];
      for (const [j, n] of [...total.pairs[i]].sort((a, b) => a[0] - b[0])) {
        const m = minority.pairs[i].get(j) || 0;
        const weight = m + gamma * (n - m);
        if (j !== i && weight > 0) row.push([j, weight]);
      }
      if (minority.ending[i] > 0) row.push([stop, minority.ending[i]]);
      return row;
    });
    rows.push(own.map((i) => [i, minority.words[i]])); // shared by all majority-only words
    rows.push(own.filter((i) => minority.initial[i] > 0).map((i) => [i, minority.initial[i]]));
    const state = new Array(stop + 1).fill(own.length);
    own.forEach((word, s) => (state[word] = s));
    state[stop] = own.length + 1;
    return { vocabulary, stop, own, rows, state, lengths: minority.lengths, n: minority.documents };
  }

  // Vose's alias table of a row: a draw reads one slot and decides between its two outcomes.
  function aliasTable(row) {
    const width = row.length;
    const sum = row.reduce((total, [, weight]) => total + weight, 0);
    const scaled = row.map(([, weight]) => (weight * width) / sum);
    const cut = new Array(width);
    const other = new Array(width);
    const small = [];
    const large = [];
    scaled.forEach((value, k) => (value < 1 ? small : large).push(k));
    while (small.length && large.length) {
      const low = small.pop();
      const high = large[large.length - 1];
      cut[low] = Math.floor(scaled[low] * 4294967296);
      other[low] = high;
      scaled[high] -= 1 - scaled[low];
      if (scaled[high] < 1) small.push(large.pop());
    }
    for (const k of [...small, ...large]) {
      cut[k] = 4294967295;
      other[k] = k;
    }
    return (u) => {
      const slot = Number(((u >> 32n) * BigInt(width)) >> 32n);
      return row[Number(u & 0xffffffffn) >= cut[slot] ? other[slot] : slot][0];
    };
  }

  function drawLength({ lengths, n }, key) {
    let pick = Number(((mix(key) >> 32n) * BigInt(n)) >> 32n);
    for (const length of [...lengths.keys()].sort((a, b) => a - b)) {
      pick -= lengths.get(length);
      if (pick < 0) return length;
    }
    throw new Error("the class has no document with a word in it");
  }

  // One walk of the chain (Algorithm 1): begin at <stop>, pass through it without writing it.
  function draw(model, document, seed = 0, stream = 0) {
    model.tables = model.tables || model.rows.map(aliasTable);
    let key = documentKey(seed, stream, document);
    const length = drawLength(model, key);
    const words = [];
    let state = model.state[model.stop];
    while (words.length < length) {
      key = wrap(key + STEP);
      const word = model.tables[state](mix(key));
      state = model.state[word];
      if (word !== model.stop) words.push(word);
    }
    return words;
  }

  // Lanczos' approximation of log Gamma.
  const LANCZOS = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  function logGamma(x) {
    if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
    let sum = 0.9999999999998099;
    LANCZOS.forEach((value, i) => (sum += value / (x + i)));
    const t = x + LANCZOS.length - 1.5;
    return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
  }

  // Expected distinct words among so many tokens drawn from the bag of all words.
  function rarefiedWords(wordCounts, tokens) {
    const total = wordCounts.reduce((a, b) => a + b, 0);
    return wordCounts.reduce((sum, occurrences) => {
      const rest = total - occurrences;
      if (!occurrences || rest < tokens) return sum + (occurrences ? 1 : 0);
      return sum + 1 - Math.exp(logGamma(rest + 1) - logGamma(rest - tokens + 1)
        - logGamma(total + 1) + logGamma(total - tokens + 1));
    }, 0);
  }

  // Heaps' law through the class's own point, theta from the whole corpus at the sizes in question.
  function heapsLaw({ total, minority }, nNew) {
    const tokens = minority.words.reduce((a, b) => a + b, 0);
    const words = minority.words.filter((n) => n > 0).length;
    const grown = tokens + (nNew * tokens) / minority.documents;
    const high = Math.min(grown, total.words.reduce((a, b) => a + b, 0));
    const low = Math.min(tokens, high / 2);
    const points = Array.from({ length: 20 }, (_, i) => low * (high / low) ** (i / 19));
    const x = points.map(Math.log);
    const y = points.map((size) => Math.log(rarefiedWords(total.words, size)));
    const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;
    const [mx, my] = [mean(x), mean(y)];
    const theta = x.reduce((s, v, i) => s + (v - mx) * (y[i] - my), 0)
      / x.reduce((s, v) => s + (v - mx) ** 2, 0);
    return { theta, tokens, words, grown, at: (size) => words * (size / tokens) ** theta };
  }

  // Distinct words after the class's documents and then after each synthetic one.
  function growth(data, model, nNew, seed) {
    const seen = new Set(model.own);
    let tokens = data.minority.words.reduce((a, b) => a + b, 0);
    const points = [[tokens, seen.size]];
    for (let i = 0; i < nNew; i += 1) {
      const words = draw(model, i, seed);
      words.forEach((word) => seen.add(word));
      tokens += words.length;
      points.push([tokens, seen.size]);
    }
    return points;
  }

  return { tokenize, corpus, chain, draw, rarefiedWords, heapsLaw, growth };
})();
