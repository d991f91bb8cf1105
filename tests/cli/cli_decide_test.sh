# Whether one lock gives more than another, as the command line answers.

command=decide
x5=xeon-e7-8895v3-4s

# answers TEXT ARGUMENT...: "THREADS ANSWER," of each row.
answers() {
	expected=$1
	shift
	ends 0 -l "$@"
	got=$(sed -n 's/^ *\([0-9]*\) .* % \([a-z ]*[a-z]\) *$/\1 \2,/p' out |
	    tr -d '\n')
	[ "$got" = "$expected" ] || atf_fail "$*: $got"
}

test_case decide__answers "yes where it was published to be so, no where not," \
    "and neither where errors do not allow it"
decide__answers_body() {
	answers '1 no,72 yes,' qspin,cna --profile $x5 -r 1,72 --by 10 \
	    --loop open1
	# The other way round.
	answers '1 no,72 no,' cna,qspin --profile $x5 -r 1,72 --by 10% \
	    --loop open1
	# A machine of one node; more than it can be; another kind of lock.
	answers '8 no,' qspin,cna --profile core-i7-4770 --by 10
	answers '2 no,' qspin,cna --profile $x5 -r 2 --by 100% --hold 0
	answers '2 cannot say,' ticket,mcs --profile $x5 -r 2
}

test_case decide__published "of the answers on a published set nine in ten are" \
    "right, and most questions have one"
decide__published_body() {
	grep -v '^#' "$(source_folder)/lib/published/x5_4_wis_lock2.csv" |
	    awk -F, '$2 == "qspinlock" || $2 == "CNA" {
		sum[$2 $1] += $3; n[$2 $1]++; threads[$1] }
	    function mean(key) { return sum[key] / n[key] }
	    END { for (t in threads)
		print t, mean("CNA" t) / mean("qspinlock" t) }' | sort >published
	threads=$(cut -d ' ' -f 1 published | paste -s -d ,)
	for by in 0 10 50; do
		ends 0 -l qspin,cna --profile $x5 --loop lock2 --by $by \
		    -r "$threads"
		sed -n 's/^ *\([0-9]*\) .* % \([a-z]*\).*/\1 \2/p' out |
		    join published - | awk -v by=$by '{ print $3,
		    $3 == "cannot" ? "" : ($2 > 1 + by / 100) == ($3 == "yes") }'
	done >judged
	awk '{ n++; said += $1 != "cannot"; right += $2; yes += $1 == "yes" }
	    END { exit !(n > 20 && yes > 5 && said > n / 2 &&
		right >= 0.9 * said) }' judged || atf_fail "$(cat published judged | tr '\n' ,)"
}

test_case decide__repeats "the same seed gives the same document, with its keys"
decide__repeats_body() {
	saves one decide --profile graviton3 -l mtx,tas -r 2,4 --format json
	atf_check -o file:one "$(program)" decide --profile graviton3 -l mtx,tas \
	    -r 2,4 --format json --seed 1
	saves two decide --profile graviton3 -l mtx,tas -r 2,4 --format json \
	    --seed 77
	! cmp -s one two || atf_fail "seeds do not matter"
	for key in claim profile guessed_share loop locks by samples seed rows \
	    threads ratio band chance answer; do
		grep -q "\"$key\": " one || atf_fail "no $key: $(cat one)"
	done
	grep -q '"claim": "predicted"' one || atf_fail "claim"
}

test_case decide__ends_on_a_signal "exit 1, one word of it"
decide__ends_on_a_signal_body() {
	touch here
	ticks=10 interrupted 1 here -l ticket,mcs --profile epyc-9654-2s \
	    -t 1 --uncertainty 1000
	[ "$(cat err)" = "rngsim: decide: interrupted" ] || atf_fail "$(cat err)"
	[ ! -s out ] || atf_fail "$(cat out)"
}

test_case decide__usage "wrong questions are refused: exit 2"
decide__usage_body() {
	refused 2 '-l: expected two locks'
	refused 2 '-l: expected two locks' -l qspin
	refused 2 'expected two locks' -l qspin,cna,mcs --profile $x5
	refused 2 '"qspin" is named twice' -l qspin,qspin --profile $x5
	refused 2 '"qspinn"|did you mean qspin?' -l qspinn,cna
	refused 2 '-r: 145: expected 1..144' -l qspin,cna --profile $x5 -r 1,145
	refused 2 '-r: "0": expected' -l qspin,cna --profile $x5 -r 0
	refused 2 '--by: "x": expected' -l qspin,cna --by x
	refused 2 '--loop: "x": expected lockhammer' -l qspin,cna --loop x
	refused 2 '--profile|"nowhere"' -l qspin,cna --profile nowhere
	refused 2 '"csv": expected table or json' -l qspin,cna --format csv
	"$(program)" list profiles $x5 | grep -v '^model.pair' >m.conf
	refused 2 'no model.pair: expected' -l qspin,cna --profile m.conf
}
