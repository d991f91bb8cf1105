# run --trace: the options, and the files.

# A short run of a small machine, with its trace in a file.
trace() {
	file=$1
	shift
	"$(program)" run --engine virtual --profile fbsd12-vm4-2019 --cpus 2 \
	    -r 2 -t 0.01 --seed 1 --trace "$file" "$@"
}

command=

test_case trace__bad_usage "what cannot be traced is refused before anything" \
    "runs"
trace__bad_usage_body() {
	virtual="run --engine virtual --profile fbsd12-vm4-2019 -t 0.02"
	refused 2 "add --engine virtual" run --trace t.json
	refused 2 "expected 1 with --trace" $virtual -n 2 --trace t.json
	refused 2 "--trace and --uncertainty: expected one" $virtual --uncertainty 10 \
	    --trace t.json
	refused 2 "expected --trace with it" $virtual --trace-time 5
	refused 2 "a file name" $virtual --trace ""
	for name in t.html t.htm; do
		refused 2 "\"$name\"|JSON for ui.perfetto.dev|such as trace.json" \
		    $virtual --trace $name
		[ ! -e $name ] || atf_fail "$name was written"
	done
	refused 2 "the same file" $virtual --trace t.json -o t.json
	refused 2 "after the end of the window" $virtual --trace t.json \
	    --trace-time 20-21
	for time in "" 0 0-0 5-5 5-4 5- -5 - a 1e3 1-2-3 +1 86400001 \
	    1234567890123456 "1 2"; do
		refused 2 "expected milliseconds" $virtual --trace t.json \
		    "--trace-time=$time"
	done
	refused 2 "unknown option --trace" sweep --trace t.json
	refused 1 "no/such/t.json: No such file" $virtual --trace no/such/t.json
	refused 1 "Is a directory" $virtual --trace .
	[ ! -e t.json ] || atf_fail "a file was left"
}

test_case trace__json "trace events are JSON, the same whenever run"
trace__json_body() {
	trace a.json -d locked >/dev/null || atf_fail "run"
	trace b.json -d locked >/dev/null || atf_fail "run"
	cmp a.json b.json || atf_fail "traces of one seed differ"
	for words in '"traceEvents"' '"name":"CPU 1"' \
	    '"name":"hold reseed mutex"' '"name":"ask reseed mutex"' \
	    '"held by":"reader' '"displayTimeUnit":"ns"' '"seed":"1"' '"claim":"predicted"' \
	    '"profile":"fbsd12-vm4-2019"' '"guessed_share":"0.'; do
		grep -Fq -- "$words" a.json || atf_fail "no $words"
	done
	ls | grep tmp && atf_fail "leftovers"
	return 0
}

test_case trace__same_figures "being looked at changes nothing"
trace__same_figures_body() {
	trace a.json --format csv >a.csv || atf_fail "run"
	"$(program)" run --engine virtual --profile fbsd12-vm4-2019 --cpus 2 \
	    -r 2 -t 0.01 --seed 1 --format csv >b.csv || atf_fail "run"
	atf_check -o file:b.csv cat a.csv
}
