#include "bench/cli/child.h"
#include "lib/base/embed.h"
#include "bench/report/report.h"

enum {
	PLOT_CURVES	= 6,	/* in one row: different shapes */
	PLOT_ROWS	= 32
};

EMBED(sheet, "bench/report/sheet.gnuplot");
EMBED(curves, "bench/report/curves.gnuplot");

#define	WRONG(...)	(void)format_wrong(error, RESULT_TEXT_SIZE, __VA_ARGS__)

static const char *const forms[] = { "png", "svg", "pdf", "html" };
const char *const plot_panels[PLOT_PANELS] = { "total", "reader", "latency",
    "harvest", "p99" };

int
plot_form(const char *path)
{
	const char *dot = strrchr(path, '.');
	int i = PLOT_FORMS - 1;

	while (i >= 0 && (dot == NULL || dot == path ||
	    strcmp(dot + 1, forms[i]) != 0))
		i--;
	return (i);
}

/*
 * Between single quotes only the quote and the line's end are special.  A
 * doubled quote stands for one, but not at the start of a string, so quotes
 * become spaces, and so do backquotes, which run commands elsewhere, and what
 * HTML could read on a page.
 */
static void
set(FILE *out, const char *name, const char *text, unsigned form)
{
	fprintf(out, "%s = '", name);
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || strchr(form == PLOT_PAGE ?
		    "'`<>&" : "'`", *text) != NULL ? ' ' : *text, out);
	fputs("'\n", out);
}

/*
 * Runs a script.  Messages go to a file, not a pipe: neither side waits for the
 * other.  "error" stays empty where the returned errno value says it.
 */
static int
run(FILE *script, FILE *messages, char **picture, size_t *size,
    char error[RESULT_TEXT_SIZE])
{
	/* -d: without the user's own settings. */
	static const char *const argv[] = { "gnuplot", "-d", "-", NULL };
	struct child ch = { .cld_argv = argv, .cld_fd = { fileno(script),
	    CHILD_PIPE, fileno(messages) } };
	char line[240];
	int status, why;

	if (fflush(script) != 0 || ferror(script) ||
	    lseek(fileno(script), 0, SEEK_SET) != 0)
		return (errno != 0 ? errno : EIO);
	why = child_start(&ch);
	if (why == ENOENT)
		WRONG("gnuplot is not installed: package gnuplot-nox (Debian), "
		    "gnuplot (FreeBSD)");
	if (why != 0)
		return (why);
	why = read_file(ch.cld_out, SIZE_MAX, picture, size);
	close(ch.cld_out);
	status = child_wait(ch.cld_pid);
	if (why != 0)
		return (why);
	if (WIFSIGNALED(status)) {
		WRONG("gnuplot was ended by a signal: %s",
		    strsignal(WTERMSIG(status)));
	} else if (WEXITSTATUS(status) != 0) {
		/* The last line with text; the error's place is before it. */
		WRONG("gnuplot: no message");
		rewind(messages);
		while (fscanf(messages, " %239[^\n]", line) == 1)
			WRONG("gnuplot: %s", line);
	} else if (*size > 0)
		return (0);
	else
		WRONG("gnuplot drew nothing");
	return (EIO);
}

/* Cells that differ in readers alone. */
struct curve {
	const struct grouped_cell *cu_cells;
	unsigned	 cu_count;	/* 0: drawn already */
};

struct sheet {
	FILE		*sh_out;
	unsigned	 sh_form;
	struct curve	*sh_curves;
	unsigned	 sh_count;
	unsigned	 sh_varies;	/* from curve to curve; bits: parts */
	unsigned	 sh_rows;
	struct text	 sh_counts;	/* of each row's curves */
	unsigned	 sh_left_out;	/* curves there is no room for */
	unsigned	 sh_longest;	/* name or heading */
};

static void
print_cell(FILE *out, unsigned curve, const struct result_cell *c)
{
	/* Of predictions with drawn profiles a band is what these gave. */
	bool drawn = c->uncertainty.samples > 0;
	const bool producers = c->producers > 0;
	const double unit = producers ? 1e6 : 1;
	const double *total = producers ? c->events_per_s_ci95 : drawn ?
	    c->uncertainty.total_mb_per_s : c->total_mb_per_s_ci95;
	const double *cpu = drawn ? c->uncertainty.harvest_cpu_percent :
	    c->harvest_cpu_percent_ci95;
#define	LATENCY(q)							\
	1e-9 * (producers ? COMPARABLE_QUANTILE(c, call_ns.q) :		\
	    COMPARABLE_QUANTILE(c, latency_ns.q))

	/* A word without a point, as 9e-05, is an integer to gnuplot. */
	fprintf(out, "%u %d %u %#.9g %#.9g %#.9g %#.9g %#.9g %#.9g %#.9g %#.9g "
	    "%#.9g %#.9g %d\n", curve, c->gate[0] != '\0',
	    producers ? c->producers : c->readers,
	    producers ? c->production.events_per_s / unit : c->total_mb_per_s,
	    total[0] / unit, total[1] / unit, c->harvest.cpu_percent,
	    cpu[1] > 0 ? cpu[0] : c->harvest.cpu_percent,
	    cpu[1] > 0 ? cpu[1] : c->harvest.cpu_percent, LATENCY(p50),
	    LATENCY(p90), LATENCY(p99), LATENCY(p999), c->oversubscribed);
}

static void
print_row(struct sheet *sh, const char *heading, const struct curve *cu,
    unsigned n, unsigned parts)
{
	FILE *out = sh->sh_out;

	fputs("$D << EOD\n", out);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < cu[i].cu_count; k++)
			print_cell(out, i + 1, cu[i].cu_cells[k].gc_cell);
	fprintf(out, "EOD\nN = %u\narray NAME[%u]\n", n, n);
	for (unsigned i = 0; i < n; i++) {
		struct text t = { .s = "" };

		describe_parts(&t, cu[i].cu_cells->gc_cell, 1u << PART_DESIGN);
		describe_parts(&t, cu[i].cu_cells->gc_cell, parts);
		set(out, FORMATF("NAME[%u]", i + 1), t.s, sh->sh_form);
		sh->sh_longest = MAX(sh->sh_longest, (unsigned)strlen(t.s));
	}
	set(out, "HEADING", heading, sh->sh_form);
	sh->sh_longest = MAX(sh->sh_longest, (unsigned)strlen(heading));
	fputs(embedded_curves, out);
	text_add(&sh->sh_counts, "%u ", n);
	sh->sh_rows++;
}

/*
 * Rows of the curves of each cipher; of many curves, of those that differ in
 * the design alone, with one design in the lock, with one lock in requests.
 */
static void
print_rows(struct sheet *sh)
{
	const unsigned design = 1u << PART_DESIGN, lock = 1u << PART_LOCK;
	const unsigned varies = sh->sh_varies & ~(design | 1u << PART_CIPHER);
	const unsigned names = sh->sh_count <= PLOT_CURVES ? varies :
	    (sh->sh_varies & design) != 0 ? 0 : (varies & lock) != 0 ? lock :
	    1u << PART_LOAD;
	struct curve *row = xcalloc(sh->sh_count, sizeof(*row)), *cu, *like;
	struct curve *end = sh->sh_curves + sh->sh_count;
	unsigned count, n, rows;

	for (cu = sh->sh_curves; cu < end; cu++) {
		const struct result_cell *c = cu->cu_cells->gc_cell;
		struct text t = { .s = "" };

		for (like = cu, count = 0; like < end; like++)
			if (like->cu_count > 0 && cells_alike(c,
			    like->cu_cells->gc_cell, names | design)) {
				row[count++] = *like;
				like->cu_count = 0;
			}
		text_add(&t, "%s", c->acquisition_ns > 0 ? "locks" : c->cipher);
		describe_parts(&t, c, varies & ~names);
		rows = (count + PLOT_CURVES - 1) / PLOT_CURVES;
		for (unsigned i = 0; i < count; i += n) {
			n = MIN(count - i, (count + rows - 1) / rows);
			if (sh->sh_rows == PLOT_ROWS)
				sh->sh_left_out += n;
			else
				print_row(sh, count <= PLOT_CURVES ? t.s :
				    FORMATF("%s, curves %u to %u of %u", t.s,
				    i + 1, i + n, count), row + i, n, names);
		}
	}
	free(row);
}

void
plot_print(FILE *out, const struct result *r, const struct plot *plt)
{
	struct sheet sh = { .sh_form = plt->plt_form };
	struct grouped_cell *gc;
	struct text names = { .s = "" }, run = { .s = "" };
	bool gated = false, producers = false;
	char *body = NULL;
	size_t len;

	KASSERT(r->cell_count > 0, ("nothing to draw"));
	gc = cells_group(r, PARTS);
	sh.sh_curves = xcalloc(r->cell_count, sizeof(*sh.sh_curves));
	for (unsigned i = 0; i < r->cell_count; i++) {
		gated |= r->cells[i].gate[0] != '\0';
		producers |= r->cells[i].producers > 0;
	}
	/* Of a result with producers the other cells are left out. */
	for (unsigned i = 0; i < r->cell_count; i++) {
		if ((gc[i].gc_cell->producers > 0) != producers)
			continue;
		if (sh.sh_count == 0 || gc[i].gc_group !=
		    sh.sh_curves[sh.sh_count - 1].cu_cells->gc_group)
			sh.sh_curves[sh.sh_count++].cu_cells = &gc[i];
		sh.sh_curves[sh.sh_count - 1].cu_count++;
		for (unsigned part = 0; part < PARTS; part++)
			sh.sh_varies |= (unsigned)cells_differ(gc[i].gc_cell,
			    gc->gc_cell, (enum cell_part)part) << part;
	}
	/* How many rows there are is known after all of them. */
	sh.sh_out = xmemstream(&body, &len);
	print_rows(&sh);
	xmemclose(sh.sh_out);
	text_add(&run, "%s", r->complete ? "" : "INCOMPLETE, ");
	if (plt->plt_title != NULL)
		text_add(&run, "%s (%s)", plt->plt_title,
		    provenance_short(r->cells));
	else
		describe_result(&run, r);
	set(out, "RUN", run.s, sh.sh_form);
	set(out, "COMMON", TEXT_OF(describe_parts, r->cells, ~sh.sh_varies),
	    sh.sh_form);
	set(out, "FORM", forms[sh.sh_form], sh.sh_form);
	for (unsigned i = 0; i < PLOT_PANELS; i++)
		if ((plt->plt_panels & 1u << i) != 0)
			text_add(&names, "%s ", plot_panels[i]);
	set(out, "PANELS", names.s, sh.sh_form);
	set(out, "COUNTS", sh.sh_counts.s, sh.sh_form);
	fprintf(out, "WIDTH = %u\nDRAWN = %u\nGATED = %d\nFEW = %d\nLEFT_OUT = "
	    "%u\nLONGEST = %u\nKIND = %d\n", plt->plt_width,
	    r->uncertainty.samples, gated, comparable_few_passes(r),
	    sh.sh_left_out, sh.sh_longest, producers ? 1 :
	    r->cells->acquisition_ns > 0 ? 2 : 0);
	fprintf(out, "%s%sunset multiplot\n", embedded_sheet, body);
	free(body);
	free(sh.sh_curves);
	free(gc);
}

int
plot_draw(const struct result *r, const struct plot *plt, char **picture,
    size_t *size, char error[RESULT_TEXT_SIZE])
{
	FILE *script, *messages;
	int why;

	*picture = NULL;
	*size = 0;
	if (r->cell_count == 0)
		return (format_wrong(error, RESULT_TEXT_SIZE,
		    "no cells to draw"));
	if (r->cells->time_to_seeded_ns > 0)
		return (format_wrong(error, RESULT_TEXT_SIZE, "times to the "
		    "first seed are not drawn: expected windows of MB/s"));
	error[0] = '\0';
	script = tmpfile();
	messages = tmpfile();
	if (script != NULL && messages != NULL) {
		plot_print(script, r, plt);
		why = run(script, messages, picture, size, error);
	} else
		why = errno;
	if (why != 0 && error[0] == '\0')
		WRONG("%s", strerror(why));
	if (script != NULL)
		fclose(script);
	if (messages != NULL)
		fclose(messages);
	return (why);
}
