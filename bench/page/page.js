"use strict";
(() => {
	const UNITS = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, KiB: 1024,
	    MiB: 1048576, GiB: 1073741824, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
	const SORT_LEAST = 3, FILTER_LEAST = 9, MANY_CELLS = 50;
	const VALUES_LEAST = 8;

	/* "12.3ms" is a number, "locked" is none. */
	function value(cell) {
		const m = /^[(\[<>]?([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-zA-Z]+)?/
		    .exec(cell.textContent);
		if (m === null || (m[2] && !(m[2] in UNITS)))
			return NaN;
		return Number(m[1]) * (m[2] ? UNITS[m[2]] : 1);
	}

	/* Numbers before texts, what is missing last. */
	function order(a, b, sign) {
		const x = value(a), y = value(b);

		if (!isNaN(x) && !isNaN(y))
			return sign * (x - y);
		if (isNaN(x) !== isNaN(y))
			return isNaN(x) ? 1 : -1;
		return sign * a.textContent.localeCompare(b.textContent);
	}

	function sortBy(table, head, column) {
		const body = table.tBodies[0];
		const down = head.getAttribute("aria-sort") === "ascending";
		const rows = Array.from(body.rows);

		for (const th of table.tHead.rows[0].cells)
			th.removeAttribute("aria-sort");
		head.setAttribute("aria-sort", down ? "descending" :
		    "ascending");
		rows.sort((a, b) => order(a.cells[column], b.cells[column],
		    down ? -1 : 1));
		body.append(...rows);
	}

	function makeSortable(table) {
		Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
			const button = document.createElement("button");

			if (head.textContent === "")
				return;
			button.type = "button";
			button.append(...head.childNodes);
			button.title = "Sort by this column";
			button.onclick = () => sortBy(table, head, column);
			head.append(button);
		});
	}

	/* Rows that have every word, anywhere. */
	function makeFilter(table) {
		const box = document.createElement("div");
		const label = document.createElement("label");
		const input = document.createElement("input");
		const shown = document.createElement("span");
		const rows = Array.from(table.tBodies[0].rows);

		box.className = "filter";
		input.type = "search";
		input.placeholder = "words, such as: locked aes";
		label.append("Show rows with ", input);
		shown.setAttribute("role", "status");
		input.oninput = () => {
			const words = input.value.toLowerCase().split(/\s+/);
			let n = 0;

			for (const row of rows) {
				const text = Array.from(row.cells, (c) =>
				    c.textContent).join(" ").toLowerCase();
				row.hidden = !words.every((w) =>
				    text.includes(w));
				n += row.hidden ? 0 : 1;
			}
			shown.textContent = n + " of " + rows.length + " rows";
		};
		box.append(label, shown);
		table.parentNode.before(box);
	}

	function makeTables(tables) {
		for (const table of tables) {
			if (table.tBodies[0].rows.length < SORT_LEAST ||
			    table.querySelector("th[scope=rowgroup]") !== null)
				continue;
			makeSortable(table);
			if (table.tBodies[0].rows.length >= FILTER_LEAST)
				makeFilter(table);
		}
	}

	/* An element with these attributes and children. */
	function make(name, attributes, ...children) {
		const element = document.createElement(name);

		for (const key in attributes)
			element.setAttribute(key, attributes[key]);
		element.append(...children);
		return element;
	}

	/* The same for a picture. */
	function draw(name, attributes, ...children) {
		const element = document.createElementNS(
		    "http://www.w3.org/2000/svg", name);

		for (const key in attributes)
			element.setAttribute(key, attributes[key]);
		element.append(...children);
		return element;
	}

	/* A column that says nothing goes. */
	function dropEmpty(table) {
		const head = table.tHead.rows[0];

		for (let i = head.cells.length - 1; i > 0; i--) {
			const cells = Array.from(table.rows, (r) => r.cells[i]);

			if (cells.every((c) => c === undefined || c.tagName ===
			    "TH" || c.textContent === ""))
				for (const c of cells)
					c?.remove();
		}
	}

	function makeContents() {
		const nav = make("nav", { "aria-label": "Contents" });

		for (const title of document.querySelectorAll("section > h2"))
			nav.append(make("a", { href: "#" + title.parentNode.id },
			    title.textContent));
		if (nav.children.length > 1)
			document.querySelector("main").prepend(nav);
	}

	/* A cell's parts, in any order. */
	function key(parts) {
		return parts.filter((p) => !p.startsWith("few repeats")).sort()
		    .join();
	}

	/*
	 * Rows of differences: verdicts are coloured, and the figures of A and
	 * B are links to their cells.
	 */
	function makeDifferences(rows) {
		const cells = { a: {}, b: {} };

		for (const ab in cells)
			document.querySelectorAll("#each-" + ab + " > details")
			    .forEach((fold, i) => {
				fold.id = ab + i;
				cells[ab][key(fold.firstChild.textContent
				    .split(", "))] = fold;
			});
		rows.forEach((row, i) => {
			const parts = row.cells[0].textContent.split(", ");
			const names = parts[0].split(" instead of ");
			const two = document.getElementById("each-b") !== null;
			/* A name may have a comma. */
			if (names.length < 2 && !two)
				return;
			const side = (n) => key([names[two ? 0 : n],
			    ...parts.slice(1)]);

			row.id = "row" + i;
			if (/^(better|worse)$/.test(row.cells[7].textContent))
				row.cells[7].classList.add(
				    row.cells[7].textContent);
			[[2, cells.a[side(1)]], [3, cells[two ? "b" : "a"]
			    [side(0)]]].forEach(([at, fold]) => {
				const cell = row.cells[at];

				if (fold === undefined)
					return;
				const link = make("a", { href: "#" + fold.id },
				    cell.textContent);

				link.onclick = () => { fold.open = true; };
				cell.replaceChildren(link);
			});
		});
	}

	/* Of a quantity: a row for each comparison, a column for each load. */
	function makeHeat(quantity, rows) {
		const lines = new Map(), loads = new Set();

		for (const row of rows) {
			const text = row.cells[0].textContent;
			const load = /\b(\d+) (?:reader|producer)s?(?: of )?/;
			const n = load.exec(text);
			const line = text.replace(load, "").split(", ")
			    .filter((p) => !/^$|^predicted$|^oversubscribed$|^few repeats/
				.test(p)).join(", ");

			if (n === null)
				continue;
			loads.add(Number(n[1]));
			if (!lines.has(line))
				lines.set(line, new Map());
			lines.get(line).set(Number(n[1]), row);
		}
		const columns = Array.from(loads).sort((a, b) => a - b);
		const body = make("tbody");

		for (const [line, found] of lines) {
			const tr = make("tr", {}, make("th", { scope: "row",
			    "class": "l" }, line));

			for (const n of columns) {
				const row = found.get(n), td = make("td");

				tr.append(td);
				if (row === undefined)
					continue;
				const verdict = row.cells[7].textContent;
				const change = Number(row.cells[4].textContent);
				const ratio = Math.max(1 + change / 100, .01);

				td.className = verdict === "better" || verdict ===
				    "worse" ? verdict : "none";
				td.style.setProperty("--much", Math.min(70, 10 +
				    40 * Math.abs(Math.log2(ratio))) + "%");
				td.append(make("a", { href: "#" + row.id,
				    title: verdict + ": " + row.cells[2]
				    .textContent + " to " + row.cells[3]
				    .textContent }, row.cells[4].textContent));
			}
			body.append(tr);
		}
		return make("div", { "class": "table heat", tabindex: "0" },
		    make("table", {}, make("caption", {}, quantity +
		    ": change in %, by readers or producers"),
		    make("thead", {}, make("tr", {}, make("th", { scope: "col",
		    "class": "l" }, "compared"), ...columns.map((n) =>
		    make("th", { scope: "col" }, String(n))))), body));
	}

	/* What hundreds of cells show at a glance. */
	function makeOverview(rows) {
		const box = make("section", { id: "overview" }, make("h2", {},
		    "Overview"), make("p", { "class": "legend" }, "Blue is " +
		    "better, orange is worse, the deeper the more; without a " +
		    "colour no difference was shown. A figure leads to its " +
		    "row. Quantities without any difference are left out."));
		const quantities = new Set(rows.map((r) =>
		    r.cells[1].textContent));

		for (const quantity of quantities) {
			const own = rows.filter((r) => r.cells[1].textContent ===
			    quantity);

			if (own.some((r) => r.cells[7].className !== "l"))
				box.append(makeHeat(quantity, own));
		}
		document.getElementById("differences").before(box);
		document.body.classList.add("many");
	}

	/* The density of a cell's values, and each value below it. */
	function makeSpread(text) {
		const all = text.textContent.split(/[: ]+/).slice(1).map((t) =>
		    parseFloat(t) * (UNITS[t.slice(-1)] || 1)).filter((v) =>
		    !isNaN(v)).sort((a, b) => a - b);
		const n = all.length, least = all[0], most = all[n - 1];

		if (n < VALUES_LEAST || most <= least)
			return;
		const mean = all.reduce((a, b) => a + b) / n;
		const sigma = Math.sqrt(all.reduce((a, b) => a + (b - mean) ** 2,
		    0) / n);
		/* Silverman's rule. */
		const width = .9 * Math.min(sigma, (all[Math.floor(.75 * n)] -
		    all[Math.floor(.25 * n)]) / 1.34 || sigma) * n ** -.2;
		const low = least - 3 * width, high = most + 3 * width;
		const x = (v) => (10 + 580 * (v - low) / (high - low)).toFixed(1);
		const points = Array.from({ length: 121 }, (_, i) => {
			const v = low + (high - low) * i / 120;

			return [x(v), all.reduce((a, b) => a + Math.exp(-.5 *
			    ((v - b) / width) ** 2), 0)];
		});
		const top = Math.max(...points.map((p) => p[1]));
		const middle = (all[Math.floor((n - 1) / 2)] +
		    all[Math.floor(n / 2)]) / 2;
		const figure = (v) => Number(v.toPrecision(4)) + " MB/s";
		const label = (v, anchor, y) => draw("text", { x: x(v), y,
		    "text-anchor": anchor }, figure(v));

		text.before(draw("svg", { "class": "spread", role: "img",
		    viewBox: "0 0 600 112" }, draw("title", {}, "Distribution " +
		    "of " + n + " values: least " + figure(least) + ", median " +
		    figure(middle) + ", most " + figure(most)),
		    draw("path", { "class": "density", d: "M10,80L" + points.map(
		    (p) => p[0] + "," + (80 - 60 * p[1] / top).toFixed(1))
		    .join("L") + "L590,80z" }),
		    draw("path", { d: all.map((v) => "M" + x(v) + ",82v10")
		    .join("") }),
		    draw("path", { "class": "middle", d: "M" + x(middle) +
		    ",20V92" }), label(middle, "middle", 14),
		    label(least, "start", 107), label(most, "end", 107)));
	}

	/* A profile is a list of lines. */
	function foldLines(cell) {
		const lines = JSON.parse(cell.textContent);

		cell.replaceChildren(make("details", {}, make("summary", {},
		    lines.length + " lines"), make("pre", { tabindex: "0" },
		    lines.join("\n"))));
	}

	for (const row of document.querySelectorAll(
	    "section[id^=provenance] tbody tr"))
		if (row.cells[0].textContent === "profile")
			foldLines(row.cells[1]);
	const differences = Array.from(document.querySelectorAll(
	    "#differences > .table > table > tbody > tr"));
	if (differences.length > 0) {
		makeDifferences(differences);
		if (document.querySelectorAll("section[id^=each] > details")
		    .length > MANY_CELLS)
			makeOverview(differences);
	}
	makeContents();
	for (const table of document.querySelectorAll(
	    "section > .table > table"))
		dropEmpty(table);
	/* What is folded can wait until it is unfolded. */
	makeTables(document.querySelectorAll("section > .table > table"));
	for (const fold of document.querySelectorAll("details"))
		fold.addEventListener("toggle", () => {
			makeTables(fold.querySelectorAll("table"));
			fold.querySelectorAll(".values").forEach(makeSpread);
		}, { once: true });
})();
