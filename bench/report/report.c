#include "bench/cli/command.h"
#include "bench/report/report.h"

enum { COLUMNS_MAX = 128, COLUMNS_PRODUCERS = 54, COLUMNS_SEEDED = 71 };

/* A line: each column's text, and whether it is that of names. */
struct csv_line {
	FILE		*csl_column[COLUMNS_MAX];
	char		*csl_text[COLUMNS_MAX];
	size_t		 csl_size[COLUMNS_MAX];
	bool		 csl_names;
};

/* More digits than a measurement has. */
#define	PRINT_REAL(out, v)	fprintf(out, "%.9g", (double)(v))

/* Each column is there once. */
static FILE *
column(struct csv_line *cl, unsigned n)
{
	KASSERT(n < COLUMNS_MAX && cl->csl_column[n] == NULL, ("column %u", n));
	cl->csl_column[n] = xmemstream(&cl->csl_text[n], &cl->csl_size[n]);
	return (cl->csl_column[n]);
}

/* The value, or of a pair one of them. */
static void
print_value(FILE *out, const struct field *f, const void *base, unsigned i)
{
	const void *p = (const char *)base + f->f_offset;

	/* A field that is its own condition is 0 or empty without it. */
	if (f->f_when != f->f_offset && !field_given(f, base))
		return;
	switch (field_types[f->f_kind].ft_form) {
	case FORM_TEXT:
		/* RFC 4180: a text with a separator is quoted. */
		if (strpbrk(p, ",\"\r\n") == NULL)
			fputs(p, out);
		else
			format_quoted(out, p);
		break;
	case FORM_BOOL:
		fprintf(out, "%d", *(const bool *)p);
		break;
	case FORM_UNSIGNED:
		fprintf(out, "%u", *(const unsigned *)p);
		break;
	case FORM_UINT64:
		fprintf(out, "%" PRIu64, *(const uint64_t *)p);
		break;
	default:
		PRINT_REAL(out, ((const double *)p)[i]);
	}
}

/*
 * The columns of one structure's fields.  object is its key, the unit of which
 * ends names: latency_ns.p50 is latency_p50_ns; "" if its objects count too.
 */
static void
add_columns(struct csv_line *cl, const struct field *table, const void *base,
    const char *object, unsigned first)
{
	const char *unit = object == NULL ? NULL : strstr(object, "_ns");
	const int len = object == NULL ? 0 : (int)(unit == NULL ?
	    strlen(object) : (size_t)(unit - object));
	unsigned n;

	for (const struct field *f = table; f->f_key != NULL; f++) {
		if (f->f_kind == FIELD_OBJECT && f->f_shape == FIELD_ONE &&
		    object != NULL && object[0] == '\0')
			add_columns(cl, f->f_table, (const char *)base +
			    f->f_offset, f->f_key, f->f_column);
		n = f->f_kind == FIELD_OBJECT || f->f_column == 0 ? 0 :
		    f->f_kind == FIELD_PAIR ? 2 : 1;
		for (unsigned i = 0; i < n; i++) {
			FILE *out = column(cl, first + f->f_column + i);

			if (cl->csl_names)
				fprintf(out, "%.*s%s%s%s%s", len, object,
				    len == 0 ? "" : "_", f->f_key,
				    unit == NULL ? "" : unit, n == 1 ? "" :
				    i == 0 ? "_low" : "_high");
			else
				print_value(out, f, base, i);
		}
	}
}

static void
print_line(FILE *out, const struct result *r, const struct result_cell *c,
    bool names)
{
	const struct result_band *band = &c->uncertainty;
	struct csv_line cl = { .csl_names = names };
	bool producers = false, seeded = false;

	for (unsigned i = 0; i < r->cell_count; i++) {
		producers |= r->cells[i].producers > 0;
		seeded |= r->cells[i].time_to_seeded_ns > 0;
	}
	add_columns(&cl, result_cell_fields, c, "", 0);
	add_columns(&cl, result_host_fields, &r->host, NULL, 0);
	add_columns(&cl, result_document_fields, r, NULL, 0);
#define	COLUMN(name, n, text, given, v)					\
	if (names)							\
		fputs(#name, column(&cl, n));				\
	else if (given)							\
		PRINT_REAL(column(&cl, n), v);				\
	else								\
		fputs(strcmp(#name, "claim") == 0 ? provenance_short(c) : \
		    "", column(&cl, n));
#include "bench/result/column.tbl"
	for (unsigned i = 1; cl.csl_column[i] != NULL; i++) {
		xmemclose(cl.csl_column[i]);
		if (i < COLUMNS_PRODUCERS || (i < COLUMNS_SEEDED ? producers :
		    seeded))
			fprintf(out, "%s%s", i == 1 ? "" : ",", cl.csl_text[i]);
		free(cl.csl_text[i]);
	}
	fputc('\n', out);
}

/* A row for each cell; as RFC 4180, but lines end in a newline alone. */
static void
csv_print(FILE *out, const void *result)
{
	const struct result *r = result;

	print_line(out, r, &(struct result_cell){ .readers = 1 }, true);
	for (unsigned i = 0; i < r->cell_count; i++)
		print_line(out, r, &r->cells[i], false);
}

/* For ministat(1): a column for each cell, a line for each repeat of all. */
static void
csv_print_ministat(FILE *out, const void *result)
{
	const struct result *r = result;
	bool seeded = r->cell_count > 0 && r->cells->time_to_seeded_ns > 0;
	unsigned max, min;

	provenance_repeats(r, &min, &max);
	fprintf(out, "# %s of", seeded ? "time to seeded, ns," : "total MB/s");
	for (unsigned i = 0; i < r->cell_count; i++) {
		const struct result_cell *c = &r->cells[i];
		struct text t = { .s = "" };

		text_add(&t, "%s/%s/%s/%s/%s", c->engine, c->design, c->lock,
		    c->cipher, c->crypto);
		/* A space separates columns. */
		for (char *n = t.s; *n != '\0'; n++)
			if (*n == ' ')
				*n = '_';
		fprintf(out, " %s/%ur/%" PRIu64 "B", t.s, c->readers,
		    c->request_bytes);
	}
	fputc('\n', out);
	if (provenance_of(r) > RESULT_MEASURED)
		fprintf(out, "# %s: %s\n", provenance_word(r),
		    TEXT_OF(provenance_machine, r));
	if (min != max)
		fprintf(out, "# repeats %u to %u left out: not every cell has "
		    "them\n", min + 1, max);
	for (unsigned k = 0; k < min; k++)
		for (unsigned i = 0; i < r->cell_count; i++)
			fprintf(out, "%.9g%c", seeded ?
			    r->cells[i].samples[k].time_to_seeded_ns :
			    r->cells[i].samples[k].total_mb_per_s,
			    i + 1 < r->cell_count ? ' ' : '\n');
}

void
report_json(FILE *out, const void *r)
{
	char *text = result_format_json(r);

	fputs(text, out);
	free(text);
}

report_printer *const report_printers[REPORTS] = {
	[FORMAT_TABLE] = table_print,
	[FORMAT_CSV] = csv_print,
	[FORMAT_JSON] = report_json,
	[FORMAT_MINISTAT] = csv_print_ministat,
	[REPORT_LOCK_PROFILE] = lock_profile_print
};

int
report_show(report_printer *print, const void *of)
{
	errno = 0;
	print(stdout, of);
	return (command_flush());
}
