# rngsim: GNU make >= 4 and bmake, no configure step.
#
#	make		build the program
#	make run	install what is missing, build, measure, draw a plot
#	make test	install what is missing, build, run the test suite
#	make install	install into DESTDIR and PREFIX; make uninstall
#	make installcheck
#			run the tests of what is installed there
#	make dist	write a tarball of the last commit
#	make port	write a port of FreeBSD that builds that tarball
#	make lint	check layering, style and manual pages
#	make bench	measure the figures of rngsim-figures(7)
#	make check-page	install Chromium, and look at pages of --html in it
#	make check-asan, check-tsan, check-ubsan, check-quick
#			run the suite in a build with a sanitizer
#	make check-slurm
#			run a plan under a Slurm of one node, which it starts
#	make coverage	run the suite and report which lines it reached
#	make fuzz	run libFuzzer on each parser, FUZZ_SECONDS each
#	make model	check the Promela models; make model-full: larger ones
#	make stat	run statistical batteries; make stat-full: for days
#	make faults	make every call of every kind fail, one at a time
#	make mutate	draw MUTANTS small faults, list those that no test finds
#	make kill	kill and resume a sweep at each of its system calls
#
# Packagers set CC, CFLAGS, CPPFLAGS, LDFLAGS, LIBS, BOOST_CONTEXT, PREFIX, MANDIR,
# ZSHDIR, DESTDIR and LOCALBASE.  Nothing is written outside BUILDDIR.

BUILDDIR = build
PREFIX = /usr/local
MANDIR = $(PREFIX)/share/man
DATADIR = $(PREFIX)/share/rngsim
DOCDIR = $(PREFIX)/share/doc/rngsim
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
DESTDIR =
LOCALBASE = /usr/local
CFLAGS ?= -O2 -g
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -fno-common

# Compiled once for each machine: written against lib/machine/machine.h.
FLAVOURED != echo lib/machine/failpoint_machine.c lib/lock/lock.c \
	lib/lock/lock_*.c fortuna/fortuna.c fortuna/percpu.c fortuna/fxrng.c \
	fortuna/generator.c fortuna/gen_*.c fortuna/kernel/design.c \
	fortuna/kernel/locks.c fortuna/kernel/ciphers.c \
	fortuna/kernel/services.c \
	fortuna/randomdev.c \
	harvest/harvestq.c harvest/healthq.c harvest/hq_*.c \
	harvest/source.c harvest/src_*.c bench/cell/cell.c \
	bench/cell/cell_setup.c bench/cell/cell_reader.c \
	bench/cell/cell_ledger.c bench/cell/cell_collect.c \
	bench/cell/critical_section.c bench/assure/lock_trial.c
# Only runs on simulated machines.
SIMULATED = bench/explore/execution.c bench/explore/execution_run.c
# Everything else is compiled once.
SHARED != for f in lib/*/*.c fortuna/*.c fortuna/kernel/object.c \
	fortuna/kernel/sources.c fortuna/kernel/built_in.c harvest/*.c \
	bench/*.c bench/*/*.c; do \
	case " $(FLAVOURED) $(SIMULATED) " in \
	*" $$f "*) ;; *) echo $$f ;; esac; done | grep -v '^bench/figures/'
# Designs and locks that are wrong on purpose, for mutant_test.
FAULTY != echo tests/mutants/*.c

OS != uname -s
LOCAL_CPPFLAGS != test $(OS) != FreeBSD || echo -isystem $(LOCALBASE)/include
LOCAL_LDFLAGS != test $(OS) != FreeBSD || echo -L$(LOCALBASE)/lib
JEMALLOC != test $(OS) = FreeBSD || echo -ljemalloc
LIBS != pkg-config --libs libcrypto libgcrypt zlib hwloc jansson gsl \
	2>/dev/null || echo -lcrypto -lgcrypt -lz -lhwloc -ljansson -lgsl \
	-lgslcblas
ATF_SH != command -v atf-sh || ls /usr/libexec/atf-sh 2>/dev/null || echo atf-sh
# "make dist" leaves the commit in REVISION.
COMMIT != { [ -e .git ] && git describe --always --dirty --exclude='*'; } \
	2>/dev/null || cat REVISION 2>/dev/null || true
REVISION != c='$(COMMIT)'; echo "$$(cat VERSION)$${c:+-g$$c}"

OBJ = $(BUILDDIR)/obj
PROGRAM = $(BUILDDIR)/rngsim
ALLFLAGS = -std=c11 -ffp-contract=off -D_GNU_SOURCE -I. -I$(OBJ) \
	$(LOCAL_CPPFLAGS) $(CPPFLAGS) $(CFLAGS) $(WARN) -pthread
# Boost has no pkg-config file.
BOOST_CONTEXT = -l:libboost_context.a
# -z now: binding a function at its first call would save vector registers, and
# with them keystream, on the stack of a read.
ALLLIBS = -Wl,-z,now $(LOCAL_LDFLAGS) $(LIBS) $(BOOST_CONTEXT) $(JEMALLOC) -lm -pthread
TIMEOUT = 600

# The first target is what "make" alone makes.
all: $(PROGRAM)

RULES != COMPILE='$(CC) $(ALLFLAGS)' REVISION='$(REVISION)' \
	CFLAGS='$(CFLAGS) $(CPPFLAGS)' SHARED='$(SHARED)' \
	FLAVOURED='$(FLAVOURED)' SIMULATED='$(SIMULATED)' \
	FAULTY='$(FAULTY)' \
	sh .ci/rules.sh '$(BUILDDIR)' >&2
include $(BUILDDIR)/rules.mk

$(OBJ)/librngsim.a: $(OBJECTS)
	@echo "  AR $@"; rm -f $@; ar rcs $@ $(OBJECTS)

$(PROGRAM): $(OBJ)/all/bench/main.o $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) $(LDFLAGS) -o $@ \
		$(OBJ)/all/bench/main.o $(OBJ)/librngsim.a $(ALLLIBS)

DEPS = @sh .ci/deps.sh $(BUILDDIR)/deps.log
# A second make, because installed packages change what is found above.
AGAIN = +@$(MAKE) BUILDDIR=$(BUILDDIR)

run:
	$(DEPS) build
	$(AGAIN) run-now

READERS = n=$$(nproc 2>/dev/null || sysctl -n hw.ncpu); r=1; i=2; \
	while [ $$i -lt $$n ]; do r=$$r,$$i; i=$$((i * 2)); done; \
	[ $$n -lt 2 ] || r=$$r,$$n; r=$$r,$$((n + 1))

run-now: $(PROGRAM)
	@$(READERS); $(PROGRAM) sweep -r $$r -n 5 -t 0.3 \
	    -o $(BUILDDIR)/result.json
	@$(PROGRAM) report $(BUILDDIR)/result.json \
	    --plot $(BUILDDIR)/result.png
	@echo; echo "The result is $(BUILDDIR)/result.json," \
	    "its picture $(BUILDDIR)/result.png."

tests-built: $(PROGRAM) $(BUILDDIR)/rngsim-battery $(TEST_PROGRAMS) \
	$(FUZZ_PROGRAMS) $(BUILDDIR)/tests/Kyuafile

# The longest first, so that they do not run alone at the end.
LONG_TESTS = starved_test model_spin_test readme_test cli_assure_test
$(BUILDDIR)/tests/Kyuafile: Makefile $(BUILDDIR)/rules.mk
	@{ echo 'syntax(2)'; echo "test_suite('rngsim')"; \
	for t in $$(echo $(LONG_TESTS) $(TEST_PROGRAMS) | tr ' ' '\n' | \
	    sed 's;.*/;;' | awk '!seen[$$0]++'); do \
		echo "atf_test_program{name='$$t', timeout=$(TIMEOUT)}"; \
	done; } >$@

test:
	$(DEPS) build stat test
	$(AGAIN) tests-built
	$(AGAIN) test-now

test-now:
	@src=$$(pwd); jobs=$$(getconf _NPROCESSORS_ONLN); \
	[ "$$jobs" -le 4 ] || jobs=4; cd $(BUILDDIR) && rm -f kyua.db && \
	kyua --logfile=kyua.log --config=none -v parallelism=$$jobs \
	    -v test_suites.rngsim.source=$$src \
	    test -k tests/Kyuafile -r kyua.db; status=$$?; \
	[ $$status = 0 ] || kyua --logfile=kyua.log report -r kyua.db \
	    --verbose --results-filter=broken,failed | tail -n 200; \
	echo; kyua --logfile=kyua.log report -r kyua.db \
	    --results-filter=skipped | grep -e ' -> ' -e '^Test cases'; \
	exit $$status

# "make test" runs these too, but skips what needs a browser that is not there.
check-page:
	$(DEPS) build browser
	$(AGAIN) tests-built
	@src=$$(pwd); cd $(BUILDDIR) && kyua --logfile=page.log --config=none \
	    -v test_suites.rngsim.source=$$src \
	    test -k tests/Kyuafile -r page.db cli_page_test

# Sanitizers bring their own malloc(3), and slow tests down ten times.
check-asan:
	$(DEPS) build
	@$(MAKE) BUILDDIR=$(BUILDDIR)/asan JEMALLOC= TIMEOUT=1200 \
	    CFLAGS="-O1 -g -fsanitize=address -fno-omit-frame-pointer" tests-built
	@sh tests/sanitizers/check.sh asan $(BUILDDIR)/asan

# What parses input from outside, with both: minutes instead of an hour.
QUICK = fuzz_test compare_test result_test profile_test strace_import_test \
	workload_test kat_test explore_test generator_contract_test ledger_test

check-quick:
	$(DEPS) build
	@$(MAKE) BUILDDIR=$(BUILDDIR)/quick JEMALLOC= CFLAGS="-O1 -g \
	    -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	    -fno-omit-frame-pointer" tests-built
	@sh tests/sanitizers/check.sh asan $(BUILDDIR)/quick $(QUICK)

check-tsan:
	$(DEPS) build
	@$(MAKE) BUILDDIR=$(BUILDDIR)/tsan JEMALLOC= TIMEOUT=1200 \
	    CFLAGS="-O1 -g -fsanitize=thread -fno-omit-frame-pointer" tests-built
	@sh tests/sanitizers/check.sh tsan $(BUILDDIR)/tsan

check-ubsan:
	$(DEPS) build
	@$(MAKE) BUILDDIR=$(BUILDDIR)/ubsan TIMEOUT=1200 \
	    CFLAGS="-O1 -g -fsanitize=undefined -fno-sanitize-recover=undefined" \
	    tests-built
	@sh tests/sanitizers/check.sh ubsan $(BUILDDIR)/ubsan

# tests/coverage.sh says which branches count.
coverage:
	$(DEPS) build coverage
	@$(MAKE) BUILDDIR=$(BUILDDIR)/coverage TIMEOUT=1200 \
	    CFLAGS="-O1 -g --coverage -fprofile-update=atomic \
	    -include tests/coverage.h" tests-built
	@sh tests/coverage.sh $(BUILDDIR)/coverage

# FUZZ_MAIN calls a target: a program's main(), or libFuzzer's flag.
FUZZ_MAIN = tests/fuzz/standalone.c
FUZZ_SECONDS = 60
FUZZ_FLAGS = -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=undefined

fuzz:
	$(DEPS) build clang
	@$(MAKE) BUILDDIR=$(BUILDDIR)/fuzzing CC=clang JEMALLOC= \
	    CFLAGS="-O1 -g $(FUZZ_FLAGS)" FUZZ_MAIN=-fsanitize=fuzzer \
	    FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz-now

fuzz-now: $(FUZZ_PROGRAMS)
	@sh tests/fuzz/run.sh $(BUILDDIR) $(FUZZ_SECONDS) $(FUZZ_PROGRAMS)

# Faults drawn from MUTATE_SEED, in the files below MUTATE_FOLDERS.
MUTANTS = 20
MUTATE_SEED = 1
MUTATE_FOLDERS = lib fortuna harvest bench

mutate:
	$(DEPS) build
	@python3 -B tests/mutate.py $(BUILDDIR) $(MUTANTS) $(MUTATE_SEED) \
	    $(MUTATE_FOLDERS)

check-slurm:
	$(DEPS) build slurm
	$(AGAIN) all
	@sh tests/slurm.sh $(BUILDDIR)

# Kill a run at each of its system calls, and resume it.
KILLED = resume__killed_at_a_system_call resume__killed_among_draws \
	resume__killed_while_it_goes_on

kill:
	$(DEPS) build
	$(AGAIN) kill-now

kill-now: $(PROGRAM) $(BUILDDIR)/tests/resume_test
	@tests=$$(cd $(BUILDDIR)/tests && pwd); rm -rf $(BUILDDIR)/kill; \
	mkdir $(BUILDDIR)/kill && cd $(BUILDDIR)/kill && \
	for t in $(KILLED); do \
		echo "$$t:"; $$tests/resume_test -s $$tests -v kill=all $$t \
		    2>log || { cat log; exit 1; }; done

bench:
	$(DEPS) build bench
	$(AGAIN) bench-now

bench-now: $(PROGRAM) $(BUILDDIR)/rngsim-figures
	@sh bench/figures/bench.sh $(BUILDDIR) $(PARTS)

# Rivals are measured against the flavour without profiling.
$(BUILDDIR)/rngsim-figures: bench/figures/figures*.[ch] $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -DFLAVOUR=bare -DLOCK_PROFILING=0 \
		-o $@ bench/figures/figures*.c $(OBJ)/librngsim.a $(ALLLIBS) -lsodium

# Takes an hour or more.
faults:
	$(DEPS) build
	$(AGAIN) faults-now

faults-now: tests-built
	@src=$$(pwd); cd $(BUILDDIR) && rm -f faults.db && \
	kyua --logfile=faults.log --config=none \
	    -v test_suites.rngsim.source=$$src \
	    -v test_suites.rngsim.every=true \
	    test -k tests/Kyuafile -r faults.db starved_test

$(BUILDDIR)/rngsim-battery: tests/streams/battery.c $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -o $@ tests/streams/battery.c \
		$(OBJ)/librngsim.a $(ALLLIBS)

stat stat-full:
	$(DEPS) build stat
	$(AGAIN) $@-now

stat-now: $(PROGRAM) $(BUILDDIR)/rngsim-battery
	@sh tests/streams/stat.sh $(BUILDDIR)

stat-full-now: $(PROGRAM) $(BUILDDIR)/rngsim-battery
	@sh tests/streams/stat.sh $(BUILDDIR) full

model:
	$(DEPS) model
	@python3 -B tests/spin/model.py $(BUILDDIR) run big mutant

model-full:
	$(DEPS) model
	@python3 -B tests/spin/model.py $(BUILDDIR) run big mutant full bits

# The port of FreeBSD, with what is to be installed and the tarball's sums.
port: $(PROGRAM) dist
	@here=$$(cd $(BUILDDIR) && pwd)/port; v=$$(cat VERSION); rm -rf $$here; \
	$(MAKE) BUILDDIR=$(BUILDDIR) DESTDIR=$$here/root PREFIX=/usr/local \
	    MANDIR=/usr/local/share/man install >/dev/null && \
	(cd $$here/root/usr/local && find . -type f | sed -e 's,^\./,,' \
	    -e '/man[157].rngsim/s/$$/.gz/' -e '/rngsim.LICENSE/d' | sort) \
	    >$$here/pkg-plist && rm -r $$here/root && \
	cp packaging/freebsd/pkg-descr $$here && \
	sed "s/%%VERSION%%/$$v/" packaging/freebsd/Makefile >$$here/Makefile && \
	cd $(BUILDDIR) && { echo "TIMESTAMP = $$(date +%s)"; \
	    openssl dgst -sha256 -r rngsim-$$v.tar.gz | \
	    sed 's/\(.*\) \*\(.*\)/SHA256 (\2) = \1/'; \
	    echo "SIZE (rngsim-$$v.tar.gz) = $$(($$(wc -c <rngsim-$$v.tar.gz)))"; \
	} >port/distinfo && echo "$(BUILDDIR)/port"

MAN = man1 man5 man7
DATA = kernel workloads published vectors vectors-designs spin

install: $(PROGRAM)
	mkdir -p $(DESTDIR)$(PREFIX)/bin
	for d in $(MAN); do mkdir -p $(DESTDIR)$(MANDIR)/$$d; \
	    install -m 644 man/*.$${d#man} $(DESTDIR)$(MANDIR)/$$d; done
	for d in $(DATA); do mkdir -p $(DESTDIR)$(DATADIR)/$$d; done
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/rngsim
	install -m 644 bench/workload/*.workload $(DESTDIR)$(DATADIR)/workloads
	install -m 644 lib/published/*.csv $(DESTDIR)$(DATADIR)/published
	cp -R fortuna/kernel/abi.h fortuna/kernel/kern*.h \
	    fortuna/kernel/headers.tbl fortuna/kernel/glue.c \
	    fortuna/kernel/probe_fortuna.c fortuna/kernel/tree \
	    bench/kernel/source.sh $(DESTDIR)$(DATADIR)/kernel
	for d in vectors vectors-designs; do install -m 644 \
	    tests/$$d/*.script tests/$$d/*.expected $(DESTDIR)$(DATADIR)/$$d; \
	done
	install -m 644 tests/spin/*.pml tests/spin/*.py tests/spin/runs.tbl \
	    $(DESTDIR)$(DATADIR)/spin
	mkdir -p $(DESTDIR)$(DATADIR)/campaign
	install -m 755 bench/campaign/*.sh $(DESTDIR)$(DATADIR)/campaign
	for d in $(DOCDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR); do \
	    mkdir -p $(DESTDIR)$$d; done
	install -m 644 README.md NEWS LICENSE $(DESTDIR)$(DOCDIR)
	cd packaging/completion && \
	    install -m 644 rngsim.bash $(DESTDIR)$(BASHDIR)/rngsim && \
	    install -m 644 _rngsim $(DESTDIR)$(ZSHDIR) && \
	    install -m 644 rngsim.fish $(DESTDIR)$(FISHDIR)

uninstall:
	for f in man/*.[157]; do \
	    rm -f $(DESTDIR)$(MANDIR)/man$${f##*.}/$${f#man/}; done
	rm -rf $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)
	rm -f $(DESTDIR)$(PREFIX)/bin/rngsim $(DESTDIR)$(BASHDIR)/rngsim \
	    $(DESTDIR)$(ZSHDIR)/_rngsim $(DESTDIR)$(FISHDIR)/rngsim.fish

# Tests of the command line that need nothing that was built beside it.
INSTALLED_TESTS = cli_cat cli_kat cli_run cli_report cli_compare \
	cli_usage cli_hostile cli_ledger cli_workload completion

installcheck:
	@sh tests/installcheck.sh $(BUILDDIR) $(DESTDIR)$(PREFIX)/bin/rngsim \
	    $(ATF_SH) $(INSTALLED_TESTS)

# The same commit makes the same bytes.
dist:
	@mkdir -p $(BUILDDIR); n=rngsim-$$(cat VERSION); \
	c=$$(git describe --always --exclude='*') && \
	git archive --format=tar --prefix=$$n/ \
	    --add-virtual-file=$$n/REVISION:$$c HEAD >$(BUILDDIR)/$$n.tar && \
	gzip -9nf $(BUILDDIR)/$$n.tar && echo "$(BUILDDIR)/$$n.tar.gz"

lint:
	$(DEPS) build
	@sh tests/lint.sh

clean:
	rm -rf $(BUILDDIR)

.PHONY: all run run-now tests-built test test-now check-asan check-tsan \
	check-ubsan check-quick check-page check-slurm coverage fuzz fuzz-now \
	kill kill-now mutate \
	bench bench-now \
	faults faults-now stat stat-now stat-full stat-full-now model \
	model-full port install uninstall installcheck dist lint clean
