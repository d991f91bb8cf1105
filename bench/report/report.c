#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/report.h"
#include "bench/result/describe.h"
#include "lib/base/kassert.h"

enum { COLUMNS_MAX = 128 };

/* A column of a table of fields, or without a field one that is computed. */
struct csv_column {
	char		 co_name[2 * RESULT_NAME_SIZE];
	const struct field *co_field;
	/* Where the field's structure is, from the row's base. */
	enum { IN_CELL, IN_HOST, IN_DOCUMENT } co_base;
	size_t		 co_offset;
};

/* More digits than a measurement has. */
#define	PRINT_REAL(out, v)	fprintf(out, "%.9g", (double)(v))

static void
print_computed(FILE *out, const struct result_cell *c, const char *name)
{
	const struct result_band *band = &c->uncertainty;

	if (strcmp(name, "claim") == 0)
		fputs(provenance_short(c), out);
#define	COLUMN(column, n, text, given, v)				\
	if (strcmp(name, #column) == 0 && (given))			\
		PRINT_REAL(out, v);
#include "bench/result/column.tbl"
}

static void
print_value(FILE *out, const struct field *f, const void *base)
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
		PRINT_REAL(out, *(const double *)p);
	}
}

/*
 * The columns of one structure's fields, in their places.  In an object the
 * unit of the object's key ends the name: latency_ns.p50 is latency_p50_ns.
 */
static void
add_columns(struct csv_column columns[COLUMNS_MAX], const struct field *table,
    struct csv_column like, unsigned first)
{
	const char *object = like.co_name, *unit;
	struct csv_column *co;
	int len;

	unit = strstr(object, "_ns");
	len = (int)(unit == NULL ? strlen(object) : (size_t)(unit - object));
	for (const struct field *f = table; f->f_key != NULL; f++) {
		struct csv_column inner = { .co_base = like.co_base,
		    .co_offset = like.co_offset + f->f_offset };

		if (f->f_kind == FIELD_OBJECT && f->f_shape == FIELD_ONE &&
		    like.co_base == IN_CELL && object[0] == '\0') {
			snprintf(inner.co_name, sizeof(inner.co_name), "%s",
			    f->f_key);
			add_columns(columns, f->f_table, inner, f->f_column);
		}
		if (f->f_kind == FIELD_OBJECT || f->f_column == 0)
			continue;
		KASSERT(first + f->f_column < COLUMNS_MAX - 1, ("%s",
		    f->f_key));
		co = &columns[first + f->f_column];
		KASSERT(co->co_name[0] == '\0', ("%s: column of %s", f->f_key,
		    co->co_name));
		*co = like;
		co->co_field = f;
		snprintf(co->co_name, sizeof(co->co_name), "%.*s%s%s%s%s", len,
		    object, len == 0 ? "" : "_", f->f_key, unit == NULL ? "" :
		    unit, f->f_kind == FIELD_PAIR ? "_low" : "");
		if (f->f_kind != FIELD_PAIR)
			continue;
		co[1] = co[0];
		co[1].co_offset += sizeof(double);
		strcpy(strstr(co[1].co_name, "_low"), "_high");
	}
}

/* Fills in columns 1 to n.  Returns: n. */
static unsigned
find_columns(struct csv_column columns[COLUMNS_MAX])
{
	unsigned n = 0;

	memset(columns, 0, COLUMNS_MAX * sizeof(*columns));
	add_columns(columns, result_cell_fields, (struct csv_column){
	    .co_base = IN_CELL }, 0);
	add_columns(columns, result_host_fields, (struct csv_column){
	    .co_base = IN_HOST }, 0);
	add_columns(columns, result_document_fields, (struct csv_column){
	    .co_base = IN_DOCUMENT }, 0);
#define	COLUMN(name, n, ...)	strcpy(columns[n].co_name, #name);
#include "bench/result/column.tbl"
	while (columns[n + 1].co_name[0] != '\0')
		n++;
	for (unsigned i = n + 1; i < COLUMNS_MAX; i++)
		KASSERT(columns[i].co_name[0] == '\0', ("column %u is missing "
		    "before %s", n + 1, columns[i].co_name));
	return (n);
}

void
csv_print(FILE *out, const void *result)
{
	const struct result *r = result;
	struct csv_column columns[COLUMNS_MAX];
	unsigned n = find_columns(columns);

	for (unsigned i = 1; i <= n; i++)
		fprintf(out, "%s%s", i == 1 ? "" : ",", columns[i].co_name);
	for (unsigned cell = 0; cell < r->cell_count; cell++) {
		const void *const bases[] = { &r->cells[cell], &r->host, r };

		for (unsigned i = 1; i <= n; i++) {
			const struct csv_column *co = &columns[i];

			fputc(i == 1 ? '\n' : ',', out);
			if (co->co_field == NULL)
				print_computed(out, &r->cells[cell],
				    co->co_name);
			else
				print_value(out, co->co_field,
				    (const char *)bases[co->co_base] +
				    co->co_offset);
		}
	}
	fputc('\n', out);
}

void
csv_print_ministat(FILE *out, const void *result)
{
	const struct result *r = result;
	struct text machine = { .s = "" };
	unsigned max, min;

	provenance_repeats(r, &min, &max);
	fputs("# total MB/s of", out);
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
	provenance_machine(&machine, r);
	if (provenance_of(r) > RESULT_MEASURED)
		fprintf(out, "# %s: %s\n", provenance_word(r), machine.s);
	if (min != max)
		fprintf(out, "# repeats %u to %u left out: not every cell has "
		    "them\n", min + 1, max);
	for (unsigned k = 0; k < min; k++)
		for (unsigned i = 0; i < r->cell_count; i++)
			fprintf(out, "%.9g%c",
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
	[REPORT_TABLE] = table_print,
	[REPORT_CSV] = csv_print,
	[REPORT_JSON] = report_json,
	[REPORT_MINISTAT] = csv_print_ministat,
	[REPORT_LOCK_PROFILE] = lock_profile_print
};
