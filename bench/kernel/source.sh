# Finds and compiles kernel sources.  bench/kernel/ksource.c runs it.
#
#	source.sh DATA ACTION [SPEC...]
#
#	find SPEC [source]	prints what the source is, as lines "key value"
#	build SPEC [source]	the same, and compiles it into a new folder,
#			"work"; source: with the ciphers of its tree
#	check SPEC	prints which interfaces rngsim lacks for it
#	diff SPEC SPEC	prints git diff --stat between two sources
#	drop FOLDER	removes what was compiled
#	list, clean	prints or removes what the cache holds
#
# DATA has rngsim's headers and glue.  The last line is "error TEXT" with exit
# status 2 for a wrong SPEC and 1 for another failure.
set -u
LC_ALL=C
export LC_ALL
# ccache would make the paths that the compiler read relative.
unset CCACHE_BASEDIR
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
data=$1 action=$2 ciphers=
shift 2
newline='
'
expected="expected a sys directory, the directory above it, a folder of fx_*.c \
files or a .c file"
cached="expected XDG_CACHE_HOME to name a folder that can be written"

# What a sys directory has of the sources; other headers must be rngsim's.
members="dev/random crypto contrib/libb2 sys/random.h"

flags="-std=gnu11 -O2 -g -fPIC -fvisibility=hidden -fno-strict-aliasing \
-ffreestanding -fno-common -Werror=implicit-function-declaration -D_KERNEL \
-DINVARIANTS -nostdinc"
# A sanitizer's build of rngsim has it in the objects that it runs.
real_flags=${RNGSIM_KERNEL_SANITIZER-}
# Calls of hooks for memory accesses, which the glue has.
simulated_flags="-DKERNEL_SIMULATED -fsanitize=thread"
# Functions that are missing are errors; a sanitizer's may be the program's.
real_link="-shared -Wl,-z,now ${real_flags:--Wl,-z,defs}"
simulated_link="-shared -Wl,-z,now -Wl,-z,defs"

fail()
{
	status=$1
	shift
	IFS=' '
	echo "error $*"
	exit "$status"
}

work=
trap '[ -z "$work" ] || rm -rf "$work"' EXIT
trap 'exit 1' HUP INT PIPE TERM

# A folder for files being made; what a killed process left goes first.
begin()
{
	mkdir -p "$cache" 2>/dev/null &&
	    work=$(mktemp -d "$cache/work.XXXXXX" 2>/dev/null) ||
		fail 1 "cannot write the cache $cache: $cached"
	find "$cache" -maxdepth 1 -name 'work.*' -mmin +60 -exec rm -rf {} +
	TMPDIR=$work
	export TMPDIR
}

# keep NAME: work becomes a member of the cache, unless there is one already.
keep()
{
	[ -d "$cache/$1" ] || mv "$work" "$cache/$1" ||
	    fail 1 "cannot write the cache $cache/$1: $cached"
	rm -rf "$cache/$1/${work##*/}" "$work"
	work=
}

# tree PATH: the hash of a folder at the revision.
tree()
{
	git --git-dir="$git" rev-parse -q --verify "$commit:${1:+$1/}"
}

# Takes the source of a revision, where path would have it; sets disk.
take_revision()
{
	command -v git >/dev/null || fail 1 "git is not installed: expected" \
	    "it, or PATH without @REVISION"
	git=$(git -C "$dir" rev-parse --absolute-git-dir 2>&1) ||
	    fail 2 "git finds no repository of $dir: expected one that holds" \
		"the source, or PATH without @REVISION (${git%%"$newline"*})"
	at=$(git -C "$dir" rev-parse --show-prefix)${rest#/}
	at=${at%/}
	case $revision in
	-*) false ;;
	*) commit=$(git --git-dir="$git" rev-parse -q --verify \
	    "$revision^{commit}") ;;
	esac || fail 2 "there is no revision \"$revision\" in the repository" \
	    "of $path: expected a branch, a tag or a commit of it"
	case /$at/ in
	*/sys/dev/random/*) folder=${at%/dev/random*} ;;
	*)
		folder=${at:+$at/}sys
		tree "$folder/dev/random" >/dev/null || folder=$at
		tree "$folder" >/dev/null || folder=${at%"${at##*/}"}
		folder=${folder%/} ;;
	esac
	git --git-dir="$git" cat-file -e "$commit:$at" 2>/dev/null &&
	    hash=$(tree "$folder") || fail 2 "revision $revision has no $path:" \
	    "expected a path that it has"
	[ "${folder##*/}" = sys ] && top=sys || top=source
	disk=$cache/tree.$hash-$top/$top
	[ -d "$disk" ] || extract
	case $folder in
	"$at" | "${at:+$at/}sys") ;;
	*) disk=$disk${at#"$folder"}
	    [ -n "$folder" ] || disk=$cache/tree.$hash-$top/$top/$at ;;
	esac
}

# list_members PATH...: the names in the folder.
list_members()
{
	git --git-dir="$git" ls-tree --full-tree --name-only "$hash" "$@"
}

extract()
{
	begin
	mkdir "$work/$top"
	names=$(list_members -- $members)
	[ -n "$names" ] || names=$(list_members | grep '\.[ch]$') ||
	    fail 2 "$path has no sources at revision $revision: $expected"
	IFS=$newline
	git --git-dir="$git" archive --format=tar "$hash" $names \
	    ':(exclude)crypto/openssl' | tar -xf - -C "$work/$top" ||
	    fail 1 "cannot take $path out of its repository"
	unset IFS
	keep "tree.$hash-$top"
}

# Splits PATH@REVISION: either may have an @, and a path exists, if possible.
split()
{
	path=$1 revision=
	[ -e "$path" ] || case $path in
	*@*)
		left=${path%%@*} rest=${path#*@}
		while [ ! -e "$left" ]; do
			case $rest in
			*@*) left=$left@${rest%%@*} rest=${rest#*@} ;;
			*/*) return ;;
			*) break ;;
			esac
		done
		path=$left revision=$rest ;;
	esac
}

find_source()
{
	case $1 in
	*[\"\\[:cntrl:]]*) fail 2 "it has a quote, a backslash or a control" \
	    "character: expected a name that an #include can have" ;;
	esac
	split "$1"
	[ -n "$path" ] || fail 2 "no path: $expected"
	[ "$path@" != "$1" ] || fail 2 "no revision after the @: expected a" \
	    "branch, a tag or a commit"
	case $path in
	/*) ;;
	*) path=$(pwd)/$path ;;
	esac
	dir=$path
	while [ ! -d "$dir" ]; do
		dir=$(dirname "$dir")
	done
	rest=${path#"${dir%/}"}
	dir=$(cd "$dir" && pwd -P)
	path=${dir%/}${rest%/}
	disk=$path commit= tree=
	[ -z "$revision" ] || take_revision
	if [ -f "$disk" ]; then
		[ "${disk%.c}" != "$disk" ] ||
		    fail 2 "$path is no C file: $expected"
		files=$disk folder=${disk%/*}
	elif [ -f "$disk/dev/random/fortuna.c" ]; then
		tree=$disk files=$disk/dev/random/fortuna.c
	elif [ -f "$disk/sys/dev/random/fortuna.c" ]; then
		tree=$disk/sys files=$disk/sys/dev/random/fortuna.c
	elif [ -d "$disk" ]; then
		files=$(ls "$disk"/fx_*.c 2>/dev/null) || fail 2 "$path has" \
		    "no dev/random/fortuna.c, sys/dev/random/fortuna.c or" \
		    "fx_*.c: $expected"
		folder=$disk
	else
		fail 2 "$path: no such file or directory: $expected"
	fi
	case ${tree:-$folder/} in
	*/sys/dev/random/*) tree=${folder%/dev/random*} ;;
	esac
	folder=${tree:-$folder}
	for file in ${ciphers:+dev/random/hash.c crypto/chacha20/chacha.c \
	    crypto/rijndael/rijndael-api-fst.c crypto/sha2/sha256c.c}; do
		[ -f "$tree/$file" ] || fail 2 "--crypto source: $path has no" \
		    "sys directory with $file: expected one, or --crypto kernel"
	done
	name=${path%.c}
	name=${name%/sys}
	name=${name##*/}
	[ -z "$revision" ] || name=$revision
	[ "$name" != "$commit" ] || name=$(printf %.12s "$commit")
	name=$(printf %s "$name" | tr -c 'A-Za-z0-9._/@~^+-' _)
}

find_compiler()
{
	cc=${CC:-cc}
	version=$($cc --version 2>&1) || fail 1 "there is no compiler \"$cc\"," \
	    "or it does not work: expected CC to name a C compiler"
	flags="$flags -isystem $($cc -print-file-name=include)"
	# Structures are copied by memcpy(), where the glue sees it.  A key is
	# cleared by the library's memset(), as "rep stos" is slow to start.
	copies="-mmemcpy-strategy=libcall:-1:noalign
	    -mmemset-strategy=libcall:-1:noalign"
	! $cc $copies -E - </dev/null >/dev/null 2>&1 || flags="$flags $copies"
	# clang calls hooks for atomics of functions that it inlined.
	case $version in *clang*)
		simulated_flags="$simulated_flags -mllvm -tsan-instrument-atomics=0" ;;
	esac
	# From here on words are lines, as paths may have blanks.
	cc=$(echo $cc | tr ' ' '\n')
	more=$(echo ${RNGSIM_KERNEL_CFLAGS-} | tr ' ' '\n')
	flags=$(echo $flags | tr ' ' '\n')
	flags="$flags$newline-I$data${tree:+$newline-I$tree}
-I$data/tree
-fmacro-prefix-map=$folder/=${more:+$newline$more}"
	IFS=$newline
}

describe()
{
	echo "cache $cache"
	echo "path $path"
	echo "spec kernel:$path${revision:+@$revision}"
	echo "revision $commit"
	echo "name $name"
	echo "folder $folder"
	# What follows is part of the key of what is compiled.
	printf 'cc %s\n' $cc
	echo "compiler $version" | sed 1q
	echo "ciphers ${ciphers:-rngsim}"
	printf 'flag %s\n' $flags $real_flags
	printf 'file %s\n' $files
	# A header that the tree gets later comes before the one of rngsim.
	for file in $(cd "$data/tree" && find . -type f); do
		[ -z "$tree" ] || [ ! -e "$tree/$file" ] || echo "own $file"
	done
}

# Makes the headers that the table lists: all of them are kern.h.
write_unit()
{
	while IFS=' ' read -r dir names; do
		case $dir in
		ciphers/*) ;;
		*) dir=own/$dir ;;
		esac
		mkdir -p "$work/$dir"
		IFS=' '
		for file in $names; do
			case $file in
			*.c) ;;
			*) file=$file.h ;;
			esac
			echo '#include <kern.h>' >"$work/$dir/$file"
		done
		IFS=$newline
	done <"$data/headers.tbl"
	{
		printf '#include "%s"\n' $files
		printf '#ifndef KERNEL_NO_PROBE\n#include "%s"\n#endif\n' \
		    "$data/probe_fortuna.c"
		printf '#include "%s"\n' "$data/glue.c"
	} >"$work/unit.c"
}

# inputs: the files of the rule that the compiler wrote, one a line.
inputs()
{
	tab=$(printf '\t')
	sed -e '1s/^[^:]*://' -e 's/\\$//' -e "s/\\\\ /$tab/g" "$work/rule" |
	    tr ' ' '\n' | sed -e "s/$tab/ /g" -e 's/\\#/#/g' -e 's/\$\$/$/g' \
	    -e '/^$/d' | grep -vF "$work/" | sort -u
}

# theirs: of files, the headers of a sys that are to be rngsim's, as they are
# included.
theirs()
{
	sys=${tree:-none}
	while read -r file; do
		case $file in
		"$sys"/dev/random/* | "$sys"/crypto/* | \
		"$sys"/contrib/libb2/* | "$sys"/sys/random.h) ;;
		"$sys"/*) echo "${file#"$sys"/}" ;;
		esac
	done
}

# lacks: the interfaces that messages of gcc, clang and linkers say are missing.
lacks()
{
	sed -nE "s/.*fatal error: '?([^ ']*)('? file not found|: No such).*/\
the header \1/p
s/.*(declaration of function|undeclared function|undeclared identifier|\
unknown type name) '([^']*)'.*/\2/p
s/.* error: '([^']*)' undeclared.*/\1/p
s/.*undefined (reference to|symbol:) [\`']?([^']*)'?\$/\2/p" | sort -u
}

# compile FLAVOUR FLAGS: an object; messages are in $work/log.
compile()
{
	unset IFS
	eval "own=\$$1_flags"
	own=$(echo $own ${2-} | tr ' ' '\n')
	eval "link=\$$1_link"
	link=$(echo $link | tr ' ' '\n')
	IFS=$newline
	own=$own$newline-I$work/own
	case $1-$ciphers in
	real-source) own=$own$newline-DKERN_CRYPTO_SOURCE ;;
	*) own=$own$newline-I$work/ciphers ;;
	esac
	$cc $own $flags -MD -MF "$work/rule" -c -o "$work/object.o" \
	    "$work/unit.c" >"$work/log" 2>&1 &&
	    $cc $more $link -o "$work/$1.so" "$work/object.o" \
		>>"$work/log" 2>&1
}

# Both objects; a source of other private names has no probe.
compile_all()
{
	probe=
	compile real || { probe=-DKERNEL_NO_PROBE; compile real $probe; } &&
	    compile simulated $probe && return
	# Errors in rngsim's glue follow from those in the source.
	errors=$(grep -e 'error: ' -e 'undefined ' "$work/log" ||
	    cat "$work/log")
	line=$(echo "$errors" | grep -m 1 -vF "$data/" || echo "$errors" |
	    sed 1q)
	# Of a revision the path within it.
	[ -z "$commit" ] || line=${line#"$folder/"}
	lack=$(echo "$line" | lacks)
	[ -n "$lack" ] || lack=$(echo "${line%%:*}" | theirs |
	    sed 's/^/the header /')
	fail 1 "it does not compile: $line${lack:+; rngsim lacks $lack}"
}

build()
{
	begin
	write_unit
	compile_all
	lack=$(inputs | theirs | sed -n 1p)
	[ -z "$lack" ] || fail 1 "it includes its tree's $lack: rngsim lacks" \
	    "the header $lack; \"rngsim kernel check\" lists all"
	inputs >"$work/files"
	[ -n "$probe" ] || : >"$work/probed"
	echo "$name" >"$work/name"
	rm -r "$work/rule" "$work/object.o" "$work/unit.c" "$work/log" \
	    "$work/own" "$work/ciphers"
	echo "work $work" 2>/dev/null && work=
}

# With an empty file for each header that is missing, to see the rest.
check()
{
	begin
	write_unit
	printf 'source    %s\n' $files
	echo "headers   ${tree:-of rngsim, as there is no sys directory}"
	echo "compiler  $version" | sed 1q
	$cc "-I$work/own" "-I$work/ciphers" $flags -DKERNEL_NO_PROBE -M -MG \
	    -MF "$work/rule" "$work/unit.c" >"$work/log" 2>&1 || fail 1 "$(sed 1q "$work/log")"
	inputs | grep -v '^/' >"$work/headers"
	while read -r file; do
		mkdir -p "$(dirname "$work/missing/$file")"
		: >"$work/missing/$file"
	done <"$work/headers"
	inputs | theirs >>"$work/headers"
	flags=$flags$newline-I$work/missing
	compile real -DKERNEL_NO_PROBE || :
	grep -vF "$data/" "$work/log" | lacks >"$work/names"
	sed 's/^/lacks     the header /' "$work/headers"
	sed 's/^/lacks     /' "$work/names"
	[ ! -s "$work/headers" ] && [ ! -s "$work/names" ] || exit 1
	compile_all
	echo "compiles  yes"
	[ -n "$probe" ] && echo "probe     no: other private names; known" \
	    "answers do not see its state" || echo "probe     yes"
}

# The names of a difference are "{here => there}/dev/random/fortuna.c".
diff()
{
	find_source "$1"
	from=$tree/dev/random
	[ -n "$tree" ] || from=$files
	find_source "$2"
	to=$tree/dev/random
	[ -n "$tree" ] || to=$files
	git diff --no-index --no-color --stat=400 --stat-graph-width=20 \
	    "$from" "$to" 2>/dev/null |
	    sed -e 's/^ *//' -e 's;^[^|]*dev/random/;;' -e 's/^{.*}\/*//' \
		-e 's/ => .*dev\/null} / (gone) /' -e 's/  *| */ | /'
}

list()
{
	count=0
	for file in "$cache"/*/name; do
		[ -f "$file" ] || continue
		file=${file%/name}
		count=$((count + 1))
		[ "$action" = clean ] || printf '  %-24s %s %6s kB  %.12s\n' \
		    "$(cat "$file/name")" "$(date -r "$file" \
		    '+%Y-%m-%d %H:%M')" "$(du -sk "$file" | cut -f 1)" \
		    "${file##*/}"
	done
	[ "$count" = 1 ] && plural= || plural=s
	[ ! -d "$cache" ] || size=$(du -sk "$cache" | cut -f 1)
	echo "$count compiled source$plural, ${size-0} kB in all"
}

cache=${XDG_CACHE_HOME-}
case $cache in
/*) ;;
*) case ${HOME-} in
    /*) cache=$HOME/.cache ;;
    *) fail 1 "no cache: neither XDG_CACHE_HOME nor HOME is set: expected a" \
	"folder's path" ;;
    esac ;;
esac
cache=$cache/rngsim/kernel
case $action in
find | build | check)
	ciphers=${2-}
	find_source "$1"
	find_compiler
	[ "$action" = check ] || describe
	[ "$action" = find ] || "$action" ;;
diff)
	diff "$@" ;;
drop)
	rm -rf "$1" ;;
list)
	list ;;
clean)
	list | sed 's/^/removed /'
	rm -rf "$cache" || fail 1 "cannot remove the cache $cache" ;;
esac
