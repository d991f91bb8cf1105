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

test_case reproduce__kleen_2015 "Kleen's ratios within, with one pool and" \
    "with one for each node; and with locks alone"
reproduce__kleen_2015_body() {
	document kleen-2015
	[ "$(grep -c '"role": "fitted"' out.json)" = 2 ] || atf_fail "fitted"
	[ "$(grep -c '"role": "input"' out.json)" = 2 ] || atf_fail "input"
	[ "$(grep -c '"role": "predicted"' out.json)" = 5 ] ||
	    atf_fail "predicted"
	grep -q '^  "key": "line.service"' out.json || atf_fail "fitted"
	atf_check -o match:'does not validate' \
	    -o match:' 99\.[0-9] % CPU  yes$' \
	    -o match:'4 nodes, nothing in common: "3": 4\.00 by locks' \
	    -o match:'left of 4 nodes: "3": [0-9.]* writes a draw' \
	    "$(program)" reproduce kleen-2015
}

test_case reproduce__repeats "the same seed gives the same document, another" \
    "one another"
reproduce__repeats_body() {
	saves one reproduce kleen-2015 --format json --seed 5
	atf_check -o file:one "$(program)" reproduce kleen-2015 \
	    --format json --seed 5
	saves two reproduce kleen-2015 --format json --seed 77
	! cmp -s one two || atf_fail "seeds do not matter"
}

test_case reproduce__another_machine "a machine that does not do so: exit 1," \
    "rows say which"
reproduce__another_machine_body() {
	sed '/^lat.cong = /s/0\.15/3/' "$(profiles)/xeon-e7v3-4s-2015.conf" \
	    >planted.conf
	cmp -s planted.conf "$(profiles)/xeon-e7v3-4s-2015.conf" &&
	    atf_fail "nothing was planted"
	atf_check -s exit:1 -o match:'^one pool: 2 nodes .* NO$' \
	    -e match:'^rngsim: reproduce: kleen-2015: [1-9] of 9 figures lie? ' \
	    "$(program)" reproduce kleen-2015 --profile ./planted.conf
	atf_check -s exit:1 -o match:'"holds": false' -e ignore "$(program)" \
	    reproduce kleen-2015 --profile planted.conf --format json
	# One that has no second node.
	fails 1 'graviton3.*node' reproduce kleen-2015 --profile graviton3
}

test_case reproduce__ends_on_a_signal "exit 1, one word of it"
reproduce__ends_on_a_signal_body() {
	for name in kleen-2015 fbsd-2019; do
		ticks=10 interrupted 1 out $name
		[ "$(cat err)" = "rngsim: reproduce: interrupted" ] ||
		    atf_fail "$(cat err)"
		[ ! -s out ] || atf_fail "$(cat out)"
	done
}

test_case reproduce__usage "alone it lists; messages name what is accepted"
reproduce__usage_body() {
	atf_check -o match:'^  fbsd-2019 +[A-Z]' -o match:'^  kleen-2015 +[a-z]' \
	    "$(program)" reproduce
	atf_check -o match:'--seed' -o match:'kleen-2015' "$(program)" \
	    reproduce --help
	for bad in 'frob:"frob": expected fbsd-2019 or kleen-2015' \
	    'fbsd-2019 x:surplus operand "x"' \
	    '--seed 3:expected what to reproduce' \
	    'fbsd-2019 --format xml:"xml": expected table or json' \
	    'fbsd-2019 --seed -1:--seed: "-1": expected a number' \
	    'fbsd-2019 --seed 9223372036854775807:expected a number' \
	    'fbsd-2019 --profile nowhere:"nowhere"' \
	    'fbsd-2019 --frob:unknown option --frob'; do
		fails 2 "^rngsim: reproduce: .*${bad#*:}" reproduce ${bad%%:*}
	done
}
