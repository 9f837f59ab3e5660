"""JSON as the Rust crate serde_json reads it: what Python's parser would let pass is refused."""

from __future__ import annotations

import json
import re
from typing import Any

from reftok.errors import ModelFormatError
from reftok.formats.serde_float import serde_float, serde_integer

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse_json(data: bytes, source: str) -> Any:
    """The value that the bytes stand for.

    Raises ModelFormatError for anything that is not JSON in UTF-8: NaN, numbers beyond float64, lone surrogates too.
    """
    try:
        root = json.loads(
            data.decode("utf-8"), parse_float=serde_float, parse_int=serde_integer, parse_constant=_refuse_constant
        )
        if _SURROGATE_ESCAPE.search(data):
            json.dumps(root, ensure_ascii=False).encode("utf-8")
        return root
    except UnicodeDecodeError as error:
        raise ModelFormatError(source, f"byte {error.start}", "is not UTF-8; not a tokenizer.json") from None
    except UnicodeEncodeError:
        raise ModelFormatError(source, "", "is not JSON (an escape stands for half a surrogate pair)") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise ModelFormatError(source, place, f"is not JSON ({error.msg}); is the file complete?") from None
    except RecursionError:
        raise ModelFormatError(source, "", "is nested too deeply") from None
    except (OverflowError, ValueError) as error:
        raise ModelFormatError(source, "", f"is not JSON ({error})") from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")
