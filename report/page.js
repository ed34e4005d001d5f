"use strict";
document.documentElement.classList.add("js");
const $ = id => document.getElementById(id);
const element = (tag, text, name) => {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (name) e.className = name;
  return e;
};
const value = text => +text.replace(/,/g, "").replace("\u2212", "-").replace("%", "");
const compare = (a, b) => value(a) - value(b) || a.localeCompare(b, "en");
// order makes the heads of a table buttons that sort.
function order(table, sorts, sort) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!sorts(column)) return;
    const button = element("button", head.textContent);
    button.type = "button";
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort"), first = head.classList.contains("number") ? -1 : 1;
      const way = was ? (was === "descending" ? 1 : -1) : first;
      for (const h of heads) h.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      sort(column, way);
    });
  });
}
for (const table of document.querySelectorAll("table.sortable")) {
  const key = (row, column) => row.cells[column].dataset.sort ?? row.cells[column].textContent;
  order(table, () => true, (column, way) => {
    const number = table.tHead.rows[0].cells[column].classList.contains("number");
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => {
      const x = key(a, column), y = key(b, column);
      if (!number) return way * x.localeCompare(y, "en");
      const p = parseFloat(x), q = parseFloat(y);
      return isNaN(p) ? (isNaN(q) ? 0 : 1) : isNaN(q) ? -1 : way * (p - q);
    }));
  });
}
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));

function cases(data) {
  const [one, many, yes, no, that] = data.words, text = i => data.texts[i], most = 300, table = $("list"), body = table.tBodies[0];
  const grouped = n => n.toLocaleString("en"), hundredths = v => (v < 0 ? "\u2212" : "+") + Math.abs(v).toFixed(2);
  const percent = v => v < .1 && v > 0 ? (Math.floor(1000 * v + .5) / 10).toFixed(1) + "%" : Math.floor(100 * v + .5) + "%";
  const list = data.cases.map(([name, time, values, predicted, truth, rank, reasons, start, smaller, rest], place) => (
    {name, time, values, predicted, truth, rank, reasons, start, smaller, rest, place, words: [name, ...values, ...reasons.map(r => text(r[0]))].join(" ").toLowerCase()}));
  // Cases checked, and true ones among them, down to each step.
  const checked = [], found = [];
  data.steps.forEach(([n, k], i) => { checked.push(n + (checked[i - 1] || 0)); found.push(k + (found[i - 1] || 0)); });
  const stepOf = n => { let i = checked.findIndex(c => c >= n); return i < 0 ? checked.length - 1 : i; };
  let shown = 20, column = -1, way = 1, cut = data.start;

  const keys = [c => c.name, ...(data.timed ? [c => c.time] : []), ...Array.from({length: data.columns}, (_, i) => c => c.values[i]), c => -c.place, c => c.truth];
  const titles = [...table.tHead.rows[0].cells].map(h => h.textContent);
  function whole(c) {
    const t = element("table"), rows = element("tbody");
    const line = (what, v, facts = []) => {
      const tr = element("tr"), td = element("td"), ul = element("ul");
      td.append(element("bdi", what));
      for (const f of facts) ul.append(element("li", text(f)));
      if (facts.length) td.append(ul);
      tr.append(td, element("td", hundredths(v), "number"));
      rows.append(tr);
    };
    line("the average " + one, c.start);
    for (const [what, v, facts] of c.reasons) line(text(what), v, facts);
    if (c.smaller) line(c.smaller + " smaller", c.rest);
    line("sum, which stands for " + c.predicted, c.reasons.reduce((s, r) => s + r[1], c.start + c.rest));
    t.append(rows);
    return t;
  }
  function row(c, edge) {
    const tr = element("tr", undefined, edge ? "edge" : ""), th = element("th");
    tr.setAttribute("role", "row");
    th.scope = "row";
    th.setAttribute("role", "rowheader");
    th.append(element("bdi", $("hide").checked ? one + " " + (c.place + 1) : c.name, "name"));
    tr.append(th);
    const cell = (words, name) => {
      const td = element("td", words, name);
      td.dataset.title = titles[tr.cells.length];
      td.setAttribute("role", "cell");
      tr.append(td);
      return td;
    };
    if (data.timed) cell(c.time, "date");
    for (const v of c.values) cell(v, "value");
    cell(c.predicted, "number");
    cell(c.truth ? yes : no, "");
    const td = cell(undefined, "words"), ul = element("ul", undefined, "why"), sides = [0, 0];
    for (const [what, v] of c.reasons) {
      const against = v < 0 ? 1 : 0;
      if (++sides[against] > 3 - against) continue;
      const li = element("li", undefined, against ? "against" : "");
      li.style.setProperty("--w", Math.min(4, Math.abs(v)) * 9 + "px");
      li.title = hundredths(v);
      li.append(element("bdi", text(what)));
      ul.append(li);
    }
    td.append(ul);
    if (c.reasons.length) {
      const more = element("details");
      more.append(element("summary", "all reasons"));
      more.addEventListener("toggle", () => {
        if (more.childNodes.length > 1) return;
        more.append(whole(c));
      });
      td.append(more);
    }
    return tr;
  }
  function show() {
    const find = $("find").value.toLowerCase(), which = $("which").value;
    const keep = {all: () => true, true: c => c.truth, missed: c => c.truth && c.rank > cut, alarm: c => !c.truth && c.rank <= cut}[which];
    const rows = list.filter(c => keep(c) && c.words.includes(find));
    if (column >= 0) {
      const key = keys[column];
      rows.sort((a, b) => { const x = key(a), y = key(b); return way * (typeof x === "number" ? x - y : compare(x, y)) || a.place - b.place; });
    }
    const ranked = which === "all" && !find && (column < 0 || keys[column] === keys.at(-2) && way < 0);
    const edge = ranked ? rows.findIndex(c => c.rank > cut) : -1;
    body.replaceChildren(...rows.slice(0, shown).map((c, i) => row(c, i === edge)));
    const n = Math.min(shown, rows.length);
    $("count").textContent = `${grouped(n)} of ${grouped(rows.length)} ${many} shown` + (n === most && rows.length > most ? "; search or filter for others" : "");
    $("more").hidden = shown >= Math.min(rows.length, most);
  }
  // Wilson's interval of a share, at the rate of the population.
  const adjusted = p => data.scale * p / (data.scale * p + 1 - p);
  function wilson(k, n) {
    const z = 1.959963984540054, p = k / n, d = 1 + z * z / n, middle = p + z * z / 2 / n, half = z * Math.sqrt(p * (1 - p) / n + z * z / 4 / n / n);
    return [Math.max(0, (middle - half) / d), Math.min(1, (middle + half) / d)].map(adjusted);
  }
  function costs() {
    if (!$("costs")) return;
    const check = $("cost").value, loss = $("loss").value;
    if (check === "" || loss === "") { $("costs").textContent = ""; return; }
    const cost = i => {
      const n = i < 0 ? 0 : checked[i], k = i < 0 ? 0 : found[i];
      return (n + (data.scale - 1) * k) * check + data.scale * (data.trues - k) * loss;
    };
    let best = -1;
    for (let i = 0; i < checked.length; i++) if (cost(i) < cost(best)) best = i;
    const sum = i => grouped(Math.round(cost(i)));
    $("costs").textContent = `At these costs: ${sum(stepOf(cut))} here; ${sum(-1)} with no checks; the least, ${sum(best)}, with ${best < 0 ? "none" : grouped(checked[best])} checked.`;
  }
  function panel() {
    const i = stepOf(cut), n = checked[i], k = found[i], all = data.trues;
    cut = n;
    const share = adjusted(k / n), [low, high] = wilson(k, n), base = adjusted(all / data.total);
    $("said").textContent = `Check the ${grouped(n)} most probable ${many} (predicted ${data.steps[i][2]} or more). ${grouped(k)} of them ${yes}: ${percent(share)} [${percent(low)}, ${percent(high)}]` +
      (all ? `, ${(share / base).toFixed(1)} times the average. That finds ${grouped(k)} of the ${grouped(all)} ${that} (${percent(k / all)}) and leaves ${grouped(all - k)} unseen.` : ".");
    $("checked").setAttribute("aria-valuetext", `${grouped(n)} checked, ${grouped(k)} found`);
    const point = document.querySelector(".chosen");
    if (point && all) {
      const whole = data.total + (data.scale - 1) * all, [left, right, bottom, top] = data.frame;
      point.setAttribute("cx", (left + (right - left) * (n + (data.scale - 1) * k) / whole).toFixed(1));
      point.setAttribute("cy", (bottom + (top - bottom) * k / all).toFixed(1));
    }
    costs();
  }
  // The sentence follows the slider at most three times a second.
  let waiting = 0;
  const later = () => { waiting ||= setTimeout(() => { waiting = 0; panel(); show(); }, 333); };

  order(table, i => i < keys.length, (i, w) => { column = i; way = w; show(); });
  const predicted = table.tHead.rows[0].cells[keys.length - 2];
  predicted.setAttribute("aria-sort", "descending");
  for (const id of ["find", "which", "hide"]) $(id).addEventListener("input", () => { shown = 20; show(); });
  $("more").addEventListener("click", () => { shown = Math.min(shown + 50, most); show(); });
  if ($("missed")) $("missed").addEventListener("click", () => { $("which").value = "missed"; shown = 20; show(); });
  if ($("checked")) {
    const slider = $("checked"), number = $("number");
    slider.max = checked.length;
    number.max = data.total;
    slider.addEventListener("input", () => { cut = checked[slider.value - 1]; number.value = cut; later(); });
    slider.addEventListener("keydown", e => {
      const by = {PageUp: 10, PageDown: -10}[e.key];
      if (!by) return;
      e.preventDefault();
      slider.value = +slider.value + by;
      slider.dispatchEvent(new Event("input"));
    });
    number.addEventListener("input", () => {
      if (!(number.value >= 1)) return;
      cut = Math.min(number.value, data.total);
      slider.value = stepOf(cut) + 1;
      later();
    });
    number.addEventListener("change", () => { number.value = checked[stepOf(cut)]; });
    for (const id of ["cost", "loss"]) if ($(id)) $(id).addEventListener("input", costs);
    slider.value = stepOf(cut) + 1;
    number.value = checked[stepOf(cut)];
    panel();
  }
  show();
}
if ($("casedata")) cases(JSON.parse($("casedata").textContent));
