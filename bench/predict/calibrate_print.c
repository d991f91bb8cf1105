/*
 * A calibration as a table, as JSON and as a profile.
 */
#include <sys/utsname.h>

#include <string.h>
#include <time.h>

#include "bench/cli/format.h"
#include "bench/predict/calibrate_probe.h"
#include "bench/result/json_text.h"
#include "lib/machine/cpu.h"

enum { MODEL_SIZE = 96, JSON_DIGITS = 12 };

/* Blanks at the right of a column set the next one off. */
static const struct column value_columns[] = {
	{ "key", -21 }, { "value ", 10 }, { "unit ", -5 }, { "p5..p95 ", -21 },
	{ "provenance ", -11 }, { "note", 0 }
};

static const struct column check_columns[] = {
	{ "design ", -11 }, { "cipher ", -9 }, { "crypto ", -7 },
	{ "size ", 8 }, { "predicted ", 10 }, { "measured ", 10 },
	{ "ratio", 5 }
};

/* Numbers the notes, equal ones alike; 0: no note. */
static void
number_notes(const struct calibration *cb, unsigned numbers[PROFILE_VALUES])
{
	unsigned i, k, last = 0;

	for (i = 0; i < PROFILE_VALUES; i++) {
		const char *note = cb->cb_reading[i].rd_note;

		for (k = 0; strcmp(cb->cb_reading[k].rd_note, note) != 0; k++)
			continue;
		numbers[i] = note[0] == '\0' ? 0 : k < i ? numbers[k] :
		    ++last;
	}
}

static void
print_values(FILE *out, const struct calibration *cb)
{
	unsigned i, last = 0, numbers[PROFILE_VALUES];

	number_notes(cb, numbers);
	COLUMNS_TITLES(out, value_columns);
	for (i = 0; i < PROFILE_VALUES; i++) {
		const struct calibrate_reading *rd = &cb->cb_reading[i];

		if (rd->rd_from == PROVENANCE_ABSENT)
			continue;
		COLUMNS_ROW(out, value_columns, profile_fields[i].pf_key,
		    FORMATF("%.4g ", rd->rd_value),
		    profile_unit_name(profile_fields[i].pf_unit),
		    rd->rd_count == 0 ? "" : FORMATF("%.4g..%.4g", rd->rd_p5,
		    rd->rd_p95), provenance_name(rd->rd_from),
		    numbers[i] == 0 ? "" : FORMATF("%u", numbers[i]));
	}
	putc('\n', out);
	for (i = 0; i < PROFILE_VALUES; i++) {
		if (numbers[i] <= last)
			continue;
		last = numbers[i];
		format_wrap(out, FORMATF("%4u  ", last), 6,
		    cb->cb_reading[i].rd_note);
	}
}

void
calibrate_print_table(FILE *out, const struct calibration *cb,
    const char *busy)
{
	const struct calibrate_conditions *cc = &cb->cb_conditions;
	const struct calibrate_check *ck;

	print_values(out, cb);
	fputs("\nA read of one thread, predicted from these values and "
	    "measured:\n\n", out);
	COLUMNS_TITLES(out, check_columns);
	for (ck = cb->cb_check; ck < cb->cb_check + cb->cb_checks; ck++)
		COLUMNS_ROW(out, check_columns, ck->ck_design, ck->ck_cipher,
		    crypto_mode_names[ck->ck_mode],
		    FORMATF("%s ", FORMAT(bytes, ck->ck_bytes)),
		    FORMATF("%s ", FORMAT(ns, ck->ck_predicted_ns)),
		    FORMATF("%s ", FORMAT(ns, ck->ck_measured_ns)),
		    FORMATF("%.2f", ck->ck_predicted_ns / ck->ck_measured_ns));
	putc('\n', out);
	format_wrapf(out, "Meanwhile:", 0, "other programs used %.2f of each "
	    "CPU; the hypervisor took %.1f %% of the time; %.1f %% of the "
	    "batches lost their CPU; the CPU became %.1f %% slower.",
	    cc->cc_others, cc->cc_steal * 100, cc->cc_disturbed * 100,
	    cc->cc_drift * 100);
	if (busy[0] != '\0') {
		putc('\n', out);
		format_wrap(out, "Not reliable:", 4, busy);
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
check_json(const void *checks, unsigned i)
{
	const struct calibrate_check *ck =
	    (const struct calibrate_check *)checks + i;

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
	json_t *values = json_array();
	unsigned i;

	for (i = 0; i < PROFILE_VALUES; i++)
		if (cb->cb_reading[i].rd_from != PROVENANCE_ABSENT)
			json_append(&values, value_json(cb, i));
	return (json_print(out, json_pack("{s:s, s:s, s:{s:f, s:f, s:f, "
	    "s:f, s:f}, s:o, s:o}",
	    "profile", path, "busy", busy, "conditions",
	    "load", cc->cc_load, "others", cc->cc_others,
	    "steal", cc->cc_steal, "disturbed", cc->cc_disturbed,
	    "drift", cc->cc_drift, "values", values,
	    "checks", json_list(cb->cb_checks, check_json, cb->cb_check)),
	    JSON_DIGITS));
}

/* Makes text of firmware and kernels valid in a profile. */
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
	char day[16], model[MODEL_SIZE];
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
	/* The conditions stand here, not in each source. */
	snprintf(pr->pr_descr, sizeof(pr->pr_descr), "%s%.48s, %u CPUs, "
	    "%.12s %.24s, %s, load %.2f", busy[0] != '\0' ?
	    "BUSY when calibrated: " : "", model, cpu_count(), un.sysname,
	    un.release, day, cb->cb_conditions.cc_load);
	plain(pr->pr_descr);
	for (i = 0; i < PROFILE_VALUES; i++) {
		rd = &cb->cb_reading[i];
		pr->pr_value[i] = rd->rd_value;
		pr->pr_from[i] = rd->rd_from;
		if (rd->rd_from == PROVENANCE_ABSENT)
			continue;
		n = snprintf(pr->pr_source[i], PROFILE_TEXT_SIZE, "%s",
		    rd->rd_note);
		if (rd->rd_count > 0)
			snprintf(pr->pr_source[i] + n,
			    PROFILE_TEXT_SIZE - (size_t)n,
			    "%sn %u, %.3g..%.3g", n > 0 ? "; " : "",
			    rd->rd_count, rd->rd_p5, rd->rd_p95);
		else if (n == 0)
			snprintf(pr->pr_source[i], PROFILE_TEXT_SIZE, "%s",
			    provenance_name(rd->rd_from));
		plain(pr->pr_source[i]);
	}
}
