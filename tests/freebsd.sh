# Compiles the program and its tests for FreeBSD with zig's compiler, which has
# FreeBSD's headers and C library.  freebsd.sh BUILDDIR [CPU...]
#
# Nothing is run.  Headers of other libraries are this machine's, and only
# functions of these may be missing when it is linked.
set -u
build=$1
shift
mkdir -p "$build/include" "$build/lib"
build=$(cd "$build" && pwd)
zig=$build/zig/ziglang/zig
export ZIG_GLOBAL_CACHE_DIR="$build/cache"
"$zig" version >/dev/null 2>&1 || python3 -m pip install -q --retries 1 \
    --root-user-action ignore --target "$build/zig" ziglang==0.17.1 ||
	{ echo "python3 -m pip cannot install ziglang" >&2; exit 1; }

# Those of the C library stay out.
triple=$(cc -dumpmachine | sed 's/-pc-/-/')
for header in jansson.h jansson_config.h hwloc hwloc.h gcrypt.h gpg-error.h \
    zlib.h zconf.h gsl openssl ck_*.h spinlock gcc atf-c.h atf-c; do
	for at in /usr/include /usr/include/"$triple" /usr/local/include; do
		cp -R "$at"/$header "$build/include" 2>/dev/null
	done
done
printf '!<arch>\n' >"$build/lib/libatf-c.a"

theirs="(__real_)?((json|hwloc|gcry|gpg|gsl|EVP|OSSL|OPENSSL|OpenSSL|ERR|RAND|\
CRYPTO|atf|_Unwind)_|adler32|crc32|zlib|deflate|inflate|(jump|make)_fcontext)"
warnings="-Wno-enum-enum-conversion -Wno-enum-float-conversion \
-Wno-missing-field-initializers"
status=0
[ $# != 0 ] || set -- x86_64 aarch64
for cpu; do
	printf '#!/bin/sh\nexec "%s" cc -target %s-freebsd "$@"\n' \
	    "$zig" "$cpu" >"$build/cc-$cpu"
	chmod +x "$build/cc-$cpu"
	log=$build/log-$cpu
	${MAKE:-make} -k -j "$(getconf _NPROCESSORS_ONLN)" \
	    BUILDDIR="$build/$cpu" CC="$build/cc-$cpu" OS=FreeBSD \
	    LOCALBASE="$build" LIBS= BOOST_CONTEXT= CFLAGS=-O0 \
	    WARN="-Wall -Wextra -Wpedantic -Wshadow -Wconversion $warnings" \
	    all tests-built >"$log" 2>&1
	wrong=$(grep -e 'error: ' -e 'warning: ' -e 'undefined symbol' "$log" |
	    grep -vE "undefined symbol: ($theirs)|Error [0-9]|errors\.$")
	if [ -n "$wrong" ]; then
		status=1
		echo "FreeBSD on $cpu:"
		echo "$wrong" | sort -u | head -40
	elif ! grep -q 'undefined symbol' "$log"; then
		status=1
		tail -5 "$log"
	else
		echo "FreeBSD on $cpu: all compiles"
	fi
done
exit $status
