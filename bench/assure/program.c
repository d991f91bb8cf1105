/*
 * Runs other programs, and says how they ended.
 */
#include <sys/wait.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/assure/evidence.h"
#include "lib/base/read_file.h"

void
program_split(const char *path, char *words, const char *argv[PROGRAM_WORDS])
{
	char *save = NULL;
	unsigned n = 0;

	for (char *word = strtok_r(words, " ", &save); word != NULL;
	    word = strtok_r(NULL, " ", &save)) {
		MPASS(n + 2 < PROGRAM_WORDS);
		argv[++n] = word;
	}
	argv[0] = path;
	argv[n + 1] = NULL;
}

int
program_run(const char *const argv[], const char *env, char **text)
{
	size_t size;
	pid_t pid;
	FILE *in;

	*text = NULL;
	in = child_open(argv, env, true, &pid);
	if (in == NULL)
		return (-1);
	(void)read_file(fileno(in), SIZE_MAX, text, &size);
	return (child_close(in, pid));
}

/* The last line that was written to a file, if it is one. */
static void
say_last_line(int fd, struct evidence_row *row)
{
	char text[EVIDENCE_TEXT_SIZE / 2], *line;
	off_t end = lseek(fd, 0, SEEK_END);
	ssize_t n;

	n = end <= 0 ? 0 : pread(fd, text, sizeof(text) - 1,
	    end < (off_t)sizeof(text) ? 0 : end - (off_t)sizeof(text) + 1);
	if (n <= 0)
		return;
	text[n] = '\0';
	text[n - (text[n - 1] == '\n')] = '\0';
	line = strrchr(text, '\n');
	evidence_say(row->er_text, "It said: %s. ", line == NULL ? text :
	    line + 1);
}

void
program_say_end(int status, int err, struct evidence_row *row)
{
	if (status == -1)
		evidence_say(row->er_text, "It could not be started. ");
	else if (WIFSIGNALED(status))
		evidence_say(row->er_text, "It was ended by signal %d (%s). ",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		evidence_say(row->er_text, "It ended with status %d. ",
		    WEXITSTATUS(status));
	say_last_line(err, row);
}
