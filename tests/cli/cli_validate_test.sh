# rngsim validate: what it prints, what fails it, what it refuses.

command=validate

# A sweep on a simulated machine stands for one on this: its numbers are the
# same every time, and the same machine must predict them exactly.
more=
# measured PROFILE [READERS]; $more are arguments.
measured() {
	"$(program)" sweep --engine virtual --profile "$1" -d locked,concurrent \
	    -l mtx,ticket -c chacha20 -r "${2:-1-4}" -t 0.05 -n 12 --seed 1 \
	    -o swept.json $more >out 2>&1 || atf_fail "sweep: $(cat out)"
	sed 's/"engine": "virtual"/"engine": "real"/' swept.json >real.json
}

# from PROFILE ARGUMENT...: judges real.json; sets status.
from() {
	profile=$1
	shift
	"$(program)" validate --from real.json --profile "$profile" --seed 1 \
	    -t 0.05 "$@" >out 2>err
	status=$?
}

test_case validate__harvest_model "a result is predicted with the harvest" \
    "model that it names, an old one that names none with 2019"
validate__harvest_model_body() {
	for model in newest 2019; do
		more="-S rngsim.harvest.model=$model"
		measured graviton3 1,4
		# Not in its tunables: one that says the default instead.
		sed -i "s/rngsim.harvest.model=$model/rngsim.sweep.controls=1/" \
		    real.json
		[ $model = newest ] || sed -i '/"harvest_model"/d' real.json
		from graviton3
		[ $status = 0 ] || atf_fail "$model: exit $status: $(cat err)"
		grep -q '^harvest CPU, saturated: .* 10  *0\.00 .* yes$' out ||
		    atf_fail "$model: $(cat out)"
	done
}

test_case validate__same_machine "what a machine measured of itself it" \
    "predicts exactly"
validate__same_machine_body() {
	measured graviton3
	from graviton3
	[ $status = 0 ] || atf_fail "exit $status: $(cat err)"
	grep -q '^throughput: mean error, % .* 0\.00 *12  yes$' out ||
	    atf_fail "an error: $(cat out)"
	grep -q '^ranks of designs and locks: tau .* 1\.00 .* yes$' out ||
	    atf_fail "other ranks: $(cat out)"
	! grep -q ' NO$' out || atf_fail "targets are missed: $(cat out)"
}

test_case validate__other_machine "measurements of another machine miss the" \
    "targets, by exit status and table"
validate__other_machine_body() {
	measured xeon-e7v3-4s-2015
	from graviton3
	[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
	grep -q '^throughput: mean error.* NO$' out || atf_fail "$(cat out)"
	awk 'length > 80' out >wide
	[ ! -s wide ] || atf_fail "wider than 80: $(cat wide)"
	! grep -q ' $' out || atf_fail "blanks at the end of a line"
}

test_case validate__measures "a measured grid is compared, met or not"
validate__measures_body() {
	"$(program)" validate -d locked -l ticket -c aes -r 1,2 -t 0.05 -n 2 \
	    --profile graviton3 --force >out 2>err
	status=$?
	[ $status -le 1 ] || atf_fail "exit $status: $(cat err)"
	if [ -s err ]; then
		# One CPU, or another program on the second.
		[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
		grep -q 'nothing to judge: of 2 cells none has 2 or more' err ||
		    atf_fail "does not say why: $(cat err)"
	fi
	[ "$(grep -c '^locked ' out)" = 2 ] ||
	    atf_fail "not two cells: $(cat out)"
}

test_case validate__busy "a machine with other programs on each CPU is refused"
validate__busy_body() {
	[ -r /proc/stat ] || atf_skip "no times of CPUs"
	loops=
	for i in $(seq $(getconf _NPROCESSORS_ONLN)); do
		sh -c 'while kill -0 $PPID; do :; done' 2>/dev/null &
		loops="$loops $!"
	done
	"$(program)" validate -d locked -l ticket -c aes -r 1 -t 0.05 -n 2 \
	    --profile graviton3 >out 2>err
	status=$?
	kill $loops
	[ $status = 3 ] || atf_fail "exit $status: $(cat out err)"
	grep -q 'not fit to be compared with: .*; or use --force' err ||
	    atf_fail "does not say why: $(cat err)"
}

test_case validate__gated "a measured cell that failed its gate is shown, and" \
    "not judged"
validate__gated_body() {
	measured graviton3
	sed 's/"gate": ""/"gate": "drift"/' real.json >gated.json
	cmp -s real.json gated.json && atf_skip "no gate to plant"
	mv gated.json real.json
	from graviton3
	[ $status = 1 ] || atf_fail "exit $status: $(cat err)"
	grep -q 'nothing to judge' out || atf_fail "$(cat out err)"
	grep -q 'failed a gate' out || atf_fail "$(cat out err)"
	grep -q 'nothing to judge: of 16 cells none has 2 or more readers' \
	    err || atf_fail "does not say why: $(cat err)"
}

test_case validate__alone "cells of one reader are nothing to" "judge"
validate__alone_body() {
	measured graviton3 1
	from graviton3
	[ $status = 1 ] || atf_fail "exit $status: $(cat out err)"
	grep -q 'nothing to judge: of 4 cells' err || atf_fail "$(cat err)"
}

test_case validate__no_lock_profile "without a lock profile there is no" \
    "hold time, and the rest is judged"
validate__no_lock_profile_body() {
	"$(program)" sweep -S debug.lock.prof.enable=0 -d locked -l ticket \
	    -c aes -r 1,2 -t 0.05 -n 2 -o real.json >out 2>&1 ||
	    atf_fail "sweep: $(cat out)"
	# Another program may have disturbed it.
	sed -i -e 's/"gate": "[^"]*"/"gate": ""/' \
	    -e 's/"oversubscribed": true/"oversubscribed": false/' real.json
	from graviton3
	[ $status -le 1 ] || atf_fail "exit $status: $(cat err)"
	[ ! -s err ] || atf_fail "$(cat err)"
	grep -q '^locked *ticket *2.* [-+][0-9.>]*$' out || atf_fail "$(cat out)"
	grep -q '^harvest CPU, idle: .* -  *0  nothing to judge$' out ||
	    atf_fail "called idle: $(cat out)"
	grep -q 'debug.lock.prof.enable=0' out || atf_fail "$(cat out)"
}

test_case validate__refuses "wrong options, files and results"
validate__refuses_body() {
	measured graviton3
	refused 2 '-d|"nix"|locked' -d nix
	refused 2 '-l|pthread' -l pthread --profile graviton3
	refused 2 '--profile|"nix"|graviton3' --profile nix
	refused 2 '-r|--from' --from real.json -r 1
	refused 2 '-S|--from' --from real.json -S rngsim.warmup_ms=1
	refused 1 'nowhere.json' --from nowhere.json
	refused 1 'swept.json has no cell' --from swept.json
	echo '{}' >empty.json
	refused 1 'empty.json' --from empty.json
}
