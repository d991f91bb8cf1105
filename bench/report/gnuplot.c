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
gnuplot_quote(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text != '\0'; text++)
		fputc((unsigned char)*text < ' ' || *text == '\'' ||
		    *text == '`' ? ' ' : *text, out);
	fputc('\'', out);
}

void
gnuplot_set(FILE *out, const char *name, const char *text)
{
	fprintf(out, "%s = ", name);
	gnuplot_quote(out, text);
	fputc('\n', out);
}

void
gnuplot_terminal(FILE *out, bool svg, unsigned width, unsigned height)
{
	if (svg) {
		fprintf(out, "set terminal svg noenhanced size %u,%u font "
		    "'Helvetica,12' background '#ffffff'\n", width, height);
		return;
	}
	fprintf(out, "if (strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) {\n"
	    "set terminal pngcairo noenhanced size %u,%u font 'Sans,9'\n"
	    "} else {\n"
	    "set terminal png truecolor noenhanced size %u,%u medium\n}\n",
	    width, height, width, height);
}

/* The last line with text; gnuplot shows the place of the error before it. */
static void
last_line(FILE *messages, char error[GNUPLOT_ERROR_SIZE])
{
	char line[GNUPLOT_ERROR_SIZE - 16];
	const char *text;

	snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot: no message");
	rewind(messages);
	while (fgets(line, sizeof(line), messages) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		text = line + strspn(line, " \t");
		if (*text != '\0')
			snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot: %s",
			    text);
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

static int
run(FILE *commands, FILE *messages, char **picture, size_t *size,
    char error[GNUPLOT_ERROR_SIZE])
{
	/* -d: without the user's own settings. */
	static const char *const argv[] = { "gnuplot", "-d", "-", NULL };
	struct child ch = { .ch_argv = argv, .ch_fd = { fileno(commands),
	    CHILD_PIPE, fileno(messages) } };
	int status, why;

	why = child_start(&ch);
	if (why == ENOENT)
		snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot is not installed: "
		    "package gnuplot-nox (Debian), gnuplot (FreeBSD)");
	if (why != 0)
		return (why);
	why = read_file(ch.ch_out, SIZE_MAX, picture, size);
	close(ch.ch_out);
	status = child_wait(ch.ch_pid);
	if (why != 0)
		return (why);
	if (WIFSIGNALED(status))
		snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot was ended by a "
		    "signal: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		last_line(messages, error);
	else
		return (0);
	return (EIO);
}

int
gnuplot_run(gnuplot_printer *print, const void *what, bool svg,
    char **picture, size_t *size, char error[GNUPLOT_ERROR_SIZE])
{
	FILE *commands, *messages;
	int why;

	/* Files, not pipes: neither side waits for the other. */
	commands = tmpfile();
	messages = tmpfile();
	*picture = NULL;
	*size = 0;
	if (commands == NULL || messages == NULL)
		why = errno;
	else {
		why = 0;
		if (print != NULL)
			print(commands, what, svg);
	}
	if (why == 0 && (fflush(commands) != 0 || ferror(commands) ||
	    lseek(fileno(commands), 0, SEEK_SET) != 0))
		why = errno != 0 ? errno : EIO;
	if (why == 0)
		why = run(commands, messages, picture, size, error);
	if (why == 0 && print != NULL && !whole(*picture, *size)) {
		snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot wrote a part of "
		    "the picture only");
		why = EIO;
	}
	if (commands != NULL)
		fclose(commands);
	if (messages != NULL)
		fclose(messages);
	return (why);
}

int
gnuplot_draw(gnuplot_printer *print, const void *what, bool svg,
    struct atomic_file *of, char error[GNUPLOT_ERROR_SIZE])
{
	char *picture;
	size_t size;
	int why;

	why = gnuplot_run(of == NULL ? NULL : print, what, svg, &picture, &size,
	    error);
	if (why == 0 && of != NULL)
		why = atomic_file_commit(of, picture, size);
	free(picture);
	return (why);
}
