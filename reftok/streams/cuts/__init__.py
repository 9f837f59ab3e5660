"""How much of a text nothing that follows can change: one pure function a stage.

A place is a cut of a stage if, whatever follows, the stage makes of the whole text what it makes of the two sides, each
taken for itself.
"""
