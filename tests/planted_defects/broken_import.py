"""Imports what is not installed: a subject that was never tried on this machine."""

from __future__ import annotations

import a_module_that_nobody_has

Subject = a_module_that_nobody_has.Tokenizer
