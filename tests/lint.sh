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
found "a kernel file includes what a kernel lacks" "$(grep -nE '^#include ("[^"]*/|<(lib|harvest|bench)/)' fortuna/*.c fortuna/dev/random/* \
    fortuna/sys/* harvest/random_*.c)"
found "a path is not from the root" "$(grep -nE '^#include "[^/]*"|\.\./' \
    lib/*/*.[ch] fortuna/device/*.[ch] harvest/*.[ch] bench/*.[ch] \
    bench/*/*.[ch])"

found "longer than 80 columns" "$(for f in */*.[ch] */*/*.[ch] */*.tbl */*/*.tbl; do
	expand "$f" | awk -v f="$f" 'length > 80 { print f ":" NR }'; done)"
found "blanks at the end of a line" "$(grep -nE '[ 	]+$' */*.[ch] */*.sh \
    Makefile README.md lib/profile/*)"

# A kernel file is as long as its namesake.
found "longer than 520 lines" "$(wc -l lib/*/*.[ch] fortuna/*/*.[ch] \
    harvest/*.[ch] bench/*.[ch] bench/*/*.[ch] | grep -v harvest/random_ |
    awk '$2 != "total" && $1 > 520')"

# Lines of each folder, and of all tests: a number may fall without a word.
budget()
{
	while read -r most folders; do
		lines=$(find $folders -type f \( -name '*.[ch]' -o -name '*.tbl' \
		    -o -name '*.sh' -o -name '*.py' -o -name '*.conf' \
		    -o -name '*.pml' \) -exec cat {} + | wc -l)
		[ "$lines" -le "$most" ] ||
			echo "$folders: $lines lines, of at most $most"
	done
}
found "more lines than the budget" "$(budget <<'END'
1360 lib/base
1610 lib/crypto
9570 lib/kern
1760 lib/ledger
2450 lib/lock
2310 lib/machine
1290 lib/profile
5220 lib/vm
4982 fortuna
1478 harvest
2880 bench/assure
460 bench/campaign
3066 bench/cell
1123 bench/cli
1724 bench/compare
5502 bench/explore
360 bench/figures
390 bench/kernel
2540 bench/options
560 bench/page
3818 bench/predict
1460 bench/report
2720 bench/result
590 bench/stats
1480 bench/survey
2470 bench/sweep
430 bench/timeline
1440 bench/workload
68000 lib fortuna harvest bench
49000 tests
END
)"
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
family harvest/source.tbl SOURCE harvest/src_
family bench/options/command.tbl COMMAND bench/cmd_
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
# Designs: each algorithm is of an object, each object of a design.
found "fortuna and fortuna/device/object.tbl differ" "$({
	sed -n 's/^OBJECT(.*, "\(.*\)")$/\1/p' fortuna/device/object.tbl |
	    tr ' ' '\n'
	ls fortuna/*.c | sed 's,^fortuna/,,' |
	    grep -vx -e hash.c -e random_infra.c -e randomdev.c
    } | sort | uniq -u)"
found "object.tbl and design.tbl differ" "$({
	sed -n 's/^OBJECT(\([a-z]*\),.*/\1/p' fortuna/device/object.tbl
	sed -n 's/^DESIGN([a-z]*, \([a-z]*\),.*/\1/p' \
	    fortuna/device/design.tbl | sort -u
    } | sort | uniq -u)"

bench="cli stats result workload cell timeline kernel options compare report page \
    sweep campaign predict survey explore assure"
found "a folder of bench includes one above it" "$(order bench $bench
    grep -n '^#include "bench/[a-z_]*\.' bench/*/*.[ch])"
# What a header declares may be defined elsewhere: of a build, look at the calls.
found "a folder of bench calls one above it" "$(nm -A build/obj/all/bench/*.o \
    build/obj/all/bench/*/*.o build/obj/real/bench/*/*.o 2>/dev/null | awk '
	BEGIN { n = split("'"$(echo $bench)"'", name)
	    for (i = 1; i <= n; i++) floor[name[i]] = i }
	{ file = $1; sub(/:.*/, "", file); folder = file
	    sub(/^.*\/bench\//, "", folder)
	    at = sub(/\/.*/, "", folder) ? floor[folder] : n + 1 }
	$(NF - 1) == "U" { use[++uses] = file " calls " $NF; by[uses] = at
	    symbol[uses] = $NF }
	$(NF - 1) ~ /^[A-TV-Z]$/ && !($NF in has && has[$NF] <= at) { has[$NF] = at }
	END { for (i = 1; i <= uses; i++) if (has[symbol[i]] > by[i]) print use[i] }')"
# A cipher calls its ledger.
found "a folder of lib includes one above it" "$(order lib base profile \
    crypto vm machine lock ledger kern | grep -v '^lib/crypto/cipher.c:.*lib/ledger/')"

# Profiles are named in text, as their files are.
table=$(sed -n 's/^PROFILE([a-z0-9_]*, "\(.*\)")$/\1/p' \
    lib/profile/shipped.tbl | sort)
files=$(ls lib/profile | sed -n '/^common/d; s/\.conf$//p' | sort)
[ "$table" = "$files" ] ||
	found "lib/profile/shipped.tbl and lib/profile/*.conf differ" \
	    "$(printf '%s\n%s\n' "$table" "$files" | sort | uniq -u)"

# What is named once is used nowhere.  Tables paste names together; lib/kern/sys
# has what a source may use.
ours=$(ls lib/*/*.[ch] fortuna/device/*.[ch] harvest/*.[ch] bench/*.[ch] \
    bench/*/*.[ch] | grep -v harvest/random_)
words=$(mktemp)
cat $ours $(ls */*.tbl */*/*.tbl tests/*/*.[ch] fortuna/*.c fortuna/*/*/*.h \
    harvest/random_*.c lib/kern/sys/* mk/rules.sh Makefile) |
    grep -v '^#define	\([a-z0-9_]*\)[	 ]*FLAVOURED(' |
    grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort | uniq -c >"$words"
# once MOST: of the names on standard input, those that are there so often.
once()
{
	sort -u | awk -v most="$1" 'NR == FNR { n[$2] = $1; next }
		$1 in n && n[$1] <= most' "$words" -
}
found "a macro that nothing uses" "$(cat $ours |
    sed -n 's/^#define[	 ]*\([A-Za-z_0-9]*\).*/\1/p' | once 1 |
    grep -vx -e 'VIRTUAL_[a-z_]*' -e result_document)"
found "a function that nothing calls" "$(cat $(echo "$ours" | grep '\.h$') |
    sed -n 's/^[a-z][^(=]*[ *]\([a-z][a-z0-9_]*\)(.*/\1/p' | once 2 |
    grep -vx -e main -e format_change)"
found "a member that nothing uses" "$(cat $ours | awk '
	/^struct.*{$|^union.*{$/ { inside = 1 }
	/^}/ { inside = 0 }
	inside' | grep -v '(' |
    sed -n 's/^	[a-z][^;,]*[ 	*]\([a-z]*_[a-z0-9_]*\)[:;[].*/\1/p' |
    once 1)"
found "a header that nothing includes" "$(for f in $(echo "$ours" |
    grep '\.h$'); do
	grep -qF "\"$f\"" $ours tests/*/*.[ch] || echo "$f"
done)"
rm -f "$words"

# A prefix of members belongs to one structure.
found "more structures share a prefix of members" "$(awk '
	/^struct [a-z_0-9]+ {$/ { name = $2; next }
	/^}/ { name = "" }
	name != "" && /^	[^ \t(]+.*[ \t*][a-z]+_[a-z0-9_]+[;:[]/ {
		match($0, /[a-z]+_[a-z0-9_]+[;:[]/)
		p = substr($0, RSTART); sub(/_.*/, "", p)
		if (!((p, name) in seen)) {
			seen[p, name] = 1
			if (p in first) shared++
			else first[p] = name
		}
	}
	END { if (shared > 1) print shared ", of at most 1" }' $ours)"

# Words of history, and of persons for what is none.
found "a word that is not plain" "$(grep -nwiE \
    'formerly|nowadays|whoever|nobody|somebody|leverage|utilize' README.md man/*.[157] \
    $ours | grep -v 'lib/published')"

# Each header on its own, where no member of a family lacks its line.  Those of
# kernel files are of another C.
none=$(mktemp -d)
mkdir "$none/found"
touch "$none/found/lock.tbl" "$none/found/source.tbl" \
    "$none/found/flavoured.h"
found "a header does not compile alone" "$(for f in $(echo "$ours" |
    grep '\.h$'); do
	echo "#include \"$f\"" | ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. \
	    -I"$none" -I/usr/local/include -fsyntax-only -x c - 2>/dev/null || echo "$f"
done)"
rm -rf "$none"

command -v mandoc >/dev/null &&
	found "mandoc" "$(mandoc -T lint -W warning man/*.[0-9])"
exit $status
