#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/console/figure.h"
#include "lib/kassert.h"

const char *
figure_real(char buf[FIGURE_SIZE], double v)
{
	static const char *const suffixes[] = { "M", "G", "T", "P" };
	unsigned s = 0;

	KASSERT(v >= 0 && isfinite(v), ("%g in a table", v));
	/* Three digits of exponent would not fit, nor tell anything. */
	if (v < 1e-99)
		v = 0;
	if (v > 9.9e99)
		v = 9.9e99;
	if (v < 999999.5) {
		snprintf(buf, FIGURE_SIZE, v > 0 && v < 0.001 ? "%.1e" :
		    v == 0 || v >= 9999.5 ? "%.0f" : v < 0.0995 ? "%.4f" :
		    v < 9.995 ? "%.2f" : "%.1f", v);
		return (buf);
	}
	/* As rounded: 999.95 M is 1.0 G. */
	for (v /= 1e6; v >= 999.95 && s < 3; s++)
		v /= 1000;
	snprintf(buf, FIGURE_SIZE, v < 999.95 ? "%.1f%s" : "%.0e%s", v,
	    suffixes[s]);
	return (buf);
}

const char *
figure_count(char buf[FIGURE_SIZE], double v)
{

	if (v >= 999999.5)
		return (figure_real(buf, v));
	KASSERT(v >= 0, ("%g counted", v));
	snprintf(buf, FIGURE_SIZE, "%.0f", v);
	return (buf);
}

const char *
figure_percent(char buf[FIGURE_SIZE], double v)
{

	KASSERT(v >= 0 && isfinite(v), ("%g in a table", v));
	if (v >= 9999.5)
		snprintf(buf, FIGURE_SIZE, ">9999");
	else
		snprintf(buf, FIGURE_SIZE, v == 0 || v >= 99.95 ? "%.0f" :
		    v < 0.995 ? "%.2f" : "%.1f", v);
	return (buf);
}

const char *
figure_ns(char buf[FIGURE_SIZE], double ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	unsigned u = 0;

	KASSERT(ns >= 0 && isfinite(ns), ("%g ns", ns));
	/* As rounded: 999.6 ns is 1.00 us. */
	while (ns >= 999.5 && u < 3) {
		ns /= 1000;
		u++;
	}
	if (ns >= 99999.5)
		snprintf(buf, FIGURE_SIZE, "%.0es", ns);
	else
		snprintf(buf, FIGURE_SIZE, "%.*f%s", u == 0 || ns >= 99.95 ?
		    0 : ns >= 9.995 ? 1 : 2, ns, units[u]);
	return (buf);
}

const char *
figure_bytes(char buf[32], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
	unsigned u = 0;

	while (bytes != 0 && bytes % 1024 == 0 && u < 3) {
		bytes /= 1024;
		u++;
	}
	snprintf(buf, 32, "%" PRIu64 " %s", bytes, units[u]);
	return (buf);
}

void
figure_wrap(FILE *out, const char *first, int indent, const char *text)
{
	const size_t columns = FIGURE_COLUMNS, start = (size_t)indent;
	size_t begin, column = strlen(first), len;

	KASSERT(column < columns && start < columns, ("no room"));
	fputs(first, out);
	if (column > 0) {
		begin = column < start ? start : column + 1;
		fprintf(out, "%*s", (int)(begin - column), "");
		column = begin;
	}
	begin = column;
	for (;;) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (len == 0)
			break;
		if (column > begin && column + 1 + len > columns) {
			fprintf(out, "\n%*s", indent, "");
			column = begin = start;
		} else if (column > begin) {
			fputc(' ', out);
			column++;
		}
		/* A word longer than a line is cut where the line ends. */
		if (len > columns - column)
			len = columns - column;
		fwrite(text, 1, len, out);
		column += len;
		text += len;
	}
	fputc('\n', out);
}

void
figure_quoted(FILE *out, const char *text)
{

	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}
