/*
 * Reads files of published figures.
 */
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "bench/predict/published.h"

enum { COLUMNS_MAX = 32, ROWS_STEP = 1024 };

/* What a column means. */
enum meaning { THREADS, LOCK, VALUE, CONTENDERS, CRIT, PAR, GROUP, OTHER };

static const struct {
	const char	*name;
	enum meaning	 meaning;
} columns[] = {
	{ "threads", THREADS }, { "lock", LOCK }, { "value", VALUE },
	{ "contenders", CONTENDERS }, { "crit_ns", CRIT }, { "par_ns", PAR },
	{ "version", GROUP }, { "variant", GROUP }, { "metric", GROUP },
	{ "bench", GROUP }, { "kernel", GROUP }, { "run", GROUP },
	{ "node", GROUP }, { "machine", GROUP }, { "config", GROUP }
};

struct reading {
	struct published *rd_pb;
	struct lines	 rd_lines;
	char		 rd_names[COLUMNS_MAX][PUBLISHED_NAME_SIZE];
	enum meaning	 rd_meaning[COLUMNS_MAX];
	unsigned	 rd_columns;
	char		*rd_field[COLUMNS_MAX];	/* of the row being read */
	unsigned	 rd_room;	/* of pb_rows */
};

/* Splits the line at commas. */
static unsigned
split(struct reading *rd)
{
	char *at = rd->rd_lines.li_text;
	unsigned n = 0;

	do
		rd->rd_field[n++] = at;
	while ((at = strchr(at, ',')) != NULL && (*at++ = '\0', n <
	    COLUMNS_MAX));
	return (n);
}

/* Whether text has sign in it, in any case. */
static bool
says(const char *text, const char *sign)
{
	const size_t n = strlen(sign);

	for (; *text != '\0'; text++)
		if (strncasecmp(text, sign, n) == 0)
			return (true);
	return (false);
}

static void
take_header(struct published *pb, const char *line)
{
	if (strncmp(line, "# kernels:", 10) == 0)
		snprintf(pb->pb_kernels, sizeof(pb->pb_kernels), "%s", line);
	if (strncmp(line, "# benchmark:", 12) == 0)
		for (const struct published_loop *pl = published_loops;
		    pb->pb_loop == NULL &&
		    pl->pl_name != NULL; pl++)
			if (pl->pl_sign != NULL && says(line, pl->pl_sign))
				pb->pb_loop = pl;
	if (strncasecmp(line, "# units:", 8) == 0)
		for (const struct published_unit *un = published_units;
		    pb->pb_unit == NULL &&
		    un->un_name != NULL; un++)
			if (says(line, un->un_sign[0]) ||
			    (un->un_sign[1] != NULL &&
			    says(line, un->un_sign[1])))
				pb->pb_unit = un;
}

static int
take_columns(struct reading *rd)
{
	const unsigned n = split(rd);
	unsigned found = 0, k;

	for (unsigned i = 0; i < n && i < COLUMNS_MAX; i++) {
		snprintf(rd->rd_names[i], PUBLISHED_NAME_SIZE, "%s",
		    rd->rd_field[i]);
		rd->rd_meaning[i] = OTHER;
		for (k = 0; k < sizeof(columns) / sizeof(columns[0]); k++)
			if (strcmp(rd->rd_field[i], columns[k].name) == 0)
				rd->rd_meaning[i] = columns[k].meaning;
		if (rd->rd_meaning[i] <= VALUE)
			found |= 1u << rd->rd_meaning[i];
	}
	rd->rd_columns = n;
	if (found == 7)
		return (0);
	return (lines_refuse(&rd->rd_lines, "no column \"%s\": expected a "
	    "line of columns, threads, lock and value among them",
	    columns[(found & 1) == 0 ? 0 : (found & 2) == 0 ? 1 : 2].name));
}

/* The index of a name, added where it is new; -1: there are too many. */
static int
intern(struct published_names *pn, const char *name)
{
	unsigned i;

	for (i = 0; i < pn->pn_count; i++)
		if (strcmp(pn->pn_name[i], name) == 0)
			return ((int)i);
	if (i == PUBLISHED_NAMES_MAX)
		return (-1);
	snprintf(pn->pn_name[i], PUBLISHED_NAME_SIZE, "%s", name);
	pn->pn_count++;
	return ((int)i);
}

/* Whether a row has what --where asks of a column. */
static bool
wanted(const struct reading *rd, unsigned column)
{
	const char *at = rd->rd_pb->pb_request->pq_where;
	const size_t n = strlen(rd->rd_names[column]);
	size_t part;

	for (; at != NULL && *at != '\0'; at += at[part] == ',' ? part + 1 :
	    part) {
		part = strcspn(at, ",");
		if (part > n && at[n] == '=' &&
		    strncmp(at, rd->rd_names[column], n) == 0)
			return (strlen(rd->rd_field[column]) == part - n - 1 &&
			    strncmp(at + n + 1, rd->rd_field[column],
			    part - n - 1) == 0);
	}
	return (true);
}

static int
refuse_field(struct reading *rd, unsigned column, const char *expected)
{
	return (lines_refuse(&rd->rd_lines, "%.40s: \"%.40s\": expected %s",
	    rd->rd_names[column], rd->rd_field[column], expected));
}

/* Takes a column of a row; text of groups is appended. */
static int
take_field(struct reading *rd, unsigned column, struct published_row *pr,
    char group[PUBLISHED_NAME_SIZE])
{
	const enum meaning meaning = rd->rd_meaning[column];
	const char *text = rd->rd_field[column];
	const size_t used = strlen(group);
	char *end;
	double v;
	int i;

	if (meaning == CRIT || meaning == PAR || meaning == GROUP)
		snprintf(group + used, PUBLISHED_NAME_SIZE - used, "%s%s=%s",
		    used > 0 ? " " : "", rd->rd_names[column], text);
	if (meaning == GROUP || meaning == OTHER)
		return (0);
	if (meaning == LOCK) {
		i = intern(&rd->rd_pb->pb_locks, text);
		pr->pr_lock = (unsigned)i;
		return (i >= 0 && *text != '\0' ? 0 : refuse_field(rd, column,
		    "a name, of at most 512 in a file"));
	}
	v = strtod(text, &end);
	if (end == text || *end != '\0' || !isfinite(v) || v < 0)
		return (refuse_field(rd, column, "a number of 0 or more"));
	if ((meaning == THREADS || meaning == CONTENDERS) && (v < 1 || v >
	    CELL_READERS_MAX))
		return (refuse_field(rd, column, "threads, 1..1024"));
	if (meaning == THREADS)
		pr->pr_threads = (unsigned)v;
	else if (meaning == CONTENDERS)
		pr->pr_contenders = (unsigned)(v + 0.5);
	else if (meaning == VALUE)
		pr->pr_value = v;
	else if (meaning == CRIT)
		pr->pr_crit_ns = v;
	else
		pr->pr_par_ns = v;
	return (0);
}

static int
take_row(struct reading *rd)
{
	struct published *pb = rd->rd_pb;
	char group[PUBLISHED_NAME_SIZE] = "";
	struct published_row row = { .pr_threads = 0 }, *grown;
	const unsigned n = split(rd);
	bool take = true;
	unsigned i;
	int error = 0;

	if (n < rd->rd_columns)
		return (lines_refuse(&rd->rd_lines, "%u fields: expected %u, "
		    "as there are columns", n, rd->rd_columns));
	for (i = 0; i < rd->rd_columns; i++)
		take &= wanted(rd, i);
	for (i = 0; take && error == 0 && i < rd->rd_columns; i++)
		error = take_field(rd, i, &row, group);
	/* A value of 0 is no time; some files have rows of zeros. */
	if (error != 0 || !take || row.pr_value <= 0)
		return (error);
	i = (unsigned)intern(&pb->pb_groups, group);
	if (i >= PUBLISHED_NAMES_MAX)
		return (lines_refuse(&rd->rd_lines, "more than %d groups: "
		    "choose some with --where", PUBLISHED_NAMES_MAX));
	row.pr_group = i;
	if (row.pr_contenders == 0)
		row.pr_contenders = row.pr_threads;
	if (pb->pb_row_count == rd->rd_room) {
		rd->rd_room += ROWS_STEP;
		grown = realloc(pb->pb_rows, rd->rd_room * sizeof(*grown));
		if (grown == NULL)
			return (lines_no_memory(&rd->rd_lines));
		pb->pb_rows = grown;
	}
	pb->pb_rows[pb->pb_row_count++] = row;
	return (0);
}

int
published_read(struct published *pb)
{
	char why[LINES_ERROR_SIZE] = "";
	struct reading reading = { .rd_pb = pb }, *rd = &reading;
	struct lines *li = &rd->rd_lines;

	lines_open(li, pb->pb_request->pq_path, why);
	while (li->li_error == 0 && lines_next(li)) {
		if (li->li_text[0] == '#')
			take_header(pb, li->li_text);
		else if (rd->rd_columns == 0)
			take_columns(rd);
		else if (li->li_text[0] != '\0')
			take_row(rd);
	}
	if (li->li_error == 0 && pb->pb_row_count == 0)
		lines_refuse_file(li, "no rows%s: expected columns threads, "
		    "lock and value, and rows of them", pb->pb_request->
		    pq_where != NULL ? " that --where accepts" : "");
	snprintf(pb->pb_error, sizeof(pb->pb_error), "%s", why);
	lines_close(li);
	return (li->li_error);
}
