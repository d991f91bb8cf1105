# Every fuzz target over its corpus, and over mutants of it that are the same
# each time.  A target is found by its file, tests/fuzz/fuzz_NAME.c.

corpus() { echo "$(atf_config_get source "$(atf_get_srcdir)/../..")/tests/fuzz/corpus"; }

# Seconds for all targets together.
mutants=5000

replay() {
	target=$(atf_get_srcdir)/../fuzz/$1
	inputs=$(ls "$(corpus)/$1" | wc -l | tr -d ' ')
	[ "$inputs" -ge 3 ] || atf_fail "$inputs inputs in corpus/$1"
	atf_check -o inline:"$inputs inputs, $mutants mutants\n" \
	    "$target" -n $mutants "$(corpus)/$1"
}

atf_test_case corpus__small
corpus__small_head() {
	atf_set descr "what is stored to be tried again is small, and each" \
	    "folder of it belongs to a target"
}
corpus__small_body() {
	atf_check -o save:targets ls "$(atf_get_srcdir)/../fuzz"
	atf_check -o file:targets ls "$(corpus)"
	bytes=$(cat "$(corpus)"/*/* | wc -c)
	[ "$bytes" -lt 300000 ] || atf_fail "$bytes bytes"
}

atf_test_case death__is_told
death__is_told_head() {
	atf_set descr "a target that dies says of which input"
	atf_set require.progs "cc"
}
death__is_told_body() {
	cat >dies.c <<-'END'
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
	src=$(atf_config_get source "$(atf_get_srcdir)/../..")
	atf_check cc -D_GNU_SOURCE -o dies dies.c \
	    "$src/tests/fuzz/standalone.c"
	mkdir in
	echo a >in/a
	atf_check -o inline:'1 inputs, 500 mutants\n' ./dies -n 500 in
	echo W >in/b
	atf_check -s signal:abrt -e match:'^in/b: died$' ./dies in
	echo xW >in/b
	atf_check -s signal:abrt -e save:err ./dies -n 5000 in
	number=$(sed -n 's/^-m \([0-9]*\) (of .*/\1/p' err)
	atf_check -s signal:abrt -e file:err ./dies -m "$number" in
}

atf_init_test_cases() {
	for t in $(ls "$(atf_get_srcdir)/../fuzz"); do
		atf_test_case $t
		eval "${t}_head() {
			atf_set descr 'fuzz target $t survives'
		}
		${t}_body() { replay $t; }"
		atf_add_test_case $t
	done
	atf_add_test_case corpus__small
	atf_add_test_case death__is_told
}
