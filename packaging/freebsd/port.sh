# Makes a port of FreeBSD in BUILDDIR/port: what it installs is listed, and the
# tarball of "make dist" has its sums.  port.sh BUILDDIR MAKE, with SITE in the
# environment, where users find the tarball.
set -e
build=$(cd "$1" && pwd)
port=$build/port version=$(cat VERSION)
rm -rf "$port"
$2 BUILDDIR="$1" DESTDIR="$port/root" PREFIX=/usr/local \
    MANDIR=/usr/local/share/man install >/dev/null
(cd "$port/root/usr/local" && find . -type f) | sed -e 's,^\./,,' \
    -e '/man[157].rngsim/s/$/.gz/' -e '/rngsim.LICENSE/d' | sort \
    >"$port/pkg-plist"
rm -r "$port/root"
cp packaging/freebsd/pkg-descr "$port"
site=$(printf %s "${SITE-}" | sed 's/[&|\]/\\&/g')
sed -e "s/%%VERSION%%/$version/" -e "${site:+s|%%SITE%%|$site|;}/%%SITE%%/d" \
    packaging/freebsd/Makefile >"$port/Makefile"
cd "$build"
tarball=rngsim-$version.tar.gz
cat >port/distinfo <<DISTINFO
TIMESTAMP = $(date +%s)
SHA256 ($tarball) = $(openssl dgst -sha256 -r "$tarball" | cut -d' ' -f1)
SIZE ($tarball) = $(($(wc -c <"$tarball")))
DISTINFO
echo "$port"
