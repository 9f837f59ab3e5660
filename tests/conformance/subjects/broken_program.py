"""A program that speaks the protocol, and breaks it in one way when it is asked "wrong": python broken_program.py WAY

It stands for adapters in any language, so it is nothing but a loop over lines.
"""

import json
import os
import signal
import subprocess
import sys
import time

WAY = sys.argv[1] if len(sys.argv) > 1 else ""
ASKED = [0]


def say(value):
    print(json.dumps(value), flush=True)


def started(number):
    capabilities = {"encode": {}, "decode": {}, "items": 8}
    if WAY == "says that it gives offsets":
        capabilities["encode"] = {"fields": ["offsets"]}
    if WAY in ("says that it has a batch call", "dies of a batch"):
        capabilities["encode_batch"] = True
    if WAY == "has an error of its own in a stream":
        capabilities |= {"stream_encode": [], "stream_decode": []}
    if WAY == "says that it resets":
        capabilities["reset"] = True
    if WAY == "promises more than it knows":
        capabilities["in_flight"] = 10**9
    if WAY == "promises less when it is started again" and os.path.exists(sys.argv[2]):
        capabilities = {}
    protocol = 2 if WAY == "speaks another version" else 1
    name = "n" * 1000 if WAY == "has a long name" else "broken"
    about = {"name": name, "language": "js" if WAY == "is written in js" else ""}
    return {"id": number, "started": {"protocol": protocol, "subject": about, "capabilities": capabilities}}


RESULTS = {
    "gives NaN": {"ids": [float("nan")]},
    "gives numbers as strings": {"ids": ["1"]},
    "gives no ids": {},
    "gives offsets that are no pairs": {"ids": [1], "offsets": [[1]]},
    "skips": {"skipped": {"message": "not yet", "issue": "https://example.org/7"}},
}


def wrong(number, results):
    """Answer a message with "wrong" among its items. results: of which that of "wrong" may be another."""
    answer = {"id": number, "results": results}
    if WAY == "answers another message":
        say({**answer, "id": number + 1})
    elif WAY == "leaves a result out":
        say({**answer, "results": results[1:]})
    elif WAY == "says half a line":
        sys.stdout.write(json.dumps(answer)[:9])
        sys.stdout.flush()
        os._exit(0)
    elif WAY == "answers twice":
        say(answer)
        say(answer)
    elif WAY == "is silent":
        time.sleep(600)
    elif WAY == "leaves its output to another and dies":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], stdout=1)
        os._exit(9)
    elif WAY == "dies where it is asked alone":
        if len(results) == 1:
            os._exit(9)
        say({"id": number})
    elif WAY == "makes noise":
        print("loading: 10 %\nloading: 100 %")
        say(answer)
    elif WAY == "says what is no UTF-8":
        sys.stdout.buffer.write(
            b'{"id": ' + str(number).encode() + b', "results": [{"ids": [1], "tokens": ["\xff"]}]}\n'
        )
        sys.stdout.buffer.flush()
    elif WAY == "closes its output":
        os.close(1)
        time.sleep(600)
    elif WAY == "floods its output":
        flood(1, b"x" * (1 << 20))
    elif WAY == "dies":
        print("the last words", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    elif WAY == "answers out of order":
        say({"id": number + 1, "results": results})
        say(answer)
    elif WAY == "nests without end":
        print('{"id": ' + str(number) + ', "results": ' + "[" * 100_000, flush=True)
        time.sleep(600)
    elif WAY == "gives an integer that nobody reads":
        print('{"id": ' + str(number) + ', "results": [{"ids": [' + "1" * 5000 + "]}]}", flush=True)
    elif WAY == "has an error of its own":
        say({"id": number, "error": {"message": "no field\x1b[31m 'items'"}})
    elif WAY in ("dies once", "promises less when it is started again"):
        if not os.path.exists(sys.argv[2]):
            open(sys.argv[2], "w").close()
            os._exit(9)
        say(answer)
    else:
        say(answer)


def flood(pipe, data, size=1 << 30):
    for _ in range(size // len(data)):
        written = 0
        while written < len(data):
            written += os.write(pipe, data[written:])


def main():
    if WAY == "ignores SIGTERM":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if WAY == "sleeps at its start":
        time.sleep(600)
    if WAY == "ends at its start":
        sys.exit("there is no library")
    for line in sys.stdin:
        message = json.loads(line)
        number, operation = message["id"], message["op"]
        if operation == "stop":
            if WAY == "sleeps at its stop":
                time.sleep(600)
            break
        if WAY == "begins the line of its start":
            print("loading… ", end="")
            say(started(number))
            break
        if operation == "start" and WAY == "does not read the model":
            names = ("message", "reason", "feature")
            told = {name: value for name, value in zip(names, sys.argv[2:], strict=False) if value}
            say({"id": number, "unavailable": told})
        elif operation == "start":
            say({"id": number} if WAY == "says nothing of its start" else started(number))
        elif operation == "reset":
            say({"id": number})
        elif operation == "stream":
            say({"id": number, "error": {"message": "there are no streams"}})
        elif operation == "decode":
            say({"id": number, "results": [{"text": "x" * len(item["ids"])} for item in message["items"]]})
        elif operation == "encode_batch":
            if WAY == "dies of a batch":
                sys.exit(f"a batch of {len(message['items'])}")
            say({"id": number, "error": {"message": "there is no batch call"}})
        else:
            ASKED[0] += 1
            more = ASKED[0] if WAY in ("changes its answers", "says that it resets") else 0
            results = [{"ids": [len(item["text"]) + more]} for item in message["items"]]
            if any(item["text"] == "wrong" for item in message["items"]):
                pairs = zip(message["items"], results, strict=True)
                wrong(number, [RESULTS.get(WAY, one) if item["text"] == "wrong" else one for item, one in pairs])
            else:
                say({"id": number, "results": results})
    if WAY == "sleeps at its stop":
        time.sleep(600)
    if WAY == "says much at its stop":
        flood(2, b"x" * (1 << 20), 1 << 22)


if __name__ == "__main__":
    main()
