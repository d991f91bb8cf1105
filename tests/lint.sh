# What the project promises about its own shape.  "make lint".
status=0

# Prints what a check found, each line a place, and remembers it.
found()
{
	[ -z "$2" ] || { echo "$1:"; echo "$2" | sed 's/^/    /'; status=1; }
}

found "lib includes a layer above it" \
    "$(grep -nE '^#include "(fortuna|harvest|bench)/' lib/*/*.[ch])"
found "fortuna includes a layer above it" \
    "$(grep -nE '^#include "(harvest|bench)/' fortuna/*.[ch] fortuna/*/*.[ch])"
found "harvest includes a layer above it" \
    "$(grep -nE '^#include "bench/' harvest/*.[ch])"
found "harvest reaches into a generator" \
    "$(grep -nE '^#include "fortuna/(fortuna|state)\.h' harvest/*.[ch])"
found "a path is not from the root" "$(grep -nE '^#include "[^/]*"|\.\./' \
    lib/*/*.[ch] fortuna/*.[ch] fortuna/*/*.[ch] harvest/*.[ch] bench/*.[ch] \
    bench/*/*.[ch])"

found "longer than 80 columns" "$(for f in */*.[ch] */*/*.[ch] */*.tbl */*/*.tbl; do
	expand "$f" | awk -v f="$f" 'length > 80 { print f ":" NR }'; done)"
found "blanks at the end of a line" "$(grep -nE '[ 	]+$' */*.[ch] */*.sh \
    Makefile README.md lib/profile/*)"

found "longer than 520 lines" "$(wc -l lib/*/*.[ch] fortuna/*.[ch] \
    fortuna/*/*.[ch] harvest/*.[ch] bench/*.[ch] bench/*/*.[ch] | awk '$2 != "total" && $1 > 520')"
found "a function of more than 70 lines" "$(awk '
	FNR == 1 { start = 0 }
	/^{/ { start = FNR }
	/^}/ && start { if (FNR - start > 71) print FILENAME ":" start;
	    start = 0 }' lib/*/*.c fortuna/*.c fortuna/*/*.c harvest/*.c bench/*.c bench/*/*.c)"

# Members of a family: one file and one line each.
family()
{
	table=$(sed -n "s/^$2(\([a-z0-9_]*\).*/\1/p" "$1" | sort)
	files=$(ls $3*.c | sed "s,^$3,,; s,\.c\$,," | sort)
	[ "$table" = "$files" ] || found "$1 and $3*.c differ" \
	    "$(printf '%s\n%s\n' "$table" "$files" | sort | uniq -u)"
}
family lib/lock/lock.tbl "LOCK[_HOST]*" lib/lock/lock_
family fortuna/generator.tbl GENERATOR fortuna/gen_
family harvest/source.tbl SOURCE harvest/src_
family bench/cmd.tbl COMMAND bench/cmd_
family bench/predict/reproduce.tbl REPRODUCTION bench/predict/reproduce_
family bench/explore/strategy.tbl STRATEGY bench/explore/strategy_

# order FOLDER NAMES...: folders, lowest first; each may include those before it.
order()
{
	top=$1
	below=
	shift
	for folder; do
		below="$below $folder"
		grep -noE "^#include \"$top/[a-z]+/" "$top/$folder"/*.[ch] |
		    while IFS= read -r line; do
			used=${line##*"$top"/}
			case " $below " in
			*" ${used%/} "*) ;;
			*) echo "$line";;
			esac
		done
	done
}
found "a folder of bench includes one above it" "$(order bench cli stats result \
    workload cell timeline kernel report compare page options sweep predict survey \
    explore assure)"
# A cipher calls its ledger.
found "a folder of lib includes one above it" "$(order lib base profile \
    crypto vm machine lock ledger | grep -v '^lib/crypto/cipher.c:.*lib/ledger/')"

# Profiles are named in text, as their files are.
table=$(sed -n 's/^PROFILE([a-z0-9_]*, "\(.*\)")$/\1/p' \
    lib/profile/shipped.tbl | sort)
files=$(ls lib/profile | sed -n 's/\.conf$//p' | sort)
[ "$table" = "$files" ] ||
	found "lib/profile/shipped.tbl and lib/profile/*.conf differ" \
	    "$(printf '%s\n%s\n' "$table" "$files" | sort | uniq -u)"

# Each header on its own, where no member of a family lacks its line.  kern*.h
# are of another C.
none=$(mktemp -d)
mkdir "$none/found"
touch "$none/found/lock.tbl" "$none/found/generator.tbl" \
    "$none/found/source.tbl"
found "a header does not compile alone" "$(for f in lib/*/*.h fortuna/*.h \
    fortuna/*/[!k]*.h harvest/*.h bench/*.h bench/*/*.h; do
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
