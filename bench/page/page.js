"use strict";
(() => {
	const UNITS = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, KiB: 1024,
	    MiB: 1048576, GiB: 1073741824, M: 1e6, G: 1e9, T: 1e12, P: 1e15 };
	const SORT_LEAST = 3, FILTER_LEAST = 9;

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

	/* What is folded can wait until it is unfolded. */
	makeTables(document.querySelectorAll("section > .table > table"));
	for (const fold of document.querySelectorAll("details"))
		fold.addEventListener("toggle", () => makeTables(
		    fold.querySelectorAll("table")), { once: true });
})();
