"""Oniguruma's regular expressions, read into a syntax tree and written in the syntax of the package `regex`.

    pattern ──parser──▶ syntax tree ──writer──▶ pattern of `regex`
              classes          │       members (classes, exact for Unicode 16, and without regard to case)
              lexer            │
                               └─ analysis: may it match nothing, may it run away, is it known to be reproduced

Source: Oniguruma 6.9.10 (regparse.c, regcomp.c, unicode.c) with ONIG_SYNTAX_ONIGURUMA and no options, which is what the
crate onig 6.5 compiles with. What is not known to mean the same is refused by name, with its place in the pattern.
"""
