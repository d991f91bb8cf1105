#include <errno.h>
#include <stdlib.h>

#include "bench/report/csv.h"
#include "bench/report/report.h"
#include "bench/report/table.h"
#include "lib/kassert.h"

const char *const report_format_names[REPORT_FORMATS] = {
	[REPORT_TABLE] = "table",
	[REPORT_CSV] = "csv",
	[REPORT_JSON] = "json",
	[REPORT_MINISTAT] = "ministat",
	[REPORT_WILL_IT_SCALE] = "will-it-scale"
};

static int
emit_json(FILE *out, const struct result *r)
{
	char *text;

	text = result_format_json(r);
	if (text == NULL)
		return (ENOMEM);
	fputs(text, out);
	free(text);
	return (0);
}

int
report_emit(FILE *out, const struct result *r, enum report_format format)
{
	int error = 0;

	KASSERT(format < REPORT_FORMATS, ("format %d", (int)format));
	errno = 0;
	switch (format) {
	case REPORT_TABLE:
		table_print(out, r);
		break;
	case REPORT_CSV:
		csv_print(out, r);
		break;
	case REPORT_JSON:
		error = emit_json(out, r);
		break;
	case REPORT_MINISTAT:
		csv_print_ministat(out, r);
		break;
	case REPORT_WILL_IT_SCALE:
		error = csv_print_will_it_scale(out, r);
		break;
	case REPORT_FORMATS:
		break;
	}
	/* A full disk shows at the flush. */
	if (error == 0 && (fflush(out) != 0 || ferror(out)))
		error = errno != 0 ? errno : EIO;
	return (error);
}
