#include <sys/socket.h>
#include <sys/wait.h>

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/console/outfile.h"
#include "bench/report/plot.h"
#include "bench/report/plot_script.h"
#include "lib/kassert.h"

extern char **environ;

enum {
	/* Its own ends of what connects us to gnuplot. */
	PLOT_OURS,
	PLOT_THEIRS,
	PLOT_SAID_SIZE = 4096
};

const char *const plot_part_names[PLOT_PARTS] = {
	[PLOT_SCALE] = "scale",
	[PLOT_LATENCY] = "latency",
	[PLOT_HARVEST] = "harvest",
	[PLOT_WAITS] = "waits"
};

static bool
ends_in(const char *path, const char *ending)
{
	size_t have = strlen(path), want = strlen(ending);

	return (have > want && strcmp(path + have - want, ending) == 0);
}

bool
plot_path_ok(const char *path)
{

	return (ends_in(path, ".png") || ends_in(path, ".svg"));
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
receive(int fd, char said[PLOT_SAID_SIZE])
{
	char rest[512];
	size_t used = 0;
	ssize_t n;

	for (;;) {
		if (used < PLOT_SAID_SIZE - 1)
			n = read(fd, said + used, PLOT_SAID_SIZE - 1 - used);
		else
			n = read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (used < PLOT_SAID_SIZE - 1)
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

/* Runs gnuplot over a script with its output to out. */
static int
draw(const char *script, size_t len, int out, char error[RESULT_TEXT_SIZE])
{
	char said[PLOT_SAID_SIZE];
	int commands[2], messages[2];
	int status = 0, why;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, commands) != 0)
		return (errno);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, messages) != 0) {
		why = errno;
		close(commands[PLOT_OURS]);
		close(commands[PLOT_THEIRS]);
		return (why);
	}
	why = spawn(commands[PLOT_THEIRS], out, messages[PLOT_THEIRS], &pid);
	close(commands[PLOT_THEIRS]);
	close(messages[PLOT_THEIRS]);
	if (why == 0) {
		send_all(commands[PLOT_OURS], script, len);
		receive(messages[PLOT_OURS], said);
		why = wait_for(pid, &status);
	}
	close(commands[PLOT_OURS]);
	close(messages[PLOT_OURS]);
	if (why == ENOENT)
		snprintf(error, RESULT_TEXT_SIZE, "gnuplot is not installed: "
		    "package gnuplot-nox (Debian), gnuplot (FreeBSD)");
	if (why != 0)
		return (why);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		snprintf(error, RESULT_TEXT_SIZE, "gnuplot: %.200s",
		    last_line(said));
		return (EIO);
	}
	return (0);
}

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
	if (!plot_path_ok(path)) {
		snprintf(error, RESULT_TEXT_SIZE,
		    "expected a name that ends in .png or .svg");
		return (EINVAL);
	}
	if (r->cell_count == 0) {
		snprintf(error, RESULT_TEXT_SIZE, "no cells to draw");
		return (EINVAL);
	}
	status = make_script(r, part, ends_in(path, ".svg"), &script, &len);
	if (status == 0) {
		status = outfile_open(&of, path);
		if (status == 0) {
			status = draw(script, len, of.of_fd, error);
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
