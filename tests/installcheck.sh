# Runs tests of the command line with an installed program.
#
# installcheck.sh BUILDDIR PROGRAM ATF_SH TEST...
folder=$1/installed
program=$2
atf_sh=$3
shift 3
"$program" --version || exit 1
rm -rf "$folder"
mkdir -p "$folder/tests" || exit 1
# Tests call ../rngsim, which finds its data from where it really is.
ln -s "$(realpath "$program")" "$folder/rngsim"
for t; do
	{ echo "#! $atf_sh"; cat tests/cli/support.sh tests/cli/${t}_test.sh
	} >"$folder/tests/${t}_test" || exit 1
	chmod +x "$folder/tests/${t}_test"
done
{
	echo 'syntax(2)'
	echo "test_suite('rngsim')"
	for t; do
		echo "atf_test_program{name='${t}_test', timeout=600}"
	done
} >"$folder/tests/Kyuafile"
source=$(pwd)
cd "$folder" || exit 1
kyua --logfile=kyua.log --config=none -v test_suites.rngsim.source="$source" \
    test -k tests/Kyuafile -r kyua.db && exit
kyua --logfile=kyua.log report -r kyua.db --verbose \
    --results-filter=broken,failed | tail -n 100
exit 1
