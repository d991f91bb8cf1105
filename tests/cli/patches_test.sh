# Patches of random(4) as kernel developers write them, tests/patches: "make
# patches" looks at all, with more schedules.

# Judged here: a few of them, which need schedules alone.
chosen="forget forget-pointer pair reseed-part split split-reversal try
    queue-early halves interrupted masked deregister full-moved ring-critical
    bufring-two copy-event write-left stack-left"

judge() {
	python3 -B "$(source_folder)/tests/patches/patches.py" \
	    "$(atf_get_srcdir)/.." "$@"
}

needs="python3 git"
test_case patches__list "each file has patches of both sorts, and each applies"
patches__list_body() {
	judge list >out || atf_fail "$(cat out)"
	for file in "$(source_folder)"/tests/patches/*.mbox; do
		family=${file##*/}
		for sort in holds broken; do
			grep -q "^${family%.mbox} *[^ ]* *$sort " out ||
			    atf_fail "no patch of $family $sort: $(cat out)"
		done
	done
	judge apply >out 2>&1 || atf_fail "$(cat out)"
}

needs="python3 git"
test_case patches__judged "correct patches hold, and what is said of broken" \
    "ones names the fault"
patches__judged_body() {
	judge quick 2 $chosen >out 2>&1 || atf_fail "$(cat out)"
}
