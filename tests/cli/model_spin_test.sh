# The models of tests/spin: small ones whole, and that faults in them are found.

spin_dir() { echo "$(source_folder)/tests/spin"; }

# Runs those of these kinds; "make model" runs larger ones too.
models() {
	python3 -B "$(spin_dir)/model.py" . "$@" >out 2>err ||
	    said "$* are not as runs.tbl says"
}

said() {
	cat out err >&2
	atf_fail "$1"
}

needs='spin python3' limit=900
test_case model__holds "two readers keep every rule in every order, in both" \
    "modes; so do producers and the harvest thread; a ticket lock serves" \
    "all threads and a test-and-set lock does not"
model__holds_body() {
	models run
	[ "$(grep -c '^run .* complete holds holds$' model.txt)" -ge 12 ] ||
	    said "too few hold"
	for word in locked- concurrent- harvest- served-; do
		grep -q "^run $word" model.txt || atf_fail "no run of $word"
	done
}

needs='spin python3' limit=900
test_case model__mutants "a fault in a model breaks the rule that is named for" \
    "it: one for each model and rule, as \"make model\" tries all"
model__mutants_body() {
	models $(awk '$1 == "mutant" && !seen[$3, $4]++ { print $2 }' \
	    "$(spin_dir)/runs.tbl")
	for model in fortuna harvest; do
		grep -q "^mutant [^ ]* $model .* holds holds$" model.txt ||
		    atf_fail "$model: no change that is no fault"
	done
	# Every rule that a model asserts has a fault that breaks it.
	for word in exclusion reuse kept torn unseeded stale pace pools events \
	    end draining overwritten order conserved; do
		grep -q "^mutant .* $word $word$" model.txt ||
		    atf_fail "no fault breaks $word"
	done
	grep -q "^mutants \([0-9]*\) \1 " model.txt || said "some live"
}

needs='spin python3'
test_case model__survivor "a fault that nothing catches, one that another" \
    "rule catches and one that cannot be made fail the run, by name"
model__survivor_body() {
	{
		printf 'mutant\tharmless\tharvest\torder\n'
		printf '\tharvest.pml producer: given++; => given++; skip;\n'
		printf 'mutant\tnowhere\tharvest\torder\n'
		printf '\tharvest.pml producer: no such text => skip\n'
		printf 'mutant\tdeadly\tharvest\tholds\n'
		printf '\tharvest.pml producer: hq_dropped++ => skip\n'
	} >table
	atf_check -s exit:1 -o ignore -e save:err env MODEL_TABLE=table \
	    python3 -B "$(spin_dir)/model.py" . mutant
	atf_check -o ignore grep "harmless: holds, not order" err
	atf_check -o ignore grep "nowhere: broken, not order: .*there once" err
	atf_check -o ignore grep "deadly: conserved, not holds" err
	atf_check grep -q "^mutants 0 2 1$" model.txt
}

needs=python3
test_case model__usage "a word that is no kind and no run is refused"
model__usage_body() {
	atf_check -s exit:2 -e match:"nonsense: accepted: run, big" \
	    python3 -B "$(spin_dir)/model.py" . nonsense
	atf_check -s exit:2 -e match:usage python3 -B "$(spin_dir)/model.py" .
}
