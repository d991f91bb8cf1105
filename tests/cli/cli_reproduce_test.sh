# Published results beside predictions, as the command line has them.

command=reproduce

profiles() { echo "$(source_folder)/lib/profile"; }

# document NAME: its JSON is written to out.json; all is well, and every row has
# every key.
document() {
	name=$1
	saves out.json reproduce $name --format json
	sed '/^ "words"/,$d' out.json >rows.txt
	rows=$(grep -c '^   "name": ' rows.txt)
	[ $rows -ge 8 ] || atf_fail "$rows rows"
	for key in published predicted unit within role; do
		[ "$(grep -c "^   \"$key\": " rows.txt)" = $rows ] ||
		    atf_fail "$name: rows without $key"
	done
	for key in reproduction claim profile guessed_share fitted seed holds \
	    rows words remarks; do
		grep -q "^ \"$key\": " out.json || atf_fail "$name: no $key"
	done
	grep -q "^ \"reproduction\": \"$name\"" out.json || atf_fail "name"
	grep -q '^ "claim": "predicted"' out.json || atf_fail "claim"
	grep -q '^ "seed": 1,' out.json || atf_fail "seed"
	grep -q '^ "holds": true' out.json || atf_fail "holds"
	grep -q '"within": false' out.json && atf_fail "not within"
	# The shipped profile has the fitted value.
	awk -F'[:,]' '$1 == "  \"value\"" { v = $2 }
	    $1 == "  \"profile_value\"" { p = $2 }
	    END { exit !(p > 0 && v / p > 0.95 && v / p < 1.05) }' out.json ||
	    atf_fail "fitted is not shipped"
}

test_case reproduce__fbsd_2019 "D20313: every row within, its machine and fit" \
    "named"
reproduce__fbsd_2019_body() {
	document fbsd-2019
	grep -q '^  "key": "op.lock_pair"' out.json || atf_fail "fitted"
	grep -q '^ "profile": "fbsd12-vm4-2019"' out.json || atf_fail "profile"
	[ "$(grep -c '"role": "fitted"' out.json)" = 1 ] || atf_fail "roles"
	[ "$(grep -c '"role": "input"' out.json)" = 2 ] || atf_fail "roles"
	[ "$(grep -c '"role": "predicted"' out.json)" = 5 ] || atf_fail "roles"
	atf_check -o match:'128 KiB' -o match:'^predicted for fbsd12-vm4-2019' \
	    "$(program)" reproduce fbsd-2019
}

test_case reproduce__repeats "the same seed gives the same document, another" \
    "one another"
reproduce__repeats_body() {
	saves one reproduce fbsd-2019 --format json --seed 5
	atf_check -o file:one "$(program)" reproduce fbsd-2019 \
	    --format json --seed 5
	saves two reproduce fbsd-2019 --format json --seed 77
	! cmp -s one two || atf_fail "seeds do not matter"
}

test_case reproduce__another_machine "a machine that does not do so: exit 1," \
    "rows say which"
reproduce__another_machine_body() {
	sed '/^chacha20.kernel.byte = /s/= /= 9/' \
	    "$(profiles)/fbsd12-vm4-2019.conf" >planted.conf
	cmp -s planted.conf "$(profiles)/fbsd12-vm4-2019.conf" &&
	    atf_fail "nothing was planted"
	atf_check -s exit:1 -o match:'^chacha20 locked: each .* NO$' \
	    -e match:'^rngsim: reproduce: fbsd-2019: [1-9] of 8 figures lie? ' \
	    "$(program)" reproduce fbsd-2019 --profile ./planted.conf
	atf_check -s exit:1 -o match:'"holds": false' -e ignore "$(program)" \
	    reproduce fbsd-2019 --profile planted.conf --format json
}

test_case reproduce__ends_on_a_signal "exit 1, one word of it"
reproduce__ends_on_a_signal_body() {
	ticks=10 interrupted 1 out fbsd-2019
	[ "$(cat err)" = "rngsim: reproduce: interrupted" ] ||
	    atf_fail "$(cat err)"
	[ ! -s out ] || atf_fail "$(cat out)"
}

# A file of figures: threads, hold and pause, a lock that nothing stands for.
figures() {
	cat <<-'FILE'
	# source: none
	# benchmark: lockhammer
	# UNITS: ns between acquisitions of the whole system
	threads,lock,value,stdev,crit_ns,par_ns
	1,empty,10,,0,0
	1,t,900,,1000,0
	2,t,1000,,1000,0
	8,t,1100,,1000,0
	8,q,1000,,1000,0
	8,m,1050,,1000,0
	8,odd,7,,1000,0
	4,t,200,,0,0
	999,t,5,,0,0
	FILE
}

map=t=ticket,q=qspin,m=mcs
machine=xeon-e5-2699v4-2s

test_case reproduce__file "a file of figures: errors, ranks, what is skipped"
reproduce__file_body() {
	figures >f.csv
	atf_check -o match:'loop lockhammer,$' -o match:'place smt-first, seed 1$' \
	    -o match:'that --map does not name: empty, odd; threads' \
	    -o match:'^  of xeon-e5-2699v4-2s: 999$' \
	    -o match:'^crit_ns=1000 par_ns=0: ns' \
	    -o match:'^t                 publ\.  *1000.0 *1100.0' \
	    -o match:'^all  *5 ' -o match:"Kendall's tau: mean .* of 1;" \
	    "$(program)" reproduce --published f.csv --profile $machine \
	    --map $map
	saves one.csv reproduce --published f.csv --profile $machine \
	    --map $map --format csv --seed 3
	awk -F, 'NR > 1 { n++; off = $6 / $5 - 1
	    if (off - $7 > 0.001 || $7 - off > 0.001 || $6 < 20) exit 1 }
	    $2 == "t" && $4 == 2 && ($6 < 1000 || $6 > 1400) { exit 1 }
	    END { exit n != 5 }' one.csv || atf_fail "$(cat one.csv)"
	# A row's prediction does not depend on those beside it.
	saves two.csv reproduce --published f.csv --profile $machine \
	    --map t=ticket --threads 8 --format csv --seed 3
	[ "$(wc -l <two.csv)" -eq 2 ] || atf_fail "$(cat two.csv)"
	grep -qxF "$(tail -n 1 two.csv)" one.csv || atf_fail "$(cat two.csv)"
	sed '/,0,0$/d' f.csv >held.csv
	saves one.json reproduce --published held.csv --profile $machine \
	    --map $map --format json --uncertainty 10
	for match in '"points": 4' '"claim": "predicted"' '"inside": [01]' \
	    '"rankings": 1' '"band_ns":'; do
		grep -q "^ *$match" one.json || atf_fail "$match"
	done
	atf_check -o match:'^inside the 10-90 % band of 10 drawn .* of 5 pub' \
	    "$(program)" reproduce --published f.csv --profile $machine \
	    --map $map --uncertainty 10
}

test_case reproduce__units "rates, times of each thread, counts of unknown time"
reproduce__units_body() {
	for unit in ns:1000 ns-per-thread:4000 ops-per-us:1 ops-per-s:1e6 \
	    count-of-4s:88e6; do
		printf 'threads,lock,value\n4,t,%s\n' ${unit#*:} >f.csv
		saves out.csv reproduce --published f.csv --profile $machine \
		    --map $map --loop plain --units ${unit%:*} --format csv
		[ "$(awk -F, 'NR == 2 { print $5 }' out.csv)" = 1000 ] ||
		    atf_fail "$unit: $(cat out.csv)"
	done
	printf 'threads,lock,value\n4,t,1000\n' >f.csv
	saves held.csv reproduce --published f.csv --profile $machine --map \
	    $map --loop plain --units ns --hold 700 --format csv
	[ "$(awk -F, 'NR == 2 { print ($6 >= 700 && $6 < 1200) }' held.csv)" = \
	    1 ] || atf_fail "$(cat held.csv)"
	# The constant is the median's of three.
	printf 'threads,lock,value,version\n%s\n' '4,t,2,a
	8,t,2,a
	16,t,1,a' | tr -d '\t' >f.csv
	saves out.csv reproduce --published f.csv --profile $machine \
	    --map $map --loop plain --units count --format csv
	[ "$(grep -c ',-*0.0000,' out.csv)" = 1 ] || atf_fail "$(cat out.csv)"
}

# shares EXPRESSION: what awk says of each row of out.csv.
shares() {
	awk -F, "NR > 1 && !($1) { bad++ } END { exit bad > 0 || NR < 2 }" \
	    out.csv || atf_fail "$(cat out.csv)"
}

# predicted FIELDS ROW...: what is predicted of these, in a line.
predicted() {
	printf 'threads,lock,value,%s\n' $1 >f.csv
	shift
	printf '%s\n' "$@" >>f.csv
	saves out.csv reproduce --published f.csv --profile $machine \
	    --map c=cna,t=ticket --loop $loop --units ns --format csv >&2
	awk -F, 'NR > 1 { printf "%.0f ", $6 }' out.csv
}

test_case reproduce__work "columns: what a thread does, tunables of the lock"
reproduce__work_body() {
	loop=plain newline='\n'
	# Ten lines take longer than one, and twice the acquisitions are half.
	set -- $(predicted lines 8,t,900,1 8,t,900,10)
	[ $2 -gt $(($1 * 3 / 2)) ] || atf_fail "lines: $*"
	predicted acquisitions 8,t,900,1 8,t,900,2 >/dev/null
	[ "$(awk -F, 'NR > 1 { print $5 }' out.csv | xargs)" = "900 450" ] ||
	    atf_fail "acquisitions: $(cat out.csv)"
	# Two threads seldom wait for one another, so each takes half of it.
	set -- $(predicted one_ns 2,t,900,20000 2,t,900,0)
	[ $1 -gt 9900 ] && [ $1 -lt 10400 ] && [ $2 -lt 300 ] ||
	    atf_fail "one_ns: $*"
	loop=alone
	set -- $(predicted crit_ns,par_ns 1,t,20000,100,7000 2,t,900,100,7000)
	[ $1 -gt 9900 ] && [ $1 -lt 10400 ] || atf_fail "alone: $*"
	# Without a column's text a row is as without the column.
	set -- $(predicted one_ns,lines 2,t,900,20000, 2,t,900,20000,0)
	[ "$1" -gt 0 ] && [ "$1" = "$2" ] || atf_fail "empty: $*"
	while read -r row message; do
		printf "threads,lock,value,%s\n${row#*;}\n" ${row%;*} >f.csv
		fails 2 "$message" reproduce --published f.csv --units ns \
		    --profile $machine --map t=ticket --loop alone
	done <<-END
	lines;2,t,9,1 loop alone, 2 threads: expected one_ns, or a row of 1
	one_ns;2,t,9,1e7 f.csv:2: one_ns: "1e7": expected a number of 0..1000000
	one_ns,one_ns;2,t,9,1,2 f.csv:1: two columns "one_ns": expected one
	rngsim.lock.pass_limit;2,t,9,5 pass_limit=5: a tunable .* on ticket: exp
	version;2,t,9,$(printf %200s | tr ' ' x) f.csv:2: .*: expected fewer col
	lines;1,t,9,1${newline}2,t,0,1${newline}2,t,1e-99,1 skipped: 2 rows of value 0 or
	lines;2.5,t,9,1 f.csv:2: threads: "2.5": expected threads
	lines;2,t,9,1,000 f.csv:2: 5 fields: expected 4
	lines;1,t,9,1${newline}1,t,8,1 skipped: 1 row of value 0 or of an earlie
	lines;1,t,9,1 no row to predict; skipped: rows of 1 thread, or of other
	rngsim.lock.x;2,t,9,5 f.csv:1: "rngsim.lock.x": expected a lock's tunable
	END
	loop=smalllocks
	set -- $(predicted variant,burn_ns 8,t,900,work100_unlocked0,0.6 \
	    8,t,900,work100_unlocked0,6)
	[ $2 -gt $(($1 + 500)) ] || atf_fail "burn_ns: $*"
	loop=plain
	set -- $(predicted rngsim.lock.numa_threshold 40,c,900,1 40,c,900,65536)
	[ $1 -gt $2 ] || atf_fail "numa_threshold: $*"
	sed -i 's/,1$/,0/' f.csv
	fails 2 'f.csv:2: rngsim.lock.numa_threshold: "0": expected 1\.\.2' \
	    reproduce --published f.csv --profile $machine --map c=cna \
	    --loop plain --units ns
}

test_case reproduce__ratios "rates of a lock over another's: of gains, of" \
    "loops by row; both locks are run"
reproduce__ratios_body() {
	printf 'threads,lock,value\n4,g,0\n8,g,-25\n4,h,900\n' >f.csv
	saves out.csv reproduce --published f.csv --profile $machine --map \
	    g=ticket/ticket,h=ticket/tas --loop plain --units gain-percent \
	    --format csv --uncertainty 10
	[ "$(head -n 1 out.csv | cut -d, -f 5,6)" = \
	    published_ratio,predicted_ratio ] || atf_fail "$(cat out.csv)"
	shares '$2 == "h" || ($3 == "ticket/ticket" && $6 == 1 &&
	    $8 < 1 && $9 > 1)'
	[ "$(cut -d, -f 1-6 out.csv | grep -cx -e \
	    ',g,ticket/ticket,4,1,1' -e ',g,ticket/ticket,8,0.75,1')" = 2 ] ||
		atf_fail "$(cat out.csv)"
	# It is the quotient of what is predicted of each.
	awk -F, '$2 == "h" { print $6 }' out.csv >ratio
	# The row's lock and group draw its seed.
	printf 'threads,lock,value\n4,g,1\n4,h,1\n' >f.csv
	for lock in ticket tas; do
		saves $lock.csv reproduce --published f.csv --profile \
		    $machine --map h=$lock --loop plain --units ns --format csv
	done
	paste -d, ticket.csv tas.csv ratio | awk -F, 'NR == 1 { r = $NF }
	    NR == 2 { q = $15 / $6 / r; exit !(q > 0.999 && q < 1.001) }' ||
	    atf_fail "$(cat ratio ticket.csv tas.csv)"
	# A row's loop and its pause, without a figure of one thread.
	printf '# UNITS: ratio\n%s\n' 'threads,lock,value,benchmark
	2,r,1,open1_threads
	2,r,1,plain
	2,odd,1,no_loop' | tr -d '\t' >f.csv
	atf_check -o match:'open1,' -o match:'^benchmark=plain: rate' \
	    -o match:'^  = cna/qspin  *pred\.' "$(program)" reproduce \
	    --published f.csv --profile $machine --map r=cna/qspin
	fails 2 'line or column names a loop: expected --loop' reproduce \
	    --published f.csv --profile $machine --map odd=cna/qspin
	for bad in qspin a/qspin qspin/b qspin/cna/cna qspin/; do
		fails 2 '--map: ".*expected (A/B|one of none)' reproduce \
		    --published f.csv --profile $machine --map r=$bad
	done
	fails 2 '--map: "r=cna/qspin": expected one lock' reproduce \
	    --published f.csv --profile $machine --map r=cna/qspin --units ns
}

# Ratios of the two machines: CNA gains where threads span nodes, not within.
test_case reproduce__cna_thunderx2 "CNA over qspinlock on two sockets of Arm"
reproduce__cna_thunderx2_body() {
	saves out.csv reproduce cna-thunderx2 --format csv
	[ "$(wc -l <out.csv)" = 17 ] || atf_fail "$(cat out.csv)"
	shares '$4 > 28 ? $6 > 1.05 && $6 < 3 : $6 > 0.95 && $6 < 1.05'
	shares '$7 > -0.5 && $7 < 0.2'
}

test_case reproduce__hq_kunpeng920 "a hierarchical lock on four nodes of Arm"
reproduce__hq_kunpeng920_body() {
	saves out.csv reproduce hq-kunpeng920 --format csv
	[ "$(wc -l <out.csv)" = 13 ] || atf_fail "$(cat out.csv)"
	shares '$3 == "hmcs/cna" ? $6 > 0.9 && $6 < 1.3 : $6 > 1.3 && $6 < 2.6'
	shares '$7 > -0.5 && $7 < 0.2'
	# Within one node there is nothing to gain.
	saves out.csv reproduce hq-kunpeng920 --place compact --threads 8,16 \
	    --format csv
	shares '$6 < 1.1'
}

test_case reproduce__predict "rows without a value: predictions and bands"
reproduce__predict_body() {
	figures >f.csv
	saves one.csv reproduce --published f.csv --profile $machine --map $map \
	    --threads 8 --format csv
	# The same numbers come without a value; rows with one are of the loop.
	sed 's/^8,\([tqm]\),[0-9]*,/8,\1,,/' f.csv >empty.csv
	saves out.csv reproduce --predict --published empty.csv --profile \
	    $machine --map $map --format csv
	shares '$5 == "" && $7 == ""'
	cut -d, -f 1-4,6 one.csv >want
	atf_check -o file:want cut -d, -f 1-4,6 out.csv
	saves one.json reproduce --predict --published empty.csv --profile \
	    $machine --map $map --format json --uncertainty 10
	[ "$(grep -cE '"(predicted|band)_ns":' one.json)" = 6 ] ||
	    atf_fail "$(cat one.json)"
	grep -E '"(published_ns|off|points|median|inside)"' one.json &&
	    atf_fail "errors of nothing"
	# Neither a column of values nor a unit is needed.
	printf 'threads,lock\n1,t\n4,t\n' >f.csv
	atf_check -o match:'^threads  *1  *4$' -o match:'^t  *pred\.  *[0-9]' \
	    -o match:'10 %  *[0-9]' -o match:'90 %  *[0-9]' \
	    -o not-match:'publ|error|inside' "$(program)" reproduce --predict \
	    --published f.csv --profile $machine --map $map --loop plain \
	    --uncertainty 10
	saves out.csv reproduce --predict --published f.csv --profile $machine \
	    --map t=ticket/tas --loop plain --units ratio --format csv
	shares '$4 == 1 || $6 > 0.1'
	grep -v UNITS empty.csv >f.csv
	fails 2 'names a unit' reproduce --predict --published f.csv \
	    --profile $machine --map $map
	figures >f.csv
	fails 2 'no row to predict; .*expected empty values' reproduce \
	    --predict --published f.csv --profile $machine --map $map
	fails 2 'empty value with --predict' reproduce --published empty.csv \
	    --profile $machine --map $map
	fails 2 '--predict: expected --published' reproduce open1-i7 --predict
}

test_case reproduce__sets "every file that comes with the program is read"
reproduce__sets_body() {
	"$(program)" reproduce | awk 'NR > 2 { print $1 }' >sets
	[ "$(wc -l <sets)" -ge 10 ] || atf_fail "$(cat sets)"
	while read -r set; do
		saves out.csv reproduce $set --threads 2,16,36 --format csv
		[ "$(wc -l <out.csv)" -ge 2 ] || atf_fail "$set"
	done <sets
}

test_case reproduce__file_usage "wrong files and options are refused: exit 2"
reproduce__file_usage_body() {
	figures >f.csv
	printf 'threads,lock\n1,t\n' >nocolumn.csv
	printf 'threads,lock,value\n' >norow.csv
	printf 'threads,lock,value\n2,t\n' >short.csv
	printf 'threads,lock,value\n2,t,x\n' >word.csv
	printf 'threads,lock,value\n0,t,1\n' >zero.csv
	printf '# benchmark: lockhammer\nthreads,lock,value\n2,t,1\n' >units.csv
	printf '# UNITS: ns \nthreads,lock,value\n2,t,1\n' >loop.csv
	for bad in 'none.csv:none.csv: No such file' \
	    'nocolumn.csv:no column "value": expected' \
	    'norow.csv:no rows: expected' 'short.csv::2: 2 fields: expected 3' \
	    'word.csv::2: value: "x": expected a number' \
	    'zero.csv:threads: "0": expected threads, 1..1024' \
	    'units.csv:expected --units' 'loop.csv:expected --loop with lockham' \
	    'f.csv --threads 999:no row to predict; skipped.* 999; expected' \
	    'f.csv --place 0-999:--place: "0-999"' \
	    'f.csv --loop x:--loop: "x": expected lockhammer' \
	    'f.csv --units x:--units: "x": expected ns'; do
		fails 2 "^rngsim: reproduce: .*${bad#*:}" reproduce \
		    --profile $machine --map $map --published ${bad%%:*}
	done
	for bad in 'x=ticket:names no lock of the file: expected one or more of' \
	    't=none2:"none2": expected one of none' 't:"t": expected PUBL' \
	    't=mcs,t=ticket:"t" is named twice'; do
		fails 2 "^rngsim: reproduce: --map: .*${bad#*:}" reproduce \
		    --profile $machine --map ${bad%%:*} --published f.csv
	done
	fails 2 'expected --profile and --map' reproduce --published f.csv
	fails 2 'expected one of them' reproduce open1-i7 --published f.csv
	fails 2 '--published has no effect on "fbsd-2019"' reproduce fbsd-2019 \
	    --published f.csv
	fails 2 '--map has no effect on "fbsd-2019"' reproduce fbsd-2019 --map a=b
	fails 2 '--format: "csv"' reproduce fbsd-2019 --format csv
	# Too small a machine.
	fails 2 'no row to predict; skipped:.*above the 8 CPUs of xgene1' \
	    reproduce lockhammer-x86-3 --profile xgene1 --threads 88
}

test_case reproduce__usage "alone it lists; messages name what is accepted"
reproduce__usage_body() {
	atf_check -o match:'^  fbsd-2019 +[A-Z]' -o match:'^  open1-i7 +[a-z]' \
	    "$(program)" reproduce
	atf_check -o match:'--seed' -o match:'fbsd-2019' "$(program)" \
	    reproduce --help
	for bad in 'frob:"frob": expected fbsd-2019, lock' \
	    'fbsd-2019 x:surplus operand "x"' \
	    '--seed 3:expected a NAME with these options' \
	    'fbsd-2019 --format xml:"xml": expected table, csv or json' \
	    'fbsd-2019 --seed -1:--seed: "-1": expected a number' \
	    'fbsd-2019 --seed 9223372036854775807:expected a number' \
	    'fbsd-2019 --profile nowhere:"nowhere"' \
	    'fbsd-2019 --frob:unknown option --frob'; do
		fails 2 "^rngsim: reproduce: .*${bad#*:}" reproduce ${bad%%:*}
	done
}
