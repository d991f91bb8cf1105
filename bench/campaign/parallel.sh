#!/bin/sh
# Runs the jobs of a plan with GNU parallel, here or on the hosts of a file.
#
# parallel.sh DIR [HOSTS]
dir=${1:?usage: parallel.sh DIR [HOSTS]}
# A measurement has its host for itself.
jobs=100%
! grep -q '^rngsim sweep' "$dir/plan" ||
    grep -q -- '--engine[ =]virtual' "$dir/plan" || jobs=1
exec parallel -j "${JOBS:-$jobs}" ${2:+--sshloginfile "$2" --workdir .} \
    --joblog "$dir/log" <"$dir/plan"
