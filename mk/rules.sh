# Writes one make rule for each object and test program.  rules.sh BUILDDIR
#
# Pattern rules are not common to GNU make and bmake, and some files are compiled
# several times.  The Makefile passes its settings in the environment.
set -u
case $1 in
*[[:space:]]*)
	echo "rngsim: BUILDDIR=$1: make(1) takes no blanks in names" >&2
	exit 1 ;;
esac
obj=$1/obj
mkdir -p "$obj/found" "$1/tests" "$1/fuzz"
exec >"$1/rules.mk"

# stamp FILE TEXT: FILE changes only when TEXT does, so what depends on it is
# rebuilt only then.
stamp()
{
	echo "$2" | cmp -s - "$obj/$1" || echo "$2" >"$obj/$1"
}

# found TABLE MACRO PREFIX: the files of a family that have no line in its table.
found()
{
	for f in "$3"*.c; do
		m=${f#"$3"}
		m=${m%.c}
		grep -q "^$2[_A-Z]*($m)" "$1.tbl" || echo "$2($m)"
	done
}

# rule DIR FILE.c FLAGS DEPENDENCIES: an object; its name is left in $o.
rule()
{
	o=$obj/$1/${2%.c}.o
	# Without a process, as there are hundreds.
	[ -d "${o%/*}" ] || mkdir -p "${o%/*}"
	printf '%s\n' "$o: $2 $obj/flags $4" \
	    "	@echo \"  CC \$@\"; \$(CC) \$(ALLFLAGS) $3 -MMD -MP -c -o \$@ $2" \
	    "-include ${o%.o}.d"
}

# program NAME FILE.c OBJECTS FLAGS LIBRARIES: an executable.
program()
{
	programs="$programs $1"
	cat <<RULE
$1: $2 $3 $obj/flags
	@echo "  LD \$@"; \$(CC) \$(ALLFLAGS) \$(LDFLAGS) $4 -MMD -MP \\
	    -MF $obj/${1##*/}.d -MT \$@ -o \$@ $2 $3 $5 \$(ALLLIBS)
-include $obj/${1##*/}.d
RULE
}

# What says where a build was is no part of how it was compiled.
CFLAGS=$(echo "$CFLAGS" | sed 's/ *-f[a-z]*-prefix-map=[^ ]*//g')

stamp flags "$COMPILE"
stamp revision "$REVISION"
stamp found/lock.tbl "$(found lib/lock/lock LOCK lib/lock/lock_)"
stamp found/source.tbl "$(found harvest/source SOURCE harvest/src_)"
# The functions of files that are compiled for each machine: one name each; and
# those of the simulated machine, which the real one has, too.
functions()
{
	awk '/^[a-z]/ && /\(/ && type ~ /^[a-z]/ && type !~ /^static/ {
		sub(/\(.*/, "")
		print
	}
	{ type = $0 }' "$@" | sort -u
}
stamp found/flavoured.h "$(functions $FLAVOURED |
    sed 's/.*/#define & FLAVOURED(&)/'
    echo '#ifdef MACHINE_VIRTUAL'
    functions lib/machine/virtual.c | sed 's/.*/#define & virtual_&/'
    echo '#endif')"

# The designs' objects, for each machine and queue.  Not with ThreadSanitizer,
# which takes what sources check later for a race.
case " $CFLAGS " in
*" -fsanitize=address "* | *" -fsanitize=undefined "*)
	sanitizer=$(echo "$CFLAGS" | grep -o -e '-fsanitize=[a-z]*') ;;
*)
	sanitizer= ;;
esac
shipped=$obj/kernel/log
cat <<RULE
$shipped: lib/kern/source.sh $obj/flags $(echo $KERNEL)
	@echo "  KERNEL $obj/kernel"; CC='\$(CC)' RNGSIM_KERNEL_SANITIZER=$sanitizer \\
	RNGSIM_KERNEL_CFLAGS=-g0 sh lib/kern/source.sh "\$\$(pwd)" shipped \\
	    $obj/kernel >\$@.new || { tail -n 1 \$@.new; exit 1; }; \\
	    mv \$@.new \$@
RULE
mkdir -p "$obj/kernel"

objects=
for f in $SHARED; do
	case $f in
	bench/main.c | bench/assure/ledger.c | bench/result/host.c | \
	bench/kernel/ksource.c)
		flags="-DRNGSIM_REVISION='\"$REVISION\"' -DRNGSIM_FLAGS='\"$CFLAGS\"'"
		needs=$obj/revision ;;
	bench/report/plot.c)
		flags=
		needs=$(echo bench/*/*.gnuplot) ;;
	bench/page/page.c)
		flags=
		needs="bench/page/page.css bench/page/page.js" ;;
	fortuna/device/design.c)
		flags="-DKERNEL_OBJECTS='\"$obj/kernel\"'"
		needs=$shipped ;;
	lib/profile/profile.c)
		flags=
		needs=$(echo lib/profile/*.conf) ;;
	*)
		flags=
		needs= ;;
	esac
	rule all "$f" "$flags" "$needs"
	[ "$f" = bench/main.c ] || objects="$objects $o"
done
for f in $FLAVOURED; do
	rule real "$f" "-DFLAVOUR=real" ""
	objects="$objects $o"
	rule bare "$f" "-DFLAVOUR=bare -DLOCK_PROFILING=0" ""
	objects="$objects $o"
	case $f in
	# These call the host's locks.
	lib/lock/lock_ck_* | lib/lock/lock_pthread.c) continue ;;
	esac
	rule virtual "$f" "-DFLAVOUR=virtual -DMACHINE_VIRTUAL" ""
	objects="$objects $o"
done
for f in $SIMULATED; do
	rule virtual "$f" "-DFLAVOUR=virtual -DMACHINE_VIRTUAL" ""
	objects="$objects $o"
done
echo "OBJECTS = $objects"

objects=
# Designs and locks that are wrong on purpose, for mutant_test.
for f in tests/mutants/*.c; do
	rule virtual "$f" "-DFLAVOUR=virtual -DMACHINE_VIRTUAL" ""
	objects="$objects $o"
done
programs=
for f in tests/unit/*_test.c; do
	t=${f##*/}
	t=${t%.c}
	needs=$obj/librngsim.a
	more=-latf-c
	case $t in
	mutant_test)
		needs="$objects $needs" ;;
	starved_test)
		# Calls that fail are the program's, not its allocator's.
		more="$more \$(JEMALLOC:%=-ljemalloc) $(sed -nE 's/^(WRAP\(|MAKE\(|COMPUTE\(|FETCH\(|__wrap_)([A-Za-z0-9_]+)[,(].*/-Wl,--wrap=\2/p' \
		    tests/unit/failing_calls.h | tr '\n' ' ')" ;;
	esac
	program "$1/tests/$t" "$f" "$needs" "" "$more"
done
for t in lock_contract lock_mutant; do
	program "$1/tests/${t}_virtual_test" tests/unit/${t}_test.c \
	    "$obj/librngsim.a" "-DFLAVOUR=virtual -DMACHINE_VIRTUAL" -latf-c
done
for f in tests/cli/*_test.sh; do
	t=$1/tests/$(basename "$f" .sh)
	programs="$programs $t"
	cat <<RULE
$t: tests/cli/support.sh $f
	@{ echo "#! \$(ATF_SH)"; cat tests/cli/support.sh $f; } >\$@; chmod +x \$@
RULE
done
echo "TEST_PROGRAMS = $programs"

# What models of designs answer.
answers=$1/tests/vectors-designs
cat <<RULE
MODEL_ANSWERS = $answers/made
$answers/made: $(echo tests/models/*.py)
	@echo "  PYTHON $answers"; rm -rf $answers; \
	python3 -B tests/models/vectors.py $answers && touch \$@
RULE

# The longest first, so that they do not run alone at the end.
{
	echo 'syntax(2)'
	echo "test_suite('rngsim')"
	printf '%s\n' starved_test model_spin_test readme_test cli_assure_test \
	    $programs | sed 's;.*/;;' | awk '!seen[$0]++' | sed \
	    "s/.*/atf_test_program{name='&', timeout=$TIMEOUT}/"
} >"$1/tests/Kyuafile"

programs=
for f in tests/fuzz/fuzz_*.c; do
	t=${f#tests/fuzz/fuzz_}
	program "$1/fuzz/${t%.c}" "$f" "$obj/librngsim.a" "" '$(FUZZ_MAIN)'
done
echo "FUZZ_PROGRAMS = $programs"
