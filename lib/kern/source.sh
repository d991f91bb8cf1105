# Finds and compiles kernel sources.  bench/kernel/ksource.c runs it.
#
#	source.sh DATA ACTION [ARGUMENT...]
#
#	open SPEC [source]	compiles it, unless the cache has that, and
#			prints what it is, as lines "key value"; source: with
#			the ciphers of its tree
#	check SPEC	prints which interfaces rngsim lacks for it
#	diff SPEC SPEC	prints git diff --stat between two sources
#	list, clean	prints or removes what the cache holds
#	shipped FOLDER	compiles the objects of DATA's object.tbl into FOLDER, as
#			NAME-OBJECT.so
#
# DATA has lib/kern, fortuna and harvest, as rngsim's sources have them.  The
# last line is "error TEXT" with exit status 2 for a wrong SPEC and 1 for another
# failure.
#
# An object is random(4) whole: an algorithm, random_harvestq.c, randomdev.c,
# random_infra.c and hash.c.  What a source does not bring is rngsim's.  Without
# a random_harvestq.c of its own it is linked with each that rngsim has.
set -u
LC_ALL=C
export LC_ALL
# ccache would make the paths that the compiler read relative.
unset CCACHE_BASEDIR
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE CPATH C_INCLUDE_PATH
data=$1 action=$2 ciphers=
shift 2
newline='
'
expected="expected a sys directory, the directory above it, a folder of its \
files or a .c file"
cached="expected XDG_CACHE_HOME to name a folder that can be written"

# What a sys directory has of the sources; other headers must be rngsim's.
members="dev/random sys/random.h"
# The files of random(4) beside the algorithm, which a source may bring.
others="hash randomdev random_infra random_harvestq"
# What a source's own ciphers are compiled of.
cipher_units="crypto/rijndael/rijndael-alg-fst crypto/rijndael/rijndael-api-fst \
crypto/sha2/sha256c"
# Queues of other releases, each a file random_harvestq_NAME.c.
queues=2019

flags="-std=gnu11 -O2 -g -fPIC -fvisibility=hidden -fno-strict-aliasing \
-ffreestanding -fno-common -Werror=implicit-function-declaration -nostdinc \
-Werror=frame-larger-than=16384 \
-D_KERNEL -DSMP -DDEV_RANDOM"
# A sanitizer's build of rngsim has it in the objects that it runs.
real_flags=${RNGSIM_KERNEL_SANITIZER-}
# Assertions, and calls of hooks for memory accesses, which kern.c has.  A call at
# a function's end, which mtx_unlock() often is, would overwrite what that leaves.
simulated_flags="-DKERNEL_SIMULATED -DINVARIANTS -DINVARIANT_SUPPORT \
-fsanitize=thread -fno-optimize-sibling-calls"
# Functions that are missing are errors; a sanitizer's may be the program's.
wraps="-Wl,--wrap=random_alg_context -Wl,--wrap=random_harvest_healthtest \
-Wl,--wrap=randomdev_unblock -Wl,--wrap=random_source_register"
real_link="-shared -Wl,-z,now $wraps ${real_flags:--Wl,-z,defs}"
simulated_link="-shared -Wl,-z,now $wraps -Wl,-z,defs"

fail()
{
	status=$1
	shift
	IFS=' '
	echo "error $*"
	exit "$status"
}

work= kept=
# A compiler that a signal ends may still make a file.
trap 'for i in 1 2 3; do [ -z "$work" ] || rm -rf "$work" 2>/dev/null && break
    sleep 1; done' EXIT
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
	disk=$cache/revision.$hash-$top/$top
	[ -d "$disk" ] || extract
	case $folder in
	"$at" | "${at:+$at/}sys") ;;
	*) disk=$disk${at#"$folder"}
	    [ -n "$folder" ] || disk=$cache/revision.$hash-$top/$top/$at ;;
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
	names=$(list_members -- $members; list_members | grep '\.[ch]$')
	[ -n "$names" ] ||
	    fail 2 "$path has no sources at revision $revision: $expected"
	IFS=$newline
	git --git-dir="$git" archive --format=tar "$hash" $names |
	    tar -xf - -C "$work/$top" ||
	    fail 1 "cannot take $path out of its repository"
	unset IFS
	keep "revision.$hash-$top"
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

# role FILE: what it is of random(4), by its name or a function it defines.
role()
{
	role=${1##*/}
	role=${role%.c}
	case " $others " in
	*" $role "*) return ;;
	esac
	while IFS=' ' read -r role defines; do
		grep -q "^[a-z_ ]*$defines([^;]*\$" "$1" 2>/dev/null && return
	done <<-END
	hash randomdev_hash_init
	randomdev randomdev_unblock
	random_harvestq random_harvest_queue_*
	END
	role=algorithm
}

# members_of FOLDER: its files of random(4).
members_of()
{
	for role in fortuna $others; do
		[ ! -f "$1/$role.c" ] || echo "$1/$role.c"
	done
	ls "$1"/fx_*.c 2>/dev/null
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
	[ "${path#/}" != "$path" ] || path=$(pwd)/$path
	dir=$path
	while [ ! -d "$dir" ]; do
		dir=$(dirname "$dir")
	done
	rest=${path#"${dir%/}"}
	dir=$(cd "$dir" 2>/dev/null && pwd -P) || fail 2 "$path cannot be" \
	    "reached: expected a folder that can be entered"
	path=${dir%/}${rest%/}
	path=${path:-/}
	disk=$path commit= tree=
	[ -z "$revision" ] || take_revision
	case "${RNGSIM_KERNEL_OPTIONS-} ${RNGSIM_KERNEL_CFLAGS-}" in
	*-DRANDOM_LOADABLE*) fail 2 "rngsim lacks the option RANDOM_LOADABLE" ;;
	*-DRANDOM_FENESTRASX*)
		for sys in "$disk" "$disk/sys"; do
			[ ! -d "$sys/dev/random/fenestrasX" ] ||
			    disk=$sys/dev/random/fenestrasX
		done ;;
	esac
	folder=$disk
	if [ -f "$disk" ]; then
		[ "${disk%.c}" != "$disk" ] ||
		    fail 2 "$path is no C file: $expected"
		[ -s "$disk" ] || fail 2 "$path is empty: $expected"
		files=$disk folder=${disk%/*}
	elif [ -f "$disk/dev/random/fortuna.c" ]; then
		tree=$disk
	elif [ -f "$disk/sys/dev/random/fortuna.c" ]; then
		tree=$disk/sys
	elif [ -d "$disk" ]; then
		files=$(members_of "$disk")
		[ -n "$files" ] || fail 2 "$path has no" \
		    "dev/random/fortuna.c, sys/dev/random/fortuna.c or .c" \
		    "file of random(4): $expected"
	elif [ -e "$disk" ]; then
		fail 2 "$path is neither a file nor a folder: $expected"
	else
		fail 2 "$path: no such file or directory: $expected"
	fi
	# A file of a tree stands for the tree, with it as the algorithm.
	case ${tree:-$folder/} in
	*/sys/dev/random/*) tree=${folder%/dev/random*} ;;
	esac
	if [ -n "$tree" ]; then
		folder=$tree
		role "${files-fortuna}"
		[ "$role" = algorithm ] && [ -n "${files-}" ] ||
		    files=$tree/dev/random/fortuna.c${files:+$newline$files}
		files=$({ echo "$files"; members_of "$tree/dev/random" |
		    grep -v -e "/$role\.c\$" -e '/fortuna\.c$' \
		    -e '/fx_[^/]*$'; } | sort -u)
	fi
	for file in ${ciphers:+dev/random/hash.c crypto/chacha20/chacha.c} \
	    ${ciphers:+$(printf '%s.c ' $cipher_units)}; do
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
	version=$($cc --version 2>&1) && [ -n "$version" ] ||
	    fail 1 "there is no compiler \"$cc\", or it does not work:" \
	    "expected CC to name a C compiler"
	builtin=$($cc -print-file-name=include)
	flags="$flags -isystem $builtin"
	# Structures are copied by memcpy(), where kern.c sees it.  A key is
	# cleared by the library's memset(), as "rep stos" is slow to start.
	copies="-mmemcpy-strategy=libcall:-1:noalign
	    -mmemset-strategy=libcall:-1:noalign"
	! $cc $copies -E - </dev/null >/dev/null 2>&1 || flags="$flags $copies"
	# clang calls hooks for atomics of functions that it inlined.
	case $version in
	*clang*) hooks="-mllvm -tsan-instrument-atomics=0 \
-mllvm -tsan-instrument-func-entry-exit=0 -fsanitize=array-bounds" ;;
	*)
		hooks="--param=tsan-instrument-func-entry-exit=0 \
-fsanitize=bounds-strict"
		# Errors in a macro are where the source uses it.
		flags="$flags -ftrack-macro-expansion=0" ;;
	esac
	simulated_flags="$simulated_flags $hooks"
	# A tree without the header has rngsim's.
	if [ -n "$tree" ] && [ -f "$tree/sys/random.h" ]; then
		grep -q RANDOM_PURE_VMGENID "$tree/sys/random.h" ||
		    flags="$flags -DRANDOM_PURE_VMGENID=ENTROPYSOURCE"
		grep -q random_harvest_queue_ "$tree/sys/random.h" ||
		    flags="$flags -DRANDOM_HARVEST_BITS"
	fi
	# Before r349154 there was AES alone, in whole blocks.
	[ -z "$tree" ] || [ ! -f "$tree/dev/random/hash.h" ] ||
	    grep -q randomdev_keystream "$tree/dev/random/hash.h" ||
		flags="$flags -DRANDOM_READ_BLOCKS"
	# From here on words are lines, as paths may have blanks.
	cc=$(echo $cc | tr ' ' '\n')
	more=$(echo ${RNGSIM_KERNEL_OPTIONS-} ${RNGSIM_KERNEL_CFLAGS-} |
	    tr ' ' '\n')
	flags=$(echo $flags | tr ' ' '\n')$newline-I$data/lib/kern/sys
	flags="$flags$newline-fmacro-prefix-map=$folder/=${more:+$newline$more}"
	IFS=$newline
}

# replaced: the files of random(4) that are rngsim's in its place.
replaced()
{
	roles=$(for file in $files; do role "$file"; echo "$role"; done |
	    sed s/algorithm/fortuna/)
	for other in $(IFS=' '; printf '%s\n' fortuna $others |
	    grep -vxF "$roles"); do
		own=$data/fortuna/$other.c
		[ -f "$own" ] || own=$data/harvest/$other.c
		beside=${files%%"$newline"*}
		beside=${beside%/*}/$other.c
		if [ ! -f "$beside" ] || cmp -s "$beside" "$own"; then
			echo "$other.c"
		else
			echo "$other.c (not the one beside the source)"
		fi
	done
	[ -n "$ciphers" ] || echo "the ciphers and hashes of crypto"
}

describe()
{
	echo "cache $cache"
	echo "path $path"
	echo "spec kernel:$path${revision:+@$revision}"
	echo "revision $commit"
	echo "name $name"
	echo "folder $folder"
	replaced | sed 's/^/replaced /'
	# What follows is part of the key of what is compiled.
	printf 'cc %s\n' $cc
	echo "compiler $version" | sed 1q
	echo "ciphers ${ciphers:-rngsim}"
	printf 'flag %s\n' $flags $real_flags
	printf 'simulated %s\n' $simulated_flags
	printf 'file %s\n' $files
	# A header that is new comes before one of rngsim's.
	[ -z "$tree" ] || (cd "$tree" && printf 'header %s\n' \
	    dev/random/*.h dev/random/*/*.h sys/random.*)
}

# stub FILE HEADER: a header that includes FILE.
stub()
{
	case $2 in
	crypto/*) stub=ciphers/$2 ;;
	*) stub=own/$2 ;;
	esac
	[ -d "$work/${stub%/*}" ] || mkdir -p "$work/${stub%/*}"
	echo "#include \"$1\"" >"$work/$stub"
	[ "$stub" != ciphers/crypto/chacha20/chacha.c ] ||
		echo "#define sigma kern_sigma" >>"$work/$stub"
}

# Makes the headers that sources include: the tree's own of random(4), and
# rngsim's for all others.
write_headers()
{
	while IFS=' ' read -r dir names; do
		IFS=' '
		for file in $names; do
			[ "${file%.c}" != "$file" ] || file=$file.h
			stub "$data/lib/kern/sys/kern.h" "$dir/$file"
		done
		IFS=$newline
	done <"$data/lib/kern/sys/headers.tbl"
	tr ';' '\n' <"$data/lib/kern/sys/alias.tbl" | awk '/^#/ { next }
	$1 == "SYSCTL_" {
		type = "(" $3 ", " $4 ", __VA_ARGS__)"
		print "#define SYSCTL_" $2 "(...) KERN_STATIC" type
		print "#define SYSCTL_ADD_" $2 "(...) KERN_ADDED" type
		print "#define TUNABLE_" $2 "(...) KERN_TUNABLE" type
		next
	}
	$1 == "LK_" { for (i = 3; split(tolower($i), kind, "_") > 0; i++)
		print "#define", $i "(...) KERN_" $2 "(" kind[1] ", __VA_ARGS__)"
		next }
	{
		for (i = 2; i <= NF; i++)
			print "#define", $1 == "CK_" ? $1 $i " " $i : $i " " $1
	}' >"$work/own/kern_alias.h"
	stub "$data/lib/kern/abi.h" abi.h
	stub "$data/lib/kern/host.tbl" lib/kern/host.tbl
	stub "$data/fortuna/device/abi.h" random_abi.h
	for file in "$data"/fortuna/dev/random/*.h "$data"/fortuna/sys/*.h; do
		stub "$file" "${file#"$data/fortuna/"}"
	done
	[ -z "$tree" ] || for file in "$tree"/dev/random/*.h \
	    "$tree"/dev/random/*/*.h "$tree/sys/random.h"; do
		[ ! -f "$file" ] || stub "$file" "${file#"$tree/"}"
	done
	# A kernel's options: of a folder that the flags name, or none.
	for file in $(sed -n 's/^ *# *include *"\(opt_[^/"]*\.h\)".*/\1/p' \
	    $files ${tree:+"$tree"/dev/random/*.h} 2>/dev/null | sort -u); do
		printf '#if __has_include_next("%s")\n#include_next "%s"\n%s\n' \
		    "$file" "$file" "#endif" >"$work/own/$file"
	done
}

# unit NAME TEXT: a file to compile; what looks into it follows.
unit()
{
	printf '%s\n' "$2" >"$work/$1.c"
	case $1 in
	random_harvestq) look=probe_health ;;
	hash) look=probe_hash ;;
	*) look= ;;
	esac
	[ -z "$look" ] || printf '#include "%s"\n' \
	    "$data/fortuna/device/$look.c" >>"$work/$1.c"
	units=$units$newline$1
}

# Units of the source, and of rngsim for what it lacks.
write_units()
{
	units= algorithm= brought=
	unit kern "#include \"$data/lib/kern/sys/kern.c\""
	unit glue "#include \"$data/fortuna/device/glue.c\""
	for file in $files; do
		role "$file"
		if [ "$role" = algorithm ]; then
			algorithm="$algorithm#include \"$file\"$newline"
		else
			unit "$role" "#include \"$file\""
			brought="$brought $role"
		fi
	done
	[ -n "$algorithm" ] ||
	    algorithm="#include \"$data/fortuna/fortuna.c\"$newline"
	unit algorithm "$algorithm#include \"$data/fortuna/device/probe.c\""
	IFS=' '
	for role in $others; do
		case " $brought " in
		*" $role "*) continue ;;
		esac
		for file in "$data/fortuna/$role.c" "$data/harvest/$role"*.c; do
			[ -f "$file" ] || continue
			own=${file##*/}
			unit "${own%.c}" "#include \"$file\""
		done
	done
	case " $brought " in
	*" random_harvestq "*) queues= ;;
	*" randomdev "*) ;;
	*) unit randomdev_2019 "#define RANDOM_READ_RATE$newline#include \
\"$data/fortuna/randomdev.c\"" ;;
	esac
	IFS=$newline
}

# inputs [RULE]: the files of rules that the compiler wrote, one a line.
inputs()
{
	tab=$(printf '\t')
	[ $# != 0 ] || set -- "$work"/*.rule
	cat "$@" | sed -e 's/^[^ :]*: *//' -e 's/\\$//' \
	    -e "s/\\\\ /$tab/g" | tr ' ' '\n' | sed -e "s/$tab/ /g" \
	    -e 's/\\#/#/g' -e 's/\$\$/$/g' -e '/^$/d' |
	    grep -vF -e "$cache/work." -e @work@/ | sort -u
}

# theirs: of files, the headers of a sys that are to be rngsim's, as they are
# included.
theirs()
{
	sys=${tree:-none}
	while read -r file; do
		case $file in
		"$sys"/dev/random/* | "$sys"/crypto/* | "$sys"/sys/random.h) ;;
		"$sys"/*) echo "${file#"$sys"/}" ;;
		esac
	done
}

# lacks: the interfaces that messages of gcc, clang and linkers say are missing.
# What the source defines is not, where errors in it follow from others.
lacks()
{
	sed -nE "s/.*fatal error: '?([^ ']*)('? file not found|: No such).*/\
the header \1/p
s/.*(declaration of function|undeclared function|undeclared identifier|\
unknown type name) '([^']*)'.*/\2/p
s/.* error: '([^']*)' undeclared.*/\1/p
s/.*undefined (reference to|symbol:) [\`']?([^']*)'?\$/\2/p" | sort -u |
	    while read -r lack; do
		grep -q "^$lack(" $files || echo "$lack"
	done
}

# Where objects are kept for other sources, and for changes of the tree: of what
# units can read, but for the sources.  Not where rngsim's names are cut, an
# option names a file or units read the ciphers of a source.
find_kept()
{
	case "$data/ $folder/ $more$ciphers" in
	"$folder"/* | *" $data"/[fhl]* | *@* | *source) return ;;
	esac
	find -L "$work/own" "$data/lib/kern" "$data/fortuna" "$data/harvest" \
	    ${tree:+"$tree/dev/random"} ${tree:+"$tree/sys/random.h"} \
	    -type f 2>/dev/null | grep -vxF "$files" | sort >"$work/hashed"
	kept=$cache/units/$({ printf '%s\n' "$version" $cc $flags $real_flags \
	    $simulated_flags | grep -v '^-fmacro-prefix-map'
	    cksum $(cat "$work/hashed") | sed "s| $work/| |"
	} | cksum | tr ' ' .)
	mkdir -p "$kept"
}

# compile FLAVOUR UNIT FLAGS: messages are in $work/log.FLAVOUR.UNIT.
compile()
{
	[ ! -f "$work/$1.$2.o" ] || return 0
	eval "own=\$$1_flags"
	own=$(IFS=' '; printf '%s\n' $own ${3-})$newline-I$work/own
	keep=${kept:+$kept/$1.$2}
	case $1-$ciphers in
	real-source) own="$own$newline-DKERN_CRYPTO_SOURCE$newline-I$tree" ;;
	*) own="$own$newline-I$work/ciphers" ;;
	esac
	sources=$(sed -n 's/^#include "\(.*\)"$/\1/p' "$work/$2.c")
	case " algorithm $brought " in
	" $2 "*) keep= ;;
	*" $2 "*) keep=${keep:+${tree:+$keep.$(cksum $sources | cksum |
	    tr ' ' .)}} ;;
	esac
	if [ -n "$keep" ] && [ -f "$keep.o" ]; then
		ln -s "$keep.o" "$work/$1.$2.o"
		cp "$keep.rule" "$work/$1.$2.rule"
		return
	fi
	$cc $own $flags -MD -MF "$work/$1.$2.rule" -c -o "$work/$1.$2.o" "$work/$2.c" \
	    >"$work/log.$1.$2" 2>&1 || return
	# Not one that read more than the key covers, nor one without its probe.
	[ -n "$keep" ] && [ -z "${3-}" ] && ! inputs "$work/$1.$2.rule" |
	    grep -vxF "$sources" | grep -vxFf "$work/hashed" |
	    grep -qvF "$builtin/" || return 0
	# Another process may keep it, too, and a third take it: the rule first.
	sed "s|$work/|@work@/|g" "$work/$1.$2.rule" >"$keep.$$" &&
	    mv "$keep.$$" "$keep.rule" &&
	    cp "$work/$1.$2.o" "$keep.$$" && mv "$keep.$$" "$keep.o"
}

# link FLAVOUR NAME UNIT...
link()
{
	flavour=$1 object=$2
	shift 2
	eval "link=\$$flavour""_link"
	link=$(IFS=' '; printf '%s\n' $link)
	$cc $more $link -o "$work/$object.so" $(printf "$work/$flavour.%s.o\n" \
	    "$@") >"$work/log.$flavour.link" 2>&1
}

# objects FLAVOUR: links it, with each queue.
objects()
{
	all=$(echo "$units" | grep -v -e '_2019$' -e '^$')
	link "$1" "$1" $all || return 1
	older=$(echo "$units" | grep '_2019$')
	[ -z "$queues" ] || link "$1" "$1-2019" $older $(for unit in $all; do
		case $newline$older$newline in
		*"$newline${unit}_2019$newline"*) ;;
		*) echo "$unit" ;;
		esac
	done)
}

# Compiles all units of a flavour, at the same time; a source of other private
# names has no probe.
flavour()
{
	[ "$1-$ciphers" != real-source ] ||
	    for file in $(IFS=' '; printf '%s\n' $cipher_units); do
		unit "${file##*/}" "#include \"$tree/$file.c\""
	    done
	for unit in $units; do
		(compile "$1" "$unit" || case $unit in
		    algorithm) compile "$1" "$unit" -DKERN_NO_PROBE &&
			: >"$work/unprobed" ;;
		    random_harvestq | hash) compile "$1" "$unit" -DKERN_NO_PROBE ;;
		    *) false ;;
		    esac || : >"$work/failed") &
	done
	wait
	[ ! -f "$work/failed" ] && objects "$1"
}

# Both flavours.  The first error is told.
compile_all()
{
	flavour simulated && flavour real && return
	errors=$(cat "$work"/log.* | grep -v -e 'ld returned' -e '^clang.*linker' |
	    grep -e 'error: ' -e 'undefined ' || cat "$work"/log.*)
	# Errors in rngsim's files follow from those in the source.
	line=$(echo "$errors" | grep -m 1 -vF "$data/" || echo "$errors" |
	    sed 1q)
	# Of a revision the path within it.
	[ -z "$commit" ] || line=${line#"$folder/"}
	lack=$(echo "$errors" | grep -vF "$data/" | lacks)
	[ -n "$lack" ] || lack=$(echo "${line%%:*}" | theirs |
	    sed 's/^/the header /')
	lack=$(echo "$lack" | sed -e ':all' -e N -e '$!b all' -e 's/\n/, /g')
	fail 1 "it does not compile: $line${lack:+; rngsim lacks $lack}"
}

build()
{
	begin
	write_headers
	write_units
	find_kept
	before=$kept$(cksum $files)
	compile_all
	find_kept
	[ "$before" = "$kept$(cksum $files)" ] ||
	    fail 1 "a file changed while it was compiled: try again"
	lack=$(inputs | theirs | sed -n 1p)
	[ -z "$lack" ] || fail 1 "it includes its tree's $lack: rngsim lacks" \
	    "the header $lack; \"rngsim kernel check\" lists all"
	inputs >"$work/files"
	[ -f "$work/unprobed" ] || : >"$work/probed"
	echo "$name" >"$work/name"
	rm -rf "$work"/*.[oc] "$work"/*.rule "$work"/log.* "$work/own" \
	    "$work/ciphers" "$work/unprobed"
}

# Prints "HASH FILE" of files or of what it reads.
sum()
{
	{ sha256sum "$@" || sha256 -r "$@"; } 2>/dev/null | sed 's/  */ /'
}

# read_sums LIST: sums and the key of the contents of the files listed; false
# where one cannot be read.
read_sums()
{
	[ -f "$1" ] && [ -z "$(while read -r file; do
		[ -r "$file" ] || echo "$file"
	done <"$1")" ] || return
	sums=$(sum $(cat "$1"))
	key=$(printf '%s\n' "$method" "$sums" | sum)
	key=${key%% *}
}

# The cache has, for each source and way to compile it, a list of the files that
# the compiler read; and for each contents of these files a folder.  What is
# there is used without the compiler.
open()
{
	described=$(describe; grep '	KERN_ABI' "$data/lib/kern/abi.h")
	method=$(echo "$described" | sed -n '/^cc /,$p' | sum)
	method=${method%% *}
	[ -n "$method" ] || fail 1 "no file can be hashed: expected sha256sum" \
	    "or sha256 in PATH"
	echo "$described"
	read_sums "$cache/files.$method" && [ -x "$cache/$key" ] || {
		build
		read_sums "$work/files" && cp "$work/files" "$cache/files.$$" &&
		    mv "$cache/files.$$" "$cache/files.$method" ||
			fail 1 "cannot write the cache $cache: $cached"
		keep "$key"
	}
	echo "key $key"
	[ ! -f "$cache/$key/probed" ] || echo "probed yes"
	echo "$sums" | sed 's/^/sum /'
}

# With an empty file for each header that is missing, to see the rest.
check()
{
	begin
	write_headers
	write_units
	printf 'source    %s\n' $files
	echo "headers   ${tree:-of rngsim, as there is no sys directory}"
	replaced | sed 's/^/replaced  /'
	echo "compiler  $version" | sed 1q
	for unit in $units; do
		$cc $flags "-I$work/own" "-I$work/ciphers" -DKERN_NO_PROBE -M -MG -MF \
		    "$work/$unit.rule" "$work/$unit.c" >"$work/log" 2>&1 ||
		    fail 1 "$(sed 1q "$work/log")"
	done
	inputs | grep -v '^/' >"$work/headers"
	while read -r file; do
		mkdir -p "$(dirname "$work/own/$file")" && : >"$work/own/$file"
	done <"$work/headers"
	[ -s "$work/headers" ] || find_kept
	inputs | theirs >>"$work/headers"
	for flavour in simulated real; do flavour $flavour || :; done
	cat "$work"/log.* | grep -vF "$data/" | lacks >"$work/names"
	sed 's/^/lacks     the header /' "$work/headers"
	sed 's/^/lacks     /' "$work/names"
	[ ! -s "$work/headers" ] && [ ! -s "$work/names" ] || exit 1
	rm -f "$work/failed"
	compile_all
	echo "compiles  yes"
	[ -f "$work/unprobed" ] && echo "probe     no: other private names;" \
	    "known answers do not see its state" || echo "probe     yes"
}

# The objects of rngsim's own program, which differ in their algorithms.
shipped()
{
	out=$1
	tree= folder=$data commit= files=/dev/null
	find_compiler
	mkdir -p "$out"
	work=$(mktemp -d "$out/work.XXXXXX") || exit 1
	write_headers
	sed -n 's/^OBJECT(\(.*\), "\(.*\)")$/\1 \2/p' \
	    "$data/fortuna/device/object.tbl" >"$work/objects"
	while IFS=' ' read -r name files; do
		files=$(IFS=' '; printf "$data/fortuna/%s\n" $files)
		write_units
		compile_all
		for object in "$work"/*.so; do
			mv "$object" "$out/$name-${object##*/}"
		done
		rm -f "$work"/*.algorithm.o "$work/unprobed"
	done <"$work/objects"
}

# The names of a difference are "{here => there}/dev/random/fortuna.c".
diff()
{
	find_source "$1"
	[ -n "$tree" ] && from=$tree/dev/random || from=$files
	find_source "$2"
	[ -n "$tree" ] && to=$tree/dev/random || to=$files
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

[ "$action" != shipped ] || { shipped "$@"; exit 0; }
cache=${XDG_CACHE_HOME-}
[ "${cache#/}" != "$cache" ] || cache=${HOME:+$HOME/.cache}
[ "${cache#/}" != "$cache" ] || fail 1 "no cache: neither XDG_CACHE_HOME nor" \
    "HOME is set: expected a folder's path"
cache=$cache/rngsim/kernel
case $action in
open | check)
	ciphers=${2-}
	find_source "$1"
	find_compiler
	"$action" ;;
diff | list)
	"$action" "$@" ;;
clean)
	list | sed 's/^/removed /'
	rm -rf "$cache" || fail 1 "cannot remove the cache $cache" ;;
esac
