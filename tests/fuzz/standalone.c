/*
 * A fuzz target without libFuzzer: every input of a corpus, then mutants of
 * them, the same ones each time.
 *
 *	NAME [-n MUTANTS] [-m MUTANT] FILE|FOLDER...
 *
 * -n is the number of mutants of all inputs together, 0 unless given; -m tries
 * one of them only, to debug it.  If a target crashes, the arguments that
 * repeat it are printed.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	INPUTS_MAX	= 4096,
	INPUT_BYTES_MAX	= 1 << 20,
	CHANGES_MAX	= 4,	/* in one mutant */
	SPLICE_MAX	= 64	/* bytes */
};

struct input {
	char	*in_path;
	uint8_t	*in_data;
	size_t	 in_size;
};

static struct input inputs[INPUTS_MAX];
static unsigned input_count;

/* What is tried just now, for the signal handler. */
static char trying[PATH_MAX + 64];

/* Bytes at which parsers take another way. */
static const char marks[] = "\0\n\r\t \"'\\#=-+.,:;/@%(){}[]<>~0189aAfFxXeE"
    "kKmMgG\x7f\x80\xa0\xc2\xef\xff";

static uint64_t
draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * UINT64_C(0x2545f4914f6cdd1d));
}

static size_t
below(uint64_t *state, size_t n)
{
	return (n == 0 ? 0 : (size_t)(draw(state) % n));
}

static void
crashed(int signo)
{
	static const char end[] = ": crashed\n";

	(void)!write(STDERR_FILENO, trying, strlen(trying));
	(void)!write(STDERR_FILENO, end, sizeof(end) - 1);
	signal(signo, SIG_DFL);
	raise(signo);
}

/* Makes room for n bytes at a place, or takes n away. */
static void
shift(uint8_t *data, size_t *size, size_t at, size_t add, size_t drop)
{
	memmove(data + at + add, data + at + drop, *size - at - drop);
	*size += add;
	*size -= drop;
}

/* One change of data, which has room for INPUT_BYTES_MAX. */
static void
change(uint64_t *state, uint8_t *data, size_t *size)
{
	const struct input *other = &inputs[below(state, input_count)];
	size_t at = below(state, *size + 1), left = *size - at, n;
	size_t from;

	switch (draw(state) % 8) {
	case 0:		/* one bit */
		if (left > 0)
			data[at] ^= (uint8_t)(1u << draw(state) % 8);
		break;
	case 1:		/* another byte */
		if (left > 0)
			data[at] = (uint8_t)marks[below(state,
			    sizeof(marks) - 1)];
		break;
	case 2:		/* one byte more */
		shift(data, size, at, 1, 0);
		data[at] = (uint8_t)marks[below(state, sizeof(marks) - 1)];
		break;
	case 3:		/* cut out */
		n = below(state, left + 1) % SPLICE_MAX;
		shift(data, size, at, 0, n);
		break;
	case 4:		/* cut off */
		*size = at;
		break;
	case 5:		/* a part again */
		n = below(state, left + 1) % SPLICE_MAX;
		shift(data, size, at, n, 0);
		memcpy(data + at, data + at + n, n);
		break;
	case 6:		/* a part of another one */
		from = below(state, other->in_size);
		n = below(state, other->in_size - from) % SPLICE_MAX;
		shift(data, size, at, n, 0);
		memcpy(data + at, other->in_data + from, n);
		break;
	default:	/* a digit many times */
		n = below(state, SPLICE_MAX);
		shift(data, size, at, n, 0);
		memset(data + at, '0' + (int)below(state, 10), n);
		break;
	}
}

/* In a block of its own size, so that a sanitizer sees reads beyond it. */
static void
try(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size == 0 ? 1 : size);

	if (copy == NULL)
		abort();
	memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
try_mutant(unsigned number, uint8_t *room)
{
	const struct input *in = &inputs[number % input_count];
	uint64_t state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	size_t size = in->in_size;

	snprintf(trying, sizeof(trying), "-m %u (of %s)", number, in->in_path);
	memcpy(room, in->in_data, size);
	for (unsigned n = 1 + (unsigned)below(&state, CHANGES_MAX); n > 0; n--)
		change(&state, room, &size);
	try(room, size);
}

static void
read_file(const char *path)
{
	struct input *in = &inputs[input_count];
	FILE *f = fopen(path, "re");

	if (f == NULL || input_count == INPUTS_MAX) {
		fprintf(stderr, "%s: %s\n", path, f == NULL ? strerror(errno) :
		    "too many files");
		exit(EXIT_FAILURE);
	}
	in->in_path = strdup(path);
	in->in_data = malloc(INPUT_BYTES_MAX);
	if (in->in_path == NULL || in->in_data == NULL)
		abort();
	/* Room is left for what changes add. */
	in->in_size = fread(in->in_data, 1,
	    INPUT_BYTES_MAX - CHANGES_MAX * SPLICE_MAX, f);
	in->in_data = realloc(in->in_data, in->in_size + 1);
	if (ferror(f) || in->in_data == NULL)
		abort();
	fclose(f);
	input_count++;
}

static int
visible(const struct dirent *de)
{
	return (de->d_name[0] != '.');
}

static void
read_operand(const char *path)
{
	char inside[PATH_MAX];
	struct dirent **names;
	int n;

	n = scandir(path, &names, visible, alphasort);
	if (n < 0) {
		read_file(path);
		return;
	}
	for (int i = 0; i < n; i++) {
		snprintf(inside, sizeof(inside), "%s/%s", path,
		    names[i]->d_name);
		read_file(inside);
		free(names[i]);
	}
	free(names);
}

static unsigned
number(const char *text)
{
	char *end;
	unsigned long v = strtoul(text, &end, 10);

	if (*text == '\0' || *end != '\0' || v >= UINT_MAX) {
		fprintf(stderr, "\"%s\": expected a number\n", text);
		exit(2);
	}
	return ((unsigned)v);
}

int
main(int argc, char *argv[])
{
	static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL,
	    SIGSEGV, SIGTERM };
	unsigned i, mutants = 0, only = UINT_MAX;
	uint8_t *room;
	int c;

	while ((c = getopt(argc, argv, "m:n:")) != -1) {
		if (c == '?')
			return (2);
		*(c == 'n' ? &mutants : &only) = number(optarg);
	}
	for (; optind < argc; optind++)
		read_operand(argv[optind]);
	room = malloc(INPUT_BYTES_MAX);
	if (input_count == 0 || room == NULL) {
		fputs("no inputs\n", stderr);
		return (2);
	}
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], crashed);
	if (only != UINT_MAX) {
		try_mutant(only, room);
	} else {
		for (i = 0; i < input_count; i++) {
			snprintf(trying, sizeof(trying), "%s",
			    inputs[i].in_path);
			try(inputs[i].in_data, inputs[i].in_size);
		}
		for (i = 0; i < mutants; i++)
			try_mutant(i, room);
		dprintf(STDOUT_FILENO, "%u inputs, %u mutants\n", input_count,
		    mutants);
	}
	for (i = 0; i < input_count; i++) {
		free(inputs[i].in_path);
		free(inputs[i].in_data);
	}
	free(room);
	return (EXIT_SUCCESS);
}
