# README's own commands.

srcdir()
{
	atf_config_get source "$(atf_get_srcdir)/../.."
}

# The indented lines of README that begin with a word.
lines()
{
	sed -n "s|^    \($1 .*\)|\1|p" "$(srcdir)/README.md"
}

atf_test_case readme__commands
readme__commands_head()
{
	atf_set descr "Each rngsim command that README shows works as written"
}
readme__commands_body()
{
	mkdir build
	ln -s "$(cd "$(atf_get_srcdir)/.." && pwd)/rngsim" build/rngsim
	ln -s "$(cd "$(srcdir)" && pwd)/tests" tests
	lines build/rngsim >commands
	[ "$(wc -l <commands)" -ge 5 ] || atf_fail "README shows no commands"
	while read -r line; do
		echo "$line"
		sh -c "$line" </dev/null >out 2>err ||
			atf_fail "$line: exit $?: $(cat err)"
		[ -s out ] || [ -n "${line##*-o *}" ] ||
			atf_fail "$line printed nothing"
	done <commands
}

atf_test_case readme__transcripts
readme__transcripts_head()
{
	atf_set descr "What README and rngsim.1 show of reproductions is what \
they print"
}
readme__transcripts_body()
{
	for name in fbsd-2019 kleen-2015; do
		"$(atf_get_srcdir)/../rngsim" reproduce $name >printed ||
		    atf_fail "$name"
		sed -n "/^$name: /,/^\`\`\`/p" "$(srcdir)/README.md" |
		    sed '$d' >readme
		sed -n "/^$name: /,/^\\\\&/p" "$(srcdir)/man/rngsim.1" |
		    sed '$d' >man
		for page in readme man; do
			lines=$(wc -l <$page)
			[ $page = man ] || [ "$lines" -ge 10 ] ||
			    atf_fail "$name: $page shows $lines lines"
			head -n "$lines" printed >expected
			atf_check cmp $page expected
		done
	done
}

atf_test_case readme__targets
readme__targets_head()
{
	atf_set descr "Each make target that README names exists"
	atf_set require.progs make
}
readme__targets_body()
{
	grep -o '`make [a-z-]*' "$(srcdir)/README.md" | sed 's/`make //' |
	    sort -u >targets
	lines make | sed 's/^make //' >>targets
	[ "$(wc -l <targets)" -ge 4 ] || atf_fail "README names no targets"
	while read -r target; do
		[ -n "$target" ] || continue
		grep -q "^$target:" "$(srcdir)/Makefile" ||
			atf_fail "there is no target $target"
	done <targets
}

atf_init_test_cases()
{
	atf_add_test_case readme__commands
	atf_add_test_case readme__transcripts
	atf_add_test_case readme__targets
}
