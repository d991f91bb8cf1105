# rngsim: GNU make >= 4 and bmake, no configure step.
#
#	make run	install what is missing, build, measure, draw
#	make test	install what is missing, build, run the suite
#	make bench	the figures that README states
#	make help	the other targets

BUILDDIR = build
PREFIX = /usr/local
DESTDIR =
OPT = -O2 -g
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -fno-common
EXTRA =

# The architecture, in the order in which files may include each other.
LIB = kassert tick cpu hist stat number tunable machine_real lockprof \
	lockconf crypto cipher digest
FORTUNA = state generator_config
HARVEST = jenkins mask harvest_config record
BENCH = cell_config stats host result result_load outfile table csv report \
	plot progress options plan sweep kat

# Written against lib/machine.h, so compiled once for each machine.  Families
# are collected by pattern: a new member is a file and a line in its table.
FLAVOURS = real bare
FLAVOURED != echo lib/lock.c lib/lock_*.c fortuna/fortuna.c \
	fortuna/generator.c fortuna/gen_*.c fortuna/randomdev.c \
	harvest/harvestq.c harvest/hq_*.c harvest/source.c harvest/src_*.c \
	bench/cell.c
COMMANDS != echo bench/cmd_*.c
TESTS_C != cd tests && ls | sed -n 's/_test\.c$$/_test/p' | tr '\n' ' '
TESTS_SH != cd tests && ls | sed -n 's/_test\.sh$$/_test/p' | tr '\n' ' '

OS != uname -s
LOCAL_CPPFLAGS != test $(OS) != FreeBSD || echo -I/usr/local/include
LOCAL_LDFLAGS != test $(OS) != FreeBSD || echo -L/usr/local/lib
JEMALLOC != test $(OS) = FreeBSD || echo -ljemalloc
ATF_SH != command -v atf-sh || ls /usr/libexec/atf-sh 2>/dev/null || echo atf-sh
REVISION != git describe --always --dirty 2>/dev/null || echo unknown

ALLFLAGS = -std=c11 -D_GNU_SOURCE -I. $(LOCAL_CPPFLAGS) $(OPT) $(WARN) \
	-pthread $(EXTRA) $(CFLAGS)
LDLIBS = $(LOCAL_LDFLAGS) -lcrypto -lhwloc -lucl -lgsl -lgslcblas $(JEMALLOC) \
	-lm -pthread

OBJ = $(BUILDDIR)/obj
PROGRAM = $(BUILDDIR)/rngsim

all: $(PROGRAM)

# One explicit rule for each object, written here because pattern rules are not
# common to both makes.
RULES != mkdir -p $(OBJ) $(BUILDDIR)/tests; \
	objects=; words=; \
	rule() { \
		mkdir -p $(OBJ)/$$1/$$(dirname $$2); \
		o=$(OBJ)/$$1/$${2%.c}.o; \
		echo "$$o: $$2"; \
		printf '\t@echo "  CC $$@"; $$(CC) $$(ALLFLAGS) %s -MMD -MP -c -o $$@ %s\n' "$$3" $$2; \
		echo "-include $${o%.o}.d"; \
	}; \
	{ for f in $(LIB); do shared="$$shared lib/$$f.c"; done; \
	for f in $(FORTUNA); do shared="$$shared fortuna/$$f.c"; done; \
	for f in $(HARVEST); do shared="$$shared harvest/$$f.c"; done; \
	for f in $(BENCH); do shared="$$shared bench/$$f.c"; done; \
	for f in $$shared $(COMMANDS); do \
		rule all $$f ""; objects="$$objects $$o"; done; \
	rule all bench/main.c ""; \
	for v in $(FLAVOURS); do for f in $(FLAVOURED); do \
		case $$v in bare) d=-DLOCK_PROFILING=0;; *) d=;; esac; \
		rule $$v $$f "-DFLAVOUR=$$v $$d"; objects="$$objects $$o"; \
	done; done; \
	for f in lib/kassert.c lib/tick.c lib/cpu.c lib/machine_real.c \
	    lib/lockprof.c lib/lockconf.c lib/crypto.c lib/cipher.c \
	    lib/digest.c lib/number.c lib/tunable.c fortuna/state.c \
	    fortuna/generator_config.c bench/kat.c; do \
		rule words $$f -DUINT128_TWO_WORDS; words="$$words $$o"; done; \
	for f in lib/lock.c lib/lock_none.c lib/lock_pthread.c lib/lock_mtx.c \
	    lib/lock_mtx_spin.c fortuna/fortuna.c fortuna/generator.c \
	    fortuna/gen_none.c fortuna/gen_locked.c fortuna/gen_concurrent.c; do \
		rule words $$f "-DUINT128_TWO_WORDS -DFLAVOUR=real"; \
		words="$$words $$o"; done; \
	echo "OBJECTS = $$objects"; echo "WORDS = $$words"; \
	for t in $(TESTS_C); do \
		b=$(BUILDDIR)/tests/$$t; programs="$$programs $$b"; \
		echo "$$b: tests/$$t.c $(OBJ)/librngsim.a"; \
		printf '\t@echo "  LD $$@"; $$(CC) $$(ALLFLAGS) -MMD -MP -MF $(OBJ)/%s.d -o $$@ tests/%s.c $(OBJ)/librngsim.a -latf-c $$(LDLIBS)\n' $$t $$t; \
		echo "-include $(OBJ)/$$t.d"; done; \
	for t in uint128 kat; do \
		b=$(BUILDDIR)/tests/$${t}_two_words_test; programs="$$programs $$b"; \
		echo "$$b: tests/$${t}_test.c $(OBJ)/libwords.a"; \
		printf '\t@echo "  LD $$@"; $$(CC) $$(ALLFLAGS) -DUINT128_TWO_WORDS -o $$@ tests/%s_test.c $(OBJ)/libwords.a -latf-c $$(LDLIBS)\n' $$t; done; \
	for t in $(TESTS_SH); do \
		b=$(BUILDDIR)/tests/$$t; programs="$$programs $$b"; \
		echo "$$b: tests/$$t.sh"; \
		printf '\t@{ echo "\#! $(ATF_SH)"; cat tests/%s.sh; } >$$@; chmod +x $$@\n' $$t; done; \
	echo "TEST_PROGRAMS = $$programs"; \
	} >$(BUILDDIR)/rules.mk
include $(BUILDDIR)/rules.mk
