# What is measured on the real machine refers to nothing of the simulated one.

# defined OBJECT: the names that it defines, for grep -E.
defined()
{
	nm "$(atf_get_srcdir)/../obj/all/lib/machine/$1.o" |
	    sed -n 's/.* [TDB] //p' | paste -sd '|' -
}

# Prints symbols of the simulated machine that the real flavours' objects need
# or define.
mentions()
{
	nm "$@" 2>/dev/null |
	    grep -E " (vm_|fiber_|jump_fcontext)| U ($(defined virtual))\$"
}

# FLAVOUR: its objects in the build directory.
of_flavour()
{
	find "$(atf_get_srcdir)/../obj/$1" -name '*.o' | sort
}

test_case no_symbols "Objects of the real flavours neither call nor hold" \
    "anything of the virtual machine; those of the virtual one do"
no_symbols_body()
{
	command -v nm >/dev/null || atf_skip "no nm here"
	for flavour in real bare; do
		found=$(of_flavour $flavour)
		[ -n "$found" ] || atf_fail "no objects of $flavour"
		[ "$(echo "$found" | wc -l)" -gt 30 ] ||
		    atf_fail "few objects of $flavour"
		[ -z "$(mentions $found)" ] ||
		    atf_fail "$flavour: $(mentions $found | sort -u)"
	done
	[ -n "$(mentions $(of_flavour virtual))" ] ||
	    atf_fail "none where they should be"
}

test_case no_symbols_of_the_real_one "Objects of the virtual flavour use no" \
    "thread, clock or sleep of the host"
no_symbols_of_the_real_one_body()
{
	command -v nm >/dev/null || atf_skip "no nm here"
	found=$(of_flavour virtual)
	[ -n "$found" ] || atf_fail "no objects"
	owned=$(defined real)
	[ -n "$owned" ] || atf_fail "no symbols of the real machine"
	host=" U (pthread_.*|clock_.*|nanosleep|sched_.*|syscall|$owned)\$"
	real=$(nm $(of_flavour real) | grep -cE "$host")
	[ "$real" -gt 0 ] || atf_fail "not even the real one does"
	used=$(nm $found | grep -E "$host" | sort -u)
	[ -z "$used" ] || atf_fail "$used"
}
