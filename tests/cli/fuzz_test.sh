# Every fuzz target over its corpus, and over mutants of it that are the same
# each time.  A target is found by its file, tests/fuzz/fuzz_NAME.c.

targets() { ls "$(atf_get_srcdir)/../fuzz" | grep -v '[.]'; }

corpus() { echo "$(source_folder)/tests/fuzz/corpus"; }

# Seconds for all targets together.
mutants=5000

replay() {
	target=$(atf_get_srcdir)/../fuzz/$1
	inputs=$(ls "$(corpus)/$1" | wc -l | tr -d ' ')
	[ "$inputs" -ge 3 ] || atf_fail "$inputs inputs in corpus/$1"
	atf_check -o inline:"$inputs inputs, $mutants mutants\n" \
	    "$target" -n $mutants "$(corpus)/$1"
}

test_case corpus__small "the corpus is small, and each of its folders belongs" \
    "to a target"
corpus__small_body() {
	targets >targets
	atf_check -o file:targets ls "$(corpus)"
	bytes=$(cat "$(corpus)"/*/* | wc -c)
	[ "$bytes" -lt 300000 ] || atf_fail "$bytes bytes"
}

test_case run__names_targets "what \"make fuzz\" runs gets its corpus, and how" \
    "each target ended is in the table"
run__names_targets_body() {
	mkdir -p build/fuzz
	cat >build/fuzz/kat <<-'END'
	#! /bin/sh
	for last; do :; done
	[ "$last" = tests/fuzz/corpus/kat ] && echo Done 7 runs in 3 seconds
	END
	printf '#! /bin/sh\nexit 77\n' >build/fuzz/workload
	chmod +x build/fuzz/*
	atf_check -s exit:1 -o match:'^kat  *3 .*passed$' \
	    -o match:'^workload .*crashed: see build/found/workload.log$' \
	    sh "$(source_folder)/tests/fuzz/run.sh" build 3 build/fuzz/kat \
	    build/fuzz/workload
}

needs=cc
test_case crash__names_the_input "a target that crashes names the input"
crash__names_the_input_body() {
	cat >crashes.c <<-'END'
	#include <stdint.h>
	#include <stdlib.h>
	int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);
	int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
	{
		if (n > 0 && d[0] == 'W')
			abort();
		return (0);
	}
	END
	src=$(source_folder)
	atf_check cc -D_GNU_SOURCE -o crashes crashes.c "$src/tests/fuzz/standalone.c"
	mkdir in
	echo a >in/a
	atf_check -o inline:'1 inputs, 500 mutants\n' ./crashes -n 500 in
	echo W >in/b
	atf_check -s signal:abrt -e match:'^in/b: crashed$' ./crashes in
	echo xW >in/b
	atf_check -s signal:abrt -e save:err ./crashes -n 5000 in
	number=$(sed -n 's/^-m \([0-9]*\) (of .*/\1/p' err)
	atf_check -s signal:abrt -e file:err ./crashes -m "$number" in
}

atf_init_test_cases() {
	for t in $(targets); do
		test_case $t "fuzz target $t survives"
		eval "${t}_body() { replay $t; }"
	done
	add_test_cases
}
