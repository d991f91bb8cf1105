# What the project promises about its own shape.  "make lint".
status=0

# Prints what a check found, each line a place, and remembers it.
found()
{
	[ -z "$2" ] || { echo "$1:"; echo "$2" | sed 's/^/    /'; status=1; }
}

found "lib includes a layer above it" \
    "$(grep -nE '^#include "(fortuna|harvest|bench)/' lib/*.[ch])"
found "fortuna includes a layer above it" \
    "$(grep -nE '^#include "(harvest|bench)/' fortuna/*.[ch])"
found "harvest includes a layer above it" \
    "$(grep -nE '^#include "bench/' harvest/*.[ch])"
found "harvest reaches into a generator" \
    "$(grep -nE '^#include "fortuna/(fortuna|state)\.h' harvest/*.[ch])"
found "a path is not from the root" "$(grep -nE '^#include "[^/]*"|\.\./' \
    lib/*.[ch] fortuna/*.[ch] harvest/*.[ch] bench/*.[ch] bench/*/*.[ch])"

found "longer than 80 columns" "$(for f in */*.[ch] */*/*.[ch] */*.tbl */*/*.tbl; do
	expand "$f" | awk -v f="$f" 'length > 80 { print f ":" NR }'; done)"
found "blanks at the end of a line" "$(grep -nE '[ 	]+$' */*.[ch] */*.sh \
    Makefile README.md lib/profiles/*)"

found "longer than 520 lines" "$(wc -l lib/*.[ch] fortuna/*.[ch] \
    harvest/*.[ch] bench/*.[ch] bench/*/*.[ch] | awk '$2 != "total" && $1 > 520')"
found "a function of more than 70 lines" "$(awk '
	FNR == 1 { start = 0 }
	/^{/ { start = FNR }
	/^}/ && start { if (FNR - start > 71) print FILENAME ":" start;
	    start = 0 }' lib/*.c fortuna/*.c harvest/*.c bench/*.c bench/*/*.c)"

# Members of a family: one file and one line each.
family()
{
	table=$(sed -n "s/^$2(\([a-z0-9_]*\).*/\1/p" "$1" | sort)
	files=$(ls $3*.c | sed "s,^$3,,; s,\.c\$,," | sort)
	[ "$table" = "$files" ] || found "$1 and $3*.c differ" \
	    "$(printf '%s\n%s\n' "$table" "$files" | sort | uniq -u)"
}
family lib/lock.tbl "LOCK[_HOST]*" lib/lock_
family lib/hash_library.tbl HASH_LIBRARY lib/hash_
family fortuna/generator.tbl GENERATOR fortuna/gen_
family harvest/source.tbl SOURCE harvest/src_
family bench/cmd.tbl COMMAND bench/cmd_
family bench/reproduce/reproduce.tbl REPRODUCTION bench/reproduce/reproduce_
family bench/explore/strategy.tbl STRATEGY bench/explore/strategy_
family bench/sources/numbers.tbl NUMBERS bench/sources/number_
family bench/assure/evidence.tbl EVIDENCE bench/assure/evidence_

# Rooms of bench, lowest first: each may include those before it.
rooms="console statistics result cell timeline report compare options cat sweep
    calibrate hash validate reproduce sources explore assure"
found "a room of bench includes one above it" "$(
	below=
	for room in $rooms; do
		below="$below $room"
		grep -noE '^#include "bench/[a-z]+/' bench/$room/*.[ch] |
		    while IFS= read -r line; do
			used=${line##*bench/}
			case " $below " in
			*" ${used%/} "*) ;;
			*) echo "$line";;
			esac
		done
	done)"

# Profiles are named in text, as their files are.
table=$(sed -n 's/^PROFILE([a-z0-9_]*, "\(.*\)")$/\1/p' \
    lib/profiles/profile.tbl | sort)
files=$(ls lib/profiles | sed -n 's/\.conf$//p' | sort)
[ "$table" = "$files" ] ||
	found "lib/profiles/profile.tbl and lib/profiles/*.conf differ" \
	    "$(printf '%s\n%s\n' "$table" "$files" | sort | uniq -u)"

# Each header on its own, where no member of a family lacks its line.
none=$(mktemp -d)
mkdir "$none/found"
touch "$none/found/lock.tbl" "$none/found/generator.tbl" \
    "$none/found/source.tbl"
found "a header does not compile alone" "$(for f in lib/*.h fortuna/*.h \
    harvest/*.h bench/*.h bench/*/*.h; do
	echo "#include \"$f\"" | ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. \
	    -I"$none" -I/usr/local/include -fsyntax-only -x c - 2>/dev/null || echo "$f"
done)"
# The suite does not build these, and what they need may not be installed.
found "figures do not compile" "$(for f in bench/figures/*.c; do
	${CC:-cc} -std=c11 -D_GNU_SOURCE -DFLAVOUR=bare -DLOCK_PROFILING=0 \
	    -I. -I"$none" -I/usr/local/include -fsyntax-only "$f" 2>&1 |
	    grep 'error:' | grep -v 'No such file'
done)"
rm -rf "$none"

command -v mandoc >/dev/null &&
	found "mandoc" "$(mandoc -T lint -W warning man/*.[0-9])"
exit $status
