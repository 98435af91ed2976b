"""What TVM makes of scripts: for each line {name: script} of JSON one line [name, accepted, text or message].

Every script is read in a process of its own: some malformed ones crash TVM.
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


for name, source in json.loads(sys.stdin.readline()).items():
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        with os.fdopen(into, "w") as f:
            json.dump(read(source), f)
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as f:
        answer = f.read()
    _, status = os.waitpid(child, 0)
    if status != 0 and not os.WIFSIGNALED(status):
        raise RuntimeError(f"{name}: the child ended with status {status}")
    print(json.dumps([name, *(json.loads(answer) if status == 0 else [False, "TVM crashes"])]), flush=True)
