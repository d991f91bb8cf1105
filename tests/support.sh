# What shell tests share; the Makefile puts it before each of them.

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
