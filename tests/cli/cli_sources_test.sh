# rngsim sources: what it prints, what it refuses, how it ends.

command=sources

# As short as it gets.
brief="-t 0.001 -n 2"

test_case sources__table "every source of the table is listed, with its" \
    "numbers or absent; 80 columns"
sources__table_body() {
	saves help.txt sources --help
	sed -n '/^Sources:/,$s/^  \([a-z0-9]*\) .*/\1/p' help.txt >names
	[ "$(wc -l <names)" -ge 4 ] || atf_fail "no table"
	saves out.txt sources $brief
	while read -r name; do
		grep -q "^  $name  *[A-Za-z]" help.txt ||
		    atf_fail "no $name in the help"
		grep -Eq "^$name +(32|64) ([0-9a-f]{8}|absent: )" out.txt ||
		    atf_fail "no numbers of $name"
		if grep -q "^  $name .*(absent here)" help.txt; then
			grep -Eq "^$name +(32|64) +1 " out.txt &&
			    atf_fail "absent $name was timed"
		else
			grep -Eq "^$name +(32|64) +1 +[0-9]" out.txt ||
			    atf_fail "$name was not timed"
		fi
	done <names
	for line in \
	    '^lcg  *32 d3dc167e a70427df d6651c2c 0daa96f5 as published$' \
	    '^tinymt32  *32 97b6d625 3a86e2e1 dd7305b1 8e4ef1b0 as published$' \
	    '^measured on ' '^medians of 2 repeats of 0.001 s; INVARIANTS o' \
	    '^throughput stops growing$'; do
		grep -Eq "$line" out.txt || atf_fail "no $line in $(cat out.txt)"
	done
	awk 'length > 80' out.txt >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
	grep -q ' ? ' out.txt && atf_fail "two repeats: $(cat out.txt)"
	atf_check -o match:'^lcg +32 +1 +[0-9.]+ +[?] ' \
	    -o match:'^[?] too few repeats' "$(program)" sources -n 1 \
	    -t 0.001 -s lcg -r 1
}

test_case sources__chooses "-s, --bits and -r choose; CSV has a row for each" \
    "point and as many fields as names"
sources__chooses_body() {
	saves out.csv sources $brief -s tinymt32,lcg -r 3,1-2 --format csv
	head -n 1 out.csv | tr , '\n' >names
	for name in source bits status threads oversubscribed repeats \
	    ns_per_number reads_per_s reads_per_s_ci95_low \
	    reads_per_s_ci95_high gbit_per_s failures_percent cpu_percent \
	    invariants complete; do
		grep -qx $name names || atf_fail "no column $name"
	done
	awk -F, -v n="$(wc -l <names)" 'NF != n' out.csv >uneven
	[ ! -s uneven ] || atf_fail "$(cat uneven)"
	cut -d, -f1-4,6 out.csv | tail -n +2 >rows
	for name in tinymt32 lcg; do
		for threads in 1 2 3; do
			echo "$name,32,timed,$threads,2"
		done
	done >expected
	atf_check -o file:expected cat rows
	# ns of a number and numbers a second are the same figure.
	awk -F, 'NR > 1 && ($7 * $8 < 0.999e9 || $7 * $8 > 1.001e9 ||
	    $11 / $8 < 31.99e-9 || $11 / $8 > 32.01e-9 || $9 > $8 ||
	    $8 > $10)' out.csv >wrong
	[ ! -s wrong ] || atf_fail "$(cat wrong)"
	saves out.csv sources $brief -r 1 --bits 32 --format csv
	grep -q ',64,' out.csv && atf_fail "64 bits: $(cat out.csv)"
	grep -q '^lcg,32,timed,' out.csv || atf_fail "$(cat out.csv)"
	# A number alone stands for all up to it, a list for its members.
	for list in 3:1,2,3 2-3:2,3 1,3:1,3; do
		saves out.csv sources $brief -s lcg -r "${list%:*}" --format csv
		atf_check -o inline:"${list#*:}\n" sh -c \
		    "tail -n +2 out.csv | cut -d, -f4 | paste -s -d, -"
	done
}

test_case sources__absent "an absent source is reported so, alone it is a" \
    "failure"
sources__absent_body() {
	absent=$("$(program)" sources --help |
	    sed -n 's/^  \([a-z0-9]*\) .*(absent here)$/\1/p' | head -n 1)
	[ -n "$absent" ] || atf_skip "this machine has all of them"
	atf_check -o match:"^$absent +64 absent: " -o match:'^lcg +32 +1 ' \
	    "$(program)" sources $brief -r 1 -s $absent,lcg
	shows "^$absent,64,absent,,,,," sources $brief -r 1 -s lcg,$absent \
	    --format csv
	atf_check -s exit:1 -o match:"^$absent +64 absent: " \
	    -e match:'nothing was timed' "$(program)" sources $brief -s $absent
	atf_check -s exit:1 -o ignore -e match:'nothing was timed' \
	    "$(program)" sources $brief -s lcg --bits 64
}

test_case sources__document "-o and --format json give the same keys;" \
    "rngsim-result(5) has them all"
sources__document_body() {
	shows '^measured on' sources $brief -r 1-2 -s lcg,rdrand -o out.json
	saves stdout.json sources $brief -r 1-2 -s lcg,rdrand --format json
	for f in out stdout; do
		[ "$(tail -n 1 $f.json)" = '}' ] || atf_fail "$f.json is cut"
		grep -o '"[a-z_0-9]*":' $f.json | sort -u >$f.keys
	done
	atf_check -o file:out.keys cat stdout.keys
	grep -q '"schema": "rngsim-sources/1"' out.json || atf_fail "schema"
	grep -q '"complete": true' out.json || atf_fail "complete"
	grep -q '"d3dc167e"' out.json || atf_fail "first numbers"
	tr -d '":' <out.keys >words
	[ "$(wc -l <words)" -ge 40 ] || atf_fail "too few keys"
	page="$(source_folder)"
	sed -n '/^\.Sh SOURCES/,/^\.Sh EXAMPLES/p' \
	    "$page/man/rngsim-result.5" | sed 's/\\-/-/g' >page.txt
	while read -r word; do
		grep -Eq "(^|[^A-Za-z0-9_])$word([^A-Za-z0-9_]|\$)" page.txt ||
		    atf_fail "rngsim-result.5 lacks $word"
	done <words
}

test_case sources__refuses "bad usage is exit 2, unwritable output 1, both" \
    "before anything is measured"
sources__refuses_body() {
	for v in x LCG '' 'lcg ' random; do
		refused 2 "-s|\"$v\"|expected lcg, tinymt32" -s "$v"
	done
	refused 2 '-s|empty item in "lcg,"|expected lcg' -s lcg,
	refused 2 '-s|"lcg"|twice' -s lcg,rdrand,lcg
	for v in 0 -1 x '' 1025 1- -2 1-1025 0-2 2.5 99999999999999999999; do
		refused 2 "-r|\"$v\"|expected a number of threads|1..1024" \
		    -r "$v"
	done
	refused 2 '-r|"4-2"|a range such as 1-4' -r 4-2
	refused 2 '-r|"2"|twice' -r 1-3,2
	for v in 0 x '' 1e3 -1 3601 0,1; do
		refused 2 "-t|\"$v\"|seconds" -t "$v"
	done
	for v in 0 x '' 1001 1.5; do
		refused 2 "-n|\"$v\"|repeats" -n "$v"
	done
	for v in 16 x '' 3264; do
		refused 2 "--bits|\"$v\"|32 or 64" --bits "$v"
	done
	refused 2 '--bits|"32"|twice' --bits 32,64,32
	refused 2 '--format|"xml"|table, csv or json' --format xml
	refused 2 '-o|file name' -o ''
	refused 2 'unknown option --plot|rngsim sources --help' --plot x.png
	refused 2 'surplus operand|"lcg"' lcg
	refused 2 '-t is given twice' -t 1 -t 1
	refused 1 './none/x.json|No such file' -t 1000 -o ./none/x.json
	refused 1 'Is a directory' -t 1000 -o .
}

test_case sources__ends_on_a_signal "exit 1, marked incomplete, the document" \
    "written, nothing beside it"
sources__ends_on_a_signal_body() {
	interrupted 1 x.json -t 600 -s lcg -r 1 -o x.json
	grep -q '^INCOMPLETE' out || atf_fail "$(cat out)"
	grep -q '"complete": false' x.json || atf_fail "x.json"
	[ "$(ls | grep -c 'x.json')" = 1 ] || atf_fail "left-overs: $(ls)"
}

test_case sources__full_disk "a full disk under stdout or the document is an" \
    "error"
sources__full_disk_body() {
	[ -w /dev/full ] || atf_skip "no /dev/full"
	atf_check -s exit:1 -o ignore -e match:'/dev/full: No space' \
	    "$(program)" sources $brief -s lcg -r 1 -o /dev/full
	for f in table csv json; do
		"$(program)" sources $brief -s lcg -r 1 --format $f >/dev/full \
		    2>err && atf_fail "stdout was full"
		grep -q "stdout" err || atf_fail "$(cat err)"
	done
}
