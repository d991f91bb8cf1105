# rngsim: GNU make >= 4 and bmake, no configure step.
#
#	make		build the program
#	make run	build, measure, draw a plot
#	make test	build, run the test suite
#	make install	install into DESTDIR and PREFIX; make uninstall
#	make installcheck	run the tests of what is installed there
#	make dist	write a tarball of the last commit
#	make port	write a port of FreeBSD that builds that tarball
#	make lint	check layering, style and manual pages
#	make bench	measure the figures of rngsim-figures(7)
#	make check-page	install Chromium, and look at pages of --html in it
#	make check-asan	run the suite in a build with a sanitizer; check-tsan,
#			check-ubsan; check-quick: parsers only
#	make check-freebsd	compile for FreeBSD on both of its large CPUs
#	make check-slurm	run a plan under a Slurm of one node
#	make coverage	run the suite and report which lines it reached
#	make fuzz	run libFuzzer on each parser, FUZZ_SECONDS each
#	make model	check the Promela models; make model-full: larger ones
#	make stat	run statistical batteries; make stat-full: for days
#	make faults	make every call of every kind fail, one at a time
#	make mutate	draw MUTANTS small faults, list those that no test finds
#	make patches	judge the patches of tests/patches; make patches-list
#	make kill	kill and resume a sweep at each of its system calls
#
# All but "make" and install get packages that are missing.  Packagers set CC,
# CFLAGS, CPPFLAGS, LDFLAGS, PKG_CONFIG, LIBS, BOOST_CONTEXT, PREFIX, MANDIR, ZSHDIR,
# DESTDIR, LOCALBASE; SITE of a port.  Nothing is written outside BUILDDIR.

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
	lib/lock/lock_*.c lib/kern/kernel.c lib/kern/locks.c \
	lib/kern/witness.c lib/kern/words.c lib/kern/sleep.c \
	lib/kern/cpus.c lib/kern/memory.c lib/kern/secrets.c \
	lib/kern/crypto.c lib/kern/hashes.c \
	lib/kern/keys.c fortuna/device/randomdev.c fortuna/device/entry.c harvest/harvest.c \
	harvest/src_*.c bench/cell/cell.c bench/cell/cell_setup.c \
	bench/cell/cell_reader.c bench/cell/cell_producer.c \
	bench/cell/cell_collect.c \
	bench/assure/lock_trial.c
# Only runs on simulated machines.
SIMULATED = bench/cell/critical_section.c bench/explore/execution.c \
	bench/explore/execution_events.c bench/explore/execution_run.c \
	bench/explore/execution_sources.c
# Files of the kernel, which lib/kern/source.sh compiles.
KERNEL != echo lib/kern/abi.h lib/kern/host.tbl lib/kern/sys/* fortuna/*.c \
	fortuna/dev/random/*.h fortuna/sys/*.h fortuna/device/abi.h \
	fortuna/device/object.tbl \
	fortuna/device/glue.c fortuna/device/probe*.c harvest/random_*.c
# Everything else is compiled once.
SHARED != for f in lib/*/*.c fortuna/device/*.c harvest/*.c bench/*.c \
	bench/*/*.c; do \
	case " $(FLAVOURED) $(SIMULATED) $(KERNEL) " in \
	*" $$f "*) ;; *) echo $$f ;; esac; done

OS != uname -s
LOCAL_CPPFLAGS != test $(OS) != FreeBSD || echo -isystem $(LOCALBASE)/include
LOCAL_LDFLAGS != test $(OS) != FreeBSD || echo -L$(LOCALBASE)/lib -lexecinfo
JEMALLOC != test $(OS) = FreeBSD || \
	ls "$$($(CC) -print-file-name=libjemalloc_pic.a 2>/dev/null)" 2>/dev/null || \
	echo -ljemalloc
PKG_CONFIG = pkg-config
LIBS != $(PKG_CONFIG) --libs libcrypto libgcrypt zlib hwloc jansson gsl \
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
# with them keystream, on the stack of a read.  A shared libjemalloc binds its own
# calls late, one of them when two threads meet in it.
ALLLIBS = -Wl,-z,now $(LOCAL_LDFLAGS) $(LIBS) $(BOOST_CONTEXT) $(JEMALLOC) -lm -pthread
TIMEOUT = 600

all: $(PROGRAM)

# Not for what builds nothing.
RULES != case ' $(MAKECMDGOALS) $(.TARGETS) ' in *' uninstall '*) exit 0 ;; esac; \
	COMPILE='$(CC) $(ALLFLAGS)' REVISION='$(REVISION)' \
	CFLAGS='$(CFLAGS) $(CPPFLAGS)' SHARED='$(SHARED)' TIMEOUT='$(TIMEOUT)' \
	FLAVOURED='$(FLAVOURED)' SIMULATED='$(SIMULATED)' KERNEL='$(KERNEL)' \
	sh mk/rules.sh '$(BUILDDIR)' >&2 || echo mk/stop.mk
-include $(RULES) $(BUILDDIR)/rules.mk

$(OBJ)/librngsim.a: $(OBJECTS)
	@echo "  AR $@"; rm -f $@; ar rcs $@ $(OBJECTS)

$(PROGRAM): $(OBJ)/all/bench/main.o $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) $(LDFLAGS) -o $@ \
		$(OBJ)/all/bench/main.o $(OBJ)/librngsim.a $(ALLLIBS)

DEPS = @sh mk/deps.sh $(BUILDDIR)/deps.log
# A second make, because installed packages change what is found above; on all
# CPUs, unless the first was given a number.
AGAIN = +@case "$$MAKEFLAGS" in *-j*) j= ;; \
	*) j=-j$$(getconf _NPROCESSORS_ONLN) ;; esac; \
	$(MAKE) $$j BUILDDIR=$(BUILDDIR)
SUITE = @sh tests/suite.sh

run:
	$(DEPS) build
	$(AGAIN) all
	@n=$$(nproc 2>/dev/null || sysctl -n hw.ncpu); r=1; i=2; \
	while [ $$i -lt $$n ]; do r=$$r,$$i; i=$$((i * 2)); done; \
	[ $$n -lt 2 ] || r=$$r,$$n; $(PROGRAM) sweep -r $$r,$$((n + 1)) \
	    -n 5 -t 0.3 -o $(BUILDDIR)/result.json
	@$(PROGRAM) report $(BUILDDIR)/result.json --plot $(BUILDDIR)/result.png
	@echo; echo "The result is $(BUILDDIR)/result.json," \
	    "its picture $(BUILDDIR)/result.png."

tests-built: $(PROGRAM) $(BUILDDIR)/rngsim-battery $(TEST_PROGRAMS) \
	$(FUZZ_PROGRAMS) $(MODEL_ANSWERS)

test:
	$(DEPS) build stat test
	$(AGAIN) tests-built
	$(SUITE) plain $(BUILDDIR)

# "make test" runs these too, but skips what needs a browser that is not there.
check-page:
	$(DEPS) build browser
	$(AGAIN) tests-built
	$(SUITE) plain $(BUILDDIR) cli_page_test

# Takes an hour or more.
faults:
	$(DEPS) build
	$(AGAIN) tests-built
	$(SUITE) every $(BUILDDIR) starved_test

# Sanitizers bring their own malloc(3), and slow tests down ten times.
SANITIZED = +@sanitized() { \
	$(MAKE) BUILDDIR=$(BUILDDIR)/$$2 JEMALLOC= TIMEOUT=1200 \
	    CFLAGS="-O1 -g -fno-omit-frame-pointer $$3" tests-built && \
	kind=$$1 build=$(BUILDDIR)/$$2 && shift 3 && \
	sh tests/suite.sh $$kind $$build "$$@"; }; sanitized

check-asan:
	$(DEPS) build
	$(SANITIZED) asan asan -fsanitize=address

check-tsan:
	$(DEPS) build
	$(SANITIZED) tsan tsan -fsanitize=thread

check-ubsan:
	$(DEPS) build
	$(SANITIZED) ubsan ubsan "-fsanitize=undefined \
	    -fno-sanitize-recover=undefined"

# What parses input from outside, with both: minutes instead of an hour.
check-quick:
	$(DEPS) build
	$(SANITIZED) asan quick "-fsanitize=address,undefined \
	    -fno-sanitize-recover=undefined" \
	    fuzz_test compare_test result_test profile_test \
	    import_strace_test workload_test kat_test explore_test \
	    design_contract_test ledger_test

check-freebsd:
	$(DEPS) build freebsd
	@MAKE=$(MAKE) sh tests/freebsd.sh $(BUILDDIR)/freebsd

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

fuzz:
	$(DEPS) build clang
	@$(MAKE) BUILDDIR=$(BUILDDIR)/fuzzing CC=clang JEMALLOC= \
	    CFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined \
	    -fno-sanitize-recover=undefined" FUZZ_MAIN=-fsanitize=fuzzer \
	    fuzz-built
	@sh tests/fuzz/run.sh $(BUILDDIR)/fuzzing $(FUZZ_SECONDS) \
	    $(BUILDDIR)/fuzzing/fuzz/*[!.]?

fuzz-built: $(FUZZ_PROGRAMS)

# Faults drawn from MUTATE_SEED, in the files below MUTATE_FOLDERS.
MUTANTS = 20
MUTATE_SEED = 1
MUTATE_FOLDERS = lib fortuna harvest bench

mutate:
	$(DEPS) build
	@python3 -B tests/mutate.py $(BUILDDIR) $(MUTANTS) $(MUTATE_SEED) \
	    $(MUTATE_FOLDERS)

# Patches of kernel developers, and what is true of each: PATCHES names some.
PATCHES =

patches:
	$(DEPS) build
	$(AGAIN) all
	@python3 -B tests/patches/patches.py $(BUILDDIR) run \
	    $$(getconf _NPROCESSORS_ONLN) $(PATCHES)

patches-list:
	@python3 -B tests/patches/patches.py $(BUILDDIR) list $(PATCHES)

check-slurm:
	$(DEPS) build slurm
	$(AGAIN) all
	@sh tests/slurm.sh $(BUILDDIR)

# Kill a run at each of its system calls, or one in so many, and resume it.
KILL_EACH = 1

kill:
	$(DEPS) build
	$(AGAIN) all $(BUILDDIR)/tests/resume_test
	@tests=$$(cd $(BUILDDIR)/tests && pwd); rm -rf $(BUILDDIR)/kill; \
	mkdir $(BUILDDIR)/kill && cd $(BUILDDIR)/kill && \
	for t in at_a_system_call among_draws while_it_goes_on; do \
		echo "$$t:"; $$tests/resume_test -s $$tests -v kill=$(KILL_EACH) \
		    resume__killed_$$t 2>log || { cat log; exit 1; }; done

bench:
	$(DEPS) build bench
	$(AGAIN) all
	@sh bench/figures/bench.sh $(BUILDDIR) $(PARTS)

$(BUILDDIR)/rngsim-battery: tests/streams/battery.c $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -o $@ tests/streams/battery.c \
		$(OBJ)/librngsim.a $(ALLLIBS)

stat stat-full:
	$(DEPS) build stat
	$(AGAIN) all $(BUILDDIR)/rngsim-battery
	@sh tests/streams/stat.sh $(BUILDDIR) $$([ $@ = stat ] || echo full)

model model-full:
	$(DEPS) model
	@python3 -B tests/spin/model.py $(BUILDDIR) run big mutant \
	    $$([ $@ = model ] || echo full bits)

# put MODE FOLDER FILE...
PUT = @umask 022; put() { m=$$1 d=$(DESTDIR)$$2; shift 2; echo "  PUT $$d"; \
	mkdir -p $$d && install -m $$m "$$@" $$d; }; put

install: $(PROGRAM)
	$(PUT) 755 $(PREFIX)/bin $(PROGRAM)
	@umask 022; echo "  PUT $(DESTDIR)$(MANDIR)"; for f in man/*.[157]; do \
	    d=$(DESTDIR)$(MANDIR)/man$${f##*.}; mkdir -p $$d && \
	    sed 's;/usr/local;$(PREFIX);' $$f >$$d/$${f#man/} || exit 1; done
	$(PUT) 644 $(DATADIR)/workloads bench/workload/*.workload
	$(PUT) 644 $(DATADIR)/published lib/published/*.csv
	@umask 022; echo "  PUT $(DESTDIR)$(DATADIR)/kernel"; \
	for f in lib/kern/source.sh $(KERNEL); do \
	    t=$(DESTDIR)$(DATADIR)/kernel/$$f; mkdir -p $${t%/*} && \
	    install -m 644 $$f $$t || exit 1; done
	$(PUT) 644 $(DATADIR)/vectors tests/vectors/*.[se]*
	$(PUT) 644 $(DATADIR)/models tests/models/*.py
	$(PUT) 644 $(DATADIR)/spin tests/spin/*.pml tests/spin/*.py \
	    tests/spin/runs.tbl
	$(PUT) 755 $(DATADIR)/campaign bench/campaign/*.sh
	$(PUT) 644 $(DOCDIR) README.md NEWS LICENSE
	$(PUT) 644 $(ZSHDIR) packaging/completion/_rngsim
	$(PUT) 644 $(FISHDIR) packaging/completion/rngsim.fish
	$(PUT) 644 $(BASHDIR) packaging/completion/rngsim.bash
	@cd $(DESTDIR)$(BASHDIR) && mv rngsim.bash rngsim

uninstall:
	for f in man/*.[157]; do \
	    rm -f $(DESTDIR)$(MANDIR)/man$${f##*.}/$${f#man/}; done
	rm -rf $(DESTDIR)$(DATADIR) $(DESTDIR)$(DOCDIR)
	rm -f $(DESTDIR)$(PREFIX)/bin/rngsim $(DESTDIR)$(BASHDIR)/rngsim \
	    $(DESTDIR)$(ZSHDIR)/_rngsim $(DESTDIR)$(FISHDIR)/rngsim.fish
	cd $(DESTDIR)/ && for d in $(MANDIR)/man1 $(MANDIR)/man5 $(MANDIR)/man7 \
	    $(BASHDIR) $(ZSHDIR) $(FISHDIR) $(PREFIX)/share/doc $(PREFIX)/bin; do \
	    rmdir -p ./$$d 2>/dev/null || true; done

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

port: $(PROGRAM) dist
	@sh packaging/freebsd/port.sh $(BUILDDIR) '$(MAKE)'

lint:
	$(DEPS) build
	@sh tests/lint.sh

clean:
	rm -rf $(BUILDDIR)

.PHONY: all run tests-built test check-page check-asan check-tsan check-ubsan \
	check-quick check-freebsd check-slurm coverage fuzz fuzz-built mutate \
	kill bench faults patches patches-list \
	stat stat-full model model-full install uninstall installcheck dist port \
	lint clean
