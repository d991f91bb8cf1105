#include <poll.h>

#include "bench/cli/command.h"

char *const *command_argv;
const char *usage_command;

/* Text that was typed or read must not drive the terminal. */
int
complain(int status, const char *fmt, ...)
{
	char text[1024];

	VFORMAT(text, sizeof(text), fmt);
	fputs("rngsim: ", stderr);
	if (usage_command != NULL)
		fprintf(stderr, "%s: ", usage_command);
	for (const char *p = text; *p != '\0'; p++)
		fprintf(stderr, *p >= ' ' && *p <= '~' ? "%c" : "\\x%02x",
		    (unsigned char)*p);
	fputc('\n', stderr);
	return (status);
}

int
command_crypto(void)
{
	const char *missing;

	return (crypto_init(&missing) == 0 ? 0 : run_error("%s does not offer "
	    "a working %s; check OPENSSL_CONF and the loaded providers",
	    crypto_version(), missing));
}

int
command_crypto_mode(enum crypto_mode mode)
{
	const int error = crypto_mode_enter(mode, command_argv);

	return (error == 0 ? 0 : run_error("cannot execute the program anew "
	    "for --crypto: %s", strerror(error)));
}

int
command_open(const char *path, const char *temp)
{
	const int error = path == NULL ? 0 : atomic_file_open(path, temp);

	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

int
command_commit(const char *path, const char *text, size_t len)
{
	const int error = path == NULL ? 0 : atomic_file_commit(path, text,
	    len);

	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
}

int
command_flush(void)
{
	struct pollfd pf = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (fflush(stdout) == 0 && !ferror(stdout))
		return (EXIT_SUCCESS);
	/* The write that failed may be one of long ago. */
	return (poll(&pf, 1, 0) > 0 && (pf.revents & POLLERR) != 0 ?
	    EXIT_FAILURE :
	    run_error("stdout: %s", strerror(errno != 0 ? errno : EIO)));
}

int
command_write(const char *path, void (*print)(FILE *out, const void *arg),
    const void *arg)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = xmemstream(&text, &len);
	int status;

	print(out, arg);
	xmemclose(out);
	status = command_commit(path, text, len);
	free(text);
	return (status);
}
