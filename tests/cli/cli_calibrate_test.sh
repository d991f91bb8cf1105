# rngsim calibrate: what it writes, what it refuses, how it ends.

command=calibrate

# As short as it gets, on a machine as busy as it is.
brief="--force -t 0.3"

# Loaded as any profile is, all its values are there.
loads() {
	"$(program)" list profiles "$1" >listed.txt 2>&1 ||
	    atf_fail "$1 does not load: $(cat listed.txt)"
	for key in lat.hit op.lock_pair os.wake_cross.p99 aes.kernel.byte \
	    chacha20.native.setup sha256.final jitter.cv; do
		grep -q "$key" listed.txt || atf_fail "no $key in $1"
	done
}

test_case calibrate__writes_a_profile "a profile that loads, and a table of" \
    "80 columns with every value"
calibrate__writes_a_profile_body() {
	"$(program)" calibrate $brief -o ./mine.conf >out 2>err ||
	    atf_fail "exit $?: $(cat err)"
	grep -q "the profile is ./mine.conf" err || atf_fail "$(cat err)"
	loads ./mine.conf
	[ "$(ls -a | grep -c 'mine.conf')" = 1 ] || atf_fail "left-overs"
	awk 'length > 80' out >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
	sed -n 's/^\([a-z0-9]*\.[a-z0-9_.]*\) .*/\1/p' out | sort >keys
	[ "$(wc -l <keys)" -ge 30 ] || atf_fail "too few values"
	[ "$(sort -u keys | wc -l)" = "$(wc -l <keys)" ] ||
	    atf_fail "a value is there twice"
	grep -q '^Meanwhile: ' out || atf_fail "no conditions"
	grep '^os\.wake_[a-z]*\.p99' out >tails
	[ "$(wc -l <tails)" = 2 ] || atf_fail "no tails: $(cat out)"
	grep -q '\.\.' tails && atf_fail "not the range of it: $(cat tails)"
	"$(program)" calibrate --help | grep -q '^  -t, --time' ||
	    atf_fail "no -t in the help"
}

test_case calibrate__writes_the_host_profile "without -o the profile goes" \
    "where --profile host looks, folders made"
calibrate__writes_the_host_profile_body() {
	unset RNGSIM_HOST_PROFILE
	XDG_CONFIG_HOME=$PWD/new/folders "$(program)" calibrate $brief \
	    >out 2>err || atf_fail "exit $?: $(cat err)"
	[ -f new/folders/rngsim/host.conf ] || atf_fail "$(cat err)"
	loads ./new/folders/rngsim/host.conf
	RNGSIM_HOST_PROFILE=$PWD/given.conf "$(program)" calibrate $brief \
	    >out 2>err || atf_fail "exit $?: $(cat err)"
	[ -f given.conf ] || atf_fail "no given.conf"
}

test_case calibrate__refuses_before_measuring "wrong arguments, and files" \
    "that cannot be written, cost no time"
calibrate__refuses_before_measuring_body() {
	start=$(date +%s)
	refused 2 'unknown option|--fast' --fast
	refused 2 'surplus operand|"here"' here
	refused 2 '-o|file name' -o ''
	refused 2 '-t|"0"|seconds' -t 0
	refused 2 '-t|"soon"|seconds' -t soon
	refused 2 '--force is given twice' --force --force
	refused 1 './none/x.conf|No such file' --force -t 600 -o ./none/x.conf
	refused 1 'Is a directory' --force -t 600 -o .
	: >file
	unset RNGSIM_HOST_PROFILE
	(XDG_CONFIG_HOME=$PWD/file refused 1 'file/rngsim' --force -t 600) ||
	    exit 1
	unset XDG_CONFIG_HOME
	(unset HOME; refused 1 'HOME|-o' --force -t 600) || exit 1
	[ $(($(date +%s) - start)) -lt 60 ] || atf_fail "it measured first"
}

test_case calibrate__ends_on_a_signal "exit 1, the old file as it was," \
    "nothing beside it"
calibrate__ends_on_a_signal_body() {
	echo old >x.conf
	interrupted 2 x.conf --force -t 600 -o x.conf
	[ "$(cat x.conf)" = old ] || atf_fail "x.conf is another"
	[ "$(ls | grep -c 'x.conf')" = 1 ] || atf_fail "left-overs: $(ls)"
	[ ! -s out ] || atf_fail "wrote to stdout"
}

test_case calibrate__says_that_a_disk_is_full "a full disk under stdout or" \
    "the profile is an error"
calibrate__says_that_a_disk_is_full_body() {
	[ -w /dev/full ] || atf_skip "no /dev/full"
	refused 1 '/dev/full|No space' $brief -o /dev/full
	"$(program)" calibrate $brief -o y.conf >/dev/full 2>err &&
	    atf_fail "stdout was full"
	grep -q "stdout" err || atf_fail "$(cat err)"
}
