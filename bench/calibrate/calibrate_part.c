/*
 * The parts of a calibration that depend on libcrypto's instructions: what one
 * process prints and another reads.
 *
 * A line for each thing known; the last one says that nothing is missing.
 */
#include <sys/wait.h>

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/calibrate/calibrate_probe.h"
#include "bench/console/stop.h"

enum {
	OUTPUT_MAX	= 64 * 1024,
	PART_SHARE	= 2	/* a weight of a part in weights of others */
};

extern char **environ;

static const char last_line[] = "end\n";

static const struct calibrate_probe *const parts[CRYPTO_MODES] = {
	[CRYPTO_KERNEL]	= calibrate_kernel_probes,
	[CRYPTO_NATIVE]	= calibrate_native_probes,
};

unsigned
calibrate_part_weight(enum crypto_mode mode)
{

	return (PART_SHARE * calibrate_weight(parts[mode]));
}

static void
print(const struct calibration *cb, FILE *out)
{
	const struct calibrate_reading *rd;
	const struct calibrate_check *ck;
	unsigned i;

	for (i = 0; i < PROFILE_VALUES; i++) {
		rd = &cb->cb_reading[i];
		if (rd->rd_from != PROVENANCE_ABSENT)
			fprintf(out, "value %s %.17g %.17g %.17g %u %u %s\n",
			    profile_fields[i].pf_key, rd->rd_value, rd->rd_p5,
			    rd->rd_p95, rd->rd_count, (unsigned)rd->rd_from,
			    rd->rd_note);
	}
	for (i = 0; i < cb->cb_checks; i++) {
		ck = &cb->cb_check[i];
		fprintf(out, "check %s %s %u %u %.17g\n", ck->ck_design,
		    ck->ck_cipher, (unsigned)ck->ck_mode, ck->ck_bytes,
		    ck->ck_measured_ns);
	}
	fprintf(out, "batches %u %u %d\n%s", cb->cb_batches,
	    cb->cb_disturbed, cb->cb_conditions.cc_unbound, last_line);
}

int
calibrate_part(enum crypto_mode mode, double seconds, FILE *out)
{
	static struct calibration cb;
	unsigned i;
	int error;

	memset(&cb, 0, sizeof(cb));
	for (i = 0; i < PROFILE_VALUES; i++)
		cb.cb_reading[i].rd_from = PROVENANCE_ABSENT;
	error = calibrate_run(&cb, parts[mode], seconds, NULL, NULL);
	if (error == 0)
		print(&cb, out);
	return (error);
}

/* The rest of a "value" line. */
static bool
read_value(struct calibration *cb, const char *line)
{
	struct calibrate_reading rd;
	char key[PROFILE_NAME_SIZE];
	unsigned from, i;
	int at = 0;

	memset(&rd, 0, sizeof(rd));
	if (sscanf(line, "value %63s %lf %lf %lf %u %u %n", key, &rd.rd_value,
	    &rd.rd_p5, &rd.rd_p95, &rd.rd_count, &from, &at) != 6 || at == 0 ||
	    from >= PROVENANCE_ABSENT)
		return (false);
	rd.rd_from = (enum provenance)from;
	snprintf(rd.rd_note, sizeof(rd.rd_note), "%.*s",
	    (int)strcspn(line + at, "\n"), line + at);
	for (i = 0; i < PROFILE_VALUES; i++)
		if (strcmp(profile_fields[i].pf_key, key) == 0) {
			cb->cb_reading[i] = rd;
			return (true);
		}
	return (false);
}

static bool
read_check(struct calibration *cb, const char *line)
{
	struct calibrate_check ck = { .ck_bytes = 0 };
	unsigned mode;

	if (cb->cb_checks == CALIBRATE_CHECKS_MAX || sscanf(line,
	    "check %15s %15s %u %u %lf", ck.ck_design, ck.ck_cipher, &mode,
	    &ck.ck_bytes, &ck.ck_measured_ns) != 5 || mode >= CRYPTO_MODES)
		return (false);
	ck.ck_mode = (enum crypto_mode)mode;
	cb->cb_check[cb->cb_checks++] = ck;
	return (true);
}

static bool
read_batches(struct calibration *cb, const char *line)
{
	unsigned batches, disturbed, unbound;

	if (sscanf(line, "batches %u %u %u", &batches, &disturbed,
	    &unbound) != 3)
		return (false);
	cb->cb_batches += batches;
	cb->cb_disturbed += disturbed;
	cb->cb_conditions.cc_unbound |= unbound != 0;
	return (true);
}

int
calibrate_part_read(struct calibration *cb, FILE *in)
{
	char line[512];

	while (fgets(line, sizeof(line), in) != NULL)
		if (strcmp(line, last_line) == 0)
			return (0);
		else if (!read_value(cb, line) && !read_check(cb, line) &&
		    !read_batches(cb, line))
			return (EINVAL);
	return (EINVAL);
}

/* Starts the program anew with its output in a pipe; its number, or -1. */
static pid_t
start_part(char *const whole[], enum crypto_mode mode, double seconds, int *fd)
{
	posix_spawn_file_actions_t actions;
	char time[32];
	char *argv[] = { whole[0], (char *)(uintptr_t)"calibrate",
	    (char *)(uintptr_t)"--part",
	    (char *)(uintptr_t)crypto_mode_names[mode],
	    (char *)(uintptr_t)"-t", time, NULL };
	pid_t pid = -1;
	int ends[2], error;

	snprintf(time, sizeof(time), "%.3f", seconds);
	if (pipe(ends) != 0)
		return (-1);
	error = posix_spawn_file_actions_init(&actions);
	if (error == 0) {
		posix_spawn_file_actions_adddup2(&actions, ends[1],
		    STDOUT_FILENO);
		posix_spawn_file_actions_addclose(&actions, ends[0]);
		posix_spawn_file_actions_addclose(&actions, ends[1]);
		error = ENOENT;
#if defined(__linux__)
		error = posix_spawn(&pid, "/proc/self/exe", &actions, NULL,
		    argv, environ);
#endif
		if (error != 0)
			error = posix_spawnp(&pid, argv[0], &actions, NULL,
			    argv, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	*fd = ends[0];
	if (error == 0)
		return (pid);
	close(ends[0]);
	errno = error;
	return (-1);
}

/*
 * Everything a part prints, as one text; NULL when there was no memory.  A
 * signal ends the part as well.
 */
static char *
collect(int fd, pid_t pid)
{
	size_t len = 0, size = OUTPUT_MAX;
	char *text = malloc(size);
	ssize_t n;

	for (;;) {
		if (text == NULL || len + 1 == size || stop_asked())
			kill(pid, SIGTERM);
		if (text == NULL || len + 1 == size)
			return (text);
		n = read(fd, text + len, size - 1 - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	return (text);
}

int
calibrate_part_run(struct calibration *cb, char *const whole[],
    enum crypto_mode mode, double seconds)
{
	int error = ENOMEM, fd, status;
	FILE *in = NULL;
	char *text;
	pid_t pid;

	pid = start_part(whole, mode, seconds, &fd);
	if (pid == -1)
		return (errno);
	text = collect(fd, pid);
	close(fd);
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		if (stop_asked())
			kill(pid, SIGTERM);
	if (stop_asked())
		error = EINTR;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		error = ECHILD;
	else if (text != NULL)
		in = fmemopen(text, strlen(text), "r");
	if (in != NULL) {
		error = calibrate_part_read(cb, in);
		fclose(in);
	}
	free(text);
	return (error);
}
