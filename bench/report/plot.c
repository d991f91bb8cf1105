#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/console/gnuplot.h"
#include "bench/console/outfile.h"
#include "bench/report/plot.h"
#include "bench/report/plot_script.h"
#include "lib/kassert.h"

CTASSERT((int)GNUPLOT_ERROR_SIZE == (int)RESULT_TEXT_SIZE);

const char *const plot_part_names[PLOT_PARTS] = {
	[PLOT_SCALE] = "scale",
	[PLOT_LATENCY] = "latency",
	[PLOT_HARVEST] = "harvest",
	[PLOT_WAITS] = "waits"
};

static int
make_script(const struct result *r, enum plot_part part, bool svg,
    char **script, size_t *len)
{
	FILE *out;
	int error;

	*script = NULL;
	out = open_memstream(script, len);
	if (out == NULL)
		return (errno);
	error = plot_script_print(out, r, part, svg);
	if (fclose(out) != 0)
		error = ENOMEM;
	if (error != 0)
		free(*script);
	return (error);
}

int
plot_write(const struct result *r, const char *path, enum plot_part part,
    char error[RESULT_TEXT_SIZE])
{
	struct outfile of;
	char *script;
	size_t len;
	int status;

	KASSERT(path != NULL, ("no path"));
	error[0] = '\0';
	if (!gnuplot_path_ok(path)) {
		snprintf(error, RESULT_TEXT_SIZE,
		    "expected a name that ends in .png or .svg");
		return (EINVAL);
	}
	if (r->cell_count == 0) {
		snprintf(error, RESULT_TEXT_SIZE, "no cells to draw");
		return (EINVAL);
	}
	status = make_script(r, part, gnuplot_path_svg(path), &script, &len);
	if (status == 0) {
		status = outfile_open(&of, path);
		if (status == 0) {
			status = gnuplot_draw(script, len, of.of_fd, error);
			if (status == 0)
				status = outfile_commit(&of, NULL, 0);
			else
				outfile_abort(&of);
		}
		free(script);
	}
	if (status != 0 && error[0] == '\0')
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(status));
	return (status);
}
