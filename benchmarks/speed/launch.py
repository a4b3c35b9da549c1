"""Runs a command and writes what the kernel says it used: python launch.py REPORT.json COMMAND ...

A process of its own because the peak that a child reports starts with the memory of the process that started it.
"""

import json
import os
import sys
import time


def main() -> None:
    """Start, wait, report."""
    start = time.perf_counter()
    pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    used = {"peak_mb": usage.ru_maxrss / 1024, "cpu_s": usage.ru_utime + usage.ru_stime, "wall_s": wall}
    with open(sys.argv[1], "w") as file:
        json.dump(used, file)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
