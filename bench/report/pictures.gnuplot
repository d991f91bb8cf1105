# Instead of panels of a picture: a picture for each panel, behind a line that
# names its row.
set print '-'
set samples 60
place(left, top, w, h) = sprintf('unset multiplot; ' . \
    'set terminal svg noenhanced size %g,%g font "Helvetica,12" ' . \
    'background "#ffffff"; print "\npanel: ", HEADING; set multiplot; ' . \
    'set origin 0,0; set size 1,1', w, h)
WIDTH = PANEL
ROWS = 6
