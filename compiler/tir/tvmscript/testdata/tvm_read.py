"""What TVM makes of scripts: for each line {name: script} of JSON one line [name, accepted, text or message].

Scripts are read in children: some malformed ones crash TVM, which a signal tells. The child that does it is the last
case's, the next child goes on behind it.
"""

import json
import os
import sys

from tvm.script import from_source


def read(source):
    try:
        return [True, from_source(source).script()]
    except BaseException as e:  # whatever TVM raises is the answer
        return [False, str(e)[-500:]]


def answer(cases, say):
    """Answers in a child until it is through or a signal ends it; returns how many."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(into, "w") as f:
            for name, source in cases:
                print(json.dumps([name, *read(source)]), file=f, flush=True)
        os._exit(0)
    os.close(into)
    told = 0
    with os.fdopen(out) as f:
        for line in f:
            if line.endswith("\n"):  # else it crashed while writing
                say(line)
                told += 1
    _, status = os.waitpid(child, 0)
    if told < len(cases) and not os.WIFSIGNALED(status):
        raise RuntimeError(f"case {told} of {len(cases)}: the child ended with status {status}")
    return told


BATCH = 50
cases = list(json.loads(sys.stdin.readline()).items())
done = 0
while done < len(cases):
    batch = cases[done : done + BATCH]
    n = answer(batch, lambda line: print(line, end="", flush=True))
    if n < len(batch):
        print(json.dumps([batch[n][0], False, "TVM crashes"]), flush=True)
        n += 1
    done += n
