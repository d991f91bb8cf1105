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

test_case reproduce__sets "every file that comes with the program is read"
reproduce__sets_body() {
	"$(program)" reproduce | awk 'NR > 2 { print $1 }' >sets
	[ "$(wc -l <sets)" -ge 10 ] || atf_fail "$(cat sets)"
	while read -r set; do
		saves out.csv reproduce $set --threads 2,16 --format csv
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
	    't=none2:"none2": expected one of none' 't:"t": expected PUBL'; do
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
