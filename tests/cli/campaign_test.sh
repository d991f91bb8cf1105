# Campaigns: --plan, the jobs that it lists, and merge.

grid="--engine virtual --profile graviton3 -c chacha20 -d locked,concurrent"
grid="$grid -l mtx,mcs -r 1-3 -s 4k -n 3 -t 0.01"

# The program as a job calls it.
in_path() { PATH="$(cd "$(atf_get_srcdir)/.." && pwd):$PATH"; }

# plans LEFT ARGUMENT...: so many jobs of a plan are left.
plans() {
	left=$1
	shift
	in_path
	atf_check -e match:" has $left of " "$(program)" "$@"
	[ "$(wc -l <"$plan/plan")" = "$left" ] || atf_fail "$(cat "$plan/plan")"
}

# The result of one machine, but for its time.
same_as_one() {
	rngsim sweep $grid --seed 5 -o one.json >/dev/null || atf_fail one
	runs merge d/*.json -o all.json
	for f in one all; do
		sed '/^  "started":/d; /^    "'$f'.json"$/d; /rngsim",$/d' \
		    $f.json >$f.txt
	done
	cmp one.txt all.txt || { diff one.txt all.txt; atf_fail "differ"; }
}

needs=parallel
test_case campaign__parallel "a plan under GNU parallel gives the result of one" \
    "machine, also after jobs were killed; what is done stays"
campaign__parallel_body() {
	plan=d
	plans 12 sweep $grid --seed 5 --plan d
	run="sh $(cd "$(source_folder)" && pwd)/bench/campaign/parallel.sh d"
	# Every third job is killed.
	cp d/plan whole
	awk 'NR % 3 == 0 { $0 = "kill -9 $$; " $0 } 1' whole >d/plan
	export JOBS=2
	$run >out 2>&1 && atf_fail "killed jobs did not fail"
	plans 4 sweep $grid --seed 5 --plan d
	$run >out 2>&1 || atf_fail "$(cat out)"
	same_as_one
	sh -e whole >out 2>err || atf_fail "$(cat err)"
	[ "$(grep -c 'nothing was measured' err)" = 12 ] || atf_fail "$(cat err)"
	plans 0 sweep $grid --seed 5 --plan d
}

test_case campaign__uncertainty "drawn profiles of all parts give what one" \
    "machine says of them; a profile that is gone is named"
campaign__uncertainty_body() {
	plan=d
	cp "$(source_folder)/lib/profile/graviton3.conf" mine.conf
	grid=$(echo "$grid" | sed 's/graviton3/mine.conf/; s/-r 1-3/-r 1,4/; s/,mcs//;
	    s/-n 3/-n 2/')
	grid="$grid --uncertainty 12"
	plans 4 sweep $grid --seed 5 --plan d --parts 4
	sh -e d/plan >out 2>err || atf_fail "$(cat err)"
	same_as_one
	grep -q '"rankings"' all.json || atf_fail "no rankings"
	rm mine.conf all.json
	complains 1 'mine.conf' merge d/*.json -o all.json
	[ ! -e all.json ] || atf_fail "all.json was written"
}

test_case campaign__goes_on "a job that was interrupted goes on from its journal"
campaign__goes_on_body() {
	plan=d
	grid=$(echo "$grid" | sed 's/-n 3/-n 40/; s/-r 1-3/-r 1/')
	plans 1 sweep $grid --seed 5 --plan d --parts 1
	line=$(sed 's/^rngsim sweep //' d/plan)
	command=sweep
	cd d && ln -s . d
	ticks=5 interrupted 1 '1.json.journal' $line
	cd ..
	rm d/d
	plans 1 sweep $grid --seed 5 --plan d --parts 1
	sh -e d/plan >out 2>err || atf_fail "$(cat err)"
	grep -q '"resumed"' d/1.json || atf_fail "it began again"
	same_as_one
}

test_case campaign__bad_parts "missing, torn, incomplete, foreign and double" \
    "parts are named; nothing is written"
campaign__bad_parts_body() {
	plan=d
	plans 4 sweep $grid --seed 5 --plan d --parts 4
	in_path
	sh -e d/plan >out 2>&1 || atf_fail "$(cat out)"
	bad() {
		words=$1
		shift
		complains 1 "$words" merge "$@" -o all.json
		[ ! -e all.json ] || atf_fail "all.json was written"
	}
	bad '2 of 4 parts missing: 2-3' d/1.json d/4.json
	head -c 2000 d/2.json >torn.json
	bad 'torn.json: line|1 of 4 parts missing: 2' d/[134].json torn.json
	bad 'nothing.json: No such file' d/*.json nothing.json
	cp d/1.json again.json
	bad 'again.json: part 1 again, as in d/1.json' d/*.json again.json
	sed 's/"complete": true/"complete": false/' d/3.json >part.json
	bad 'part.json: incomplete|missing: 3' d/[124].json part.json
	sed 's/"started": "20/"started": "30/' d/3.json >late.json
	bad 'late.json: began at 30|in the future' d/[124].json late.json
	sed 's/"revision": "[^"]*"/"revision": "0.1"/' d/3.json >old.json
	bad 'old.json: made by rngsim 0.1' d/[124].json old.json
	sed 's/"profile_sha256": ".*"/"profile_sha256": "'"$(printf %064d)"\"/ \
	    d/3.json >sum.json
	bad 'sum.json: made with another profile' d/[124].json sum.json
	runs merge --across d/[124].json old.json -o across.json
	"$(program)" sweep $grid --seed 6 --part 3/4 -o other.json >out ||
	    atf_fail other
	bad 'other.json: part of another plan than d/1.json' d/*.json other.json
	"$(program)" sweep $grid --seed 5 -o one.json >out || atf_fail one
	bad 'one.json: not the result of a job' one.json
	complains 2 'expected the results' merge -o all.json
	complains 2 'expected -o' merge d/1.json
	complains 2 'the same file|d/1.json' merge d/1.json -o d/1.json
	complains 1 '/nowhere/all.json' merge d/*.json -o /nowhere/all.json
}

test_case campaign__full_disk "where a merged result or its page finds no room," \
    "the old file and the parts stay as they are"
campaign__full_disk_body() {
	plan=d
	plans 2 sweep $grid --seed 5 --plan d --parts 2
	sh -e d/plan >out 2>&1 || atf_fail "$(cat out)"
	cat d/[12].json | cksum >parts
	for words in "merge d/1.json d/2.json -o" "report d/1.json --html"; do
		echo old >kept
		message=$( (ulimit -f 8; exec "$(program)" $words kept) 2>&1) &&
		    atf_fail "$words: exit 0"
		case $message in
		*"kept: File too large") ;;
		*) atf_fail "$words: $message" ;;
		esac
		[ "$(cat kept)" = old ] || atf_fail "$words: kept was changed"
		[ "$(ls)" = "$(printf '%s\n' d kept out parts)" ] ||
		    atf_fail "$words: $(ls)"
	done
	cat d/[12].json | cksum | cmp -s - parts || atf_fail "parts changed"
}

test_case campaign__bad_plans "a plan is refused where it cannot be made"
campaign__bad_plans_body() {
	plan=d
	plans 12 sweep $grid --seed 5 --plan d
	complains 2 '--plan|"d" has another plan|new folder' \
	    sweep $grid --seed 6 --plan d
	plans 12 sweep $grid --plan=d
	grep -q -- '--seed 5 --part' d/plan || atf_fail "another seed"
	>file
	complains 1 '--plan: file' sweep $grid --plan file
	complains 1 '--plan: none/d' sweep $grid --plan none/d
	complains 2 '--parts|at most 12 jobs' sweep $grid --plan e --parts 13
	complains 2 '--part|at most 12 jobs' sweep $grid --part 1/13
	complains 2 '--part|"3/2"|I/N' sweep $grid --part 3/2
	complains 2 '--part|"0/2"|I/N' sweep $grid --part 0/2
	complains 2 '--part|"1"|I/N' sweep $grid --part 1
	complains 2 '--parts|--plan' sweep $grid --parts 2
	complains 2 '--plan and -o' sweep $grid --plan e -o x.json
	complains 2 '--plan and --until' sweep -r 1 --plan e --until 5%
	complains 2 '--part|at most 1 job' sweep -r 1 --part 1/2
	complains 2 'at most 1 job' explore --exhaustive --plan e --parts 2
	[ ! -d e ] || atf_fail "e was made"
}

test_case campaign__hosts "measurements of several hosts, with controls, are" \
    "merged only with the host as a factor"
campaign__hosts_body() {
	plan=d
	plans 2 sweep -r 1-2 -c aes -s 4k -n 3 -t 0.01 --seed 1 --plan d
	in_path
	sh -e d/plan >out 2>&1 || atf_fail "$(cat out)"
	runs merge d/*.json -o all.json
	shows 'locked' report all.json
	complains 1 'no other cell differs in its host alone' \
	    compare all.json --by host
	for f in 1 2; do
		sed 's/"cpu_model": "[^"]*"/"cpu_model": "another"/' d/$f.json \
		    >b$f.json
	done
	complains 1 'b2.json: measured on another host|--across' \
	    merge d/1.json b2.json -o two.json
	runs merge --across d/1.json d/2.json b1.json b2.json -o two.json
	atf_check -o match:'another#2,' -o match:', on another#2$' rngsim report two.json
	# Whatever ran beside.
	sed -i 's/"gate": "[^"]*"/"gate": ""/' two.json
	"$(program)" compare two.json --by host -v >out
	grep -q 'another#2 instead of' out || atf_fail "$(cat out)"
	"$(program)" compare two.json --by design -v >out
	grep -q 'concurrent instead of locked.*another#2' out ||
	    atf_fail "$(cat out)"
	[ "$(grep -c 'instead of' out)" = 4 ] || atf_fail "$(cat out)"
}

test_case campaign__explore "schedules of a planned search are those of one," \
    "and each failure is named once"
campaign__explore_body() {
	plan=e
	one="explore -d concurrent,locked --schedules 1990 --seed 3 -j 1"
	runs $one --json one.json
	plans 7 $one --plan e --parts 7
	in_path
	sh -e e/plan >out 2>&1 || atf_fail "$(cat out)"
	shows 'No failure: .*1/49. = 0.059 of such' merge e/*.json -o all.json
	for f in one all; do
		sed '/"argv"/,/\]/d; /cpu_s/d; /started/d' $f.json >$f.txt
	done
	cmp one.txt all.txt || { diff one.txt all.txt; atf_fail "differ"; }
	sh e/plan >out 2>err
	[ "$(grep -c 'nothing was run' err)" = 7 ] || atf_fail "$(cat err)"
	# No seed is negative.
	sed -i 's/"seed": 3,/"seed": -3,/' e/*.json
	complains 1 'seed' merge e/*.json -o all.json
	# A source that changed between two jobs.
	plan=k
	kernel_cache
	cp "$(source_folder)/fortuna/fortuna.c" k.c
	plans 2 explore -d kernel:k.c --schedules 4000 --seed 1 --plan k \
	    --parts 2
	sed -n 1p k/plan | sh >out 2>&1 || atf_fail "$(cat out)"
	echo '/* another */' >>k.c
	sed -n 2p k/plan | sh >out 2>&1 || atf_fail "$(cat out)"
	complains 1 'k/2.json: made with another profile or kernel source' \
	    merge k/*.json -o all.json
	# A lock that excludes no thread fails in each part.
	plan=f
	plans 3 explore -l none -c aes --schedules 400 --seed 9 --plan f \
	    --parts 3
	sh f/plan >out 2>&1
	atf_check -s exit:1 -o save:out "$(program)" merge f/*.json -o f.json
	[ "$(grep FAILED out | sort | uniq -d)" = "" ] || atf_fail "$(cat out)"
	grep -q '^FAILED' out || atf_fail "$(cat out)"
	[ "$(grep -c '"word"' f.json)" = "$(grep -c ^FAILED out)" ] ||
	    atf_fail "$(cat out)"
}

test_case campaign__assure "each check of assure is a job"
campaign__assure_body() {
	plan=a
	in_path
	"$(program)" assure -d concurrent --seed 1 --plan a 2>err ||
	    atf_fail "$(cat err)"
	grep -q -- '--only answers -o a/answers.txt$' a/plan ||
	    atf_fail "$(cat a/plan)"
	n=$(wc -l <a/plan)
	echo page >a/answers.txt
	plans $((n - 1)) assure -d concurrent --seed 1 --plan a
}
