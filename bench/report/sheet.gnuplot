# The start of every picture.  Set before: WIDTH, HEIGHT and PANEL, the width
# of one panel, in pixels; TITLE[], lines.  Lines differ in dashes and shapes
# too, for black and white; styles 7 to 12 are the open markers of 1 to 6.
set encoding utf8
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

# Where pixels of the picture are on the screen, counted from the top.
y(p) = 1 - (p) / (1.0 * HEIGHT)
place(left, top, w, h) = sprintf('set origin %g,%g; set size %g,%g', \
    left / (1.0 * WIDTH), y(top + h), w / (1.0 * WIDTH), h / (1.0 * HEIGHT))

LEFT = 14
ROWS = 3

set multiplot
do for [i=1:|TITLE|] {
	set label i TITLE[i] at screen 14.0 / WIDTH, screen y(17 * i) left
}
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
plot NaN notitle
unset label
