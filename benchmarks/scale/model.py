"""What a run costs: flops, bytes read, bytes over the network, rounds. The model of docs/explanation/scale.md."""

from typing import NamedTuple


class Cost(NamedTuple):
    """Of one pass over all rows, or of an iteration of several."""

    #: Floating-point operations on the rows.
    flops: float
    #: Bytes of rows and state that the workers read and write.
    touched: float
    #: Bytes that travel between workers.
    network: float
    #: Rounds: passes whose sums come back to the client before the next can be asked for.
    rounds: int


class Setting(NamedTuple):
    """A table on a cluster."""

    rows: float
    columns: int
    partitions: int
    workers: int
    size: int = 8
    fan_in: int = 8


def half(columns: int) -> float:
    """Bytes of a symmetric sum."""
    return 8 * columns * (columns + 1) / 2


def tree(setting: Setting, leaf: float) -> float:
    """Bytes of sums that travel where neighbours are on one worker: an answer of each, merged by eights."""
    moved, level = 0.0, setting.workers
    while level > setting.fan_in:
        groups = -(-level // setting.fan_in)
        moved += (level - groups) * leaf
        level = groups
    return moved + level * leaf


#: Bytes of a request that goes with every task, from the client; a larger one goes from worker to worker.
INLINE = 1 << 16


def message(setting: Setting, bytes_: float) -> float:
    """Bytes of a request between workers: from the one that made it to all others."""
    return (setting.workers - 1) * bytes_ if bytes_ > INLINE else 0.0


def arss(setting: Setting) -> Cost:
    """An iteration of ARSS: two passes, each with one full matrix there and half of one back."""
    n, columns = setting.rows, setting.columns
    full = 8.0 * columns * columns
    network = 2 * (message(setting, full) + tree(setting, half(columns)))
    # X twice, P read and written once, weights twice.
    return Cost(5 * n * columns * columns, n * (4 * columns * setting.size + 2 * 48), network, 2)


def rrss(setting: Setting) -> Cost:
    """An iteration of RRSS: as ARSS, but the state is seven numbers a row."""
    n, columns = setting.rows, setting.columns
    network = 2 * (message(setting, 8.0 * columns * columns) + tree(setting, half(columns)))
    return Cost(5 * n * columns * columns, n * (2 * columns * setting.size + 4 * 56), network, 2)


def ted(setting: Setting) -> Cost:
    """A pick of TED: one pass with two vectors there and one row back."""
    n, columns = setting.rows, setting.columns
    network = message(setting, 16.0 * columns) + tree(setting, 8.0 * columns + 24)
    return Cost(4 * n * columns, n * (columns * setting.size + 32), network, 1)


def gather(setting: Setting, bytes_: float) -> float:
    """Bytes of rows that are asked for: to the client, and where there are many workers to where they are merged."""
    return bytes_ if setting.workers <= setting.fan_in else 2 * bytes_


def exemplars(setting: Setting, landmarks: int = 768, k: int = 500) -> Cost:
    """All of Exemplars but the choice, which runs on the client: about twenty passes, two of them heavy."""
    n, columns = setting.rows, setting.columns
    flops = n * (2 * columns * landmarks + landmarks * landmarks) + 2 * n * columns * k
    # Quantiles by their bits: 16 at first, then four at a time, for as many prefixes as were found.
    digits = tree(setting, 8.0 * 65536) + 11 * (tree(setting, 8.0 * 2048 * 16) + message(setting, 8.0 * 2048))
    # The landmarks and 2048 more to see how far apart rows are; then what the choice looks at.
    wanted = landmarks + 2048 + 2 * max(8192, 4 * k) + 2048
    rows = gather(setting, min(wanted, n) * (8.0 * columns + 24))
    network = message(setting, 8.0 * landmarks * (columns + landmarks)) + digits + rows
    return Cost(flops, n * (5 * columns * setting.size + 40 * 16), network, 22)


class Machine(NamedTuple):
    """A worker."""

    flops: float = 5e10
    #: Bytes a second from memory.
    memory: float = 1e10
    #: Bytes a second over the network.
    network: float = 1.25e9
    #: Seconds of scheduling for each task, and of a round: rounds.jsonl.
    task: float = 1e-3
    round: float = 30e-3


def seconds(setting: Setting, cost: Cost, machine: Machine) -> float:
    """Of a cost on a cluster: work in parallel, then the scheduler, the network and the rounds."""
    work = max(cost.flops / machine.flops, cost.touched / machine.memory) / setting.workers
    scheduling = cost.rounds * (setting.workers * machine.task + machine.round)
    return work + scheduling + cost.network / machine.network / setting.workers
