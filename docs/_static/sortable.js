// Tables of class "sortable": a click or Enter on a heading sorts by its column, empty cells last;
// words typed above a long table keep the rows that hold all of them.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const sign = down ? -1 : 1;
        const compare = (a, b) => (a === "") - (b === "")
          || sign * (Number(a) - Number(b) || a.localeCompare(b));
        body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b))));
      });
    });
    const label = table.parentElement.previousElementSibling;
    if (!label?.classList.contains("table-filter")) continue;
    label.hidden = false;
    const rows = [...body.rows];
    const cells = new Map(rows.map((row) => [row, [...row.cells].map((c) => c.textContent.toLowerCase())]));
    label.querySelector("input").addEventListener("input", (event) => {
      const words = event.target.value.toLowerCase().split(/\s+/);
      for (const row of rows) {
        row.hidden = !words.every((word) => cells.get(row).some((cell) => cell.includes(word)));
      }
      const shown = rows.filter((row) => !row.hidden).length;
      label.querySelector("output").textContent = `${shown} of ${rows.length} rows`;
    });
  }
});
