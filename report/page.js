"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("number"), was = head.getAttribute("aria-sort");
      const up = was ? (was === "descending" ? 1 : -1) : numeric ? -1 : 1;
      for (const h of heads) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
      const value = row => row.cells[column].dataset.sort ?? row.cells[column].textContent;
      const number = row => parseFloat(value(row));
      body.append(...[...body.rows].sort((a, b) => {
        if (!numeric) return up * value(a).localeCompare(value(b));
        const x = number(a), y = number(b);
        return isNaN(x) ? (isNaN(y) ? 0 : 1) : isNaN(y) ? -1 : up * (x - y);
      }));
    });
  });
}
const cue = () => document.querySelectorAll(".scroll").forEach(s => s.classList.toggle("more", s.scrollWidth > s.clientWidth + 1));
addEventListener("resize", cue);
document.addEventListener("toggle", cue, true);
cue();
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
