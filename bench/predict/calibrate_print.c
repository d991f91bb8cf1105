/*
 * A calibration as a table and as a profile.
 */
#include <sys/utsname.h>

#include <string.h>
#include <time.h>

#include "bench/cli/format.h"
#include "bench/predict/calibrate_probe.h"
#include "lib/machine/cpu.h"

enum { MODEL_SIZE = 96 };

/* Blanks at the right of a column set the next one off. */
static const struct column columns[] = {
	{ "key", -21 }, { "value ", 10 }, { "unit ", -5 }, { "p5..p95 ", -21 },
	{ "provenance", 0 }
};

void
calibrate_print(FILE *out, const struct calibration *cb, const char *busy)
{
	const struct calibrate_conditions *cc = &cb->cb_conditions;
	const struct calibrate_reading *mr;

	COLUMNS_TITLES(out, columns);
	for (unsigned i = 0; i < PROFILE_VALUES; i++) {
		mr = &cb->cb_reading[i];
		if (mr->mr_from == PROVENANCE_ABSENT)
			continue;
		COLUMNS_ROW(out, columns, profile_fields[i].pf_key,
		    FORMATF("%.4g ", mr->mr_value),
		    profile_unit_name(profile_fields[i].pf_unit),
		    mr->mr_count == 0 ? "" : FORMATF("%.4g..%.4g", mr->mr_p5,
		    mr->mr_p95), provenance_name(mr->mr_from));
	}
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
	const struct calibrate_reading *mr;
	time_t now = time(NULL);
	struct utsname un;
	struct tm tm;
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
	for (unsigned i = 0; i < PROFILE_VALUES; i++) {
		mr = &cb->cb_reading[i];
		pr->pr_value[i] = mr->mr_value;
		pr->pr_from[i] = mr->mr_from;
		if (mr->mr_from == PROVENANCE_ABSENT)
			continue;
		n = snprintf(pr->pr_source[i], PROFILE_TEXT_SIZE, "%s",
		    mr->mr_note);
		if (mr->mr_count > 0)
			snprintf(pr->pr_source[i] + n,
			    PROFILE_TEXT_SIZE - (size_t)n,
			    "%sn %u, %.3g..%.3g", n > 0 ? "; " : "",
			    mr->mr_count, mr->mr_p5, mr->mr_p95);
		else if (n == 0)
			snprintf(pr->pr_source[i], PROFILE_TEXT_SIZE, "%s",
			    provenance_name(mr->mr_from));
		plain(pr->pr_source[i]);
	}
}
