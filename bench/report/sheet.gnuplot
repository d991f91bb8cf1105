# The start of every picture.  Set before: FORM, "png", "svg", "pdf" or "html", of
# which each panel is a drawing; WIDTH, pixels; RUN and COMMON, texts above all rows; COUNTS, the curves of each row;
# PANELS, words; DRAWN, profiles; whether a gate failed, GATED, and windows had few
# passes, FEW; LEFT_OUT, curves; LONGEST, the letters of a name or heading; KIND, 1 of
# producers, 2 of locks.  Lines differ in dashes and shapes too, for black and white;
# styles 7 to 12 are the open markers of 1 to 6.
set encoding utf8
AXIS = word('reader producer thread', KIND + 1)
RATE = KIND == 1 ? 'M events/s' : KIND == 2 ? 'M acquisitions/s' : 'MB/s'
CALL = KIND == 1 ? "a producer's call" : KIND == 2 ? 'one round' : 'one read'
HARVEST = 'CPU % of the harvest thread'.(FEW ? ' ?' : '')
shown(panel) = strstrt(' '.PANELS, ' '.panel.' ') > 0
MARKS = 'bars and bands: ' . (DRAWN > 0 ? \
    sprintf('10 to 90 %% of %d drawn profiles', DRAWN) : '95 % intervals') . \
    '; grey: more '.AXIS.'s than CPUs' . \
    (GATED ? '; open markers: a gate failed' : '') . \
    (FEW && shown('harvest') ? \
    '; ?: windows have fewer than 3 passes of the harvest thread' : '') . \
    (shown('latency') ? '; latency: point p50, ticks p90 and p99, ' . \
    'end of the bar p99.9' : '') . (LEFT_OUT > 0 ? \
    sprintf('; %d curves are left out, there is no room', LEFT_OUT) : '')
HTML = FORM eq 'html'
LEFT = HTML ? 0 : 14
# Panels side by side.  A legend is on their right, SIDE pixels wide, where that
# leaves them wide enough; else above them.
COLUMNS = HTML || words(PANELS) == 1 || WIDTH < 500 ? 1 : words(PANELS) < 4 || WIDTH < 1200 ? 2 : 4
SIDE = 64 + 7 * LONGEST
if (HTML || (WIDTH - 2 * LEFT - SIDE) / COLUMNS < 280) { SIDE = 0 }
PANEL = (WIDTH - 2 * LEFT - SIDE) / COLUMNS
TALL = PANEL * 3 / 4
# Titles are broken at blanks; a letter has 7 pixels at most in the mean.
MOST = (WIDTH - 2 * LEFT) / 7
TITLES = 0
array TITLE[99]
do for [t in 'RUN COMMON MARKS'] {
	rest = value(t)
	while (strlen(rest) > MOST) {
		end = MOST
		while (end > 1 && rest[end:end] ne ' ') { end = end - 1 }
		end = end > 1 ? end : MOST
		TITLES = TITLES + 1
		TITLE[TITLES] = rest[1:end]
		rest = rest[end+1:*]
	}
	TITLES = TITLES + 1
	TITLE[TITLES] = rest
}
TOP = 17 * (TITLES + 1)
# A legend's lines: more than three names are in two columns, if they fit.
lines(n) = n < 4 || WIDTH < 760 || SIDE > 0 ? n : (n + 1) / 2
legend(n) = HTML ? 0 : SIDE > 0 ? 6 : 22 + (FORM eq 'svg' ? 17 : 14) * lines(n)
HEIGHT = TOP + LEFT
do for [n in COUNTS] {
	HEIGHT = HEIGHT + legend(n + 0) + (words(PANELS) + COLUMNS - 1) / COLUMNS * TALL
}
if (FORM eq 'pdf') {
	# A pixel is a point.
	set terminal pdfcairo noenhanced size WIDTH / 72.0,HEIGHT / 72.0 font 'Sans,9'
} else {
	if (FORM eq 'svg') {
		set terminal svg noenhanced size WIDTH,HEIGHT font 'Helvetica,12' \
		    background '#ffffff'
	} else {
		if (strstrt(GPVAL_TERMINALS, ' pngcairo ') > 0) {
			set terminal pngcairo noenhanced size WIDTH,HEIGHT font 'Sans,9'
		} else {
			set terminal png truecolor noenhanced size WIDTH,HEIGHT medium
		}
	}
}
if (HTML) {
	HEIGHT = TALL
	set terminal svg noenhanced size WIDTH,HEIGHT font 'Helvetica,12'
	set print '-'
	print '<p class="legend">'.COMMON.'; '.MARKS.'</p>'
}
set datafile missing NaN
set samples 200
set border 3
set tics nomirror
set errorbars 1
unset colorbox
unset key
set style line 1 linewidth 1.6 pointsize 1.2 linecolor rgb '#000000' pointtype 7 dashtype solid
set style line 2 linewidth 1.6 pointsize 1.2 linecolor rgb '#0060b0' pointtype 5 dashtype '- '
set style line 3 linewidth 1.6 pointsize 1.2 linecolor rgb '#c84800' pointtype 9 dashtype '_ '
set style line 4 linewidth 1.6 pointsize 1.2 linecolor rgb '#007850' pointtype 11 dashtype '-. '
set style line 5 linewidth 1.6 pointsize 1.2 linecolor rgb '#a03080' pointtype 13 dashtype '_. '
set style line 6 linewidth 1.6 pointsize 1.2 linecolor rgb '#806000' pointtype 15 dashtype '_.. '
set style line 7 linewidth 1.4 pointsize 1.4 linecolor rgb '#000000' pointtype 6 dashtype solid
set style line 8 linewidth 1.4 pointsize 1.4 linecolor rgb '#0060b0' pointtype 4 dashtype solid
set style line 9 linewidth 1.4 pointsize 1.4 linecolor rgb '#c84800' pointtype 8 dashtype solid
set style line 10 linewidth 1.4 pointsize 1.4 linecolor rgb '#007850' pointtype 10 dashtype solid
set style line 11 linewidth 1.4 pointsize 1.4 linecolor rgb '#a03080' pointtype 12 dashtype solid
set style line 12 linewidth 1.4 pointsize 1.4 linecolor rgb '#806000' pointtype 14 dashtype solid

# Where pixels of the picture are on the screen, counted from the top and the left.
y(p) = 1 - (p) / (1.0 * HEIGHT)
x(p) = (p) / (1.0 * WIDTH)
# The axes of a panel, with room for what stands around them.
place(left, top, w, h) = sprintf('set lmargin at screen %g; ' . \
    'set rmargin at screen %g; set tmargin at screen %g; set bmargin at screen %g', \
    x(left + 58), x(left + w - 12), y(top + 24), y(top + h - 46))

if (!HTML) {
	set multiplot
	do for [i=1:TITLES] {
		set label i TITLE[i] at screen x(LEFT), screen y(17 * i) left
	}
	unset border
	unset tics
	set xrange [0:1]
	set yrange [0:1]
	plot NaN notitle
	unset label
}
