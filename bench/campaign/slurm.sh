#!/bin/sh
#SBATCH --job-name=rngsim --requeue
# Runs the jobs of a plan as a Slurm array, of any size; "array" is such as
# 1-20.  A measurement needs --exclusive too.
#
# sbatch --array=ARRAY slurm.sh DIR
dir=${1:?usage: sbatch --array=1-20 slurm.sh DIR}
awk -v n="$SLURM_ARRAY_TASK_COUNT" -v i="$SLURM_ARRAY_TASK_ID" \
    'NR % n == i % n' "$dir/plan" | {
	status=0
	while IFS= read -r line; do
		sh -c "$line" </dev/null || status=1
	done
	exit $status
}
