# What shell tests share; the Makefile puts it before each of them.

test_cases= needs= limit=

# test_case NAME TEXT...: declares a test case that NAME_body() runs.  Set before
# it, $needs are programs that the case requires, $limit are its seconds.
test_case() {
	case_name=$1
	shift
	test_cases="$test_cases $case_name"
	atf_test_case "$case_name"
	eval "text_$case_name=\$* needs_$case_name=\$needs limit_$case_name=\$limit"
	eval "${case_name}_head() { case_head \"\$text_$case_name\" \
	    \"\$needs_$case_name\" \"\$limit_$case_name\"; }"
	needs= limit=
}

case_head() {
	atf_set descr "$1"
	[ -z "$2" ] || atf_set require.progs "$2"
	[ -z "$3" ] || atf_set timeout "$3"
}

add_test_cases() {
	for case_name in $test_cases; do
		atf_add_test_case "$case_name"
	done
}

# A program with cases that it finds itself defines this again.
atf_init_test_cases() { add_test_cases; }

# A failure in a pipeline or substitution, which is a shell of its own, ends the
# case as well.
trap 'exit 1' USR1
atf_fail() {
	_atf_create_resfile "failed: $*"
	kill -USR1 $$
	exit 1
}

program() { echo "$(atf_get_srcdir)/../rngsim"; }

source_folder() { atf_config_get source "$(atf_get_srcdir)/../.."; }

# bound_by_permissions: $as before a command makes it one of a user's, not root's.
bound_by_permissions() {
	as=
	[ "$(id -u)" = 0 ] || return 0
	as='setpriv --bounding-set=-dac_override,-dac_read_search'
	$as true 2>/dev/null || atf_skip "permissions do not bind root"
}

# complains STATUS WORDS ARGUMENT...: rngsim ends so, with a message that has all
# WORDS, separated by |, and nothing else.
complains() {
	want=$1 words=$2
	shift 2
	message=$("$(program)" "$@" 2>&1 >out)
	status=$?
	[ $status = "$want" ] ||
	    atf_fail "$*: exit $status, not $want: $message"
	[ ! -s out ] || atf_fail "$*: wrote to stdout"
	old=$IFS
	IFS='|'
	for word in $words; do
		case $message in
		*"$word"*) ;;
		*) atf_fail "$*: no \"$word\" in $message";;
		esac
	done
	IFS=$old
}

# fails STATUS PATTERN ARGUMENT...: rngsim ends so, nothing on stdout, a message
# that matches.
fails() {
	fails_status=$1 fails_pattern=$2
	shift 2
	atf_check -s exit:"$fails_status" -e match:"$fails_pattern" \
	    "$(program)" "$@"
}

# shows PATTERN ARGUMENT...: rngsim succeeds, its output matches; no message.
shows() {
	shows_pattern=$1
	shift
	atf_check -o match:"$shows_pattern" "$(program)" "$@"
}

# saves FILE ARGUMENT...: it succeeds, its output goes there; no message.
saves() {
	saves_file=$1
	shift
	atf_check -o save:"$saves_file" "$(program)" "$@"
}

# runs ARGUMENT...: it succeeds, without a message.
runs() { atf_check -o ignore "$(program)" "$@"; }

# refused STATUS WORDS ARGUMENT...: rngsim $command complains so.
refused() {
	want=$1 words=$2
	shift 2
	complains "$want" "$words" $command "$@"
}

# ends STATUS ARGUMENT...: rngsim $command ends so, in 80 columns; its output is
# in out and err.
ends() {
	want=$1
	shift
	"$(program)" $command "$@" >out 2>err
	status=$?
	[ $status = "$want" ] ||
	    atf_fail "$command $*: exit $status, not $want: $(cat out err)"
	awk 'length > 80' out >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
}

# interrupted COUNT FILE ARGUMENT...: a SIGTERM ends rngsim $command with status 1
# once COUNT names here contain FILE: signals are caught when its output is open.
# With $ticks set, it must also have used so many clock ticks of a CPU.
interrupted() {
	want=$1 file=$2
	shift 2
	"$(program)" $command "$@" >out 2>err &
	pid=$!
	while [ "$(ls | grep -c "$file")" -lt "$want" ] ||
	    { [ "${ticks:-0}" -gt 0 ] &&
	    [ "$(cut -d ' ' -f 14 /proc/$pid/stat)" -lt "$ticks" ]; }; do
		kill -0 $pid || atf_fail "gone: $(cat err)"
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid
	status=$?
	[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
	grep -q interrupted err || atf_fail "$(cat err)"
}

# json_flat FILE FLAT: a line "cells.0.readers 2" for each value of a JSON
# document, "cells [" for what holds others.
json_flat() {
	command -v python3 >/dev/null || atf_skip "python3 is not installed"
	python3 - "$1" >"$2" <<-'PYTHON' || atf_fail "$1 is no JSON"
		import json, sys
		class number(str): pass
		def walk(path, v):
		    if isinstance(v, (dict, list)):
		        print(".".join(path), "{" if isinstance(v, dict) else "[")
		        for k, w in (v.items() if isinstance(v, dict)
		                     else enumerate(v)):
		            walk(path + [str(k)], w)
		    else:
		        print(".".join(path), v if isinstance(v, number)
		              else json.dumps(v, ensure_ascii=False))
		def refuse(text): sys.exit(text)
		walk([], json.load(open(sys.argv[1]), parse_float=number,
		                   parse_int=number, parse_constant=refuse))
	PYTHON
}

# get FLAT PATH: its value.
get() {
	sed -n "s/^$2 //p" "$1" | grep . || atf_fail "$1 has no $2"
}

# kernel_cache: a cache of this case, which shares the units of rngsim that kernel
# sources are linked with, where these can be kept.
kernel_cache() {
	export XDG_CACHE_HOME="$PWD/cache"
	units=$(cd "$(atf_get_srcdir)/.." && pwd)/kernel-cache/rngsim/kernel/units
	mkdir -p cache/rngsim/kernel "$units" 2>/dev/null
	[ ! -w "$units" ] || ln -s "$units" cache/rngsim/kernel
}

# fips_configuration FILE: OpenSSL's, that demands FIPS without its module.
fips_configuration() {
	cat >"$1" <<-'END'
	openssl_conf = init
	[init]
	alg_section = evp
	providers = all
	[all]
	default = on
	[on]
	activate = 1
	[evp]
	default_properties = fips=yes
	END
}
