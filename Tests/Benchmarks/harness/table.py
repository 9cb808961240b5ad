"""From rounds to rows, and from rows to a table."""

from statistics import median


def rows(workload, peers, in_flight, rounds):
    """`rounds` is a list of dictionaries from peer to figures, or to None where the peer failed in that round."""
    return [row(workload, in_flight, peer, rounds) for peer in peers]


def row(workload, in_flight, peer, rounds):
    kept = [figures[peer] for figures in rounds if figures[peer]]
    result = {"workload": workload.name, "inFlight": in_flight, "peer": peer, "rounds": len(kept)}
    if len(kept) < len(rounds):
        result["failedRounds"] = len(rounds) - len(kept)
    if not kept:
        return result
    rates = [figures["rate"] for figures in kept]
    rate = "bytesPerSecond" if workload.unit == "bytes" else "requestsPerSecond"
    result[rate] = median(rates)
    for name in kept[0]:
        if name != "rate":
            result[name] = median(figures[name] for figures in kept)
    costs = [figures["cpuMicrosecondsPerRequest"] for figures in kept]
    result["spread"] = spread(rates)
    result["cpuSpread"] = spread(costs)
    pairs = [(figures["errand"], figures[peer]) for figures in rounds if figures.get("errand") and figures[peer]]
    if pairs:
        result["ratioToErrand"] = median(errand["rate"] / other["rate"] for errand, other in pairs)
        result["cpuRatioToErrand"] = median(
            other["cpuMicrosecondsPerRequest"] / max(errand["cpuMicrosecondsPerRequest"], 1e-9)
            for errand, other in pairs)
    return result


def spread(values):
    """The distance of the largest from the smallest, as a part of the median."""
    return (max(values) - min(values)) / median(values) if median(values) else 0


HEAD = (
    "| workload | in flight | peer | rate | ± | CPU µs | ± | peak MB | Errand : peer | by CPU | rounds | further |\n"
    "|---|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")


def line(row):
    name = f"| {row['workload']} | {row['inFlight']:,} | {row['peer']} |"
    if not row["rounds"]:
        return f"{name} failed | | | | | | | 0 | |"
    return (
        f"{name} {rate(row)} | {row['spread']:.0%} | {row['cpuMicrosecondsPerRequest']:,.1f} | {row['cpuSpread']:.0%}"
        f" | {row['peakMemoryBytes'] / 1e6:,.1f} | {ratio(row, 'ratioToErrand')} | {ratio(row, 'cpuRatioToErrand')}"
        f" | {row['rounds']} | {further(row)} |")


def rate(row):
    if "bytesPerSecond" in row:
        return f"{row['bytesPerSecond'] / 1e6:,.0f} MB/s"
    if row["workload"] == "cold-start":
        return f"{1000 / row['requestsPerSecond']:,.1f} ms"
    return f"{row['requestsPerSecond']:,.0f}/s"


def ratio(row, name):
    return f"{row[name]:.2f}" if name in row and row["peer"] != "errand" else ""


def further(row):
    """Figures that only some workloads are about."""
    parts = []
    if "failedRounds" in row:
        parts.append(f"failed in {row['failedRounds']} rounds")
    if "allocationsPerRequest" in row:
        parts.append(
            f"{row['cpuMicrosecondsPerRequest'] * 1000:,.0f} ns of CPU, {row['allocationsPerRequest']:.1f} allocations")
    if row["workload"] in ("growth", "deadline", "waiting", "running"):
        parts.append(f"{row['grownBytesPerRequest']:,.0f} bytes more a request")
    if row["workload"] == "http2":
        parts.append(f"{row['connections']:.0f} connections")
    return ", ".join(parts)
