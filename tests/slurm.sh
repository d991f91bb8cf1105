# A plan of 20 jobs under a Slurm of one node, which this starts below
# BUILDDIR/slurm and ends: three jobs are killed, the node is restarted once, and
# the merged result is that of one machine.  Needs root.  slurm.sh BUILDDIR
set -eu
build=$(cd "$1" && pwd)
work=$build/slurm
script=$(pwd)/bench/campaign/slurm.sh
rm -rf "$work"
mkdir -p "$work/state" "$work/spool"
cd "$work"
host=$(hostname -s)
cpus=$(nproc)
cat >slurm.conf <<END
ClusterName=rngsim
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE OverSubscribe=NO
END
export SLURM_CONF=$work/slurm.conf PATH="$build:$PATH"
dd if=/dev/urandom of=munge.key bs=1024 count=1 2>/dev/null
chmod 400 munge.key

finish() {
	for p in slurmd slurmctld munged; do
		[ ! -s "$work/$p.pid" ] || kill "$(cat "$work/$p.pid")" || true
	done
}
trap finish EXIT

node_up() {
	slurmd
	n=0
	until sinfo -h -o %t 2>/dev/null | grep -q 'idle\|mix\|alloc'; do
		n=$((n + 1))
		[ $n -lt 120 ] || { tail slurmd.log slurmctld.log; exit 1; }
		scontrol update nodename="$host" state=resume 2>/dev/null || true
		sleep 0.5
	done
}

# drained ARRAY: until no task of the array is queued or runs.
drained() {
	while squeue -h -j "$1" 2>/dev/null | grep -q .; do
		sleep 0.5
	done
}

munged --force --socket="$work/munge.socket" --key-file="$work/munge.key" \
    --pid-file="$work/munged.pid" --log-file="$work/munged.log" \
    --seed-file="$work/munge.seed"
slurmctld
node_up
options="--engine virtual --profile graviton3 -c aes -d locked,concurrent
    -l mtx,mcs -r 1-5 -s 4k -n 40 -t 0.02 --seed 5"
rngsim sweep $options --plan jobs
[ "$(wc -l <jobs/plan)" = 20 ]
submit() { sbatch --parsable --array="1-$1" -o 'out.%a' "$script" jobs; }

array=$(submit 20)
killed=0 restarted=0
# Kill the first three that are measuring, then the node with what runs on it.
while squeue -h -j "$array" | grep -q .; do
	for f in jobs/*.json.journal; do
		[ -s "$f" ] || continue
		if [ $killed -lt 3 ]; then
			pid=$(fuser "$f" 2>/dev/null | tr -d ' ') || continue
			kill -KILL $pid 2>/dev/null || continue
			killed=$((killed + 1))
			echo "killed the job of $f"
		elif [ $restarted = 0 ]; then
			restarted=1
			kill "$(cat slurmd.pid)"
			kill -KILL $(fuser jobs/*.journal 2>/dev/null) \
			    2>/dev/null || true
			echo "restarted the node"
			node_up
		fi
	done
	sleep 0.05
done
[ $killed = 3 ] && [ $restarted = 1 ]
tries=0
while rngsim sweep $options --plan jobs && [ -s jobs/plan ]; do
	tries=$((tries + 1))
	[ $tries -le 5 ]
	drained "$(submit "$(wc -l <jobs/plan)")"
done
rngsim merge jobs/*.json -o all.json
rngsim sweep $options -o one.json >/dev/null
for f in one all; do
	sed '/^  "started":/d; /^    "'$f'.json"$/d' $f.json >$f.txt
done
cmp one.txt all.txt
echo "nothing lost: 20 jobs, three killed, one restart, $tries more rounds"
