# What is said of this machine, and how little is said with --quiet.

test_case doctor__says "doctor lists what there is, and its status agrees with" \
    "its last line"
doctor__says_body() {
	"$(program)" doctor >out 2>err
	status=$?
	awk 'length > 80' out >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
	for word in CPUs SMT frequency kernel machine steal quota others \
	    libcrypto; do
		grep -q "^[! ] $word " out || atf_fail "no $word in $(cat out)"
	done
	case $status in
	0)	grep -qx 'Fit to measure.' out || atf_fail "$(cat out)";;
	3)	grep -q '^Not fit to measure: ' out || atf_fail "$(cat out)";;
	*)	atf_fail "exit $status: $(cat err)";;
	esac
	complains 2 'surplus operand' doctor now
}

# A result whose cells of one reader, or with an argument all, failed a gate.
gated() {
	"$(program)" sweep --engine virtual --profile graviton3 -c aes -r 1,4 \
	    -s 4k -n 5 -t 0.02 --seed 1 -o sound.json >/dev/null ||
	    atf_fail sweep
	python3 - "$@" <<-'END' || atf_fail python
		import json, sys
		r = json.load(open("sound.json"))
		for c in r["cells"]:
		    if c["readers"] == 1 or len(sys.argv) > 1:
		        c["gate"] = "the clock went backwards"
		json.dump(r, open("gated.json", "w"))
	END
}

needs=python3
test_case doctor__unfit "a comparison that the machine spoilt exits 3, one that" \
    "fails exits 1"
doctor__unfit_body() {
	gated all
	atf_check -s exit:3 -o ignore -e match:'every row was refused' \
	    "$(program)" compare gated.json --by design
	atf_check -s exit:3 -o ignore -e match:'every row was refused' \
	    "$(program)" compare gated.json --by design \
	    --fail-if 'total_mb_per_s < -5%'
	gated
	atf_check -s exit:3 -o ignore -e match:'1 row refused' \
	    "$(program)" compare gated.json --by design \
	    --fail-if 'total_mb_per_s < -5%'
	atf_check -s exit:1 -o ignore -e match:'total MB/s' \
	    "$(program)" compare gated.json --by design \
	    --fail-if 'total_mb_per_s > 5%'
	atf_check -s exit:0 -o ignore -e ignore \
	    "$(program)" compare gated.json --by design \
	    --fail-if 'total_mb_per_s < -5%' --refused-ok
}

needs=python3
test_case doctor__colours "better and worse have colours on a terminal only," \
    "and not with NO_COLOR"
doctor__colours_body() {
	gated
	for no in "" 1; do
		NO_COLOR=$no TERM=xterm python3 -c 'import pty, sys
pty.spawn(sys.argv[1:])' "$(program)" compare sound.json --by design \
		    </dev/null >seen$no || atf_fail "$(cat seen$no)"
	done
	grep -q better seen1 || atf_fail "$(cat seen1)"
	esc=$(printf '\033')
	grep -q "$esc\[36m.*better" seen || grep -q "$esc\[36m" seen ||
	    atf_fail "no colour: $(cat seen)"
	! grep -q "$esc" seen1 || atf_fail "colour: $(cat seen1)"
	"$(program)" compare sound.json --by design >plain || atf_fail compare
	! grep -q "$esc" plain || atf_fail "colour in a file"
}

test_case doctor__quiet "--quiet prints nothing but errors"
doctor__quiet_body() {
	set -- --engine virtual --profile graviton3 -r 1 -c aes -t 0.01 --quiet
	atf_check "$(program)" run "$@" -o r.json
	shows MB/s run "$@"
	shows aes report r.json
}
