/*
 * Journals as files.  Records that are whole are read, whatever is behind them,
 * and none is lost when another is added; reading changes nothing.
 */
#include <errno.h>
#include <fcntl.h>

#include "bench/console/journal.h"
#include "tests/fuzz/fuzz.h"

static const char added[] = "added";

static struct journal
journal_of(const char *path)
{
	struct journal jo = { .jo_path = strdup(path),
	    .jo_patience_ns = INT64_MAX };

	jo.jo_fd = open(path, O_RDWR);
	FUZZ_CHECK(jo.jo_path != NULL && jo.jo_fd != -1);
	return (jo);
}

/* A journal's end, without what a journal_close() would remove. */
static void
journal_leave(struct journal *jo)
{

	close(jo->jo_fd);
	free(jo->jo_path);
}

/* Reads all there is; and adds each record to another, or not. */
static int
read_all(int fd, struct journal_reader *jr, struct journal *to)
{
	bool more = true;
	int error = 0;

	journal_rewind(jr, fd);
	while (error == 0 && more) {
		error = journal_next(jr, &more);
		FUZZ_CHECK(error == 0 || (error == EINVAL && !more));
		if (!more)
			continue;
		FUZZ_CHECK(strlen(jr->jr_text) == jr->jr_size);
		if (to != NULL)
			FUZZ_CHECK(journal_add(to, jr->jr_text) == 0);
	}
	return (error);
}

/* Whether the first size bytes of a file are these, and these are all. */
static bool
holds(int fd, const uint8_t *data, size_t size, bool all)
{
	uint8_t *text = malloc(size + 1);
	ssize_t n;
	bool same;

	FUZZ_CHECK(text != NULL);
	n = pread(fd, text, size + 1, 0);
	same = n >= (ssize_t)size && memcmp(text, data, size) == 0 &&
	    (!all || n == (ssize_t)size);
	free(text);
	return (same);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t nothing[1];
	struct journal jo, other;
	struct journal_reader jr;
	uint64_t records;
	size_t whole;
	int error;

	fuzz_begin();
	jo = journal_of(fuzz_file(0, data, size));
	other = journal_of(fuzz_file(1, nothing, 0));
	error = read_all(jo.jo_fd, &jr, &other);
	whole = (size_t)jr.jr_at;
	records = jr.jr_line;
	FUZZ_CHECK(whole <= size && (whole == 0 || data[whole - 1] == '\n'));
	FUZZ_CHECK(holds(jo.jo_fd, data, size, true));
	/* What was read is written as it was. */
	FUZZ_CHECK(other.jo_records == records &&
	    other.jo_end == (off_t)whole);
	FUZZ_CHECK(holds(other.jo_fd, data, whole, true));
	/* A torn line is not followed by another; damage is. */
	FUZZ_CHECK((error == EINVAL) == (size > whole &&
	    memchr(data + whole, '\n', size - whole) != NULL));
	if (error == 0) {
		FUZZ_CHECK(journal_settle(&jo, &jr) == 0);
		FUZZ_CHECK(holds(jo.jo_fd, data, whole, true));
		FUZZ_CHECK(journal_add(&jo, added) == 0);
		FUZZ_CHECK(holds(jo.jo_fd, data, whole, false));
		journal_reader_free(&jr);
		FUZZ_CHECK(read_all(jo.jo_fd, &jr, NULL) == 0);
		FUZZ_CHECK(jr.jr_line == records + 1 &&
		    strcmp(jr.jr_text, added) == 0);
	}
	journal_reader_free(&jr);
	journal_leave(&jo);
	journal_leave(&other);
	return (0);
}
