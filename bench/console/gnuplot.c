#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

#include "bench/console/gnuplot.h"

extern char **environ;

enum {
	/* Its own ends of what connects us to gnuplot. */
	GNUPLOT_OURS,
	GNUPLOT_THEIRS,
	GNUPLOT_SAID_SIZE = 4096
};

static bool
ends_in(const char *path, const char *ending)
{
	size_t have = strlen(path), want = strlen(ending);

	return (have > want && strcmp(path + have - want, ending) == 0);
}

bool
gnuplot_path_ok(const char *path)
{

	return (ends_in(path, ".png") || gnuplot_path_svg(path));
}

bool
gnuplot_path_svg(const char *path)
{

	return (ends_in(path, ".svg"));
}

/*
 * Between single quotes only the quote itself and the line's end are special;
 * doubling the quote is gnuplot's way to write one, but not at the beginning of
 * a string, so it becomes a space.  Backquotes run commands elsewhere and are
 * not missed here.
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

/*
 * Starts gnuplot with the ends given it.
 *
 *   in, err  in  sockets: commands to it, messages from it
 *   out      in  the picture's file
 */
static int
spawn(int in, int out, int err, pid_t *pid)
{
	/* Without the user's own settings, which could be anything. */
	char name[] = "gnuplot", defaults[] = "-d", commands[] = "-";
	char *argv[] = { name, defaults, commands, NULL };
	posix_spawn_file_actions_t actions;
	int error;

	error = posix_spawn_file_actions_init(&actions);
	if (error != 0)
		return (error);
	error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, out,
		    STDOUT_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, err,
		    STDERR_FILENO);
	if (error == 0)
		error = posix_spawnp(pid, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return (error);
}

/*
 * Sends the script.  A gnuplot that ended early is no error here, its exit
 * status tells; MSG_NOSIGNAL keeps its end from ending us, which is why the
 * connection is a socket.
 */
static void
send_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = send(fd, text, len, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		text += n;
		len -= (size_t)n;
	}
	shutdown(fd, SHUT_WR);
}

/* Reads to the end, keeping the beginning. */
static void
receive(int fd, char said[GNUPLOT_SAID_SIZE])
{
	char rest[512];
	size_t used = 0;
	ssize_t n;

	for (;;) {
		if (used < GNUPLOT_SAID_SIZE - 1)
			n = read(fd, said + used, GNUPLOT_SAID_SIZE - 1 - used);
		else
			n = read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (used < GNUPLOT_SAID_SIZE - 1)
			used += (size_t)n;
	}
	said[used] = '\0';
}

/* The last line that says anything; gnuplot shows the place before it. */
static const char *
last_line(char *text)
{
	const char *found = "no message";
	char *line, *rest;

	for (line = strtok_r(text, "\n", &rest); line != NULL;
	    line = strtok_r(NULL, "\n", &rest)) {
		line += strspn(line, " \t");
		if (*line != '\0')
			found = line;
	}
	return (found);
}

static int
wait_for(pid_t pid, int *status)
{

	while (waitpid(pid, status, 0) == -1)
		if (errno != EINTR)
			return (errno);
	return (0);
}

int
gnuplot_draw(const char *script, size_t len, int out,
    char error[GNUPLOT_ERROR_SIZE])
{
	char said[GNUPLOT_SAID_SIZE];
	int commands[2], messages[2];
	int status = 0, why;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, commands) != 0)
		return (errno);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, messages) != 0) {
		why = errno;
		close(commands[GNUPLOT_OURS]);
		close(commands[GNUPLOT_THEIRS]);
		return (why);
	}
	why = spawn(commands[GNUPLOT_THEIRS], out, messages[GNUPLOT_THEIRS],
	    &pid);
	close(commands[GNUPLOT_THEIRS]);
	close(messages[GNUPLOT_THEIRS]);
	if (why == 0) {
		send_all(commands[GNUPLOT_OURS], script, len);
		receive(messages[GNUPLOT_OURS], said);
		why = wait_for(pid, &status);
	}
	close(commands[GNUPLOT_OURS]);
	close(messages[GNUPLOT_OURS]);
	if (why == ENOENT)
		snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot is not installed: "
		    "package gnuplot-nox (Debian), gnuplot (FreeBSD)");
	if (why != 0)
		return (why);
	if (WIFSIGNALED(status)) {
		snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot was ended by a "
		    "signal: %s", strsignal(WTERMSIG(status)));
		return (EIO);
	}
	if (WEXITSTATUS(status) != 0) {
		snprintf(error, GNUPLOT_ERROR_SIZE, "gnuplot: %.200s",
		    last_line(said));
		return (EIO);
	}
	return (0);
}
