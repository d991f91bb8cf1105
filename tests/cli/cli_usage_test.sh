# Bad usage: exit 2, nothing on stdout, one line on stderr that names the option,
# the value and what would be accepted; nothing is measured.
#
# A table goes on after a row that fails, so that one run shows all of them.

# The most readers that -r takes.
readers_max() {
	sed -n 's/.*CELL_READERS_MAX[ 	]*= \([0-9]*\).*/\1/p' \
	    "$(source_folder)/bench/cell/cell.h" | grep . ||
	    atf_fail "bench/cell/cell.h does not say how many readers there can be"
}

# One row that did not hold.
wrong() {
	printf 'rngsim %s\n%s\n' "$*" "$message" >>wrong.txt
}

# Ends a table.
verdict() {
	[ -s tried.txt ] || atf_fail "the table is empty"
	[ -s wrong.txt ] || return 0
	cat wrong.txt >&2
	atf_fail "of $(grep -c ^rngsim tried.txt) rows some are wrong; see stderr"
}

newline='
'

# refused WORDS ARGUMENT...: WORDS, separated by |, all stand in the message.
# Rows are many, so only the program itself is a process of its own.
refused() {
	words=$1
	shift
	echo "rngsim $*" >>tried.txt
	message=$("$(atf_get_srcdir)/../rngsim" "$@" 2>&1 >out)
	status=$?
	[ $status = 2 ] || { wrong "$*: exit $status, wanted 2"; return; }
	[ ! -s out ] || { wrong "$*: wrote to stdout"; return; }
	case $message in
	*"$newline"*) wrong "$*: wanted one line"; return;;
	"rngsim: "*) ;;
	*) wrong "$*: no \"rngsim: \" in front of"; return;;
	esac
	while [ -n "$words" ]; do
		word=${words%%|*}
		case $message in
		*"$word"*) ;;
		*) wrong "$*: no \"$word\" in";;
		esac
		case $words in *"|"*) words=${words#*|};; *) words=;; esac
	done
}

# bad COMMAND OPTION ACCEPTED VALUE...: each value is refused, and shown.
bad() {
	command=$1 option=$2 accepted=$3
	shift 3
	for value; do
		refused "$option|\"$value\"|$accepted" \
		    "$command" "$option" "$value"
	done
}

# bad_tunable NAME ACCEPTED VALUE...
bad_tunable() {
	name=$1 accepted=$2
	shift 2
	for value; do
		refused "-S|$name|\"$value\"|$accepted" run -S "$name=$value"
	done
}

test_case cli__unknown_names "unknown commands, options and family members"
cli__unknown_names_body() {
	refused 'expected a command|--help'
	refused 'command|"frobnicate"|--help' frobnicate
	refused 'command|"runs"|--help' runs
	refused 'command|"RUN"|--help' RUN
	# The nearest of what there is.
	refused 'command|"swep"|--help|such as sweep' swep
	bad run -d 'kernel:PATH; did you mean concurrent?' conc concurent
	bad run -l 'ck-mcs; did you mean ticket?' tiket tickets
	bad run -l 'ck-mcs; did you mean mtx?' mxt
	refused 'tunables; did you mean designs?' list desings
	refused 'did you mean freebsd-forwarding?' reproduce freebsd-forwardin
	for c in 'run --engine virtual --profile' 'list profiles'; do
		refused '"gravton3"|did you mean graviton3?' $c gravton3
	done
	bad report --format 'ministat; did you mean json?' jsno
	refused 'command|""|--help' ''
	refused 'option|"--frobnicate"|--help' --frobnicate
	refused 'option|"-q"|--help' -q
	refused '--thrads|rngsim run --help' run --thrads 4
	refused '--thrads|rngsim sweep --help' sweep --thrads=4
	for c in run sweep cat report list; do
		refused "-q|rngsim $c --help" $c -q
	done
	refused '-t|rngsim cat --help' cat -t 1
	for c in sweep cat; do
		bad $c -d 'expected none, locked' x Locked locked2 ' locked' -1
		bad $c -l 'expected none, pthread' x MTX mtx_spin 'mtx '
		bad $c -c 'expected aes or chacha20' x aes256 chacha AES
		bad $c --crypto 'expected kernel, native or source' x '' Kernel kernel,native
	done
	for c in run sweep; do
		bad $c --format 'expected table, csv, json' x '' JSON json,csv
		bad $c --engine 'expected real' x '' warp real,warp
	done
	for v in x '' JSON; do
		refused "--format|\"$v\"|expected table, csv, json" \
		    report nothing --format "$v"
	done
	refused '"frobs"|expected designs, locks' list frobs
	refused '""|expected designs, locks' list ''
	verdict
}

test_case cli__bad_numbers "zero, negative, non-numeric, overflowing, absurd" \
    "numbers"
cli__bad_numbers_body() {
	# 2^31, 2^32 + 1, 2^63, 2^64, 2^64 + 1: what wraps into range.
	big="2147483648 4294967297 9223372036854775808 18446744073709551616
	    18446744073709551617 99999999999999999999999999"
	max=$(readers_max)
	bad run -r 1..$max 0 -1 1x x 1e3 1.5 010 00 nan inf +1 ' 1' '1 ' 0x \
	    0x1g '1 2' $((max + 1)) $big
	# A no-break space, a full-width digit.
	refused "-r|\"1\\xc2\\xa0\"|1..$max" run -r "$(printf '1\302\240')"
	refused "-r|\"\\xef\\xbc\\x91\"|1..$max" run -r "$(printf '\357\274\221')"
	bad run -n 1..10000 0 -1 1x x 1.5 010 nan '' 1k 10001 $big
	bad run -s 1..1g 0 -5 1x x 1.5k 010 0k k nan ' 1' '1 k' 1kb 1kk 1t 2g 1025m 1073741825 16384p $big
	# Shifted left unchecked, these are 0, 1 k, 0 and 1 g.
	bad run -s 1..1g 18014398509481984k 18014398509481985k 17179869184g \
	    17179869185g
	bad run -t 0.01..86400 0 0.0 -1 nan NAN inf -inf infinity x 1x 1s 1e3 \
	    1e400 0x1 1,5 1.2.3 . '' ' 1' '1 ' +1 0.009 86400.1 86401 $big
	for v in 0 -5 1x '' 9223372036854775808; do
		for o in -r -s -n -t; do
			refused "$o|\"$v\"|expected" sweep $o "$v"
		done
	done
	bad run --seed 0..18446744073709551615 -1 x 1x 1.5 1e3 010 nan '' ' 1' \
	    1k 18446744073709551616 99999999999999999999999
	bad cat --seed 0..18446744073709551615 -1 18446744073709551616
	bad cat -n 'expected bytes' -1 x 1x 1e3 1.5 010 nan '' 1t 1kb \
	    18446744073709551616 17179869184g
	bad cat -s 1..1g 0 -1 x 1x 2g
	verdict
}

# As many sizes as make, with 2 designs, 2 ciphers and all reader counts, more
# cells than are taken.
sizes() {
	max=$(readers_max)
	awk -v n=$((100000 / (4 * max) + 1)) \
	    'BEGIN { for (i = 1; i < n; i++) printf "%d,", i; print n }'
}

cells_refused() {
	max=$(readers_max)
	echo "$((4 * max * (100000 / (4 * max) + 1))) cells|at most 100000"
}

# The designs of the table, those with a tunable, those with several locks.
designs() {
	"$(program)" list designs | awk 'NR > 1 { print $1 }'
}

test_case cli__designs "each design says what it stands for and what is to be" \
    "argued, in 80 columns; a name that is none is refused"
cli__designs_body() {
	[ "$(designs | wc -l)" -ge 3 ] || atf_fail "list designs"
	for d in $(designs); do
		saves one.txt list designs $d
		head -n 1 one.txt | grep -q "^$d: " || atf_fail "$d: head"
		for w in 'stands for' output locks 'to argue'; do
			grep -Eq "^  $w +[^ ]" one.txt || atf_fail "$d: $w"
		done
		awk 'length > 80 { exit 1 }' one.txt || atf_fail "$d: wide"
	done
	refused 'designs|"foo"|none, locked, concurrent' list designs foo
	refused 'designs|""|expected' list designs ''
	refused 'surplus|"locked"|usage' list designs none locked
	verdict
}

test_case cli__designs_with_several_locks "a design with several locks is" \
    "refused with a lock without exclusion, in every command, and its sweep" \
    "has controls all the same"
cli__designs_with_several_locks_body() {
	for d in $(designs); do
		"$(program)" list designs $d | grep -q '^  locks *several' ||
		    continue
		echo $d >>several.txt
		for c in run sweep cat; do
			refused "-l|\"none\"|design $d|mtx|ck-mcs" \
			    $c -d $d -l none
		done
		refused "-l|\"none\"|design $d" sweep -d locked,$d -l mtx,none
	done
	verdict
	grep -q percpu several.txt || atf_fail "$(cat several.txt)"
	saves out.txt sweep -d locked,percpu -c aes -r 1 -n 1 -t 0.01 -s 16 \
	    -S rngsim.warmup_ms=0
	grep -q '^control: no sharing, locked, aes' out.txt ||
	    atf_fail "$(cat out.txt)"
	shows '^control: no sharing, concurrent, aes' sweep -d percpu \
	    -c aes -r 1 -n 1 -t 0.01 -s 16 -S rngsim.warmup_ms=0
}

test_case cli__tunables_of_other_designs "a design's tunable is refused where" \
    "no chosen design heeds it, and taken where one does"
cli__tunables_of_other_designs_body() {
	for d in $(designs); do
		saves one.txt list designs $d
		for v in rngsim.none.lines kern.random.fortuna.minpoolsize; do
			if grep -qw "$v" one.txt; then
				echo $v >>heeded.txt
				runs run -d $d -t 0.01 -r 1 -s 16 -S $v=16 \
				    -S rngsim.warmup_ms=0
				runs cat -d $d -n 16 -S $v=16
				continue
			fi
			refused "-S|$v|designs of -d: expected one of" \
			    run -d $d -S $v=16
		done
	done
	atf_check_equal 2 "$(sort -u heeded.txt | wc -l | tr -d ' ')"
	verdict
}

test_case cli__pretended_nodes "--nodes on the host's machine is taken where" \
    "a lock uses nodes, marked in all that is printed, and else refused"
cli__pretended_nodes_body() {
	refused '--nodes|no effect on -l mtx|cohort|--engine virt' \
	    run --nodes 2
	refused '--nodes|no effect on -l mtx, tas' sweep -l mtx,tas --nodes 2
	refused '--nodes|"65"|1..64' run -l cna --nodes 65
	refused '--nodes|"0"|1..64' run -l cna --nodes 0
	refused '--nodes|rngsim.lock.nodes is set twice' run -l cna \
	    -S rngsim.lock.nodes=2 --nodes 2
	verdict
	set -- -r 2 -n 1 -t 0.01 -s 16 -c aes -S rngsim.warmup_ms=0
	for choice in '-l cna --nodes 3' '-l cohort -S rngsim.lock.nodes=3'; do
		shows '3 NUMA nodes are pretended' run $choice -o run.json "$@"
		grep -q '"pretended_nodes": 3,*$' run.json ||
		    atf_fail "$choice: no pretended_nodes"
		grep -q '"rngsim.lock.nodes=3"' run.json ||
		    atf_fail "$choice: no tunable"
		shows '3 NUMA nodes are pretended' report run.json
		"$(program)" report --format csv run.json >run.csv
		head -n 1 run.csv | grep -q ',pretended_nodes,ledger$' ||
		    atf_fail "$(head -n 1 run.csv)"
		tail -n 1 run.csv | grep -q ',3,0$' ||
		    atf_fail "$(tail -n 1 run.csv)"
	done
	# Only the cells that heed them.
	runs sweep -l mtx,cna -d locked --nodes 2 -o sweep.json "$@" \
	    -S rngsim.sweep.controls=0
	atf_check_equal 1 "$(grep -c '"pretended_nodes"' sweep.json)"
	atf_check -o not-match:'are pretended' "$(program)" run -l cna "$@"
}

test_case cli__bad_lists "empty items, descending ranges, lists where one is" \
    "wanted"
cli__bad_lists_body() {
	max=$(readers_max)
	for v in '' , 1, ,1 1,,2; do
		refused "-r|\"\"|1..$max" sweep -r "$v"
		refused '-s|""|1..1g' sweep -s "$v"
	done
	refused "-r|\"\"|1..$max" run -r ''
	refused '-s|""|1..1g' run -s ''
	for v in '' , locked, ,locked locked,,concurrent; do
		refused '-d|""|none, locked' sweep -d "$v"
	done
	refused '-l|""|none, pthread' sweep -l mtx,
	refused '-c|""|aes or chacha20' sweep -c ,aes
	refused '-r|"4-1"|range such as 1-4' sweep -r 4-1
	refused '-r|"2-1"|range such as 1-4' sweep -r 1,2-1
	bad sweep -r 1..$max 1- -1 - 1--2 1-2-3 0-2 1-$((max + 1)) 1-x x-1 1-0x \
	    1-18446744073709551617 18446744073709551617-2 1:2 '1;2' '1 - 2'
	bad sweep -s 1..1g 1k-2k '1;2'
	refused '-c|"des"|expected aes or chacha20' sweep -c aes,des
	refused '-d|"x"|expected none, locked' sweep -d locked,x,y
	refused "$(cells_refused)" sweep -r 1-$max -s "$(sizes)"
	long=locked$(printf '%090d' 0)
	refused '-d|locked0000' sweep -d "$long"
	for c in run cat; do
		refused '-d|"locked,concurrent"|one value' $c -d locked,concurrent
		refused '-c|"aes,chacha20"|one value' $c -c aes,chacha20
		refused '-s|"1k,2k"|one value' $c -s 1k,2k
		refused '-l|"mtx,none"|one value' $c -l mtx,none
	done
	refused '-r|"1,2"|one value' run -r 1,2
	refused "-r|\"1-2\"|1..$max" run -r 1-2
	verdict
}

test_case cli__bad_tunables "-S: no name, no value, unknown, outside" \
    "FreeBSD's range"
cli__bad_tunables_body() {
	m=kern.random.fortuna.minpoolsize
	for v in '' x = =1 $m kern; do
		refused "-S|\"$v\"|expected name=value" run -S "$v"
	done
	for v in kern.random.fortuna.minpoolsizes kern.random.fortuna \
	    Kern.random.fortuna.minpoolsize ' kern.random.fortuna.minpoolsize' \
	    "$m " minpoolsize; do
		refused "-S|\"$v\"|list tunables" run -S "$v=64"
	done
	bad_tunable $m 16..2147483647 0 15 2147483648 -1 '' x 64k 1e3 064 \
	    4294967360 18446744073709551680
	bad_tunable kern.random.fortuna.concurrent_read '0 or 1' 2 -1 '' yes 01
	bad_tunable kern.random.use_chacha20_cipher '0 or 1' 2 -1 '' yes true
	bad_tunable kern.random.block_seeded_status '0 or 1' 2 ''
	# 2^32 is 0 in its type.
	bad_tunable kern.random.harvest.mask 0..536870911 536870912 4294967296 \
	    -1 '' x
	refused '-S|rngsim.none.lines|"65"|0..64' run -d none \
	    -S rngsim.none.lines=65
	bad_tunable debug.lock.delay_base 1..32767 0 32768 -1 '' x
	bad_tunable debug.lock.delay_max 1..32767 0 32768 -1 '' x
	bad_tunable debug.lock.prof.enable '0 or 1' 2 '' x
	bad_tunable rngsim.harvest.model '2019' 2020 '' x Newest
	bad_tunable rngsim.harvest.rate_hz 0..1000 -1 1001 '' 10hz
	bad_tunable rngsim.harvest.boot_entropy_bytes 0..1048576 1048577 -1 '' 1k
	bad_tunable rngsim.source.interrupt.rate_hz 1..1000000 0 1000001 ''
	bad_tunable rngsim.seed_timeout_ms 1..3600000 0 3600001 '' nan
	bad_tunable rngsim.warmup_ms 0..60000 60001 -1 ''
	s=rngsim.harvest.sources
	for v in '' x rdrand, ,none none,none interrupt,interrupt RDRAND; do
		refused '-S|source|none, rdrand' run -S "$s=$v"
	done
	refused "-S|\"x\"" run -S "$s=none,x"
	refused "-S|$s|255" run -S "$s=$(printf '%0300d' 0)"
	verdict
}

# The whole range of the program's own list is what is refused beyond.
test_case cli__every_tunable_has_its_range 'every tunable of "rngsim list"' \
    "refuses a value that its range does not have"
cli__every_tunable_has_its_range_body() {
	saves list.txt list tunables
	sed -n 's/^  \([a-z][^=]*\)=.*/\1/p' list.txt >names.txt
	[ "$(wc -l <names.txt)" -ge 15 ] || atf_fail "only $(cat names.txt)"
	long=$(printf '%0300d' 0)
	while read -r n; do
		refused "-S|$n|expected" run -S "$n=$long"
	done <names.txt
	verdict
}

test_case cli__operands "missing and surplus operands, options without a value"
cli__operands_body() {
	for c in sweep cat; do
		refused 'surplus|"foo"' $c foo
		refused 'surplus|"foo"' $c -d locked foo
		refused 'surplus|"foo"' $c -- foo
		refused 'surplus|"--readers"' $c -- --readers
		refused 'surplus|""' $c ''
		refused 'surplus|"foo"' $c --seed 1 foo bar
		for o in -d -l -c -s -S --crypto --seed; do
			refused "$o|expected" $c $o
		done
	done
	for c in run; do
		for o in -r -t -n -o --format --engine; do
			refused "$o|expected" $c $o
		done
		refused '-r|expected' $c --readers
		refused '-o|""|expected a file' $c -o ''
		refused '-o|""|expected a file' $c --output=
	done
	refused '-n|expected' cat --bytes
	refused 'missing|FILE' report
	refused 'missing|FILE' report --format csv
	refused 'surplus|"b"' report a b
	refused '--plot|expected' report a --plot
	refused '--format|expected' report a --format
	refused 'surplus|"mtx"' list locks mtx
	refused 'surplus|"run"' --help run
	refused 'surplus|"run"' help run
	verdict
}

test_case cli__one_grammar "options are written alike in all commands"
cli__one_grammar_body() {
	# A short option's value is the rest of its word, or the next one.
	for o in -nx '-n x' --repeats=x '--repeats x'; do
		refused '-n: "x": expected' run $o
	done
	for o in -qx '-q x' --quantity=x '--quantity x'; do
		refused '-q: "x": expected' compare a.json $o b.json
	done
	for o in -ox '-o x' --output=x '--output x'; do
		refused '-o: expected it with import' workload $o list
		refused '-o is given twice' workload import $o a -oy
	done
	refused '-n: "=3"' run -n=3
	refused '-q: "=x"' compare a.json b.json -q=x
	# -- ends them.
	refused 'surplus|"-r"' run -- -r
	refused 'surplus|"--lock-prof"' report a -- --lock-prof
	refused 'surplus|"-q"' compare -- -a -b -q
	refused 'surplus|"-o"' workload import a -- -o
	refused '"-x": expected designs' list -- -x
	refused 'surplus|"--help"' list locks -- --help
	for c in report kat 'workload import' 'compare --by lock'; do
		fails 1 '-x: No such file' $c -- -x
	done
	# No beginning of a name stands for it.
	for o in 'run --rea' 'report --loc' 'compare --quant' \
	    'workload --out' 'list --hel' 'kat --hel'; do
		refused "unknown option ${o#* };" $o x
	done
	verdict
}

test_case cli__help_fits "no line of --help is longer than 80 columns"
cli__help_fits_body() {
	for c in '' $(members bench/options/command.tbl); do
		saves help.txt $c --help
		awk 'length > 80' help.txt >long.txt
		[ ! -s long.txt ] || atf_fail "$c --help: $(cat long.txt)"
	done
}

test_case cli__operands_after_help "--version, --help and kat refuse what" \
    "they do not take"
cli__operands_after_help_body() {
	refused 'surplus|"foo"' --version foo
	refused '--help' run --help=x
	refused '--frob|kat' kat --frob
	verdict
}

# The kinds that wait as lib/lock/spin.h has it; the Concurrency Kit's do not.
spinning() {
	"$(program)" list locks | awk '$2 == "spins" { print $1 }' |
	    grep -v '^ck-'
}

test_case cli__tunables_of_other_locks "a lock tunable that no chosen kind" \
    "heeds is refused, with kinds that would; one that some kind heeds is" \
    "taken"
cli__tunables_of_other_locks_body() {
	t=rngsim.lock
	refused "-S|$t.pass_limit|-l mtx|cohort|hmcs" run -S $t.pass_limit=1
	refused "-S|$t.nodes|-l mtx|cohort|cna" run -l mtx -S $t.nodes=2
	refused "-S|$t.ticket_pauses|-l ticket|ticket-pb" \
	    run -S $t.ticket_pauses=1 -l ticket
	refused "-S|$t.spin_polls|-l pthread|tas|mcs" \
	    run -l pthread -S $t.spin_polls=0
	refused '-S|delay_max|-l tas, mcs|mtx, mtx-spin, tas-backoff' \
	    sweep -l tas,mcs -S debug.lock.delay_max=9
	refused '-S|restrict_starvation|-l qspin|mtx' \
	    cat -l qspin -S debug.lock.delay.restrict_starvation=1
	verdict
	[ "$(spinning | wc -l)" -ge 4 ] || atf_fail "list locks"
	for l in $(spinning); do
		atf_check -o ignore -e empty "$(program)" \
		    run -d none -r 1 -t 0.02 -l $l -S $t.spin_polls=1
	done
	atf_check -o ignore -e empty "$(program)" sweep -d none -c aes -r 1 \
	    -n 1 -t 0.02 -l mtx,cohort -S $t.pass_limit=1 -S debug.lock.delay_max=9
	# Profiling is the program's, not a kind's.
	atf_check -o ignore -e empty "$(program)" run -d none -r 1 -t 0.02 \
	    -l tas -S debug.lock.prof.enable=0
}

test_case cli__contradictions "two arguments that exclude each other, both" \
    "named"
cli__contradictions_body() {
	c=kern.random.fortuna.concurrent_read u=kern.random.use_chacha20_cipher
	refused "$c|-d" run -S $c=1 -d locked
	refused "$c|-d" run -d locked -S $c=1
	refused "$c|-d" run -S $c=0 -d concurrent
	refused "$c|-d" run -S $c=0 -d none
	refused "$c|-d" sweep -S $c=1 -d locked,concurrent
	refused "$c|-d" cat -S $c=1 -d locked
	refused "$u|-c" run -S $u=1 -c aes
	refused "$u|-c" run -S $u=0 -c chacha20
	refused "$u|-c" sweep -S $u=0 -c aes,chacha20
	refused 'delay_base|2000|delay_max|10' \
	    run -S debug.lock.delay_base=2000 -S debug.lock.delay_max=10
	r=rngsim.harvest.record
	refused "$r|-n" run -S $r=events -n 2
	refused "$r|run" sweep -S $r=events
	[ ! -e events ] || atf_fail "a record was begun"
	for v in x x.gif png .png '' x.png.txt dir/; do
		refused "--plot|\"$v\"|.png, .svg or .pdf" report nothing --plot "$v"
	done
	refused '--plot|"x.gif"|.png, .svg or .pdf' report nothing --plot=x.gif
	verdict
}

test_case cli__report_contradictions "report draws or prints: --plot excludes" \
    "--format"
cli__report_contradictions_body() {
	refused '--plot|--format' report nothing --plot x.png --format csv
	refused '--plot|--lock-prof' report nothing --plot x.png --lock-prof
	refused '--width|expected --plot with it' report nothing --width 400
	refused '--panel|"p9"|p99' report nothing --plot x.pdf --panel p9
	refused '--lock-prof|no value' report nothing --lock-prof=1
	refused '-d|"hybrid"|expected none, locked, concurrent' run -d hybrid
	refused '--lockstat|rngsim report --help' report nothing --lockstat
	verdict
}

test_case cli__duplicates "the same option, list member or tunable twice"
cli__duplicates_body() {
	for c in run sweep; do
		refused '-r|twice' $c -r 1 -r 2
		refused '-r|twice' $c -r 1 -r 1
		refused '-r|twice' $c -r 1 --readers=2
		refused '-t|twice' $c -t 1 --time 2
		refused '-n|twice' $c -n 1 -n 2
		refused '-o|twice' $c -o a --output b
		refused '--format|twice' $c --format csv --format json
		refused '--engine|twice' $c --engine real --engine real
	done
	for c in run cat; do
		refused '-d|twice' $c -d locked -d concurrent
		refused '-l|twice' $c -l mtx --lock pthread
		refused '-c|twice' $c -c aes -c chacha20
		refused '-s|twice' $c -s 1k --size 2k
		refused '--seed|twice' $c --seed 1 --seed=1
		refused '--crypto|twice' $c --crypto native --crypto native
		refused 'kern.random.fortuna.minpoolsize|twice' \
		    $c -S kern.random.fortuna.minpoolsize=64 \
		    --set=kern.random.fortuna.minpoolsize=128
	done
	refused '-r|"1"|twice' sweep -r 1,1
	refused '-r|"2"|twice' sweep -r 1-3,2
	refused '-r|"2-4"|twice' sweep -r 3,2-4
	refused '-s|"1024"|twice' sweep -s 1k,1024
	refused '-d|"locked"|twice' sweep -d locked,concurrent,locked
	refused '-c|"aes"|twice' sweep -c aes,aes
	refused '-l|"mtx"|twice' sweep -l mtx,mtx
	refused '--format|twice' report x --format csv --format=csv
	refused '--plot|twice' report x --plot a.png --plot=a.png
	verdict
}

test_case cli__abbreviations "long options and names only in full"
cli__abbreviations_body() {
	for c in run sweep; do
		refused '--read|--help' $c --read 1
		refused '--reader|--help' $c --reader=1
		refused '--t|--help' $c --t 1
		refused '--form|--help' $c --form csv
		refused '--hel|--help' $c --hel
	done
	refused '--byte|--help' cat --byte 1
	refused '--forma|--help' report x --forma csv
	refused '--plo|--help' report x --plo=x.png
	bad run -d 'expected none, locked' lock conc
	refused '-d|"my.c"|or kernel:PATH' assure -d my.c
	bad run --format 'expected table' tab
	refused '"sw"' sw
	verdict
}

test_case cli__message_is_one_printable_line "control characters in an" \
    "argument do not reach the terminal"
cli__message_is_one_printable_line_body() {
	escape=$(printf 'a\033[31mb')
	for v in "$escape" "a${newline}b"; do
		refused '-d|expected none' run -d "$v"
		refused "-r|1..$(readers_max)" run -r "$v"
		refused 'command' "$v"
		refused '-S|expected' run -S "$v"
		refused 'surplus' run "$v"
		case $message in
		*[[:cntrl:]]*) wrong "run $v: a control character in";;
		esac
	done
	verdict
}

test_case cli__nothing_is_written "bad usage touches no output file, wherever" \
    "it stands"
cli__nothing_is_written_body() {
	echo earlier >old.json
	refused '-r|"0"' run -o new.json -r 0
	refused '-r|"0"' run -r 0 -o new.json
	refused '-t|"nan"' sweep -o old.json -t nan
	refused 'surplus|"x"' sweep -o old.json x
	refused cells sweep -o old.json -r 1-$(readers_max) -s "$(sizes)"
	verdict
	[ "$(cat old.json)" = earlier ] || atf_fail "old.json was touched"
	[ "$(echo *.json*)" = old.json ] || atf_fail "left: $(echo *.json*)"
}

# members FILE: "LOCK(mtx_spin)" gives mtx-spin.
members() {
	sed -n 's/^[A-Z_]*(\([a-z0-9_]*\).*/\1/p' "$(source_folder)/$1" | tr _ -
}

test_case cli__help_and_version "help exits 0 and has every member of every" \
    "family"
cli__help_and_version_body() {
	for o in --help -h help; do
		saves help.txt $o
		members bench/options/command.tbl >members.txt
		[ "$(wc -l <members.txt)" -ge 6 ] || atf_fail "no commands"
		while read -r m; do
			grep -Eq "^ +$m +[a-z]" help.txt ||
			    atf_fail "rngsim $o lacks $m"
		done <members.txt
	done
	shows '^rngsim [^ ]+$' --version
	saves list.txt list
	for t in lib/lock/lock.tbl fortuna/device/design.tbl harvest/source.tbl; do
		members $t >members.txt
		[ "$(wc -l <members.txt)" -ge 3 ] || atf_fail "$t is empty"
		while read -r m; do
			grep -Eq "^ +$m +[^ ]" list.txt ||
			    atf_fail "rngsim list lacks $m of $t"
		done <members.txt
	done
	for c in run sweep cat; do
		saves help.txt $c --help
		for t in lib/lock/lock.tbl:lock fortuna/device/design.tbl:design; do
			sed -n "/^  ${t#*:} /,/^  [a-z]/p" help.txt |
			    tr ', ' '\n\n' >words.txt
			for m in $(members ${t%:*}); do
				grep -qx -e "$m" words.txt ||
				    atf_fail "$c --help lacks ${t#*:} $m"
			done
		done
		tr -s ' \n' ' ' <help.txt >line.txt
		atf_check -o match:'aes or chacha20' -o match:'native or source' \
		    cat line.txt
	done
	# Help wins over what else stands there, as far as it was read.
	shows '^Usage: rngsim run' run -r 1 -h
	for c in report list kat; do
		shows "^Usage: rngsim $c" $c --help
		shows "^Usage: rngsim $c" $c -h
	done
}
