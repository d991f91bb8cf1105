# Kernel sources as designs: the variants of tests/kernel, and a real tree.

# Compiled into the build's folder, once for all cases.
prepare() {
	XDG_CACHE_HOME=$(cd "$(atf_get_srcdir)/.." && pwd)/kernel-cache
	export XDG_CACHE_HOME
	folder=$(source_folder)/tests
}

# kernel NAME: a variant as -d takes it.
kernel() { echo "kernel:$folder/kernel/$1.c"; }

# answers DESIGN SCRIPT...: all known answers hold.
answers() {
	design=$1
	shift
	for script; do
		"$(program)" kat -d "$design" "$script" >out 2>&1
		cmp -s out "${script%.script}.expected" ||
		    atf_fail "$design, $script: $(diff out \
		    "${script%.script}.expected" | head -n 4)"
	done
}

test_case kernel_source__answers "the good variants give FreeBSD's bytes;" \
    "keys of CPUs change only what is read through them"
kernel_source__answers_body() {
	prepare
	for name in fortuna spin split assign; do
		answers "$(kernel $name)" "$folder"/vectors/*.script
	done
	answers "$(kernel percpu)" "$folder"/vectors/*-locked-*.script
}

test_case kernel_source__clean "the good variants are explored, and none" \
    "fails; on this machine the ledger finds nothing"
kernel_source__clean_body() {
	prepare
	for name in fortuna spin split assign percpu; do
		atf_check -o match:"kernel:$name .* 3000 " "$(program)" \
		    explore -d "$(kernel $name)" -c all --schedules 3000 \
		    --seed 1 -j 1
		runs run -d "$(kernel $name)" -r 2 -s 4k -t 0.2 --ledger
		runs run -d "$(kernel $name)" --engine virtual \
		    --profile epyc-9654-2s -r 8 -s 32 -t 0.02 --ledger
	done
}

# found NAME WORDS ARGUMENT...: rngsim ARGUMENT... -d NAME fails; each of WORDS,
# separated by |, is in what it prints.
found() {
	name=$1 words=$2
	shift 2
	"$(program)" "$@" -d "$(kernel $name)" >out 2>&1
	status=$?
	[ $status = 1 ] || atf_fail "$name, $*: exit $status: $(cat out)"
	old=$IFS
	IFS='|'
	for word in $words; do
		grep -q -- "$word" out ||
		    atf_fail "$name, $*: no \"$word\" in $(cat out)"
	done
	IFS=$old
}

test_case kernel_source__broken "each broken variant fails for its own reason"
kernel_source__broken_body() {
	prepare
	explore='explore --schedules 20000 --seed 1 -j 1'
	run='run -r 1 -s 64 -t 0.05 --seed 1'
	found rekey_late '^FAILED' $explore
	found key_left '^FAILED' $explore
	found step_outside '^FAILED' $explore -c aes
	found percpu_unkeyed '^FAILED' $explore
	found percpu_early '^FAILED' $explore
	found lock_cycle 'reseed mutex|pools mutex' $explore
	found lock_cycle 'reseed mutex|pools mutex' $run
	found assertion 'fortuna.c:[0-9]*|read 3' $explore
	found assertion 'fortuna.c:[0-9]*|read 3' $run
	found recursion 'fortuna.c:[0-9]*|recurs' $explore
	found recursion 'fortuna.c:[0-9]*|recurs' $run
	found tail_unwritten '^FAILED' $explore
	found never_seeded 'seeded' $run
	found unlinked 'random_account' $run
	found uncompiled 'uncompiled.c:6|smr_t' $run
}

test_case kernel_source__tree "a kernel's own file gives FreeBSD's bytes, is" \
    "explored and measured"
kernel_source__tree_body() {
	prepare
	[ -n "$RNGSIM_KERNEL_SRC" ] ||
	    atf_skip "RNGSIM_KERNEL_SRC names no kernel source tree"
	design=kernel:$RNGSIM_KERNEL_SRC
	answers "$design" "$folder"/vectors/*.script
	runs explore -d "$design" -c all --schedules 3000 --seed 1 -j 1
	runs sweep -d "concurrent,$design" -r 1-2 -s 4k -t 0.1 -n 2 \
	    -o result.json
	runs sweep --engine virtual --profile epyc-9654-2s \
	    -d "concurrent,$design" -r 1,16 -s 32 -t 0.02 -n 2
}
