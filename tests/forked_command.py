"""A command that is a process of `forking`, for those who start processes themselves: `SOCKET -m MODULE …`.

It hands its arguments, variables, folder and streams to the process that forks, passes signals on, and ends as the
new process does. It imports next to nothing, for its start is all that it costs.
"""

import json
import os
import select
import signal
import socket
import sys

PASSED_ON = (signal.SIGINT, signal.SIGTERM)


def main() -> int:
    where, *arguments = sys.argv[1:]
    # Held back until there is a process to pass them on to.
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    reads, writes = os.pipe()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as control:
        control.connect(where)
        request = {"arguments": arguments, "env": dict(os.environ), "cwd": os.getcwd()}
        socket.send_fds(control, [json.dumps(request).encode()], [0, 1, 2, writes])
    for each in (0, 1, writes):
        os.close(each)
    with open(reads, encoding="utf-8") as status:
        pid = int(status.readline())
        woken = _wakes_up()
        for number in PASSED_ON:
            signal.signal(number, lambda number, _: os.kill(pid, number))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        while status not in (ready := select.select([status, woken], [], [])[0]):
            os.read(ready[0], 1)
        return int(status.readline())


def _wakes_up() -> int:
    """What can be read once a signal came: one that comes right before a call that waits would not end the call."""
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    return woken


if __name__ == "__main__":
    code = main()
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)
