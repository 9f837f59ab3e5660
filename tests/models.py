"""Embedded models, each loaded once in a process."""

from __future__ import annotations

from functools import cache

import reftok

load = cache(reftok.load)
