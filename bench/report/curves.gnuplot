# One row of panels: up to six curves of one cipher.  Set before: TOP and the
# legend's height LEGEND, pixels; HEADING; N and NAME[], the curves; AXIS, RATE
# and CALL, words: with producers 3 to 6 and 10 to 13 below are theirs.
#
# $D has a row for each cell: 1 curve, 2 gate failed, 3 readers, 4 total MB/s,
# 5 low, 6 high, 7 harvest CPU, 8 low, 9 high, 10 p50 s, 11 p90, 12 p99,
# 13 p99.9, 14 oversubscribed.

# What the axes must hold: LEAST and MOST readers; FITS and OVER, the most that
# fit the CPUs and the fewest that do not; CPU of the harvest thread; whether
# there are latencies.
LEAST = 1e9
MOST = 0
FITS = 0
OVER = 0
LOW = 1e300
HIGH = 0
TIMED = 0
min(a, b) = a < b ? a : b
max(a, b) = a > b ? a : b
do for [k=1:|$D|] {
	n = word($D[k], 3) + 0
	LEAST = min(LEAST, n)
	MOST = max(MOST, n)
	if (word($D[k], 14) eq '0') {
		FITS = max(FITS, n)
	} else {
		OVER = OVER == 0 ? n : min(OVER, n)
	}
	LOW = min(LOW, min(word($D[k], 7) + 0, word($D[k], 8) + 0))
	HIGH = max(HIGH, max(word($D[k], 7) + 0, word($D[k], 9) + 0))
	TIMED = TIMED || word($D[k], 10) ne 'NaN'
}
# Logarithmic axes: of readers from 48 on, of CPU where it differs 50 times.
BY2 = MOST >= 48
BY10 = LOW > 0 && HIGH / LOW > 50
# Grey begins where threads outnumber CPUs; NaN: nowhere.
SHADE = OVER == 0 ? NaN : FITS == 0 ? 0 : FITS >= OVER ? OVER : \
    BY2 ? sqrt(1.0 * FITS * OVER) : (FITS + OVER) / 2.0

cell(i, gate, v) = column(1) == i && column(2) == gate ? v : NaN
per(v, n) = EACH ? v / n : v

unset border
unset tics
unset logscale
unset grid
unset xlabel
unset ylabel
unset title
set xrange [0:1]
set yrange [0:1]
eval place(0, TOP, WIDTH, LEGEND)
set label 1 HEADING at screen 14.0 / WIDTH, screen y(TOP + 10) left font ',13'
set key at screen 14.0 / WIDTH, screen y(TOP + 20) left top vertical \
    maxrows ROWS Left reverse samplen 5
plot for [i=1:N] NaN with linespoints linestyle i title NAME[i]
unset label 1
unset key

set border 3
set tics nomirror
set grid noxtics ytics back linetype 1 linewidth 0.6 linecolor rgb '#b0b0b0'
set xlabel AXIS offset 0,0.5
if (BY2) {
	set logscale x 2
	set xrange [LEAST / 1.15:MOST * 1.05]
} else {
	set xrange [LEAST - 0.4:MOST + 0.4]
}
if (MOST - LEAST <= 12) { set xtics 1 nomirror } else { set xtics autofreq nomirror }
if (SHADE == 0) {
	set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 \
	    behind fillcolor rgb '#e8e8e8' fillstyle solid noborder
}
if (SHADE > 0) {
	set object 1 rectangle from first SHADE, graph 0 to graph 1, graph 1 \
	    behind fillcolor rgb '#e8e8e8' fillstyle solid noborder
}
AT = LEFT
TOP = TOP + LEGEND

set ylabel RATE offset 0.5,0
set format y '%g'
do for [EACH=0:1] {
	eval place(AT, TOP, PANEL, 300)
	set title EACH ? RATE.' of each of the '.AXIS : 'total '.RATE offset 0,-0.6
	set yrange [0:*]
	plot for [i=1:N] $D using 3:(cell(i, 0, per($5, $3))):(per($6, $3)) \
	    with filledcurves linestyle i fillstyle transparent solid 0.15 noborder, \
	    for [i=1:N] $D using 3:(cell(i, 0, per($4, $3))):(per($5, $3)):(per($6, $3)) \
	    with yerrorbars linestyle i dashtype 1 linewidth 1 pointtype -1, \
	    for [i=1:N] $D using 3:(cell(i, 0, per($4, $3))) \
	    with linespoints linestyle i, \
	    for [i=1:N] $D using 3:(cell(i, 1, per($4, $3))) \
	    with points linestyle i + 6
	AT = AT + PANEL
}
AT = LEFT
TOP = TOP + 300

# Bars of curves beside each other, up from the median, with two ticks.
beside(i, n) = BY2 ? n * (1 + 0.05 * (i - (N + 1) / 2.0)) : \
    n + 0.025 * (i - (N + 1) / 2.0) * (MOST - LEAST + 0.8)
tick(n) = (BY2 ? n : MOST - LEAST + 0.8) * 0.008
eval place(AT, TOP, PANEL, 300)
set title 'latency of '.CALL.': p50 to p99.9'
unset ylabel
if (TIMED) {
	set logscale y 10
	set format y '%.0s %cs'
	set yrange [*:*]
	plot for [i=1:N] $D using (beside(i, $3)):(cell(i, 0, $10)) \
	    with lines linestyle i linewidth 0.8, \
	    for [g=0:1] for [i=1:N] $D using (beside(i, $3)):(cell(i, g, $10)):10:13 \
	    with yerrorbars linestyle i + 6 * g dashtype 1 linewidth 1, \
	    for [g=0:1] for [i=1:N] $D using (beside(i, $3) - tick($3) / 2): \
	    (cell(i, g, $11)):(tick($3)):(0) with vectors nohead \
	    linestyle i dashtype 1, \
	    for [g=0:1] for [i=1:N] $D using (beside(i, $3) - tick($3)): \
	    (cell(i, g, $12)):(2 * tick($3)):(0) with vectors nohead \
	    linestyle i dashtype 1 linewidth 2.4
	unset logscale y
} else {
	set label 1 'no latencies were recorded' at graph 0.5, graph 0.5 center
	set yrange [0:1]
	plot NaN
	unset label 1
}
AT = AT + PANEL
eval place(AT, TOP, PANEL, 300)
set title HARVEST
set ylabel '% of one CPU' offset 0.5,0
set format y '%g'
if (BY10) {
	set logscale y 10
	set yrange [*:*]
} else {
	set yrange [0:*]
}
plot for [i=1:N] $D using 3:(cell(i, 0, $8)):9 \
    with filledcurves linestyle i fillstyle transparent solid 0.15 noborder, \
    for [i=1:N] $D using 3:(cell(i, 0, $8 < $9 ? $7 : NaN)):8:9 \
    with yerrorbars linestyle i dashtype 1 linewidth 1 pointtype -1, \
    for [i=1:N] $D using 3:(cell(i, 0, $7)) with linespoints linestyle i, \
    for [i=1:N] $D using 3:(cell(i, 1, $7)) with points linestyle i + 6
unset logscale y
unset object 1
