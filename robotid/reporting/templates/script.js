"use strict";
// What a page can do beyond being read: zoom, sort, unfold for paper. It reads without all this.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const CLOSE = 1e-9;

  // Ticks, as charts/ticks.py has them.
  function linearTicks(low, high, most) {
    const raw = (high - low) / Math.max(1, most);
    const size = 10 ** Math.floor(Math.log10(raw) + CLOSE);
    const ends = (step) => [Math.ceil(low / step - CLOSE), Math.floor(high / step + CLOSE)];
    const count = (step) => ends(step)[1] - ends(step)[0] + 1;
    const times = [1, 2, 2.5, 5, 10].find((t) => count(t * size) <= most) || 10;
    const step = times * size;
    const [first, last] = ends(step);
    const large = Math.max(Math.abs(low), Math.abs(high));
    const power = large >= 1e5 || large < 1e-2 ? 3 * Math.floor(Math.log10(large) / 3 + CLOSE) : 0;
    const unit = 10 ** power;
    const digits = Math.max(0, power - Math.floor(Math.log10(step) + CLOSE) + (times === 2.5 ? 1 : 0));
    const ticks = [];
    for (let k = first; k <= last; k++) {
      const text = ((k * step) / unit).toFixed(digits);
      ticks.push({ value: k * step, text: k === 0 ? "0" : power ? `${text}e${power}` : text });
    }
    return ticks;
  }

  function logTicks(low, high, most) {
    const first = Math.floor(Math.log10(low) - CLOSE);
    const last = Math.floor(Math.log10(high) + CLOSE);
    const inside = (v) => low * (1 - CLOSE) <= v && v <= high * (1 + CLOSE);
    const powers = Array.from({ length: last - first + 1 }, (_, k) => first + k);
    for (const mantissas of [[1, 2, 5], [1, 3], [1]]) {
      const fine = powers.flatMap((k) => mantissas.map((m) => [m, k])).filter(([m, k]) => inside(m * 10 ** k));
      if (fine.length <= most + 1) {
        if (fine.length < 2) return linearTicks(low, high, most);
        return fine.map(([m, k]) => ({ value: m * 10 ** k, text: logText(m, k) }));
      }
    }
    const whole = powers.filter((k) => inside(10 ** k));
    const every = Math.ceil(whole.length / most);
    return whole.filter((_, n) => n % every === 0).map((k) => ({ value: 10 ** k, text: logText(1, k) }));
  }

  function logText(mantissa, power) {
    if (power >= -3 && power < 4) return (mantissa * 10 ** power).toFixed(Math.max(0, -power));
    return `${mantissa}e${power}`;
  }

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function axis(svg, letter) {
    const [low, high] = [Number(svg.dataset[`${letter}Low`]), Number(svg.dataset[`${letter}High`])];
    const log = svg.dataset[`${letter}Log`] === "1";
    const most = Number(svg.dataset[`${letter}Most`]);
    const [a, b] = log ? [Math.log(low), Math.log(high)] : [low, high];
    return {
      value: (share) => (log ? Math.exp(a + share * (b - a)) : a + share * (b - a)),
      share: (value) => ((log ? Math.log(value) : value) - a) / (b - a),
      ticks: (from, to) => (log ? logTicks : linearTicks)(from, to, most),
    };
  }

  // Charts that show the same stretch; a hint stands before the first chart of a section.
  const linked = new Map();
  const hinted = new Set();

  function partners(figure, svg, follow) {
    const together = figure.closest(".together");
    if (!together) return [];
    const { xLow, xHigh, xLog } = svg.dataset;
    if (!linked.has(together)) linked.set(together, {});
    const groups = linked.get(together);
    const key = [xLow, xHigh, xLog].join();
    groups[key] = groups[key] || [];
    groups[key].push(follow);
    return groups[key];
  }

  function hint(figure) {
    const section = figure.closest("section");
    if (hinted.has(section)) return;
    hinted.add(section);
    const said = document.createElement("p");
    said.className = "note zooms";
    said.textContent = "Drag across a chart to zoom in, double-click to see all of it; Ctrl and the wheel zoom at the pointer.";
    (figure.closest(".together") || figure).before(said);
  }

  // A chart shows what lies between `from` and `to`, in units of the whole plot's width.
  function zoomable(figure) {
    const svg = figure.querySelector("svg");
    const inside = svg.querySelector("svg.inside");
    const [width, height] = inside.getAttribute("viewBox").split(" ").slice(2).map(Number);
    const top = Number(inside.getAttribute("y"));
    const across = axis(svg, "x");
    const upward = axis(svg, "y");
    let [from, to] = [0, width];
    let points = null;

    function heights() {
      if ((from <= 0 && to >= width) || inside.querySelector(".bars")) return [0, height];
      points = points || [...inside.querySelectorAll("path:not(.mark)")].flatMap((path) =>
        [...path.getAttribute("d").matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]));
      let [least, most] = [Infinity, -Infinity];
      for (const [x, y] of points) {
        if (x < from || x > to) continue;
        least = Math.min(least, y);
        most = Math.max(most, y);
      }
      if (!(most > least)) return [0, height];
      const room = Math.max(0.06 * (most - least), 0.25);
      return [Math.max(0, least - room), Math.min(height, most + room)];
    }

    function draw(begin, end) {
      const span = Math.min(width, Math.max(width / 400, end - begin));
      from = Math.min(Math.max(0, begin), width - span);
      to = from + span;
      const [upper, lower] = heights();
      inside.setAttribute("viewBox", `${from} ${upper} ${span} ${lower - upper}`);
      const grid = svg.querySelector(".grid");
      grid.replaceChildren();
      const sides = [
        [".ticks.across", across.ticks(across.value(from / width), across.value(to / width)), (value) => {
          const x = `${(100 * (across.share(value) * width - from)) / span}%`;
          grid.append(element("line", { class: "across", x1: x, x2: x, y1: top, y2: top + height }));
          return { x, y: top + height + 16 };
        }],
        [".ticks.upward", upward.ticks(upward.value(1 - lower / height), upward.value(1 - upper / height)), (value) => {
          const y = top + (((1 - upward.share(value)) * height - upper) / (lower - upper)) * height;
          grid.append(element("line", { class: "upward", x2: "100%", y1: y, y2: y }));
          return { x: -6, y: y + 4 };
        }],
      ];
      for (const [name, ticks, place] of sides) {
        svg.querySelector(name).replaceChildren(...ticks.map((tick) => element("text", place(tick.value), tick.text)));
      }
    }

    const follow = (begin, end) => draw(begin * width, end * width);
    const group = partners(figure, svg, follow);
    const show = (begin, end) => {
      draw(begin, end);
      for (const other of group) if (other !== follow) other(from / width, to / width);
    };
    const about = (share, factor) => {
      const at = from + share * (to - from);
      show(at - share * (to - from) * factor, at + (1 - share) * (to - from) * factor);
    };
    const move = (share) => show(from + share * (to - from), to + share * (to - from));
    const reset = () => show(0, width);
    const share = (event) => {
      const box = svg.getBoundingClientRect();
      const style = getComputedStyle(svg);
      const [left, right] = [parseFloat(style.paddingLeft), parseFloat(style.paddingRight)];
      return Math.min(1, Math.max(0, (event.clientX - box.left - left) / (box.width - left - right)));
    };

    const tools = document.createElement("div");
    tools.className = "tools";
    for (const [sign, said, act] of [
      ["+", "zoom in", () => about(0.5, 0.5)],
      ["−", "zoom out", () => about(0.5, 2)],
      ["←", "earlier", () => move(-0.25)],
      ["→", "later", () => move(0.25)],
      ["reset", "show all", reset],
    ]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = sign;
      button.title = said;
      button.setAttribute("aria-label", said);
      button.addEventListener("click", act);
      tools.append(button);
    }
    figure.prepend(tools);

    let begun = null;
    const pick = element("rect", { class: "pick", y: top, height, width: 0 });
    hint(figure);
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      begun = share(event);
      pick.setAttribute("width", 0);
      svg.append(pick);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (begun === null) return;
      const now = share(event);
      pick.setAttribute("x", `${100 * Math.min(begun, now)}%`);
      pick.setAttribute("width", `${100 * Math.abs(now - begun)}%`);
    });
    svg.addEventListener("pointerup", (event) => {
      if (begun === null) return;
      const [a, b] = [begun, share(event)].sort((x, y) => x - y);
      const span = to - from;
      if ((b - a) * width > 6) show(from + a * span, from + b * span);
      begun = null;
      pick.remove();
    });
    svg.addEventListener("pointercancel", () => {
      begun = null;
      pick.remove();
    });
    svg.addEventListener("dblclick", reset);
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      about(share(event), event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
  }

  // Cells are compared as numbers where all of a column are, else as words; empty ones come last.
  function sortable(table) {
    const head = table.rows[0];
    const rows = [...table.rows].filter((row) => row !== head && !row.closest("tfoot"));
    if (!rows.length) return;
    const body = rows[0].parentNode;
    const said = (row, column) => (row.cells[column] ? row.cells[column].textContent.trim() : "");
    const bare = (text) => text.replace(/[\s\u202f]/g, "").replace("−", "-");
    [...head.cells].forEach((cell, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const was = cell.getAttribute("aria-sort");
        for (const other of head.cells) other.removeAttribute("aria-sort");
        if (was === "descending") {
          body.append(...rows);
          return;
        }
        cell.setAttribute("aria-sort", was ? "descending" : "ascending");
        const known = rows.filter((row) => !["", "–"].includes(said(row, column)));
        const numeric = known.every((row) => /^[+-]?\.?\d/.test(bare(said(row, column))));
        const key = (row) => (numeric ? parseFloat(bare(said(row, column))) : said(row, column));
        const order = numeric ? (a, b) => a - b : (a, b) => a.localeCompare(b, "en", { numeric: true });
        known.sort((a, b) => (was ? -1 : 1) * order(key(a), key(b)));
        body.append(...known, ...rows.filter((row) => !known.includes(row)));
      });
    });
  }

  // What a link leads to may be folded up.
  function unfold() {
    const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = aim; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    if (aim) aim.scrollIntoView();
  }

  document.querySelectorAll(".zoomable").forEach(zoomable);
  document.querySelectorAll("table.sortable").forEach(sortable);
  window.addEventListener("hashchange", unfold);
  if (location.hash) unfold();
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => folded.forEach((part) => { part.open = false; }));
})();
