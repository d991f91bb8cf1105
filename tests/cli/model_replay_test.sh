# Logs of runs against the rules of the models in tests/spin.

spin_dir() { echo "$(source_folder)/tests/spin"; }


# broken RULE LINE SED [OPTION...]: the good log, changed and numbered again, is
# refused at that line for that rule.
broken() {
	rule=$1 line=$2 change=$3
	shift 3
	sed "$change" "$(spin_dir)/concurrent.log" |
	    awk 'NR > 1 { $1 = NR - 1 } { print }' >broken.log
	! cmp -s broken.log "$(spin_dir)/concurrent.log" ||
	    atf_fail "$rule: $change changes nothing"
	atf_check -s exit:1 -e inline:"broken.log: line $line: $rule\n" \
	    python3 -B "$(spin_dir)/replay.py" "$@" broken.log
}

needs='spin python3'
test_case replay__good "a log that keeps the rules is accepted, with and" \
    "without its design's steps, whole and cut"
replay__good_body() {
	log=$(spin_dir)/concurrent.log
	atf_check -o match:"log: 45 operations accepted" \
	    python3 -B "$(spin_dir)/replay.py" -d concurrent "$log"
	atf_check -o match:"log: 45 operations accepted" \
	    python3 -B "$(spin_dir)/replay.py" "$log"
	atf_check -o match:"log: 20 operations accepted" \
	    python3 -B "$(spin_dir)/replay.py" -d concurrent -n 20 "$log"
}

needs='spin python3'
test_case replay__broken "each rule refuses a log that breaks it, at its line"
replay__broken_body() {
	broken reuse 21 '21s/0x4 0x5/0x5 0x6/'
	broken reuse 22 '22s/0x2 0x3/0x1 0x2/'
	broken kept 23 '23d'
	broken revived 41 '41s/set 5/set 2/'
	broken torn 43 '43s/0x7 0x8/0x6 0x7/'
	broken torn 21 '21s/use 2/use 3/'
	broken torn 44 '44s/wipe 4/wipe 2/'
	broken unseeded 13 '12d'
	broken stale 40 '37,38s/ 2 0$/ 1 0/
	    34{h;d;}
	    39G'
	broken pace 39 '35s/0xbebc5e8/0x5f5e8d0/'
	broken pools 35 '35s/0x2 0xb/0x1 0xb/'
	broken pools 35 '35s/2 0 0$/3 0 0/'
	broken pools 38 '35d'
	broken pools 34 '27d'
	broken wiped 45 '46d'
	broken step 23 '23s/1$/0/'
}

needs='spin python3'
test_case replay__steps "steps that no rule forbids, but the design's model" \
    "does, are refused when asked for"
replay__steps_body() {
	log=$(spin_dir)/concurrent.log
	atf_check -s exit:1 -e match:"log: line 14: step" \
	    python3 -B "$(spin_dir)/replay.py" -d locked "$log"
	# Counters left out, another's, more than reserved, a key not installed.
	broken step 19 '19s/0x6/0x7/' -d concurrent
	broken step 21 '21s/0x4 0x5/0x6 0x7/' -d concurrent
	broken step 20 '20s/ 1 use/ 2 use/' -d concurrent
	broken step 22 '22s/0x2 0x3/0x10 0x11/' -d concurrent
	broken step 39 '38d' -d concurrent
}

needs='spin python3'
test_case replay__no_log "what is no log, and wrong options, are refused"
replay__no_log_body() {
	echo "# something/1" >other
	atf_check -s exit:1 -e match:'line 1: not "# rngsim-ledger/1"' \
	    python3 -B "$(spin_dir)/replay.py" other
	head -c 200 "$(spin_dir)/concurrent.log" >torn
	atf_check -s exit:1 -e match:"line 8: no record" \
	    python3 -B "$(spin_dir)/replay.py" torn
	sed 9d "$(spin_dir)/concurrent.log" >gap
	atf_check -s exit:1 -e match:"line 9: number 9, not 8" \
	    python3 -B "$(spin_dir)/replay.py" gap
	atf_check -s exit:1 -e match:"No such file" \
	    python3 -B "$(spin_dir)/replay.py" missing
	for wrong in "-d none x" "-D SPEED=1 x" "-n x x" "" "x y"; do
		atf_check -s exit:2 -e match:"^replay.py: " \
		    python3 -B "$(spin_dir)/replay.py" $wrong
	done
}

needs='spin python3' limit=600
test_case replay__runs "what both designs did on both engines, thousands of" \
    "operations, is what their models may do"
replay__runs_body() {
	simulated="--engine virtual --profile epyc-9654-2s --cpus 3 -t 0.02
	    -S rngsim.warmup_ms=0"
	measured="--engine real -t 0.05 -S rngsim.seed_timeout_ms=60000"
	for design in locked concurrent; do
		for cipher in aes chacha20; do
			for engine in "$simulated" "$measured"; do
				atf_check -o ignore -e ignore "$(program)" run \
				    -d $design -c $cipher -r 3 -s 4100 --seed 1 \
				    $engine --ledger-log run.log
				# How much is measured is up to the machine.
				[ "$engine" = "$measured" ] ||
				    [ "$(wc -l <run.log)" -ge 2000 ] ||
				    atf_fail "$design $cipher: a short log"
				atf_check -o match:accepted python3 -B \
				    "$(spin_dir)/replay.py" -d $design \
				    -n 5000 run.log
			done
		done
	done
}
