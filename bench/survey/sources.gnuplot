# "rngsim sources --plot": throughput against threads, a panel of hardware and
# one of computed sources.  Set before: WIDTH, HEIGHT, pixels; TITLE1 to TITLE3;
# CURVES[1] of hardware and CURVES[2] computed curves, in this order; of each
# NAME[] and KNEE[], the threads where it stops growing, or NaN; FIRST and LAST
# threads; CPUS; PEAK, published M reads/s of hardware, or NaN, and PEAK_NAME.
#
# $D has a row for each point: 1 curve, 2 threads, 3 M reads/s, 4 low, 5 high.
of(i, v) = column(1) == i ? v : NaN
knee(i, v) = column(1) == i && column(2) == KNEE[i] ? v : NaN

set encoding utf8
set datafile missing NaN
# Dashes and shapes differ too, for black and white.
set style line 1 lc rgb '#000000' pt 7 dt 1
set style line 2 lc rgb '#0060b0' pt 5 dt '- '
set style line 3 lc rgb '#c84800' pt 9 dt '_ '
set style line 4 lc rgb '#007850' pt 11 dt '-. '
set style line 5 lc rgb '#a03080' pt 13 dt '_. '
set style line 6 lc rgb '#806000' pt 15 dt '_.. '
set style line 7 lc rgb '#505050' pt 4 dt '.. '
set style line 8 lc rgb '#900000' pt 6 dt '-- '
do for [i=1:8] { set style line i lw 1.6 ps 1.1 }
set tics nomirror
set border 3
set errorbars 1
set format y '%g'
set grid noxtics ytics back lt 1 lw 0.6 lc rgb '#b0b0b0' dt 1
set key top left Left reverse samplen 5 opaque
set xlabel 'threads' offset 0,0.5
set ylabel 'M reads/s, all threads'
array LEAST[2]
array MOST[2]
do for [p=1:2] {
	A = p == 1 ? 1 : CURVES[1] + 1
	B = A + CURVES[p] - 1
	if (CURVES[p] > 0) {
		stats $D using ($1 >= A && $1 <= B ? $4 : NaN) nooutput
		LEAST[p] = STATS_min
		stats $D using ($1 >= A && $1 <= B ? $5 : NaN) nooutput
		MOST[p] = STATS_max
	}
}
set multiplot
set label 1 TITLE1 at screen 0.013, screen 1 - 16.0 / HEIGHT left front font ',14'
set label 2 TITLE2 at screen 0.013, screen 1 - 36.0 / HEIGHT left front
set label 3 TITLE3 at screen 0.013, screen 1 - 56.0 / HEIGHT left front
set tmargin at screen 0.815
set bmargin at screen 0.089
set xrange [FIRST - 0.4:LAST + 0.4]
if (LAST - FIRST < 16) { set xtics 1 }
if (LAST > CPUS) {
	set object 1 rectangle from first (CPUS + 0.5 > FIRST - 0.4 ? \
	    CPUS + 0.5 : FIRST - 0.4), graph 0 to graph 1, graph 1 behind \
	    fillcolor rgb '#ececec' fillstyle solid noborder
}
do for [p=1:2] {
	A = p == 1 ? 1 : CURVES[1] + 1
	B = A + CURVES[p] - 1
	TOP = p == 1 ? PEAK : NaN
	if (CURVES[p] > 0) {
		set title p == 1 ? 'hardware' : 'computed' offset 0,-0.6
		set lmargin at screen (p == 2 && CURVES[1] > 0 ? 0.5 : 0) + 74.0 / WIDTH
		set rmargin at screen (p == 1 && CURVES[2] > 0 ? 0.5 : 1) - 16.0 / WIDTH
		LOW = TOP < LEAST[p] ? TOP : LEAST[p]
		HIGH = TOP > MOST[p] ? TOP : MOST[p]
		# Room for the key, above the intervals.
		ROOM = 0.12 * (CURVES[p] + (TOP == TOP))
		if (HIGH > 20 * LOW) {
			set logscale y
			set yrange [LOW / 1.3:HIGH * 1.3 * (HIGH / LOW) ** ROOM]
		} else {
			unset logscale y
			set yrange [0:HIGH * (1.05 + ROOM)]
		}
		plot for [i=A:B] $D using 2:(of(i, $4)):5 with filledcurves \
		    ls (i - A) % 8 + 1 fillstyle transparent solid 0.15 noborder notitle, \
		    for [i=A:B] $D using 2:(of(i, $3)):4:5 with yerrorlines \
		    ls (i - A) % 8 + 1 title NAME[i], \
		    for [i=A:B] $D using 2:(knee(i, $3)) with points pt 6 ps 2.6 \
		    lw 1.6 lc rgb '#000000' notitle, \
		    TOP with lines lw 2 lc rgb '#707070' dt '.' \
		    title TOP == TOP ? PEAK_NAME : ''
		# The first panel draws the labels.
		unset label
	}
}
unset multiplot
