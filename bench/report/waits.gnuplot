# A matrix of waits.  Set before: AT and TOP, pixels; HEADING; HOLDERS and
# WAITERS, their numbers; their names as tics.
#
# $M has a row for each pair: holder, waiter, share of all waiting.
eval place(AT, TOP, 2 * PANEL, 310)
set title HEADING offset 0,-0.6
unset logscale
unset grid
unset ylabel
set border 3
set format y '%s'
# More names than three are slanted.
if (HOLDERS > 3) {
	set xtics rotate by 25 right
} else {
	set xtics norotate center
}
set palette defined (0 'white', 1 '#282828')
set cbrange [0:1]
share(v) = v <= 0 ? '-' : v < 0.0005 ? '<0.1' : v < 0.0995 ? \
    sprintf('%.1f', 100 * v) : sprintf('%.0f', 100 * v)
set xlabel 'place that held the lock; left: place that waited' offset 0,0.3
set xrange [-0.5:HOLDERS - 0.5]
set yrange [WAITERS - 0.5:-0.5]
plot $M using 1:2:(0.5):(0.5):(sqrt($3)) with boxxyerror \
    fillstyle solid border rgb '#808080' fillcolor palette, \
    $M using 1:2:(share($3)):($3 > 0.3 ? 0xffffff : 0) \
    with labels textcolor rgb variable
set xtics nomirror norotate center autofreq
set ytics nomirror right autofreq
