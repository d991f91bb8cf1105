#include "bench/cli/command.h"

enum { OUTPUTS = 2 };	/* at a time */

static struct output {
	const char	*out_path;	/* as it was given; NULL: none */
	struct atomic_file out_file;
} outputs[OUTPUTS];

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

/* With NULL: a free one. */
static struct output *
output_of(const char *path)
{
	struct output *ou = outputs;

	while (ou->out_path != path)
		if (++ou == outputs + OUTPUTS)
			KASSERT(false, ("%s", path == NULL ? "full" : path));
	return (ou);
}

int
command_open(const char *path, const char *temp)
{
	struct output *ou;
	int error;

	if (path == NULL)
		return (0);
	ou = output_of(NULL);
	if ((error = atomic_file_open(&ou->out_file, path, temp)) != 0)
		return (run_error("%s: %s", path, strerror(error)));
	ou->out_path = path;
	return (0);
}

int
command_commit(const char *path, const char *text, size_t len)
{
	struct output *ou;
	int error;

	if (path == NULL)
		return (0);
	ou = output_of(path);
	ou->out_path = NULL;
	error = atomic_file_commit(&ou->out_file, text, len);
	return (error == 0 ? 0 : run_error("%s: %s", path, strerror(error)));
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
