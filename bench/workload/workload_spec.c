/* What --workload takes. */
#include <dirent.h>

#include "bench/cli/child.h"
#include "bench/cli/format.h"
#include "bench/workload/workload.h"

enum { FOLDERS = 3 };

static const char suffix[] = ".workload", speed_part[] = "/speed=";

/* The message for a text of no known form. */
static const char expected[] = "expected sizes such as 16:70,32:20,4k:10, "
    "think=TIME, think~TIME, burst=N:TIME, @FILE or the name of a recorded "
    "workload; \"rngsim workload list\" has them";

#define	REFUSE(...)	format_wrong(why, WORKLOAD_ERROR_SIZE, __VA_ARGS__)
/* The same of a file. */
#define	REFUSE_FILE(error, ...)						\
	format_error(error, why, WORKLOAD_ERROR_SIZE, __VA_ARGS__)

static const struct unit {
	const char	*tu_name;
	uint32_t	 tu_ns;
} units[] = {		/* from the largest, for printing */
	{ "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 }
};

int
workload_time(const char *what, const char *text, uint64_t *ns, char *why)
{
	const size_t n = strspn(text, "0123456789.");
	double v = 0;

	for (unsigned i = 0; i < nitems(units); i++)
		if (strcmp(text + n, units[i].tu_name) == 0 &&
		    parse_real(FORMATF("%.*s", (int)n, text), &v) == 0)
			v *= units[i].tu_ns;
	if (v < 1 || v > (double)WORKLOAD_PAUSE_MAX_NS)
		return (REFUSE("%s: \"%.40s\": expected a time with its unit, "
		    "ns, us, ms or s, from 1ns to 3600s", what, text));
	*ns = (uint64_t)v;
	return (0);
}

static int
add_size(struct workload *wl, char *item, bool alone, char *why)
{
	const char *bytes = strsep(&item, ":"), *after = item;
	uint64_t v, weight;

	/* One size alone needs no weight. */
	after = after == NULL && alone ? "1" : after;
	if (after == NULL)
		return (REFUSE("\"%.40s\": expected SIZE:WEIGHT", bytes));
	if (parse_size(bytes, &v) != 0 || v < 1 || v > RECORDING_BYTES_MAX)
		return (REFUSE("size \"%.40s\": expected bytes, 1..1g, with k, "
		    "m or g for 2^10, 2^20, 2^30", bytes));
	if (parse_number(after, &weight) != 0 || weight < 1 ||
	    weight > WORKLOAD_WEIGHT_MAX)
		return (REFUSE("weight \"%.40s\": expected 1..%d", after,
		    WORKLOAD_WEIGHT_MAX));
	for (unsigned i = 0; i < wl->wl_size_count; i++)
		if (wl->wl_sizes[i].ws_bytes == v)
			return (REFUSE("size \"%.40s\" is there twice", bytes));
	if (wl->wl_size_count == WORKLOAD_SIZES_MAX)
		return (REFUSE("more than %d sizes", WORKLOAD_SIZES_MAX));
	wl->wl_sizes[wl->wl_size_count++] = (struct workload_size){
	    .ws_bytes = v, .ws_weight = (uint32_t)weight };
	wl->wl_weights += (uint32_t)weight;
	return (0);
}

/* "think=TIME", "think~TIME" or "burst=N:TIME". */
static int
parse_pause(struct workload *wl, char *text, char *why)
{
	char *after = text + 6, *count;
	uint64_t v;

	if (wl->wl_pause_ns != 0)
		return (REFUSE("think and burst both follow a request: "
		    "expected one of them"));
	if (text[0] == 't') {
		wl->wl_pause_drawn = text[5] == '~';
		return (workload_time("think", after, &wl->wl_pause_ns, why));
	}
	count = strsep(&after, ":");
	if (after == NULL)
		return (REFUSE("burst: \"%.40s\": expected N:TIME", count));
	if (parse_number(count, &v) != 0 || v < 1 || v > WORKLOAD_BURST_MAX)
		return (REFUSE("burst: \"%.40s\": expected requests, 1..%d",
		    count, WORKLOAD_BURST_MAX));
	wl->wl_burst = (unsigned)v;
	return (workload_time("burst", after, &wl->wl_pause_ns, why));
}

static int
parse_part(struct workload *wl, char *part, char *why)
{
	const bool alone = strchr(part, ',') == NULL;
	char *item;
	int error = 0;

	if (strncmp(part, "think=", 6) == 0 ||
	    strncmp(part, "think~", 6) == 0 || strncmp(part, "burst=", 6) == 0)
		return (parse_pause(wl, part, why));
	if (strncmp(part, "speed=", 6) == 0)
		return (REFUSE("\"%.40s\": expected a recorded workload before "
		    "it: only that has a speed", part));
	if (part[0] < '0' || part[0] > '9')
		return (REFUSE("\"%.40s\": %s", part, expected));
	if (wl->wl_size_count > 0)
		return (REFUSE("two size mixes: expected one"));
	while (error == 0 && (item = strsep(&part, ",")) != NULL)
		error = add_size(wl, item, alone, why);
	return (error);
}

/* Two spellings of a workload have one canonical text. */
static int
canonical(struct workload *wl, char *why)
{
	struct text t = { .s = "" };
	char size[32];
	unsigned i;

	for (i = 0; i < wl->wl_size_count; i++)
		text_add(&t, "%s%s:%" PRIu32, i == 0 ? "" : ",",
		    format_size(size, wl->wl_sizes[i].ws_bytes),
		    wl->wl_sizes[i].ws_weight);
	if (wl->wl_pause_ns != 0) {
		for (i = 0; wl->wl_pause_ns % units[i].tu_ns != 0; i++)
			continue;
		text_add(&t, "%s%s%" PRIu64 "%s", t.s[0] == '\0' ? "" : "/",
		    wl->wl_burst != 0 ? FORMATF("burst=%u:", wl->wl_burst) :
		    wl->wl_pause_drawn ? "think~" : "think=",
		    wl->wl_pause_ns / units[i].tu_ns, units[i].tu_name);
	}
	if (strlen(t.s) >= sizeof(wl->wl_text))
		return (REFUSE("too long: expected at most %zu characters",
		    sizeof(wl->wl_text) - 1));
	memcpy(wl->wl_text, t.s, strlen(t.s) + 1);
	return (0);
}

/* The length of a recorded workload's name in that of its file; 0: of none. */
static size_t
stem(const char *file)
{
	const size_t n = strlen(file), tail = sizeof(suffix) - 1;

	return (n > tail && strcmp(file + n - tail, suffix) == 0 ? n - tail :
	    0);
}

/* Folder i of recorded workloads; false: there is none. */
static bool
workload_folder(unsigned i, char path[PROGRAM_PATH_SIZE])
{
	const char *own = getenv("RNGSIM_WORKLOADS");

	if (i > 0)
		return (program_data(i == 1 ? "workloads" : NULL, i == 1 ?
		    NULL : "bench/workload", path));
	return (own != NULL && own[0] != '\0' && (size_t)snprintf(path,
	    PROGRAM_PATH_SIZE, "%s", own) < PROGRAM_PATH_SIZE);
}

static bool
find(const char *name, char file[PROGRAM_PATH_SIZE])
{
	char path[PROGRAM_PATH_SIZE];

	for (unsigned i = 0; i < FOLDERS && strchr(name, '/') == NULL; i++)
		if (workload_folder(i, path) && (size_t)snprintf(file,
		    PROGRAM_PATH_SIZE, "%s/%s%s", path, name, suffix) <
		    PROGRAM_PATH_SIZE && access(file, F_OK) == 0)
			return (true);
	return (false);
}

static int
load(struct workload *wl, const char *path, char *why)
{
	const char *base = strrchr(path, '/');
	char message[LINES_ERROR_SIZE] = "", name[64];
	struct stat st;
	size_t n;
	int error;

	/* It may have to be read again, by the program executed anew. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return (REFUSE_FILE(EBADMSG, "%s: expected a regular file",
		    path));
	if ((size_t)snprintf(wl->wl_path, sizeof(wl->wl_path), "%s", path) >=
	    sizeof(wl->wl_path))
		return (REFUSE_FILE(EBADMSG, "\"%.40s...\": too long", path));
	if ((error = recording_load(path, &wl->wl_recording, message)) != 0)
		return (REFUSE_FILE(error == EINVAL ? EBADMSG : error, "%s",
		    message));
	wl->wl_arrivals = ARRIVALS_RECORDED;
	/* The name without its folder, as far as it can be printed. */
	TEXT_SET(name, base == NULL ? path : base + 1);
	if (stem(name) > 0)
		name[stem(name)] = '\0';
	for (char *c = name; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~')
			*c = '_';
	n = (size_t)snprintf(wl->wl_text, sizeof(wl->wl_text), "%s#%08" PRIx32,
	    name, recording_hash(&wl->wl_recording));
	if (wl->wl_speed < 1 || wl->wl_speed > 1)
		snprintf(wl->wl_text + n, sizeof(wl->wl_text) - n, "%s%.9g",
		    speed_part, wl->wl_speed);
	return (0);
}

/* "@FILE" or "NAME", and "/speed=N" behind it. */
static int
parse_recorded(struct workload *wl, char *path, char *why)
{
	char file[PROGRAM_PATH_SIZE], *next, *speed = NULL;

	for (next = path; (next = strstr(next, speed_part)) != NULL; next++)
		speed = next;
	if (speed != NULL && (parse_real(speed + sizeof(speed_part) - 1,
	    &wl->wl_speed) != 0 || wl->wl_speed < 1e-6 ||
	    wl->wl_speed > WORKLOAD_SPEED_MAX))
		return (REFUSE("\"%.40s\": expected a speed, 0.000001..%d",
		    speed + 1, WORKLOAD_SPEED_MAX));
	if (speed != NULL)
		*speed = '\0';
	if (path[0] != '@' && find(path, file))
		return (load(wl, file, why));
	if (path[0] != '@')
		return (REFUSE("\"%.40s\": %s", path, expected));
	if (path[1] == '\0')
		return (REFUSE("\"@\": expected a file name after it"));
	/* The program executed anew would find stdin at its end. */
	if (strcmp(path, "@-") == 0)
		return (REFUSE("\"@-\": expected a file, not stdin; a file of "
		    "this name is @./-"));
	return (load(wl, path + 1, why));
}

int
workload_parse(const char *text, struct workload *wl,
    char why[WORKLOAD_ERROR_SIZE])
{
	size_t n = strcspn(text, "/"), digits = strspn(text, "0123456789");
	char *copy = xstrdup(text), *part, *rest = copy;
	int error = 0;

	workload_init(wl);
	digits += digits > 0 && strchr("kmg", text[digits]) != NULL &&
	    text[digits] != '\0';
	if (text[0] == '@' || (n > 0 && digits != n &&
	    strcspn(text, ":=~") >= n))
		error = parse_recorded(wl, copy, why);
	else {
		while (error == 0 && (part = strsep(&rest, "/")) != NULL)
			error = parse_part(wl, part, why);
		if (error == 0)
			error = canonical(wl, why);
	}
	if (error != 0)
		workload_free(wl);
	free(copy);
	return (error);
}

static int
is_workload(const struct dirent *de)
{
	return (stem(de->d_name) > 0);
}

unsigned
workload_list(FILE *out)
{
	char path[PROGRAM_PATH_SIZE];
	struct dirent **names;
	unsigned count = 0;
	int n;

	for (unsigned i = 0; i < FOLDERS; i++) {
		if (!workload_folder(i, path))
			continue;
		n = scandir(path, &names, is_workload, alphasort);
		for (int k = 0; k < n; k++) {
			fprintf(out, "  %-14.*s %s/%s\n",
			    (int)stem(names[k]->d_name), names[k]->d_name,
			    path, names[k]->d_name);
			count++;
			free(names[k]);
		}
		if (n >= 0)
			free(names);
	}
	return (count);
}
