"use strict";
(function () {
  function valueOf(row, column) {
    var cell = row.cells[column];
    if (cell.hasAttribute("data-value")) { return Number(cell.getAttribute("data-value")); }
    return cell.getAttribute("data-text") || cell.textContent;
  }

  function sortBy(header) {
    var row = header.parentNode;
    var body = row.closest("table").tBodies[0];
    var column = Array.prototype.indexOf.call(row.cells, header);
    var numeric = header.hasAttribute("data-numeric");
    var before = header.getAttribute("aria-sort");
    // Numbers are first shown from the highest down: that is what one looks for.
    var descending = before === null ? numeric : before !== "descending";
    Array.prototype.forEach.call(row.cells, function (cell) { cell.removeAttribute("aria-sort"); });
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    var rows = Array.prototype.slice.call(body.rows);
    rows.sort(function (first, second) {
      var a = valueOf(first, column), b = valueOf(second, column);
      if (numeric) {
        a = Number(a);
        b = Number(b);
        // What is not a number comes last in either direction.
        if (Number.isNaN(a) || Number.isNaN(b)) { return Number.isNaN(a) - Number.isNaN(b); }
        return descending ? b - a : a - b;
      }
      return descending ? b.localeCompare(a) : a.localeCompare(b);
    });
    rows.forEach(function (moved) { body.appendChild(moved); });
    var status = document.getElementById("status");
    status.textContent = "Sorted by " + header.textContent.trim() + ", "
      + (descending ? "highest first" : "lowest first");
  }

  document.querySelectorAll("th button").forEach(function (button) {
    button.addEventListener("click", function () { sortBy(button.closest("th")); });
  });

  var slider = document.getElementById("gamma");
  if (slider) {
    var output = document.getElementById("gamma-value");
    var show = function () {
      document.querySelectorAll("[data-gamma]").forEach(function (part) {
        part.hidden = part.getAttribute("data-gamma") !== slider.value;
      });
      var text = document.querySelector('[data-gamma="' + Number(slider.value) + '"]')
        .getAttribute("data-label");
      output.textContent = text;
      slider.setAttribute("aria-valuetext", text);
    };
    slider.addEventListener("input", show);
    show();
  }
}());
