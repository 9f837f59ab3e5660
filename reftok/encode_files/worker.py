"""The process that encodes: pickled requests on standard input, pickled replies on standard output.

It ends when its standard input does, so that none is left behind when the process that started it is killed.
"""

from __future__ import annotations

import os
import pickle
import traceback
from typing import BinaryIO

from reftok.encode_files.encoder import DocumentEncoder
from reftok.encode_files.messages import Failure, Part, Ready, Reply, StopError, Task
from reftok.errors import ReftokError


def main() -> None:
    """Serve until standard input ends. What a library prints goes to standard error."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve(requests, replies)


def serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """The first request is a Task and is answered with Ready; all others with Reply; or with Failure, each of them."""
    encoder: DocumentEncoder | None = None
    while True:
        try:
            request = pickle.load(requests)
        except EOFError:
            return
        answer: Ready | Reply | Failure
        try:
            if isinstance(request, Task):
                encoder = DocumentEncoder(request)
                answer = encoder.ready()
            else:
                assert encoder is not None
                answer = encoder.part(request) if isinstance(request, Part) else encoder.documents(request)
        except StopError as stop:
            answer = stop.failure
        except ReftokError as error:
            answer = Failure("worker", str(error))
        except Exception:
            answer = Failure("fault", traceback.format_exc())
        try:
            pickle.dump(answer, replies, protocol=pickle.HIGHEST_PROTOCOL)
            replies.flush()
        except BrokenPipeError:
            return
