# rngsim compare: on results that no machine measured, so that every verdict is
# known, and on two that were.

# result OFFSETS AES CHACHA20 [CPU [REVISION [REPEATS [COMMON]]]]: designs locked
# and concurrent, the latter twice as fast; the middle of seven offsets is 0, so
# that the medians are AES and CHACHA20 MB/s.  Each cell has the offsets in
# another order, or in the same one where COMMON is 1.
result() {
	awk -v offsets="$1" -v aes="$2" -v chacha20="$3" -v cpu="${4:-Example}" \
	    -v revision="${5:-abc}" -v repeats="${6:-7}" -v common="${7:-0}" '
	function median(i, j, n, v) {
		for (i = 1; i <= repeats; i++) {
			for (j = i; j > 1 && v[j - 1] > e[i]; j--)
				v[j] = v[j - 1]
			v[j] = e[i]
		}
		n = int((repeats + 1) / 2)
		return repeats % 2 ? v[n] : (v[n] + v[n + 1]) / 2
	}
	function cell(design, cipher, total, i, v) {
		for (i = 1; i <= repeats; i++)
			e[i] = offset[common ? i : (i + cells) % repeats + 1]
		cells++
		v = total * (1 + median())
		printf "%s{\"engine\":\"real\",\"design\":\"%s\",", sep, design
		printf "\"lock\":\"mtx\",\"cipher\":\"%s\",", cipher
		printf "\"crypto\":\"kernel\",\"readers\":2,"
		printf "\"request_bytes\":65536,\"repeats\":%d,", repeats
		printf "\"oversubscribed\":false,\"total_mb_per_s\":%.9g,", v
		print figures(median()) ",\"total_mb_per_s_ci95\":[1,2],"
		printf "\"reader_mb_per_s\":[%.9g,%.9g],", v / 2, v / 2
		printf "\"lock_profile\":[],"
		print "\"samples\":["
		for (i = 1; i <= repeats; i++) {
			v = total * (1 + e[i])
			printf "%s{\"order\":%d,", (i > 1 ? "," : ""), i * 4
			printf "\"total_mb_per_s\":%.9g,", v
			printf "\"reader_mb_per_s\":[%.9g,%.9g],", v / 2, v / 2
			print figures(e[i]) "}"
		}
		print "]}"
		sep = ","
	}
	function figures(x, f) {
		f = sprintf("\"latency_ns\":{\"p50\":%d,\"p90\":1,", \
		    100000 * (1 + x))
		f = f sprintf("\"p99\":%d,\"p999\":1,\"max\":1},", \
		    300000 * (1 + x))
		f = f "\"fairness\":{\"min_max\":0.9,\"cov\":0.1,\"jain\":0.9,"
		f = f "\"hold_share_harvest\":0.1},"
		f = f sprintf("\"harvest\":{\"cpu_percent\":%.9g,", 30 + x)
		f = f "\"spin_percent\":0,\"block_percent\":0,"
		f = f "\"events_per_s\":1,\"dropped\":0,"
		return f sprintf("\"latency_p99_ns\":%d}", 500 * (1 + x))
	}
	BEGIN {
		split(offsets, offset, " ")
		print "{\"schema\":\"rngsim-result/1\",\"argv\":[\"rngsim\"],"
		print "\"seed\":1,\"complete\":true,\"time_s\":0.5,"
		print "\"started\":\"2026-01-02T03:04:05Z\",\"host\":{"
		printf "\"cpu_model\":\"%s\",\"cpus\":2,", cpu
		print "\"cpus_machine\":2,\"numa_nodes\":1,"
		print "\"kernel\":\"k\",\"compiler\":\"c\",\"flags\":\"-O2\","
		printf "\"libcrypto\":\"o\",\"revision\":\"%s\",", revision
		print "\"invariants\":false},\"tunables\":[],\"sources\":[],"
		print "\"cells\":["
		cell("locked", "aes", aes)
		cell("concurrent", "aes", 2 * aes)
		cell("locked", "chacha20", chacha20)
		cell("concurrent", "chacha20", 2 * chacha20)
		print "]}"
	}'
}

one='0.004 -0.006 0 0.009 -0.003 0.007 -0.008'
two='0 -0.007 0.008 -0.004 0.003 0.005 -0.009'

# a.json; same.json, another run of it; slow.json, 3 % less of chacha20.
results() {
	result "$one" 100 400 >a.json
	result "$two" 100 400 >same.json
	result "$two" 100 388 >slow.json
}

test_case compare__two_results "a second run shows no difference, 3 % less is" \
    "worse, and the rows that are not ranked are one line a cell; within 80" \
    "columns"
compare__two_results_body() {
	results
	saves same.txt compare a.json same.json
	grep -qx '4 pairs: 0 rows better, 0 worse, 32 no difference shown, 0 refused' \
	    same.txt || atf_fail "$(cat same.txt)"
	saves slow.txt compare a.json slow.json
	grep -qx '4 pairs: 0 rows better, 4 worse, 28 no difference shown, 0 refused' \
	    slow.txt || atf_fail "$(cat slow.txt)"
	grep -A2 '^locked, mtx, chacha20, 2 readers of 64 KiB:' slow.txt |
	    grep -qx 'total MB/s  *400.0  *388.0  *-3.0  *-.*\.\.-.*  [^ ]* worse' ||
	    atf_fail "$(cat slow.txt)"
	atf_check -o match:'^A: a.json, ' -o match:'^B: stdin, ' \
	    "$(program)" compare a.json - <slow.json
	awk 'length($0) > 80 { exit 1 }' slow.txt same.txt ||
	    atf_fail "more than 80 columns"
	# Each row on its own ends in its verdict.
	saves rows.txt compare --format sentences slow.json a.json
	[ "$(grep -c ': better$' rows.txt)" = 4 ] || atf_fail "$(cat rows.txt)"
	[ "$(grep -c ': no difference shown$' rows.txt)" = 28 ] ||
	    atf_fail "$(cat rows.txt)"
}

test_case compare__within_one "designs and ciphers of one result, the base of" \
    "choice"
compare__within_one_body() {
	results
	for by in '--by design' '--by=design --base locked'; do
		saves by.txt compare a.json $by --format sentences \
		    -q total_mb_per_s
		[ "$(grep -c '^concurrent instead of locked, mtx, .*+100 % (.*: better$' \
		    by.txt)" = 2 ] || atf_fail "$(cat by.txt)"
	done
	shows '^locked instead of concurrent, .* -50.0 % .* worse' compare \
	    a.json --by design --base concurrent --format sentences
	shows '^chacha20 instead of aes, locked, .* [+]300 %' compare \
	    --by cipher a.json --format sentences
	fails 1 'lock mtx' compare a.json --by lock
	# A design that there is, but not here, is no typo.
	fails 1 '--base: no cell has that design' compare a.json --by design \
	    --base none
	for by in design lock cipher; do
		fails 2 "--base: no cell has that $by" compare a.json --by $by \
		    --base x
	done
	# Only what was asked for, with as many tests to correct for.
	atf_check -o match:'^2 pairs: 2 rows better, 0 worse, 0 no' \
	    -o match:'corrected for 4 tests' "$(program)" \
	    compare a.json --by design -q total_mb_per_s
}

test_case compare__fail_if "exit 1 exactly when a ranked row meets a" \
    "condition, with the row on stderr"
compare__fail_if_body() {
	results
	cmd="$(program) compare a.json"
	atf_check -s exit:1 -o not-empty -e match:'total_mb_per_s < -2%: .*: worse' \
	    $cmd slow.json --fail-if 'total_mb_per_s < -2%'
	atf_check -o not-empty $cmd slow.json --fail-if 'total_mb_per_s < -5%'
	atf_check -o not-empty $cmd same.json --fail-if 'total_mb_per_s < 0%' \
	    --fail-if='latency_p99_ns>0%'
	atf_check -s exit:1 -o not-empty -e match:worse $cmd slow.json \
	    --fail-if 'latency_p99_ns > 5%' --fail-if='reader_mb_per_s_min<-2.5%'
	atf_check -s exit:1 -o not-empty -e match:better "$(program)" compare \
	    slow.json a.json --fail-if 'total_mb_per_s > 2 %'
	# Less than is ranked, by the margin or a bucket's width.
	atf_check -o not-empty -e match:'< -0.5%: warning: changes up to 1 %' \
	    $cmd same.json --fail-if 'total_mb_per_s < -0.5%'
	atf_check -o not-empty -e match:'> 2%: warning: changes up to 3.1 %' \
	    $cmd same.json --fail-if 'latency_p99_ns > 2%'
	# What cannot be ranked is no pass.
	for f in a same; do
		sed 's/"time_s":0.5/"time_s":0.05/' $f.json >$f.short
	done
	for possible in '' ' possible'; do
		atf_check -s exit:1 -o not-empty -e match:"^rngsim: compare: \
harvest_cpu_percent > 5%$possible: not tested: locked, mtx, aes, 2 readers .*\
harvest CPU .*few passes of the harvest" "$(program)" compare a.short \
		    same.short --fail-if "harvest_cpu_percent > 5%$possible" \
		    --refused-ok
	done
	atf_check -o not-empty "$(program)" compare a.short same.short \
	    --fail-if 'total_mb_per_s < -5%'
	sed 's/"p50":[0-9]*/"p50":0/' same.json >same.unread
	atf_check -s exit:1 -o not-empty -e match:'not tested:.*no read end' \
	    $cmd same.unread --fail-if 'latency_p50_ns > 5%' --refused-ok
	# By what the machine moved: all cells together, from block to block.
	result '0.1 -0.1 0 0.1 -0.1 0.1 -0.1' 100 400 Example abc 7 1 >moved.json
	atf_check -o not-empty -e match:'-5%: warning: .*the machine itself' \
	    $cmd moved.json --fail-if 'total_mb_per_s < -5%'
}

test_case compare__deterministic "predicted repeats that do not vary, apart by" \
    "more than the margin, are a difference, alone and among others; those" \
    "that a machine measured are still tested"
compare__deterministic_body() {
	results
	for f in a same; do
		sed 's/"p50":[0-9]*/"p50":100000/' $f.json >$f.real
		sed 's/"engine":"real"/"engine":"virtual"/' $f.real >$f.virtual
	done
	sed 's/"p50":100000/"p50":110000/' same.virtual >slow.virtual
	sed 's/"p50":100000/"p50":110000/' same.real >slow.real
	cmd="$(program) compare --fail-if latency_p50_ns>5% a.virtual"
	atf_check -o not-empty $cmd same.virtual
	for q in '' '-q total_mb_per_s,latency_p50_ns,latency_p99_ns'; do
		atf_check -s exit:1 -o match:'^4 pairs: 0 rows better, 4 worse' \
		    -e match:'exact .repeats do not vary, p is 0.: worse$' \
		    $cmd slow.virtual $q
	done
	atf_check -o match:',10,10,10,0,0,worse,' -e match:predicted \
	    "$(program)" compare a.virtual slow.virtual -q latency_p50_ns \
	    --format csv
	shows 'p50 .*Welch.* and .*Mann' compare a.real slow.real \
	    -q latency_p50_ns --format sentences
}

test_case compare__non_inferiority "a loss that is not excluded fails a" \
    "condition with \"possible\", by the interval and what the machine moved" \
    "by; without -q only quantities of conditions are compared"
compare__non_inferiority_body() {
	results
	cmd="$(program) compare a.json"
	atf_check -o match:'^4 pairs: 0 rows better, 0 worse, 4 no' \
	    -o match:'corrected for 8 tests' $cmd same.json \
	    --fail-if 'total_mb_per_s < -3% possible'
	atf_check -o not-empty $cmd same.json --fail-if 'total_mb_per_s < -1%'
	atf_check -s exit:1 -o not-empty \
	    -e match:'-1% possible: .*: no difference shown' \
	    $cmd same.json --fail-if 'total_mb_per_s < -1% possible'
	# Quantiles of a histogram are as wide as a bucket.
	atf_check -o not-empty $cmd same.json --fail-if 'latency_p99_ns>7%possible'
	atf_check -s exit:1 -o not-empty -e match:'no difference shown' \
	    $cmd same.json --fail-if 'latency_p99_ns > 3% possible'
	result '0.1 -0.1 0 0.1 -0.1 0.1 -0.1' 100 400 Example abc 7 1 >moved.json
	atf_check -s exit:1 -o not-empty -e match:'possible: ' "$(program)" \
	    compare moved.json moved.json --fail-if 'total_mb_per_s<-15%possible'
}

test_case compare__refused "what cannot be told is no pass: rows that were" \
    "refused fail a condition unless that is allowed, and all of them always" \
    "fail"
compare__refused_body() {
	results
	cmd="$(program) compare a.json"
	awk '!done { done = sub(/"oversubscribed":/,
	    "\"gate\":\"steady\",&") } { print }' same.json >gate.json
	atf_check -o match:'^4 pairs: .* 8 refused$' $cmd gate.json
	atf_check -o match:',total_mb_per_s,7,7,.*,refused,' $cmd gate.json \
	    --format csv
	atf_check -s exit:3 -o not-empty \
	    -e match:'-5%: not tested: locked, mtx, aes, .*: gate: B: steady$' \
	    -e match:'-5%: 1 row refused; --refused-ok ignores it' \
	    $cmd gate.json --fail-if 'total_mb_per_s < -5%'
	atf_check -o not-empty -e match:'not tested: locked, mtx, aes' \
	    $cmd gate.json --fail-if 'total_mb_per_s < -5%' --refused-ok
	result "$one" 100 400 Example abc 2 >few.json
	atf_check -s exit:1 -o match:'too few repeats: A has 7, B has 2' \
	    -o match:'; so are 3 more$' \
	    -e match:'%: every row was refused' $cmd few.json \
	    --fail-if 'total_mb_per_s < -5%'
	atf_check -s exit:1 -o not-empty -e match:'%: every row was refused' \
	    $cmd few.json --fail-if 'total_mb_per_s < -5%' --refused-ok
	# Not the nearest name of all formats.
	atf_check -s exit:2 -e match:'or sentences$' $cmd few.json --format json
	for format in table sentences csv; do
		atf_check -s exit:1 -o not-empty \
		    -e inline:'rngsim: compare: every row was refused\n' \
		    $cmd few.json --format $format
	done
}

test_case compare__flags "what is doubtful is said in every format, and the" \
    "head says how it was measured"
compare__flags_body() {
	results
	result "$two" 100 400 Other | sed 's/"complete":true/"complete":false/
	    s/"invariants":false/"invariants":true/' >host.json
	cmd="$(program) compare a.json host.json --across"
	atf_check -o match:'^A: .*INVARIANTS off, 7 x$' -o match:'^- B is incomp' \
	    $cmd
	atf_check -o match:'^# B is incomplete' \
	    -o match:'^# different hosts: CPU' \
	    -o match:'^# different method: INVARIANTS' \
	    $cmd --format sentences
	atf_check -o not-match:incomplete \
	    -e match:'^rngsim: compare: B is incomplete' \
	    -e match:'^rngsim: compare: different hosts: CPU' $cmd --format csv
	result '0.1 -0.1 0 0.1 -0.1 0.1 -0.1' 100 400 Example abc 7 1 >moved.json
	atf_check -o match:'^# the machine was not quiet during B' \
	    -o match:'^# changes up to [0-9.]* %, by which the machine' \
	    "$(program)" compare a.json moved.json --format sentences
	sed 's/"design":"locked"/"design":"pcpu"/' same.json >other.json
	shows '^# not compared, .*: cells of A 2, of B 2, such as' compare a.json \
	    other.json --common --format sentences
	# A rule that stopped a clear change.
	result "$two" 96 384 >slow4.json
	saves rows.txt compare a.json slow4.json --margin 10 \
	    --format sentences -q total_mb_per_s
	[ "$(grep -c ': no difference shown (not above the margin)$' rows.txt)" \
	    = 4 ] || atf_fail "$(cat rows.txt)"
	shows 'not above the margin' compare a.json slow4.json --margin 10 -v
	shows ',"not above the margin",' compare a.json slow4.json --margin 10 \
	    --format csv
}

test_case compare__formats "CSV has a column for each field"
compare__formats_body() {
	results
	saves c.csv compare a.json slow.json --format csv
	[ "$(wc -l <c.csv)" = 33 ] || atf_fail "$(cat c.csv)"
	awk -F, 'NR == 1 { n = NF }
	    { gsub(/"[^"]*"/, "x") } NF != n { exit 1 }' c.csv ||
	    atf_fail "columns: $(cat c.csv)"
	[ "$(grep -c ',worse,' c.csv)" = 4 ] || atf_fail "$(cat c.csv)"
	# The same on every run.
	atf_check -o file:c.csv -e ignore "$(program)" compare a.json \
	    slow.json --format csv
}

test_case compare__conditions "other hosts are refused by name or flagged," \
    "revisions flagged, cells of one file only refused or listed"
compare__conditions_body() {
	results
	result "$two" 100 400 Other >host.json
	result "$two" 100 400 Example def >rev.json
	fails 1 'CPU .A "Example", B "Other".*--across' compare a.json host.json
	shows 'different hosts: CPU' compare a.json host.json --across
	shows 'different: revision .A "abc", B "def"' compare a.json rev.json
	# One design of B is a design that A lacks.
	sed 's/"design":"locked"/"design":"pcpu"/' same.json >other.json
	fails 1 'cells only in A: 2, only in B: 2, .*--common' compare a.json \
	    other.json
	atf_check -o match:'without a partner: cells of A 2' \
	    -o match:'^2 pairs: ' "$(program)" compare a.json other.json --common
	sed 's/"crypto":"kernel"/"crypto":"native"/' same.json >native.json
	fails 1 'no cell is in both' compare a.json native.json --common
}

test_case compare__unsound_files "what is no whole, unedited result is" \
    "refused with the reason, on either side, and left as it is"
compare__unsound_files_body() {
	results
	head -c 1500 a.json >truncated
	sed 's,rngsim-result/1,rngsim-result/9,' a.json >schema
	sed 's/"cells":/"sells":/' a.json >cells
	sed 's/\(false,"total_mb_per_s":\)400,/\1500,/' a.json >edited
	sed 's/,"total_mb_per_s":400,/,"total_mb_per_s":500,/' a.json >sum
	sed 's/"cipher":"aes"/"cipher":"chacha20"/' a.json >twice
	sed 's/"repeats":7/"repeats":8/' a.json >repeats
	sed 's/"seed":1/"seed":1,"seed":2/' a.json >keys
	# A repeat twice; windows as long as those of another measurement.
	result '0 0 0 0 0 0 0' 100 400 | sed 's/"order":8,/"order":4,/' >copied
	sed 's/"order":\([0-9]*\)/"order":\1,"window_s":0.5/' a.json >windows
	sed 's/"time_s":0.5/"time_s":0.7/' windows >longer
	sed 's/"time_s":0.5/"time_s":0.05/' windows >shorter
	: >empty
	cksum * >before.sum
	for f in truncated schema cells edited sum twice repeats keys empty missing \
	    copied longer shorter .; do
		for args in "$f a.json" "a.json $f" "$f --by design"; do
			fails 1 "^rngsim: compare: $f: ." compare $args
		done
		# What is refused here is nowhere shown as if it were measured.
		fails 1 "^rngsim: report: $f: ." report $f
	done
	fails 1 'not the median of its samples' compare a.json edited
	fails 1 'cells.[0-9]*..samples.[0-9]*..total.*not the sum' compare \
	    a.json sum
	fails 1 'the same cell' compare a.json twice
	fails 1 'another repeat has this place' compare a.json copied
	fails 1 'time_s: 0.7, but the shortest window_s is 0.5' report longer
	fails 1 'time_s: 0.05, but' report shorter
	atf_check -o not-empty "$(program)" compare a.json windows
	cksum truncated schema cells edited sum twice repeats keys empty a.json \
	    >after.sum
	while read -r line; do
		grep -qxF "$line" before.sum || atf_fail "changed: $line"
	done <after.sum
}

test_case compare__extreme_numbers "the largest and smallest numbers that a" \
    "result may hold give finite ones in every format"
compare__extreme_numbers_body() {
	results
	sed 's/"cpu_percent":30[.0-9]*/"cpu_percent":1e300/
	    s/"cpu_percent":29[.0-9]*/"cpu_percent":1e-300/
	    s/"p50":100[0-9]*/"p50":1e290/
	    s/"jain":0.9/"jain":0/
	    s/"order":[0-9]*/"order":4294967295/' same.json >odd.json
	result "$one" 1e299 1e-290 >large.json
	result "$one" 0 0 >zero.json
	for f in odd large zero; do
		for format in table sentences csv; do
			for args in "$f.json a.json" "a.json $f.json" \
			    "$f.json --by cipher"; do
				saves out.txt compare $args --format $format
				[ -s out.txt ] || atf_fail "nothing"
				! grep -Eiq '[^a-z](nan|inf)[^a-z]' out.txt ||
				    atf_fail "$args: $(cat out.txt)"
			done
		done
	done
}

# usage WORDS ARGUMENT...: exit 2, nothing on stdout, one line with the words.
usage() {
	words=$1
	shift
	fails 2 "^rngsim: compare: .*$words" compare "$@"
	fails 2 '^[^[:cntrl:]]*$' compare "$@"
}

test_case compare__usage "bad usage: exit 2 with what would be right"
compare__usage_body() {
	results
	usage '0 results: expected two files, or one and --by'
	usage '1 result: expected two .*--by' a.json
	usage 'surplus operand "x"' a.json a.json x
	usage '2 results and --by: expected two files, or one' a.json a.json \
	    --by design
	usage '--by: "readers": expected design' a.json --by readers
	usage '--by: expected KEY' a.json --by
	usage '--by is given twice' a.json --by design --by lock
	usage '--base: expected --by' a.json a.json --base locked
	for f in x ministat; do
		usage "--format: \"$f\": expected table, csv or sent" \
		    a.json a.json --format $f
	done
	usage '-q: "mb": expected total_mb_per_s' a.json a.json -q mb
	usage '-q: .*"": expected' a.json a.json -q total_mb_per_s,
	usage 'named twice' a.json a.json \
	    --quantity=total_mb_per_s,total_mb_per_s
	usage '--fail-if: "x < 1%": expected QUANTITY' a.json a.json \
	    --fail-if 'x < 1%'
	usage '--fail-if: .*expected a number' a.json a.json \
	    --fail-if 'total_mb_per_s < x%'
	usage 'leaves this quantity out' a.json a.json -q latency_p50_ns \
	    --fail-if 'total_mb_per_s < 1%'
	for m in x -1 101 nan 1e1 ''; do
		usage "--margin: \"$m\": expected percent, 0..100" a.json a.json --margin "$m"
	done
	usage 'no change is below -100%' a.json a.json \
	    --fail-if 'total_mb_per_s < -100%'
	usage '--refused-ok: expected --fail-if' a.json a.json --refused-ok
	usage 'stdin once' - -
	shows '^  total_mb_per_s ' compare --help
}

test_case compare__measured "results that this machine measured are taken as" \
    "they are"
compare__measured_body() {
	for f in a b; do
		atf_check -o not-empty -e ignore "$(program)" sweep -r 1 -c aes \
		    -n 3 -t 0.02 -o $f.json
	done
	# Unless another program used the CPUs.
	for args in 'b.json' '--by design'; do
		"$(program)" compare a.json $args >out 2>err || [ $? = 3 ] ||
		    atf_fail "$(cat out err)"
		grep -q '^[12] pairs*: ' out || atf_fail "$(cat out)"
	done
}

needs=taskset
test_case compare__under_load "a run beside busy loops is marked and refused: no" \
    "code is blamed for the load; one that alternated has a note"
compare__under_load_body() {
	[ "$(uname)" = Linux ] || atf_skip "delays are Linux's"
	one="taskset -c $(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')"
	loops=
	for i in 1 2 3 4; do
		$one sh -c 'while kill -0 $PPID; do :; done' 2>/dev/null &
		loops="$loops $!"
	done
	$one "$(program)" sweep -d concurrent -r 1 -c aes -n 3 -t 0.1 \
	    -S rngsim.sweep.controls=0 -o b.json >table
	$one "$(program)" sweep -r 1 -c aes -n 3 -t 0.1 \
	    -S rngsim.sweep.controls=0 -o sides.json >sides
	kill $loops
	# What it would have been at rest.
	sed 's/"gate": "[^"]*"/"gate": ""/
	    s/"readers_delayed_percent": [0-9.e+]*/"readers_delayed_percent": 1/
	    ' b.json >a.json
	grep -q 'readers lost [5-9][0-9] % of their CPU time' table ||
	    atf_fail "$(cat table)"
	grep -q 'readers lost [5-9][0-9] % of their CPU time' sides ||
	    atf_fail "$(cat sides)"
	sed -i 's/"gate": "[^"]*"/"gate": ""/' b.json
	atf_check -s exit:3 -o match:'readers lost 1 % .* in A, [5-9][0-9] %' \
	    -e match:'every row was refused' "$(program)" compare a.json b.json \
	    --fail-if 'total_mb_per_s < -5%'
}
