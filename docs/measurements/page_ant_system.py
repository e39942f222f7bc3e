"""The tables of the page on the Ant Systems."""

from __future__ import annotations

from scipy import stats
from tables import Sources, by_system, digits, errors, grouped, mean_error, pivot, table


def ant_system(sources: Sources) -> dict[str, str]:
    """The Ant Systems: times, speedups, options, quality."""
    rows, on_h200 = (sources.rows(name, "as-speed") for name in ("as_speed", "as_speed_h200"))
    options, equal = sources.rows("as_options", "as-options"), sources.rows("as_equal", "as-equal")
    quality = sources.rows("as_quality", "as-quality", "as-quality-report")
    rules = sources.rows("as_rules", "as-orders")
    here, there = (
        {name: {row["system"]: row for row in group} for name, group in grouped(each).items()}
        for each in (rows, on_h200)
    )
    speedups, elsewhere = [], []
    for name, found in here.items():
        best, one_core = found["as-st-dynamic"], found["as-seq"]
        floor = 1e3 * 4 * best["n"] ** 3 / 7e12  # bytes, and bytes a second of the L2 cache at best
        ratios = [f"{one_core[each] / best[each]:.0f}" for each in ("whole", "construction")]
        over = f"{best['construction'] / floor:.2f}"
        task = f"{one_core['whole'] / found['as-task']['whole']:.2f}"
        speedups.append([name, *ratios, digits(floor), over, task])
        other, its_core = there[name]["as-st-dynamic"], there[name]["as-seq"]
        times = [digits(one["whole"]) for one in (best, one_core, other, its_core)]
        elsewhere.append([name, *times, ratios[0], f"{its_core['whole'] / other['whole']:.0f}"])
    orders = []
    for name, (one, other) in grouped(rules).items():
        chance = stats.ttest_ind(errors(one), errors(other), equal_var=False).pvalue
        means = mean_error(one), mean_error(other)
        orders.append([name, str(one["iterations"]), *means, f"{chance:.2g}"])
    head = ["instance", "whole iteration", "construction", "floor, ms", "construction / floor"]
    h200 = ["instance", "H100", "its host", "H200", "its host", "speedup", "speedup on the H200"]
    tables = {
        "whole": (by_system(rows, "whole"), rows),
        "construction": (by_system(rows, "construction"), rows),
        "speedups": (table([*head, "as-task over one core"], speedups), rows),
        "elsewhere": (table(h200, elsewhere), [*rows, *on_h200]),
        "options": (
            pivot(
                "phase: option",
                options,
                lambda row: f"{row['phase']}: {row['option']}",
                "instance",
                lambda row: digits(
                    float(row["whole" if row["option"] in ("tour", "step") else row["phase"]])
                ),
            ),
            options,
        ),
        "quality": (pivot("instance", quality, "instance", "rule", mean_error), quality),
        "equal": (
            pivot(
                "instance",
                equal,
                "instance",
                "system",
                lambda row: f"{row['same']} of {row['iterations']}",
            ),
            equal,
        ),
        "orders": (
            table(["instance", "iterations", one["rule"], other["rule"], "p (Welch)"], orders),
            rules,
        ),
    }
    return {name: sources.under(*each) for name, each in tables.items()}
