# One row of panels: up to six curves of one cipher.  Set before, in the sheet: TOP,
# where it begins; AXIS, RATE, CALL and HARVEST, words: with producers 3 to 6 and 10
# to 13 below are theirs; then HEADING, N and NAME[], the curves.
#
# $D has a row for each cell: 1 curve, 2 gate failed, 3 readers, 4 total MB/s,
# 5 low, 6 high, 7 harvest CPU, 8 low, 9 high, 10 p50 s, 11 p90, 12 p99,
# 13 p99.9, 14 oversubscribed.  Latencies of 0 were not recorded.

# What the axis must hold: LEAST and MOST readers; FITS and OVER, the most that
# fit the CPUs and the fewest that do not.
LEAST = 1e9
MOST = 0
FITS = 0
OVER = 0
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
}
# An axis that spans a decade is logarithmic.
BY2 = LEAST > 0 && MOST >= 10 * LEAST
# Grey begins where threads outnumber CPUs; NaN: nowhere.
SHADE = OVER == 0 ? NaN : FITS == 0 ? 0 : FITS >= OVER ? OVER : \
    BY2 ? sqrt(1.0 * FITS * OVER) : (FITS + OVER) / 2.0

# A cell of a curve, which may have no latencies.
cell(i, gate, v) = column(1) == i && column(2) == gate && (!TIMED || v > 0) ? v : NaN
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
if (HTML) {
	CAPTION = '<figure><figcaption><b>'.HEADING.'</b>'
	do for [i=1:N] {
		CAPTION = CAPTION.sprintf(' <span class="s%d">', i).NAME[i].'</span>'
	}
	print CAPTION.'</figcaption>'
	TOP = 0
} else {
	BESIDE = SIDE > 0 ? LEFT + COLUMNS * PANEL + 6 : LEFT
	set label 1 HEADING at screen x(BESIDE), screen y(TOP + 14) left \
	    font FORM eq 'svg' ? ',13' : ',10'
	set key at screen x(BESIDE), screen y(TOP + 24) left top vertical \
	    maxrows lines(N) Left reverse samplen 5
	plot for [i=1:N] NaN with linespoints linestyle i title NAME[i]
	unset label 1
	unset key
	TOP = TOP + legend(N)
}

set border 3
set tics nomirror
set grid noxtics ytics back linetype 1 linewidth 0.6 linecolor rgb '#b0b0b0'
set xlabel AXIS.'s' offset 0,0.5
# On a linear axis; curves beside each other must fit.
MARGIN = 0.4 > 0.08 * (MOST - LEAST) ? 0.4 : 0.08 * (MOST - LEAST)
if (BY2) {
	set logscale x 2
	set xrange [LEAST / 1.15:MOST * 1.15]
} else {
	set xrange [LEAST - MARGIN:MOST + MARGIN]
}
if (!BY2 && MOST - LEAST <= 12) { set xtics 1 nomirror } else { set xtics autofreq nomirror }
if (SHADE == 0) {
	set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 \
	    behind fillcolor rgb '#e8e8e8' fillstyle solid noborder
}
if (SHADE > 0) {
	set object 1 rectangle from first SHADE, graph 0 to graph 1, graph 1 \
	    behind fillcolor rgb '#e8e8e8' fillstyle solid noborder
}

# Bars of curves beside each other, up from the median, with two ticks.
beside(i, n) = BY2 ? n * (1 + 0.05 * (i - (N + 1) / 2.0)) : \
    n + 0.025 * (i - (N + 1) / 2.0) * (MOST - LEAST + 2 * MARGIN)
tick(n) = (BY2 ? n : MOST - LEAST + 2 * MARGIN) * 0.008

# Of row k of $D: a value of a column, of each reader if so; its text.  Where
# a value is along an axis from LOW to HIGH.
datum(k, c) = word($D[k], c) / (EACH ? word($D[k], 3) : 1)
figure(k, c) = TIMED ? gprintf('%.1s %cs', datum(k, c)) : sprintf('%.4g', datum(k, c))
readers(k) = word($D[k], 3).' '.AXIS.(word($D[k], 3) eq '1' ? '' : 's')
along(v, low, high, decades) = decades ? log(v / low) / log(high / low) : (v - low) / (high - low)
# What a cell's point shows.
shows(k) = NAME[int(word($D[k], 1))].', '.readers(k).': '.(NOW eq 'latency' ? \
    'p50 '.figure(k, 10).', p90 '.figure(k, 11).', p99 '.figure(k, 12).', p99.9 '.figure(k, 13) : \
    figure(k, V).(datum(k, A) < datum(k, B) ? ' ('.figure(k, A).' to '.figure(k, B).')' : '')). \
    (word($D[k], 2) eq '1' ? '; a gate failed' : '')

do for [p=1:words(PANELS)] {
	NOW = word(PANELS, p)
	EACH = NOW eq 'reader'
	TIMED = NOW eq 'latency' || NOW eq 'p99'
	# Columns of the median and its interval.
	V = NOW eq 'harvest' ? 7 : TIMED ? 12 : 4
	A = TIMED ? V : V + 1
	B = TIMED ? V : V + 2
	LOW = 1e300
	HIGH = 0
	do for [k=1:|$D|] {
		do for [c in sprintf('%d %d %d', V, A, B)] {
			if (!TIMED || datum(k, int(c)) > 0) {
				LOW = min(LOW, datum(k, int(c)))
				HIGH = max(HIGH, datum(k, int(c)))
			}
		}
	}
	eval place(LEFT + (p - 1) % COLUMNS * PANEL, \
	    TOP + (HTML ? 0 : (p - 1) / COLUMNS * TALL), PANEL, TALL)
	WHAT = NOW eq 'harvest' ? HARVEST : \
	    NOW eq 'latency' ? 'latency of '.CALL.': p50 to p99.9' : \
	    NOW eq 'p99' ? 'p99 of '.CALL : \
	    EACH ? RATE.' of each '.AXIS : 'total '.RATE
	set title WHAT offset 0,-0.6
	if (HTML) {
		# The text for those who do not see the drawing: each curve's ends.
		ALT = HEADING.', '.WHAT
		do for [k=1:|$D|] {
			FIRST = k == 1 || word($D[max(k - 1, 1)], 1) ne word($D[k], 1)
			LAST = k == |$D| || word($D[min(k + 1, |$D|)], 1) ne word($D[k], 1)
			ALT = ALT.(FIRST ? '; '.NAME[int(word($D[k], 1))].': ' : LAST ? ', ' : ''). \
			    (FIRST || LAST ? figure(k, V).' with '.readers(k) : '')
		}
		print sprintf('<svg viewBox="0 0 %d %d" role="img"><title>', PANEL, TALL). \
		    ALT.'</title>'
	}
	set format y (TIMED ? '%.0s %cs' : '%g')
	DECADES = NOW eq 'latency' || LOW > 0 && HIGH >= 10 * LOW
	if (DECADES) {
		set logscale y 10
		set yrange [*:*]
		set ytics autofreq nomirror
		# As many as there is room for.
		if (!TIMED && 45 * log10(HIGH / LOW) < TALL - 110) {
			set ytics () nomirror
			set for [d=-6:9] for [m in '1 2 5'] ytics \
			    add (sprintf('%g', m * 10.0 ** d) m * 10.0 ** d)
		}
	} else {
		unset logscale y
		set yrange [0:*]
		set ytics autofreq nomirror
	}
	if (TIMED && HIGH == 0) {
		set label 1 'no latencies were recorded' at graph 0.5, graph 0.5 center
		set yrange [0:1]
		plot NaN
		unset label 1
	} else {
		if (NOW eq 'latency') {
			plot for [i=1:N] $D using (beside(i, $3)):(cell(i, 0, $10)) \
			    with lines linestyle i linewidth 0.8 title NAME[i], \
			    for [g=0:GATED] for [i=1:N] $D using (beside(i, $3)):(cell(i, g, $10)):10:13 \
			    with yerrorbars linestyle i + 6 * g dashtype 1 linewidth 1 \
			    title NAME[i], \
			    for [g=0:GATED] for [i=1:N] $D using (beside(i, $3) - tick($3) / 2): \
			    (cell(i, g, $11)):(tick($3)):(0) with vectors nohead \
			    linestyle i dashtype 1 title NAME[i], \
			    for [g=0:GATED] for [i=1:N] $D using (beside(i, $3) - tick($3)): \
			    (cell(i, g, $12)):(2 * tick($3)):(0) with vectors nohead \
			    linestyle i dashtype 1 linewidth 2.4 title NAME[i]
		} else {
			plot for [i=1:N] $D using 3:(cell(i, 0, per(column(A), $3))):(per(column(B), $3)) \
			    with filledcurves linestyle i fillstyle transparent solid 0.15 noborder \
			    title NAME[i], \
			    for [i=1:N] $D using 3:(cell(i, 0, column(A) < column(B) ? per(column(V), $3) : NaN)): \
			    (per(column(A), $3)):(per(column(B), $3)) \
			    with yerrorbars linestyle i dashtype 1 linewidth 1 pointtype -1 \
			    title NAME[i], \
			    for [i=1:N] $D using 3:(cell(i, 0, per(column(V), $3))) \
			    with linespoints linestyle i title NAME[i], \
			    for [i=1:GATED ? N : 0] $D using 3:(cell(i, 1, per(column(V), $3))) \
			    with points linestyle i + 6 title NAME[i]
		}
		do for [k=1:HTML ? |$D| : 0] {
			# A browser shows the title of what is below the pointer.
			v = datum(k, NOW eq 'latency' ? 10 : V)
			i = int(word($D[k], 1))
			n = word($D[k], 3) + 0
			n = NOW eq 'latency' ? beside(i, n) : n
			if (v > 0 || v == 0 && !DECADES) {
				print sprintf('<circle cx="%.0f" cy="%.0f" r="7"><title>', \
				    58 + (PANEL - 70) * along(n, GPVAL_X_MIN, GPVAL_X_MAX, BY2), \
				    TALL - 46 - (TALL - 70) * along(v, GPVAL_Y_MIN, GPVAL_Y_MAX, \
				    DECADES)).shows(k).'</title></circle>'
			}
		}
	}
	if (HTML) { print '</svg>' }
}
if (HTML) { print '</figure>' }
unset logscale y
unset object 1
TOP = TOP + (words(PANELS) + COLUMNS - 1) / COLUMNS * TALL
