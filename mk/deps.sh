# Installs the packages that are missing.  deps.sh LOG PART...
#
# A part is a column of the table below: "build" has what every target needs.
log=$1
shift

packages()
{
	case $(uname -s):$1 in
	FreeBSD:build) echo libgcrypt hwloc2 jansson gsl concurrencykit \
	    boost-libs gnuplot-lite kyua python3 spin pkgconf ;;
	FreeBSD:model) echo gcc python3 spin ;;
	# FreeBSD has no port of rngtest(1) or gcovr, and clang in its base.
	FreeBSD:stat) echo dieharder ent ;;
	FreeBSD:coverage) echo gcc ;;
	FreeBSD:clang | FreeBSD:freebsd) ;;
	FreeBSD:slurm) echo slurm-wlm ;;
	*:browser) echo chromium ;;
	*:freebsd) echo python3-pip ;;
	*:build) echo gcc libc6-dev pkgconf libssl-dev libgcrypt20-dev \
	    zlib1g-dev libatf-dev atf-sh kyua libjemalloc-dev libhwloc-dev \
	    libjansson-dev libgsl-dev libck-dev \
	    libboost-context-dev gnuplot-nox mandoc ministat patch python3 \
	    spin strace ;;
	FreeBSD:bench) ;;
	*:bench) echo openssl python3 ;;
	# spin calls the compiler's preprocessor.
	*:model) echo gcc libc6-dev python3 spin ;;
	*:test) echo bash zsh fish parallel ;;
	*:slurm) echo munge psmisc slurm-client slurmctld slurmd ;;
	*:stat) echo dieharder ent openssl $(rng_tools) ;;
	*:coverage) echo gcovr ;;
	*:clang) clang=$(apt-cache depends clang 2>/dev/null |
	    sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
	    echo clang libclang-rt-"${clang:-14}"-dev ;;
	*:bmake) echo bmake ;;
	esac
}

# Debian has renamed the package of rngtest(1).
rng_tools()
{
	if command -v rngtest >/dev/null; then
		return
	fi
	apt-cache show rng-tools5 >/dev/null 2>&1 && echo rng-tools5 ||
	    echo rng-tools-debian
}

want=$(for part; do packages "$part"; done)
if [ "$(uname -s)" = FreeBSD ]; then
	have() { pkg info -e "$1"; }
	update=true
	install="pkg install -y"
elif command -v dpkg-query >/dev/null; then
	have()
	{
		dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
		    grep -q 'install ok installed'
	}
	update="apt-get -q update"
	install="env DEBIAN_FRONTEND=noninteractive apt-get -q install -y"
	install="$install --no-install-recommends"
else
	echo "rngsim: neither apt-get nor pkg was found; install what Debian" \
	    "calls" $want >&2
	exit 0
fi

missing=
for p in $want; do
	have "$p" || missing="$missing $p"
done
[ -n "$missing" ] || exit 0
echo "rngsim: installing$missing"
if [ "$(id -u)" = 0 ]; then
	as=
elif sudo -n true 2>/dev/null || { [ -t 0 ] && sudo true; }; then
	as=sudo
else
	printf 'rngsim: run this as root, then try again:\n    %s\n' \
	    "$install$missing" >&2
	exit 1
fi
mkdir -p "${log%/*}"
{ $as $update && $as $install $missing; } >"$log" 2>&1 || {
	tail -n 5 "$log" >&2
	printf 'rngsim: that failed; run this as root:\n    %s\n' \
	    "$install$missing" >&2
	exit 1
}
