"""Where a text can be cut: one pure function a stage.

A place is a cut of a stage if, whatever follows the text, the stage makes of the whole what it makes of the two sides,
each taken for itself. Every function here is given the beginning of a text and a limit, and gives the last cut up to the
limit, 0 if there is none.
"""
