// Tables of class "sortable": a click or Enter on a heading sorts by its column.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.sortable")) {
    const headings = [...table.tHead.rows[0].cells];
    headings.forEach((heading, column) => {
      heading.querySelector("button").addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
        const sign = down ? -1 : 1;
        const compare = (a, b) => (a === "") - (b === "")  // empty cells come last, either way
          || sign * (Number(a) - Number(b) || a.localeCompare(b));
        table.tBodies[0].append(
          ...[...table.tBodies[0].rows].sort((a, b) => compare(key(a), key(b))),
        );
      });
    });
  }
});
