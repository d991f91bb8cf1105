/* Runs source.sh, which finds and compiles sources. */
#include "bench/cli/child.h"
#include "bench/cli/command.h"
#include "bench/kernel/ksource.h"
#include "fortuna/device/design.h"

/* Beside it are fortuna and harvest. */
#define	KERN	"/lib/kern"
/* " -DNAME" of each option of the kernel; for source.sh. */
#define	OPTIONS_ENV	"RNGSIM_KERNEL_OPTIONS"

enum { LINES_MAX = 1024, SUM_SIZE = RESULT_SHA256_SIZE };

/* A text in lines. */
struct listing {
	char		*lst_text, *lst_line[LINES_MAX];
	unsigned	 lst_count;
};

struct source {
	struct source	*kso_next;
	char		 kso_name[RESULT_NAME_SIZE];
	char		 kso_spec[KSOURCE_SPEC_SIZE];	/* as given */
	struct listing	 kso_found;	/* what source.sh prints */
};

/* All that were opened, in order. */
static struct source *sources;

bool
ksource_named(const char *text)
{
	return (strncmp(text, KSOURCE_PREFIX, sizeof(KSOURCE_PREFIX) - 1) == 0);
}

#define	refuse(why, status, ...)					\
	format_error(status, why, KSOURCE_WHY_SIZE, __VA_ARGS__)

/* Splits the text into lines, as many as there is room for. */
static void
split(struct listing *li)
{
	char *save = NULL;

	for (char *line = strtok_r(li->lst_text, "\n", &save); line != NULL &&
	    li->lst_count < LINES_MAX; line = strtok_r(NULL, "\n", &save))
		li->lst_line[li->lst_count++] = line;
}

/* The rest of the n-th line that begins with a word; "" for none. */
static const char *
value(const struct source *so, const char *key, unsigned n)
{
	const struct listing *li = &so->kso_found;
	const size_t len = strlen(key);

	for (unsigned i = 0; i < li->lst_count; i++)
		if (strncmp(li->lst_line[i], key, len) == 0 &&
		    li->lst_line[i][len] == ' ' && n-- == 0)
			return (li->lst_line[i] + len + 1);
	return ("");
}

/* The flags of this program's sanitizer, for objects of this machine. */
static const char *
sanitizer(void)
{
	static char env[128];
	const char *flag = strstr(RNGSIM_FLAGS, "-fsanitize=");

	/* A fuzzer's is of its own program. */
	if (flag == NULL || strncmp(flag, "-fsanitize=fuzzer", 17) == 0)
		flag = "";
	snprintf(env, sizeof(env), "RNGSIM_KERNEL_SANITIZER=%.*s",
	    (int)strcspn(flag, " "), flag);
	return (env);
}

static int
script(const char *action, const char *a, const char *b, char **text,
    char why[KSOURCE_WHY_SIZE])
{
	char data[PROGRAM_PATH_SIZE], path[PROGRAM_PATH_SIZE + 32];
	const char *argv[] = { "sh", path, data, action, a, b, NULL };
	char *error;
	int status;

	*text = NULL;
	if (!program_data("kernel" KERN, &KERN[1], data))
		return (refuse(why, EXIT_FAILURE, "rngsim's kernel files are "
		    "not installed: expected share/rngsim/kernel"));
	data[strlen(data) - strlen(KERN)] = '\0';
	snprintf(path, sizeof(path), "%s" KERN "/source.sh", data);
	if ((status = child_output(argv, sanitizer(), false, text)) == -1)
		return (refuse(why, EXIT_FAILURE, "cannot run sh: %s",
		    strerror(errno)));
	if (*text == NULL)
		no_memory();
	/* The last line, if the script ended with an error. */
	error = *text + strlen(*text) - ((*text)[0] != '\0');
	while (error > *text && error[-1] != '\n')
		error--;
	if (status != 0 && strncmp(error, "error ", 6) == 0) {
		error[strcspn(error, "\n")] = '\0';
		(void)refuse(why, status, "%s", error + 6);
		*error = '\0';
	} else if (status != 0 && strcmp(action, "check") != 0)
		(void)refuse(why, EXIT_FAILURE, "sh ended early: expected "
		    "programs such as sed and tar in PATH");
	return (status == 0 ? 0 : WIFEXITED(status) &&
	    WEXITSTATUS(status) == EXIT_USAGE ? EXIT_USAGE : EXIT_FAILURE);
}

/* The short name, unique: a number follows it where others have it. */
static void
set_name(struct source *so)
{
	const int size = RESULT_NAME_SIZE - sizeof(KSOURCE_PREFIX) - 4;
	const char *name = value(so, "name", 0);
	unsigned again = 1;

	snprintf(so->kso_name, sizeof(so->kso_name), KSOURCE_PREFIX "%.*s",
	    size, name);
	while (ksource_spec(so->kso_name) != so->kso_name)
		snprintf(so->kso_name, sizeof(so->kso_name), KSOURCE_PREFIX
		    "%.*s-%u", size, name, ++again % 1000);
}

/* Adds the design.  A source has a queue, or is linked with rngsim's two. */
static int
add(struct source *so, char why[KSOURCE_WHY_SIZE])
{
	static const char *const members[DESIGN_VARIANTS] = { "real",
	    "real-2019", "simulated", "simulated-2019" };
	char error[KERN_ERROR_SIZE], path[DESIGN_VARIANTS][PATH_MAX];
	const char *object[DESIGN_VARIANTS];
	int status;

	for (unsigned i = 0; i < DESIGN_VARIANTS; i++) {
		snprintf(path[i], PATH_MAX, "%s/%s/%s.so", value(so, "cache",
		    0), value(so, "key", 0), members[i]);
		object[i] = i % HARVEST_MODELS == 0 ||
		    access(path[i], F_OK) == 0 ? path[i] : NULL;
	}
	status = design_add(so->kso_name, object, error);
	return (status == 0 ? 0 : refuse(why, EXIT_FAILURE, status == EINVAL ?
	    "%.900s; \"rngsim kernel clean\" removes what was "
	    "compiled" : "no memory", error));
}

int
ksource_open(const char *spec, bool ciphers, const char **name,
    char why[KSOURCE_WHY_SIZE])
{
	struct source **last = &sources, *so = xcalloc(1, sizeof(*so));
	int status;

	spec += ksource_named(spec) ? sizeof(KSOURCE_PREFIX) - 1 : 0;
	if ((size_t)snprintf(so->kso_spec, sizeof(so->kso_spec), "%s", spec) >=
	    sizeof(so->kso_spec))
		status = refuse(why, EXIT_USAGE, "too long");
	else
		status = script("open", spec, ciphers ? "source" : NULL,
		    &so->kso_found.lst_text, why);
	if (status == 0)
		split(&so->kso_found);
	for (; status == 0 && *last != NULL; last = &(*last)->kso_next)
		if (strcmp(value(*last, "spec", 0), value(so, "spec", 0)) == 0)
			break;
	if (status == 0 && *last == NULL) {
		set_name(so);
		if ((status = add(so, why)) == 0)
			*last = so;
	}
	if (status == 0)
		*name = (*last)->kso_name;
	if (*last != so) {
		free(so->kso_found.lst_text);
		free(so);
	}
	return (status);
}

/* Programs that this one starts have it, too, and name it again. */
bool
ksource_define(const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz_0123456789";
	const size_t n = strspn(text, letters);
	const char *old = getenv(OPTIONS_ENV);
	char all[KSOURCE_SPEC_SIZE], one[KSOURCE_SPEC_SIZE];

	if (n == 0 || (text[0] >= '0' && text[0] <= '9') ||
	    (text[n] != '\0' && (text[n] != '=' ||
	    text[n + 1 + strspn(text + n + 1, letters)] != '\0')))
		return (false);
	old = old == NULL ? "" : old;
	snprintf(one, sizeof(one), " -D%s ", text);
	snprintf(all, sizeof(all), "%s ", old);
	if (strstr(all, one) != NULL)
		return (true);
	return (snprintf(all, sizeof(all), "%s -D%s", old, text) <
	    (int)sizeof(all) && setenv(OPTIONS_ENV, all, 1) == 0);
}

void
ksource_say(const char *design, FILE *compiled, FILE *replaced)
{
	const struct source *so = sources;
	const char *file, *options = getenv(OPTIONS_ENV);
	size_t n;

	while (so != NULL && strcmp(so->kso_name, design) != 0)
		so = so->kso_next;
	if (so == NULL)
		return;
	n = strlen(value(so, "folder", 0));
	for (unsigned i = 0; compiled != NULL &&
	    (file = value(so, "file", i))[0] != '\0'; i++)
		fprintf(compiled, "%s%s", i == 0 ? "" : ", ",
		    strlen(file) > n ? file + n + 1 : file);
	if (compiled != NULL)
		fprintf(compiled, " of %s%s%s, compiler %s%s%s; SHA-256 of "
		    "all that was read: %.16s.", value(so, "path", 0),
		    value(so, "revision", 0)[0] == '\0' ? "" : " at revision ",
		    value(so, "revision", 0), value(so, "compiler", 0),
		    options == NULL ? "" : ", options", options == NULL ? "" :
		    options, value(so, "key", 0));
	for (unsigned i = 0; replaced != NULL &&
	    (file = value(so, "replaced", i))[0] != '\0'; i++)
		fprintf(replaced, "%s%s", i == 0 ? "By rngsim's: " : ", ",
		    file);
	if (replaced != NULL)
		fprintf(replaced, ". Headers outside dev/random are rngsim's, "
		    "too: rngsim-kernel(7).");
}

const char *
ksource_words(const char *design)
{
	static char words[8 * KSOURCE_SPEC_SIZE];
	const char *at = ksource_named(design) ? getenv(OPTIONS_ENV) : NULL;
	FILE *out = fmemopen(words, sizeof(words), "w");

	if (out == NULL)
		no_memory();
	format_word(out, ksource_spec(design));
	while (at != NULL && (at = strstr(at, "-D")) != NULL) {
		at += 2;
		fprintf(out, " -D %.*s", (int)strcspn(at, " "), at);
	}
	xmemclose(out);
	return (words);
}

const char *
ksource_spec(const char *design)
{
	for (const struct source *so = sources; so != NULL; so = so->kso_next)
		if (strcmp(so->kso_name, design) == 0)
			return (value(so, "spec", 0));
	return (design);
}

/* The end of a text, where it is too long. */
static void
set_text(char text[RESULT_TEXT_SIZE], const char *from)
{
	for (size_t n = strlen(from); n >= RESULT_TEXT_SIZE; n--)
		from++;
	snprintf(text, RESULT_TEXT_SIZE, "%s", from);
}

static void
describe(const struct source *so, struct result_kernel *rk)
{
	const char *folder = value(so, "folder", 0), *flag, *sum;
	struct listing diff = { .lst_text = NULL };
	char why[KSOURCE_WHY_SIZE];
	const size_t n = strlen(folder);

	memset(rk, 0, sizeof(*rk));
	memcpy(rk->name, so->kso_name, sizeof(rk->name));
	set_text(rk->path, value(so, "path", 0));
	set_text(rk->revision, value(so, "revision", 0));
	set_text(rk->compiler, value(so, "compiler", 0));
	rk->probed = value(so, "probed", 0)[0] != '\0';
	for (unsigned i = 0; (flag = value(so, "flag", i))[0] != '\0'; i++)
		field_add_word(&rk->flags, flag);
	if (so != sources && script("diff", sources->kso_spec, so->kso_spec,
	    &diff.lst_text, why) == 0)
		split(&diff);
	for (unsigned i = 0; i < diff.lst_count; i++)
		field_add_word(&rk->diff, diff.lst_line[i]);
	free(diff.lst_text);
	/* "HASH FILE" of each, which the compiler read. */
	rk->files = xcalloc(so->kso_found.lst_count, sizeof(*rk->files));
	for (unsigned i = 0; (sum = value(so, "sum", i))[0] != '\0'; i++)
		if (strlen(sum) > SUM_SIZE + n && sum[SUM_SIZE + n] == '/' &&
		    strncmp(sum + SUM_SIZE, folder, n) == 0) {
			set_text(rk->files[rk->file_count].name,
			    sum + SUM_SIZE + n + 1);
			snprintf(rk->files[rk->file_count++].sha256, SUM_SIZE,
			    "%s", sum);
		}
}

void
ksource_describe(struct result *r)
{
	for (const struct source *so = sources; so != NULL; so = so->kso_next)
		describe(so, ARRAY_ADD(r->kernels, r->kernel_count));
}

int
ksource_command(const char *action, const char *spec, FILE *out,
    char why[KSOURCE_WHY_SIZE])
{
	char *text;
	int status;

	status = script(action, spec, NULL, &text, why);
	if (text != NULL)
		fputs(text, out);
	free(text);
	return (status);
}
