"use strict";
/* The stems of English words, as Snowball's english.sbl defines them (Porter's second stemmer). A
   word is letters in lower case. tests/rare compares it with PyStemmer, word by word. */
const englishStem = (function () {
  const WHOLE = new Map(Object.entries({
    skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli",
    only: "onli", singly: "singl", sky: "sky", news: "news", howe: "howe", atlas: "atlas",
    cosmos: "cosmos", bias: "bias", andes: "andes",
  }));
  const BEGINNINGS = /^(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/;
  const SECOND = {
    tional: "tion", enci: "ence", anci: "ance", abli: "able", entli: "ent", izer: "ize",
    ization: "ize", ational: "ate", ation: "ate", ator: "ate", alism: "al", aliti: "al",
    alli: "al", fulness: "ful", fulli: "ful", ousli: "ous", ousness: "ous", iveness: "ive",
    iviti: "ive", biliti: "ble", bli: "ble", ogist: "og", ogi: "og", lessli: "less", li: "",
  };
  const THIRD = {
    tional: "tion", ational: "ate", alize: "al", icate: "ic", iciti: "ic", ical: "ic", ful: "",
    ness: "", ative: "",
  };
  const FOURTH = ["ement", "ment", "ance", "ence", "able", "ible", "ent", "ant", "ism", "ate",
    "iti", "ous", "ive", "ize", "ion", "al", "er", "ic"];
  const longestFirst = (table) => Object.keys(table).sort((a, b) => b.length - a.length);
  const SECOND_ENDS = longestFirst(SECOND), THIRD_ENDS = longestFirst(THIRD);
  const hasVowel = (word) => /[aeiouy]/.test(word);

  // Where the part begins that follows the first consonant after a vowel.
  function regionAfter(word, start) {
    const found = /[aeiouy][^aeiouy]/.exec(word.slice(start));
    return found ? start + found.index + 2 : word.length;
  }

  const endsShort = (word) =>
    /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word)
    || word.endsWith("past");

  function step1a(word) {
    if (word.endsWith("sses")) { return word.slice(0, -2); }
    if (/ie[ds]$/.test(word)) { return word.slice(0, word.length > 4 ? -2 : -1); }
    if (/(?:ss|us)$/.test(word) || !word.endsWith("s")) { return word; }
    return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word;
  }

  function step1b(word, first) {
    const found = /(?:eedly|eed|ingly|edly|ing|ed)$/.exec(word);
    if (!found) { return word; }
    const before = word.slice(0, found.index);
    if (found[0].startsWith("eed")) {
      const kept = found.index < first || /^(?:succ|proc|exc)$/.test(before);
      return kept ? word : before + "ee";
    }
    if (found[0] === "ing") {
      if (/^[^aeiouy]y$/.test(before)) { return before[0] + "ie"; }
      if (/^(?:even|cann|inn|earr|herr|out)$/.test(before)) { return word; }
    }
    if (!hasVowel(before)) { return word; }
    if (/(?:at|bl|iz)$/.test(before)) { return before + "e"; }
    if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(before)) {
      return /^[aeo]..$/.test(before) ? before : before.slice(0, -1);
    }
    return before.length === first && endsShort(before) ? before + "e" : before;
  }

  function step2(word, first) {
    const end = SECOND_ENDS.find((one) => word.endsWith(one));
    if (end === undefined || word.length - end.length < first) { return word; }
    const before = word.slice(0, word.length - end.length);
    if (end === "ogi" && !before.endsWith("l")) { return word; }
    if (end === "li" && !/[cdeghkmnrt]$/.test(before)) { return word; }
    return before + SECOND[end];
  }

  function step3(word, first, second) {
    const end = THIRD_ENDS.find((one) => word.endsWith(one));
    if (end === undefined) { return word; }
    const place = word.length - end.length;
    return place < (end === "ative" ? second : first) ? word : word.slice(0, place) + THIRD[end];
  }

  function step4(word, second) {
    const end = FOURTH.find((one) => word.endsWith(one));
    if (end === undefined || word.length - end.length < second) { return word; }
    const before = word.slice(0, word.length - end.length);
    return end === "ion" && !/[st]$/.test(before) ? word : before;
  }

  function step5(word, first, second) {
    const before = word.slice(0, -1);
    if (word.endsWith("e")) {
      const drops = before.length >= second || before.length >= first && !endsShort(before);
      return drops ? before : word;
    }
    return word.endsWith("ll") && before.length >= second ? before : word;
  }

  function stemOf(given) {
    if (WHOLE.has(given)) { return WHOLE.get(given); }
    if (given.length < 3) { return given; }
    let word = given.replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
    const beginning = BEGINNINGS.exec(word);
    const first = beginning ? beginning[0].length : regionAfter(word, 0);
    const second = regionAfter(word, first);
    word = step1b(step1a(word), first);
    if (/.[^aeiouy][yY]$/.test(word)) { word = word.slice(0, -1) + "i"; }
    word = step4(step3(step2(word, first), first, second), second);
    return step5(word, first, second).replace(/Y/g, "y");
  }

  // Letters beyond the first plane are two units of a string, and one letter for Snowball.
  return function (word) {
    const wide = word.match(/[\ud800-\udbff][\udc00-\udfff]/g);
    if (!wide) { return stemOf(word); }
    let next = 0;
    return stemOf(word.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "\ue000"))
      .replace(/\ue000/g, () => wide[next++]);
  };
})();
