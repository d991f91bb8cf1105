# rngsim: GNU make >= 4 and bmake, no configure step.
#
#	make run	install what is missing, build, measure, draw
#	make test	install what is missing, build, run the suite
#	make bench	the same, and the figures that README states
#	make stat	whether what designs generate passes statistical
#			batteries, in minutes; make stat-full: in days
#	make model	whether every order of a small case keeps the rules, in
#			a minute; make model-full: of larger ones, in many
#	make install	into DESTDIR and PREFIX
#	make lint	layering, style and manual pages
#	make check-asan, check-tsan, check-ubsan
#			the suite, built with a sanitizer
#	make coverage	the suite, and what of the source it reached
#	make fuzz	each parser against libFuzzer, FUZZ_SECONDS each
#	make faults	every failure of every call, not some of them
#
# BUILDDIR may be anywhere; nothing is written outside it.

BUILDDIR = build
PREFIX = /usr/local
DESTDIR =
OPT = -O2 -g
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -fno-common
EXTRA =

# The architecture, in the order in which files may include each other.
LIB = kassert failpoint tick cpu hist number tunable machine_real lockprof \
	lockconf crypto cipher ledger ledger_text ledger_key ledger_use \
	ledger_range ledger_ring ledger_dead ledger_core ledger_sole hash \
	hollow digest blake2 profile profile_syntax \
	profile_parse profile_table profile_sample \
	fiber vm vm_who vm_stuck vm_sched vm_choose vm_line vm_wait \
	vm_machine vm_costs vm_topology
FORTUNA = state crng brng fxpool place generator_config
HARVEST = jenkins mask harvest_config health record
BENCH = \
	measure \
	console/usage console/choice console/arguments console/lines console/figure \
	console/progress console/outfile console/journal console/stop \
	console/gnuplot console/seed \
	statistics/stats statistics/hypothesis statistics/usl_fit \
	statistics/agreement \
	result/trend result/json_text result/result result/result_field \
	result/result_decode \
	result/result_check result/result_load result/result_uncertainty \
	result/value result/value_array result/group result/claim result/select \
	cell/recording cell/recording_load cell/workload \
	cell/workload_folder cell/workload_spec cell/strace_import \
	cell/config cell/faults cell/place cell/prime cell/cell_common cell/kat \
	cell/virtual \
	timeline/timeline timeline/timeline_note timeline/timeline_track \
	timeline/timeline_record timeline/timeline_json \
	timeline/timeline_text \
	report/curve report/usl_curve report/usl report/table \
	report/table_cell report/table_control report/table_ledger \
	report/table_uncertainty \
	report/csv report/csv_scale report/report report/view \
	report/report_fairness report/report_lockprof report/report_lockstat \
	report/report_waits report/plot_data report/plot_panel \
	report/plot_waits report/plot_script report/plot \
	compare/quantity compare/compare compare/compare_match \
	compare/compare_host compare/compare_gate compare/compare_noise \
	compare/compare_fail compare/clip compare/verdict \
	compare/verdict_data compare/verdict_ministat \
	options/option_set options/option_check options/option_virtual \
	options/option_trace options/option_ledger options/option_workload \
	options/option_cat options/option_failpoint options/option_hash \
	options/options options/option_describe options/option_resume \
	cat/interleave cat/stream cat/output cat/cat \
	sweep/host sweep/pool sweep/repeat_json sweep/checkpoint \
	sweep/checkpoint_read sweep/replicate sweep/uncertainty \
	sweep/summary sweep/summary_health sweep/summary_rows sweep/grid \
	sweep/sweep_virtual sweep/sweep sweep/trace sweep/faulted \
	calibrate/calibrate calibrate/calibrate_crypto \
	calibrate/calibrate_host calibrate/calibrate_line \
	calibrate/calibrate_os calibrate/calibrate_part \
	calibrate/calibrate_print calibrate/calibrate_stats \
	hash/hash_bench hash/hash_print hash/hash_json \
	validate/validate validate/validate_json validate/validate_table \
	validate/validate_words \
	reproduce/reproduce reproduce/beside \
	sources/numbers sources/mitigation sources/saturation \
	sources/published sources/window sources/sources \
	sources/sources_table sources/sources_csv sources/sources_json \
	sources/sources_plot \
	explore/schedule explore/strategy explore/scenario explore/moments \
	explore/distinct explore/case explore/shrink explore/campaign \
	explore/explore_print explore/origin explore/residue explore/request \
	assure/arithmetic assure/counting assure/duplicates \
	assure/duplicates_run assure/evidence assure/share assure/page \
	assure/explored

# Written against lib/machine.h, so compiled once for each machine.  Families
# are collected by pattern: a new member is a file and a line in its table.  A
# lock, design or source without a line comes after those that have one: it can
# be tried before it is proposed.
FLAVOURS = real bare virtual
FLAVOURED != echo lib/failpoint_machine.c lib/lock.c lib/lock_*.c fortuna/fortuna.c \
	fortuna/percpu.c fortuna/fxrng.c fortuna/generator.c fortuna/gen_*.c \
	fortuna/randomdev.c \
	harvest/harvestq.c harvest/deliver.c harvest/healthq.c harvest/hq_*.c harvest/source.c harvest/src_*.c \
	bench/cell/cell.c bench/cell/cell_setup.c bench/cell/cell_reader.c \
	bench/cell/cell_ledger.c bench/cell/cell_collect.c bench/cell/section.c
COMMANDS != echo bench/cmd_*.c bench/reproduce/reproduce_*.c \
	bench/sources/number_*.c bench/assure/evidence_*.c
# What only runs on simulated machines, compiled for these alone.
SIMULATED = bench/explore/trial.c bench/explore/trial_run.c
STRATEGIES != echo bench/explore/strategy_*.c
HASHES != echo lib/hash_*.c
FIGURES != echo bench/figures/figures*.c
BATTERY != echo bench/battery/battery*.c
TESTS_C != cd tests && ls | sed -n 's/_test\.c$$/_test/p' | tr '\n' ' '
# Contracts that hold on the simulated machine too, from the same source.
TESTS_VIRTUAL = lock_contract lock_mutant
FUZZ != cd tests/fuzz && ls | sed -n 's/^fuzz_\(.*\)\.c$$/\1/p' | tr '\n' ' '
# Designs and locks that are wrong on purpose, for mutant_test.
MUTANTS != echo tests/mutants/*.c
# What starved_test makes fail.
WRAPPED = malloc calloc realloc reallocarray aligned_alloc strdup strndup \
	open_memstream fmemopen fopen fdopen open fsync rename pipe \
	pthread_create
TESTS_SH != cd tests && ls | sed -n 's/_test\.sh$$/_test/p' | tr '\n' ' '

OS != uname -s
LOCAL_CPPFLAGS != test $(OS) != FreeBSD || echo -isystem /usr/local/include
LOCAL_LDFLAGS != test $(OS) != FreeBSD || echo -L/usr/local/lib
JEMALLOC != test $(OS) = FreeBSD || echo -ljemalloc
ATF_SH != command -v atf-sh || ls /usr/libexec/atf-sh 2>/dev/null || echo atf-sh
REVISION != git describe --always --dirty --exclude='*' 2>/dev/null || \
	echo unknown

ALLFLAGS = -std=c11 -ffp-contract=off -D_GNU_SOURCE -I. -I$(OBJ) \
	$(LOCAL_CPPFLAGS) $(OPT) $(WARN) \
	-pthread $(EXTRA)
LDLIBS = $(LOCAL_LDFLAGS) -lcrypto -lgcrypt -lz -lhwloc -ljansson -lgsl \
	-lgslcblas -lconfig -l:libboost_context.a $(JEMALLOC) -lm -pthread

# What calls a fuzz target: the file that does it alone, or libFuzzer's flag.
FUZZ_MAIN = tests/fuzz/standalone.c
FUZZ_SECONDS = 60
TIMEOUT = 600
FUZZ_FLAGS = -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=undefined

OBJ = $(BUILDDIR)/obj
PROGRAM = $(BUILDDIR)/rngsim

# The first target is what "make" alone makes.
all: $(PROGRAM)

# One explicit rule for each object, written here because pattern rules are not
# common to both makes.  The files flags and revision change when their subject
# does, and so rebuild what was made with another.
RULES != mkdir -p $(OBJ)/found $(BUILDDIR)/tests $(BUILDDIR)/fuzz; \
	stamp() { echo "$$2" | cmp -s - $(OBJ)/$$1 || echo "$$2" >$(OBJ)/$$1; }; \
	stamp flags "$(CC) $(ALLFLAGS)"; stamp revision "$(REVISION)"; \
	found() { \
		for f in $$3*.c; do m=$${f\#$$3}; m=$${m%.c}; \
			grep -q "^$$2[_A-Z]*($$m)" $$1.tbl || echo "$$2($$m)"; \
		done; }; \
	stamp found/lock.tbl "$$(found lib/lock LOCK lib/lock_)"; \
	stamp found/generator.tbl "$$(found fortuna/generator GENERATOR fortuna/gen_)"; \
	stamp found/source.tbl "$$(found harvest/source SOURCE harvest/src_)"; \
	objects=; words=; \
	rule() { \
		mkdir -p $(OBJ)/$$1/$$(dirname $$2); \
		o=$(OBJ)/$$1/$${2%.c}.o; \
		echo "$$o: $$2 $(OBJ)/flags $$4"; \
		printf '\t@echo "  CC $$@"; $$(CC) $$(ALLFLAGS) %s -MMD -MP -c -o $$@ %s\n' "$$3" $$2; \
		echo "-include $${o%.o}.d"; \
	}; \
	{ for f in $(LIB); do shared="$$shared lib/$$f.c"; done; \
	for f in $(FORTUNA); do shared="$$shared fortuna/$$f.c"; done; \
	for f in $(HARVEST); do shared="$$shared harvest/$$f.c"; done; \
	for f in $(BENCH); do shared="$$shared bench/$$f.c"; done; \
	for f in $$shared $(HASHES) $(STRATEGIES) $(COMMANDS); do \
		case $$f in \
		bench/sweep/host.c) d="-DRNGSIM_REVISION='\"$(REVISION)\"' -DRNGSIM_FLAGS='\"$(OPT) $(EXTRA)\"'"; dep=$(OBJ)/revision;; \
		lib/profile_table.c) d=; dep=$$(echo lib/profiles/*.conf);; \
		*) d=; dep=;; esac; \
		rule all $$f "$$d" "$$dep"; objects="$$objects $$o"; done; \
	rule all bench/main.c "-DRNGSIM_REVISION='\"$(REVISION)\"'" $(OBJ)/revision; \
	for v in $(FLAVOURS); do for f in $(FLAVOURED); do \
		case $$v in bare) d=-DLOCK_PROFILING=0;; \
		virtual) d=-DMACHINE_VIRTUAL;; *) d=;; esac; \
		case $$v:$$f in \
		virtual:lib/lock_ck_*|virtual:lib/lock_pthread.c) continue;; \
		*:fortuna/gen*) d="$$d -DGENERATOR_FAMILY";; \
		esac; \
		rule $$v $$f "-DFLAVOUR=$$v $$d"; objects="$$objects $$o"; \
	done; done; \
	for f in $(SIMULATED); do \
		rule virtual $$f "-DFLAVOUR=virtual -DMACHINE_VIRTUAL"; \
		objects="$$objects $$o"; done; \
	for f in lib/kassert.c lib/failpoint.c lib/tick.c lib/cpu.c lib/machine_real.c \
	    lib/lockprof.c lib/lockconf.c lib/crypto.c lib/cipher.c \
	    lib/ledger.c lib/ledger_text.c lib/ledger_key.c lib/ledger_use.c \
	    lib/ledger_range.c lib/ledger_ring.c lib/ledger_dead.c lib/ledger_core.c \
	    lib/ledger_sole.c lib/vm_who.c \
	    lib/hash.c $(HASHES) lib/hollow.c lib/digest.c lib/blake2.c lib/number.c \
	    lib/tunable.c \
	    fortuna/state.c fortuna/crng.c fortuna/brng.c fortuna/fxpool.c \
	    fortuna/place.c fortuna/generator_config.c bench/cell/kat.c; do \
		rule words $$f -DUINT128_TWO_WORDS; words="$$words $$o"; done; \
	for f in lib/lock.c lib/lock_*.c fortuna/fortuna.c fortuna/percpu.c \
	    fortuna/fxrng.c fortuna/generator.c fortuna/gen_*.c; do \
		rule words $$f "-DUINT128_TWO_WORDS -DFLAVOUR=real -DGENERATOR_FAMILY"; \
		words="$$words $$o"; done; \
	echo "OBJECTS = $$objects"; echo "WORDS = $$words"; \
	mutants=; \
	for f in $(MUTANTS); do \
		rule virtual $$f "-DFLAVOUR=virtual -DMACHINE_VIRTUAL -DGENERATOR_FAMILY"; \
		mutants="$$mutants $$o"; done; \
	for t in $(TESTS_C); do \
		b=$(BUILDDIR)/tests/$$t; programs="$$programs $$b"; \
		case $$t in mutant_test) more=$$mutants;; *) more=;; esac; \
		case $$t in starved_test) \
			wrap=$$(echo $(WRAPPED) | \
			    sed 's/[a-z_]*/-Wl,--wrap=&/g');; \
		*) wrap=;; esac; \
		echo "$$b: tests/$$t.c $$more $(OBJ)/librngsim.a"; \
		printf '\t@echo "  LD $$@"; $$(CC) $$(ALLFLAGS) -MMD -MP -MF $(OBJ)/%s.d -MT $$@ -o $$@ tests/%s.c %s $(OBJ)/librngsim.a -latf-c $$(LDLIBS) %s\n' $$t $$t "$$more" "$$wrap"; \
		echo "-include $(OBJ)/$$t.d"; done; \
	for t in uint128 kat; do \
		b=$(BUILDDIR)/tests/$${t}_two_words_test; programs="$$programs $$b"; \
		echo "$$b: tests/$${t}_test.c $(OBJ)/libwords.a"; \
		printf '\t@echo "  LD $$@"; $$(CC) $$(ALLFLAGS) -DUINT128_TWO_WORDS -o $$@ tests/%s_test.c $(OBJ)/libwords.a -latf-c $$(LDLIBS)\n' $$t; done; \
	for t in $(TESTS_VIRTUAL); do \
		b=$(BUILDDIR)/tests/$${t}_virtual_test; programs="$$programs $$b"; \
		echo "$$b: tests/$${t}_test.c $(OBJ)/librngsim.a"; \
		printf '\t@echo "  LD $$@"; $$(CC) $$(ALLFLAGS) -DFLAVOUR=virtual -DMACHINE_VIRTUAL -MMD -MP -MF $(OBJ)/%s_virtual.d -MT $$@ -o $$@ tests/%s_test.c $(OBJ)/librngsim.a -latf-c $$(LDLIBS)\n' $$t $$t; \
		echo "-include $(OBJ)/$${t}_virtual.d"; done; \
	for t in $(TESTS_SH); do \
		b=$(BUILDDIR)/tests/$$t; programs="$$programs $$b"; \
		echo "$$b: tests/support.sh tests/$$t.sh"; \
		printf '\t@{ echo "\#! $(ATF_SH)"; cat tests/support.sh tests/%s.sh; } >$$@; chmod +x $$@\n' $$t; done; \
	echo "TEST_PROGRAMS = $$programs"; \
	for t in $(FUZZ); do \
		b=$(BUILDDIR)/fuzz/$$t; targets="$$targets $$b"; \
		echo "$$b: tests/fuzz/fuzz_$$t.c tests/fuzz/standalone.c $(OBJ)/librngsim.a"; \
		printf '\t@echo "  LD $$@"; $$(CC) $$(ALLFLAGS) -MMD -MP -MF $(OBJ)/fuzz_%s.d -MT $$@ -o $$@ tests/fuzz/fuzz_%s.c $$(FUZZ_MAIN) $(OBJ)/librngsim.a $$(LDLIBS)\n' $$t $$t; \
		echo "-include $(OBJ)/fuzz_$$t.d"; done; \
	echo "FUZZ_PROGRAMS = $$targets"; \
	} >$(BUILDDIR)/rules.mk
include $(BUILDDIR)/rules.mk

$(OBJ)/librngsim.a: $(OBJECTS)
	@echo "  AR $@"; rm -f $@; ar rcs $@ $(OBJECTS)

$(OBJ)/libwords.a: $(WORDS)
	@echo "  AR $@"; rm -f $@; ar rcs $@ $(WORDS)

$(PROGRAM): $(OBJ)/all/bench/main.o $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -o $@ $(OBJ)/all/bench/main.o \
		$(OBJ)/librngsim.a $(LDLIBS)

# What the packages are called, and how they are got.
DEBIAN = gcc libc6-dev libssl-dev libgcrypt20-dev zlib1g-dev libatf-dev \
	atf-sh kyua libjemalloc-dev libhwloc-dev libjansson-dev libgsl-dev \
	libck-dev libconfig-dev libboost-context-dev gnuplot-nox mandoc ministat \
	python3 spin strace
DEBIAN_BENCH = libsodium-dev openssl
FREEBSD = libgcrypt hwloc2 jansson gsl concurrencykit libconfig \
	boost-libs gnuplot-lite kyua python3 spin
FREEBSD_BENCH = libsodium
# Needed by the models alone; spin calls the compiler's preprocessor.
DEBIAN_MODEL = gcc libc6-dev python3-minimal spin
FREEBSD_MODEL = gcc python3 spin
# Ubuntu and newer Debian name rngtest's package otherwise.
DEBIAN_STAT = dieharder ent openssl
DEBIAN_FUZZ = clang
DEBIAN_COVERAGE = gcovr
FREEBSD_COVERAGE = gcc py311-gcovr
FREEBSD_STAT = dieharder ent rng-tools

deps:
	@WANT="$(DEBIAN)"; WANT_PKG="$(FREEBSD)"; $(INSTALL_MISSING)

deps-bench:
	@WANT="$(DEBIAN) $(DEBIAN_BENCH)"; \
	WANT_PKG="$(FREEBSD) $(FREEBSD_BENCH)"; $(INSTALL_MISSING)

deps-model:
	@WANT="$(DEBIAN_MODEL)"; WANT_PKG="$(FREEBSD_MODEL)"; \
	$(INSTALL_MISSING)

deps-stat:
	@tools="rng-tools5"; \
	command -v rngtest >/dev/null && tools= || \
	    apt-cache show rng-tools5 >/dev/null 2>&1 || \
	    tools=rng-tools-debian; \
	WANT="$(DEBIAN) $(DEBIAN_STAT) $$tools"; \
	WANT_PKG="$(FREEBSD) $(FREEBSD_STAT)"; $(INSTALL_MISSING)

deps-coverage:
	@WANT="$(DEBIAN) $(DEBIAN_COVERAGE)"; \
	WANT_PKG="$(FREEBSD) $(FREEBSD_COVERAGE)"; $(INSTALL_MISSING)

deps-fuzz:
	@WANT="$(DEBIAN) $(DEBIAN_FUZZ)"; WANT_PKG="$(FREEBSD)"; \
	$(INSTALL_MISSING)

INSTALL_MISSING = \
	if [ "$(OS)" = FreeBSD ]; then \
		for p in $$WANT_PKG; do \
			pkg info -e $$p || missing="$$missing $$p"; done; \
		update=true; install="pkg install -y"; \
	elif command -v dpkg-query >/dev/null; then \
		for p in $$WANT; do \
			dpkg-query -W -f '$${Status}' $$p 2>/dev/null | \
			    grep -q 'install ok installed' || \
			    missing="$$missing $$p"; done; \
		update="apt-get -q update"; \
		install="env DEBIAN_FRONTEND=noninteractive apt-get -q \
		    install -y --no-install-recommends"; \
	else \
		echo "rngsim: neither apt-get nor pkg here; install what" \
		    "Debian calls $$WANT" >&2; exit 0; \
	fi; \
	[ -n "$$missing" ] || exit 0; \
	echo "rngsim: installing$$missing"; \
	if [ "$$(id -u)" = 0 ]; then as=; \
	elif sudo -n true 2>/dev/null || { [ -t 0 ] && sudo true; }; then \
		as=sudo; \
	else \
		echo "rngsim: type this as root, then try again:" >&2; \
		echo "    $$(echo $$install)$$missing" >&2; exit 1; \
	fi; \
	{ $$as $$update && $$as $$install $$missing; } >$(BUILDDIR)/deps.log \
	    2>&1 || { tail -n 5 $(BUILDDIR)/deps.log >&2; \
		echo "rngsim: that failed; type this as root:" >&2; \
		echo "    $$(echo $$install)$$missing" >&2; exit 1; }

# A second make, because what deps installs decides what the rules above find.
run: deps
	@$(MAKE) BUILDDIR=$(BUILDDIR) run-now

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
	$(FUZZ_PROGRAMS) $(BUILDDIR)/tests/nth_failure.so \
	$(BUILDDIR)/tests/Kyuafile

# The longest case first, so that it is not what all others have ended before.
$(BUILDDIR)/tests/Kyuafile: Makefile $(BUILDDIR)/rules.mk
	@{ echo 'syntax(2)'; echo "test_suite('rngsim')"; \
	for t in readme_test $$(echo " $(TEST_PROGRAMS) " | \
	    sed 's; [^ ]*/readme_test ; ;'); do \
		echo "atf_test_program{name='$${t##*/}', timeout=$(TIMEOUT)}"; \
	done; } >$@

test: deps
	@$(MAKE) BUILDDIR=$(BUILDDIR) EXTRA="$(EXTRA)" tests-built
	@$(MAKE) BUILDDIR=$(BUILDDIR) test-now

test-now:
	@src=$$(pwd); jobs=$$(getconf _NPROCESSORS_ONLN); \
	[ "$$jobs" -le 4 ] || jobs=4; cd $(BUILDDIR) && rm -f kyua.db && \
	kyua --logfile=kyua.log --config=none -v parallelism=$$jobs \
	    -v test_suites.rngsim.source=$$src \
	    test -k tests/Kyuafile -r kyua.db; status=$$?; \
	[ $$status = 0 ] || kyua --logfile=kyua.log report -r kyua.db \
	    --verbose --results-filter=broken,failed | tail -n 200; exit $$status

# Sanitizers bring their own malloc(3), and slow tests down ten times.
check-asan: deps
	@$(MAKE) BUILDDIR=$(BUILDDIR)/asan OPT="-O1 -g" JEMALLOC= TIMEOUT=1200 \
	    EXTRA="-fsanitize=address -fno-omit-frame-pointer" tests-built
	@sh tests/sanitizers/check.sh asan $(BUILDDIR)/asan

check-tsan: deps
	@$(MAKE) BUILDDIR=$(BUILDDIR)/tsan OPT="-O1 -g" JEMALLOC= TIMEOUT=1200 \
	    EXTRA="-fsanitize=thread -fno-omit-frame-pointer" tests-built
	@sh tests/sanitizers/check.sh tsan $(BUILDDIR)/tsan

check-ubsan: deps
	@$(MAKE) BUILDDIR=$(BUILDDIR)/ubsan OPT="-O1 -g" TIMEOUT=1200 \
	    EXTRA="-fsanitize=undefined -fno-sanitize-recover=undefined" \
	    tests-built
	@sh tests/sanitizers/check.sh ubsan $(BUILDDIR)/ubsan

# tests/coverage.sh says which branches count.
coverage: deps-coverage
	@$(MAKE) BUILDDIR=$(BUILDDIR)/coverage OPT="-O1 -g" TIMEOUT=1200 \
	    EXTRA="--coverage -fprofile-update=atomic" tests-built
	@sh tests/coverage.sh $(BUILDDIR)/coverage

fuzz: deps-fuzz
	@$(MAKE) BUILDDIR=$(BUILDDIR)/fuzzing CC=clang OPT="-O1 -g" JEMALLOC= \
	    EXTRA="$(FUZZ_FLAGS)" FUZZ_MAIN=-fsanitize=fuzzer \
	    FUZZ_SECONDS=$(FUZZ_SECONDS) fuzz-now

fuzz-now: $(FUZZ_PROGRAMS)
	@sh tests/fuzz/run.sh $(BUILDDIR) $(FUZZ_SECONDS) $(FUZZ)

# A run is killed at each of its system calls, and gone on with.
KILLED = resume__killed_at_a_system_call resume__killed_among_draws \
	resume__killed_while_it_goes_on

kill: deps
	@$(MAKE) BUILDDIR=$(BUILDDIR) kill-now

kill-now: $(PROGRAM) $(BUILDDIR)/tests/resume_test
	@tests=$$(cd $(BUILDDIR)/tests && pwd); rm -rf $(BUILDDIR)/kill; \
	mkdir $(BUILDDIR)/kill && cd $(BUILDDIR)/kill && \
	for t in $(KILLED); do \
		echo "$$t:"; $$tests/resume_test -s $$tests -v kill=all $$t \
		    2>log || { cat log; exit 1; }; done

bench: deps-bench
	@$(MAKE) BUILDDIR=$(BUILDDIR) bench-now

bench-now: $(PROGRAM) $(BUILDDIR)/rngsim-figures $(BUILDDIR)/plant.so
	@for part in effect limit rivals profiling locks designs hash \
	    explore ledger ledger-native; do \
		$(BUILDDIR)/rngsim-figures $$part || exit 1; done
	@python=$(BUILDDIR)/simpy/bin/python; \
	$$python -c 'import simpy' 2>/dev/null || \
	    { python3 -m venv $(BUILDDIR)/simpy && \
	    $$python -m pip install -q simpy; } >$(BUILDDIR)/simpy.log 2>&1 || \
	    { echo "rngsim: no SimPy; see $(BUILDDIR)/simpy.log" >&2; python=; }; \
	FIGURES_SIMPY=$$python $(BUILDDIR)/rngsim-figures virtual
	@sh bench/figures/designs.sh $(BUILDDIR)
	@FIGURES_RNGSIM=$(PROGRAM) $(BUILDDIR)/rngsim-figures cat
	@sh bench/figures/virtual.sh $(BUILDDIR)
	@sh bench/figures/verdict.sh $(BUILDDIR)
	@sh bench/figures/hash.sh $(BUILDDIR)

# Rivals are measured against the flavour without profiling.
$(BUILDDIR)/rngsim-figures: $(FIGURES) bench/figures/figures.h $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -DFLAVOUR=bare -DLOCK_PROFILING=0 \
		-o $@ $(FIGURES) $(OBJ)/librngsim.a $(LDLIBS) -lsodium

$(BUILDDIR)/plant.so: bench/figures/plant.c lib/tick.h
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -fPIC -shared -o $@ bench/figures/plant.c

# Replaces what compilers think they know: malloc(3) and others.
$(BUILDDIR)/tests/nth_failure.so: tests/nth_failure.c $(OBJ)/flags
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -fno-builtin -fPIC -shared -o $@ \
		tests/nth_failure.c -ldl

# Each n of what fails, not some: an hour or more.
faults: tests-built
	@src=$$(pwd); cd $(BUILDDIR) && rm -f faults.db && \
	kyua --logfile=faults.log --config=none \
	    -v test_suites.rngsim.source=$$src \
	    -v test_suites.rngsim.every=true \
	    test -k tests/Kyuafile -r faults.db nth_failure_test

$(BUILDDIR)/rngsim-battery: $(BATTERY) bench/battery/battery.h $(OBJ)/librngsim.a
	@echo "  LD $@"; $(CC) $(ALLFLAGS) -o $@ $(BATTERY) \
		$(OBJ)/librngsim.a $(LDLIBS)

stat: deps-stat
	@$(MAKE) BUILDDIR=$(BUILDDIR) stat-now

stat-now: $(PROGRAM) $(BUILDDIR)/rngsim-battery
	@sh bench/battery/battery.sh $(BUILDDIR)

stat-full: deps-stat
	@$(MAKE) BUILDDIR=$(BUILDDIR) stat-full-now

stat-full-now: $(PROGRAM) $(BUILDDIR)/rngsim-battery
	@sh bench/battery/full.sh $(BUILDDIR)

model: deps-model
	@python3 -B tests/spin/model.py $(BUILDDIR) run big mutant

model-full: deps-model
	@python3 -B tests/spin/model.py $(BUILDDIR) run big mutant full bits

install: $(PROGRAM)
	mkdir -p $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 \
	    $(DESTDIR)$(PREFIX)/share/man/man5 \
	    $(DESTDIR)$(PREFIX)/share/man/man7 \
	    $(DESTDIR)$(PREFIX)/share/rngsim/workloads \
	    $(DESTDIR)$(PREFIX)/share/rngsim/vectors \
	    $(DESTDIR)$(PREFIX)/share/rngsim/vectors-designs \
	    $(DESTDIR)$(PREFIX)/share/rngsim/spin
	install -m 755 $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/rngsim
	install -m 644 man/rngsim.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 man/rngsim-profile.5 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 man/rngsim-result.5 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 man/rngsim-workload.5 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 bench/workloads/*.workload \
	    $(DESTDIR)$(PREFIX)/share/rngsim/workloads
	install -m 644 tests/vectors/*.script tests/vectors/*.expected \
	    $(DESTDIR)$(PREFIX)/share/rngsim/vectors
	install -m 644 tests/vectors-designs/*.script \
	    tests/vectors-designs/*.expected \
	    $(DESTDIR)$(PREFIX)/share/rngsim/vectors-designs
	install -m 644 tests/spin/*.pml tests/spin/model.py \
	    tests/spin/runs.tbl $(DESTDIR)$(PREFIX)/share/rngsim/spin
	install -m 644 man/rngsim.7 $(DESTDIR)$(PREFIX)/share/man/man7

lint:
	@sh tests/lint.sh

clean:
	rm -rf $(BUILDDIR)

.PHONY: all deps deps-bench run run-now tests-built test test-now bench \
	bench-now check-asan check-tsan check-ubsan coverage deps-coverage \
	deps-fuzz faults fuzz fuzz-now kill kill-now deps-stat stat stat-now \
	stat-full stat-full-now deps-model model model-full install lint clean
