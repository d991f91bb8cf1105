#include <sys/wait.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cli/child.h"
#include "bench/report/plot.h"
#include "lib/base/read_file.h"

static bool
ends_in(const char *text, size_t have, const char *ending)
{
	size_t want = strlen(ending);

	return (have > want && memcmp(text + have - want, ending, want) == 0);
}

bool
gnuplot_path_ok(const char *path)
{
	return (ends_in(path, strlen(path), ".png") || gnuplot_path_svg(path));
}

bool
gnuplot_path_svg(const char *path)
{
	return (ends_in(path, strlen(path), ".svg"));
}

/*
 * Between single quotes only the quote and the line's end are special.  A
 * doubled quote stands for one, but not at the start of a string, so quotes
 * become spaces, and so do backquotes, which run commands elsewhere.
 */
void
gnuplot_set(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s = '", name);
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || *text == '\'' ||
		    *text == '`' ? ' ' : *text, out);
	fputs("'\n", out);
}

/* The last line with text; gnuplot shows the place of the error before it. */
static void
last_line(FILE *messages, char error[RESULT_TEXT_SIZE])
{
	char line[RESULT_TEXT_SIZE - 16];
	const char *text;

	snprintf(error, RESULT_TEXT_SIZE, "gnuplot: no message");
	rewind(messages);
	while (fgets(line, sizeof(line), messages) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		text = line + strspn(line, " \t");
		if (*text != '\0')
			snprintf(error, RESULT_TEXT_SIZE, "gnuplot: %s", text);
	}
}

/* gnuplot reports no error of writing. */
static bool
whole(const char *picture, size_t size)
{
	static const char png[] = "IEND\xae\x42\x60\x82", svg[] = "</svg>";

	while (size > 0 && picture[size - 1] == '\n')
		size--;
	return (ends_in(picture, size, png) || ends_in(picture, size, svg));
}

/* Messages go to a file, not a pipe: neither side waits for the other. */
static int
run(FILE *script, FILE *messages, char **picture, size_t *size,
    char error[RESULT_TEXT_SIZE])
{
	/* -d: without the user's own settings. */
	static const char *const argv[] = { "gnuplot", "-d", "-", NULL };
	struct child ch = { .ch_argv = argv, .ch_fd = { fileno(script),
	    CHILD_PIPE, fileno(messages) } };
	int status, why;

	if (fflush(script) != 0 || ferror(script) ||
	    lseek(fileno(script), 0, SEEK_SET) != 0)
		return (errno != 0 ? errno : EIO);
	why = child_start(&ch);
	if (why == ENOENT)
		snprintf(error, RESULT_TEXT_SIZE, "gnuplot is not installed: "
		    "package gnuplot-nox (Debian), gnuplot (FreeBSD)");
	if (why != 0)
		return (why);
	why = read_file(ch.ch_out, SIZE_MAX, picture, size);
	close(ch.ch_out);
	status = child_wait(ch.ch_pid);
	if (why != 0)
		return (why);
	if (WIFSIGNALED(status))
		snprintf(error, RESULT_TEXT_SIZE, "gnuplot was ended by a "
		    "signal: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		last_line(messages, error);
	else if (!whole(*picture, *size))
		snprintf(error, RESULT_TEXT_SIZE, "gnuplot wrote a part of "
		    "the picture only");
	else
		return (0);
	return (EIO);
}

int
gnuplot_run(FILE *script, char **picture, size_t *size,
    char error[RESULT_TEXT_SIZE])
{
	FILE *messages = tmpfile();
	int why;

	*picture = NULL;
	*size = 0;
	error[0] = '\0';
	why = messages == NULL ? errno :
	    run(script, messages, picture, size, error);
	if (why != 0 && error[0] == '\0')
		snprintf(error, RESULT_TEXT_SIZE, "%s", strerror(why));
	if (messages != NULL)
		fclose(messages);
	return (why);
}
