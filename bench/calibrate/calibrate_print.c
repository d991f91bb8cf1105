/*
 * A calibration as a table, as JSON and as a profile.
 */
#include <sys/utsname.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include "bench/calibrate/calibrate_probe.h"
#include "bench/console/figure.h"
#include "lib/cpu.h"

enum { MARK_SIZE = 16, MODEL_SIZE = 96 };

/* Each note once, in the order of the values. */
static unsigned
note_number(const struct calibration *cb, unsigned value)
{
	unsigned i, k, n = 0;

	if (cb->cb_reading[value].rd_note[0] == '\0')
		return (0);
	for (i = 0; i < PROFILE_VALUES; i++) {
		const char *note = cb->cb_reading[i].rd_note;

		if (note[0] == '\0')
			continue;
		for (k = 0; strcmp(cb->cb_reading[k].rd_note, note) != 0; k++)
			continue;
		n += k == i;
		if (strcmp(note, cb->cb_reading[value].rd_note) == 0)
			return (n);
	}
	return (n);
}

static void
print_notes(FILE *out, const struct calibration *cb)
{
	char mark[MARK_SIZE];
	unsigned i, last = 0, n;

	putc('\n', out);
	for (i = 0; i < PROFILE_VALUES; i++) {
		n = note_number(cb, i);
		if (n <= last)
			continue;
		snprintf(mark, sizeof(mark), "%4u  ", n);
		figure_wrap(out, mark, 6, cb->cb_reading[i].rd_note);
		last = n;
	}
}

static void
print_checks(FILE *out, const struct calibration *cb)
{
	char measured[FIGURE_SIZE], predicted[FIGURE_SIZE], size[32];
	const struct calibrate_check *ck;
	unsigned i;

	fputs("\nA read of one thread, from these values and as measured:\n\n",
	    out);
	fprintf(out, "%-10s  %-8s  %-6s  %7s  %9s  %9s  %5s\n", "design",
	    "cipher", "crypto", "size", "predicted", "measured", "ratio");
	for (i = 0; i < cb->cb_checks; i++) {
		ck = &cb->cb_check[i];
		fprintf(out, "%-10s  %-8s  %-6s  %7s  %9s  %9s  %5.2f\n",
		    ck->ck_design, ck->ck_cipher,
		    crypto_mode_names[ck->ck_mode],
		    figure_bytes(size, ck->ck_bytes),
		    figure_ns(predicted, ck->ck_predicted_ns),
		    figure_ns(measured, ck->ck_measured_ns),
		    ck->ck_predicted_ns / ck->ck_measured_ns);
	}
}

void
calibrate_print_table(FILE *out, const struct calibration *cb,
    const char *busy)
{
	const struct calibrate_conditions *cc = &cb->cb_conditions;
	const struct calibrate_reading *rd;
	char note[MARK_SIZE], spread[32];
	unsigned i;

	fprintf(out, "%-21s %9s  %-4s  %-20s  %-10s  %s\n", "key", "value",
	    "unit", "p5..p95", "provenance", "note");
	for (i = 0; i < PROFILE_VALUES; i++) {
		rd = &cb->cb_reading[i];
		if (rd->rd_from == PROVENANCE_ABSENT)
			continue;
		spread[0] = note[0] = '\0';
		if (rd->rd_count > 0)
			snprintf(spread, sizeof(spread), "%.4g..%.4g",
			    rd->rd_p5, rd->rd_p95);
		if (note_number(cb, i) != 0)
			snprintf(note, sizeof(note), "%u", note_number(cb, i));
		fprintf(out, "%-21s %9.4g  %-4s  %-20s  %-10s  %s\n",
		    profile_fields[i].pf_key, rd->rd_value,
		    profile_unit_name(profile_fields[i].pf_unit), spread,
		    provenance_name(rd->rd_from), note);
	}
	print_notes(out, cb);
	print_checks(out, cb);
	fprintf(out, "\nMeanwhile: others used %.2f of each CPU, %.1f %% of "
	    "the time was stolen,\n%.1f %% of the batches lost their CPU, "
	    "which became %.1f %% slower.\n", cc->cc_others,
	    cc->cc_steal * 100, cc->cc_disturbed * 100, cc->cc_drift * 100);
	if (busy[0] != '\0') {
		putc('\n', out);
		figure_wrap(out, "Not to be relied on:", 4, busy);
	}
}

static json_t *
value_json(const struct calibration *cb, unsigned i)
{
	const struct calibrate_reading *rd = &cb->cb_reading[i];

	return (json_pack("{s:s, s:f, s:s, s:f, s:f, s:i, s:s, s:s}",
	    "key", profile_fields[i].pf_key, "value", rd->rd_value,
	    "unit", profile_unit_name(profile_fields[i].pf_unit),
	    "p5", rd->rd_p5, "p95", rd->rd_p95, "samples", (int)rd->rd_count,
	    "provenance", provenance_name(rd->rd_from), "note", rd->rd_note));
}

static json_t *
check_json(const struct calibrate_check *ck)
{

	return (json_pack("{s:s, s:s, s:s, s:i, s:f, s:f, s:f}",
	    "design", ck->ck_design, "cipher", ck->ck_cipher,
	    "crypto", crypto_mode_names[ck->ck_mode],
	    "request_bytes", (int)ck->ck_bytes,
	    "predicted_ns", ck->ck_predicted_ns,
	    "measured_ns", ck->ck_measured_ns,
	    "ratio", ck->ck_predicted_ns / ck->ck_measured_ns));
}

int
calibrate_print_json(FILE *out, const struct calibration *cb, const char *path,
    const char *busy)
{
	const struct calibrate_conditions *cc = &cb->cb_conditions;
	json_t *checks = json_array(), *root, *values = json_array();
	int error = 0;
	unsigned i;

	for (i = 0; i < PROFILE_VALUES; i++)
		if (cb->cb_reading[i].rd_from != PROVENANCE_ABSENT &&
		    json_array_append_new(values, value_json(cb, i)) != 0)
			error = ENOMEM;
	for (i = 0; i < cb->cb_checks; i++)
		if (json_array_append_new(checks,
		    check_json(&cb->cb_check[i])) != 0)
			error = ENOMEM;
	root = json_pack("{s:s, s:s, s:{s:f, s:f, s:f, s:f, s:f}, s:o, s:o}",
	    "profile", path, "busy", busy, "conditions",
	    "load", cc->cc_load, "others", cc->cc_others,
	    "steal", cc->cc_steal, "disturbed", cc->cc_disturbed,
	    "drift", cc->cc_drift, "values", values, "checks", checks);
	if (root == NULL || error != 0) {
		json_decref(root);
		return (ENOMEM);
	}
	/* Whether it got there is what main() asks of stdout. */
	if (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) !=
	    0 && !ferror(out))
		error = ENOMEM;
	putc('\n', out);
	json_decref(root);
	return (error);
}

/* Text of firmware and kernels, as a profile can hold it. */
static void
plain(char *text)
{

	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~' || *text == '"' ||
		    *text == '\\')
			*text = ' ';
}

void
calibrate_profile(const struct calibration *cb, const char *busy,
    struct profile *pr)
{
	char day[16], model[MODEL_SIZE], where[PROFILE_TEXT_SIZE];
	const struct calibrate_reading *rd;
	time_t now = time(NULL);
	struct utsname un;
	struct tm tm;
	unsigned i;
	int n;

	memset(pr, 0, sizeof(*pr));
	cpu_model(model, sizeof(model));
	if (uname(&un) != 0)
		memset(&un, 0, sizeof(un));
	if (gmtime_r(&now, &tm) == NULL ||
	    strftime(day, sizeof(day), "%Y-%m-%d", &tm) == 0)
		day[0] = '\0';
	snprintf(pr->pr_name, sizeof(pr->pr_name), "host");
	snprintf(pr->pr_descr, sizeof(pr->pr_descr), "%s%.48s, %u CPUs, "
	    "%.16s %.32s, %s", busy[0] != '\0' ? "BUSY when calibrated: " : "",
	    model, cpu_count(), un.sysname, un.release, day);
	plain(pr->pr_descr);
	snprintf(where, sizeof(where), "%s, load %.2f, %.12s %.24s, %.32s",
	    day, cb->cb_conditions.cc_load, un.sysname, un.release, model);
	for (i = 0; i < PROFILE_VALUES; i++) {
		rd = &cb->cb_reading[i];
		pr->pr_value[i] = rd->rd_value;
		pr->pr_from[i] = rd->rd_from;
		if (rd->rd_from == PROVENANCE_ABSENT)
			continue;
		n = snprintf(pr->pr_source[i], PROFILE_TEXT_SIZE, "%s%s",
		    rd->rd_note, rd->rd_note[0] != '\0' ? "; " : "");
		if (rd->rd_count > 0)
			n += snprintf(pr->pr_source[i] + n,
			    PROFILE_TEXT_SIZE - (size_t)n,
			    "n %u, %.3g..%.3g; ", rd->rd_count, rd->rd_p5,
			    rd->rd_p95);
		/* The last is cut where it does not fit. */
		if (n < PROFILE_TEXT_SIZE)
			snprintf(pr->pr_source[i] + n,
			    PROFILE_TEXT_SIZE - (size_t)n, "%s", where);
		plain(pr->pr_source[i]);
	}
}
