from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.core.tables import texts
from gpu.papers.claims import Condition
from gpu.papers.items import Item, items
from gpu.papers.verdicts import (
    CAUSE_UNKNOWN,
    CLAIM_COLUMNS,
    OWN_NUMBERS,
    ClaimVerdict,
    Judged,
    count_verdicts,
    judged,
    verdicts_text,
)
from gpu.studies.cases import CaseRow
from gpu.studies.design import DesignError
from gpu.studies.results.analysis import analyse
from tests.golden import Golden
from tests.study_results import HOST, item_of, run, study

TOML = """
instances = ["ring", "grid"]
seeds = { first = 1, count = 4 }
[budget]
iterations = 100
[[colony]]
label = "one"
colony = "acs-seq"
[[colony]]
label = "two, k = 2"
colony = "acs-gpu"
device = "cuda"
[[colony]]
label = "two, k = 4"
colony = "acs-gpu"
device = "cuda"
[paper]
item = "Table 1"
[[paper.numbers]]
configuration = "one"
measure = "mean-gap"
values = { ring = 5.0, grid = 3.0 }
[[paper.numbers]]
configuration = "two, k = 2"
measure = "mean-gap"
values = { ring = 6.0, grid = 2.0 }
[[paper.claims]]
where = "Section 1"
says = "one is the better one."
"""
GAPS = {"one": (1, 1, 2, 2), "two, k = 2": (4, 4, 5, 5), "two, k = 4": (7, 8, 9, 9)}


def claimed(claim: str) -> Item:
    return item_of(f"{TOML}{claim}\n")


def rows_of(runs: int = 4) -> list[CaseRow]:
    return [
        run(instance, label, seed, 100 + gap)
        for instance in ("ring", "grid")
        for label, gaps in GAPS.items()
        for seed, gap in enumerate(gaps[:runs], 1)
    ]


def judge(claim: str, rows: list[CaseRow] | None = None) -> Judged:
    item = claimed(claim)
    (found,) = judged(item, analyse(study(rows_of() if rows is None else rows)))
    return found


def test_a_claim_holds_on_each_instance() -> None:
    found = judge("check = \"mean_gap('one') < mean_gap('two, k = 2')\"\non = ['*']")
    assert found.verdict is ClaimVerdict.REPRODUCED
    assert found.ours == "So in all 2 cases."
    # the paper's own numbers say otherwise on one of the two instances
    assert found.why == OWN_NUMBERS


def test_a_claim_that_does_not_hold_says_where_and_why() -> None:
    said = "over = { k = [2, 4] }\non = ['ring', 'grid']\ncheck = \"mean_gap('two, k = {k}') < 5\""
    found = judge(said)
    assert found.verdict is ClaimVerdict.NOT_REPRODUCED
    assert found.ours == (
        "So in 2 of 4 cases; not with k = 4 on ring (8.25 < 5); k = 4 on grid (8.25 < 5)."
    )
    assert found.why == CAUSE_UNKNOWN
    assert judge(f'{said}\ncause = "It is so."').why == "It is so."
    item = claimed(f'{said}\ncause = "Ours ({{gpu}}) is another one."')
    hosts = ({**HOST, "device": "cuda:0", "model": "Imagined GPU"}, HOST)
    (told,) = judged(item, analyse(replace(study(rows_of()), hosts=hosts)))
    assert told.why == "Ours (Imagined GPU) is another one."
    assert judge(f"{said}\ncases = 2").verdict is ClaimVerdict.REPRODUCED
    assert judge(f"{said}\ncases = 3").verdict is ClaimVerdict.NOT_REPRODUCED


@pytest.mark.parametrize(
    "check",
    [
        "max(mean_gap('two, *', 'ring')) <= 8.25 and min(mean_gap('*', '*')) >= 1.5",
        "average(mean_gap('one', '*')) - 1.5 < 1e-9 and abs(1.5 - mean_gap('one', 'grid')) < 1e-9",
        "1 <= mean_gap('one', 'ring') < 2 * cities('ring') / 50",
        "not mean_gap('one', 'ring') > 2 or -1 > 1",
        "speedup('one', 'two, k = 2', 'ring') <= 1 <= speedup('one', 'two, k = 2', 'ring')",
        "best('one', 'ring') <= 101 and least_gap('one', 'ring') <= 1",
    ],
)
def test_what_a_condition_can_say(check: str) -> None:
    found = judge(f'check = "{check}"')
    assert found.verdict is ClaimVerdict.REPRODUCED


def test_numbers_of_ours_stand_in_a_text() -> None:
    check = "mean_gap('one', 'ring') < 1"
    found = judge(f"check = \"{check}\"\nours = \"{{mean_gap('one', 'ring')}} % on ring\"")
    assert found.ours == "1.5 % on ring. Not so: 1.5 < 1."


def test_what_was_not_run_decides_nothing() -> None:
    check = "on = ['*']\ncheck = \"mean_gap('one') < 9\""
    ring = [row for row in rows_of() if row.instance == "ring"]
    found = judge(check, ring)
    assert found.verdict is ClaimVerdict.REPRODUCED
    assert found.why == "Without grid: no runs on grid."
    assert judge(f"{check}\ncases = 2", ring).verdict is ClaimVerdict.UNTESTED
    assert judge(f"{check}\ncases = 1", ring).verdict is ClaimVerdict.REPRODUCED
    assert judge(check, []).verdict is ClaimVerdict.UNTESTED
    four = "over = { k = [2, 4] }\non = ['*']\ncheck = \"mean_gap('two, k = {k}') < 9\""
    part = judge(four, [row for row in ring if row.label == "two, k = 2"])
    assert (part.verdict, part.ours) == (ClaimVerdict.UNTESTED, "So in the one case with runs.")
    assert judge(four.replace("< 9", "> 9"), ring).verdict is ClaimVerdict.NOT_REPRODUCED
    (never,) = judged(claimed(check), None)
    assert (never.verdict, never.why) == (ClaimVerdict.UNTESTED, "Not run yet.")
    (told,) = judged(claimed('untested = "Nobody can."'), None)
    assert (told.verdict, told.why) == (ClaimVerdict.UNTESTED, "Nobody can.")


def test_runs_that_ended_early_decide_nothing_but_times() -> None:
    rows = [replace(row, iterations=50) for row in rows_of()]
    found = judge("check = \"mean_gap('one', 'ring') < 9\"", rows)
    assert found.verdict is ClaimVerdict.UNTESTED
    assert found.why == "Our runs of one on ring ended after 50 of 100 iterations."
    assert judge("check = \"tours_ms('one', 'ring') > 0\"", rows).verdict is ClaimVerdict.REPRODUCED


def test_too_few_runs_decide_only_what_no_resample_denies() -> None:
    near = "check = \"mean_gap('two, k = 4', 'ring') > 7.4\""
    few = judge(near, rows_of(2))
    assert few.verdict is ClaimVerdict.UNTESTED
    assert few.why.startswith("2 instead of 4 runs do not tell: it holds in 7")
    far = "check = \"mean_gap('two, k = 4', 'ring') > 5\""
    assert judge(far, rows_of(2)).verdict is ClaimVerdict.REPRODUCED
    alone = judge(far, rows_of(1))
    assert (alone.verdict, alone.why) == (
        ClaimVerdict.UNTESTED,
        "1 run instead of 4 does not tell.",
    )
    # with as many runs as the paper the runs themselves decide, and it is said how surely
    whole = judge("check = \"mean_gap('two, k = 4', 'ring') > 8\"")
    assert whole.verdict is ClaimVerdict.REPRODUCED
    assert "% of resamples of our runs." in whole.why


def test_runs_that_only_the_text_names_decide_nothing() -> None:
    rows = [row for row in rows_of() if row.label != "one" or row.seed == 1]
    said = "check = \"mean_gap('two, k = 4', 'ring') > 8\"\nours = \"{mean_gap('one', 'ring')} %\""
    found = judge(said, rows)
    assert found.verdict is ClaimVerdict.REPRODUCED
    assert found.ours.startswith("1 %. ")


def test_verdicts_are_counted_and_listed() -> None:
    failing = judge("check = \"tours_ms('one', 'ring') < 1\"")
    some = [judge('check = "1 < 2"'), failing, judge('untested = "So."')]
    assert verdicts_text(some) == "1 reproduced, 1 not reproduced, 1 untested"
    assert list(count_verdicts(some).values()) == [1, 1, 1]
    assert texts(CLAIM_COLUMNS, some[1]) == [
        "Section 1: one is the better one.",
        "not reproduced",
        f"Not so: 100 < 1. {CAUSE_UNKNOWN}",
    ]


QUOTED = """
on = ["*"]
[[paper.quoted]]
algorithm = "ESACO"
measure = "mean-gap"
values = { ring = 5.5, grid = 2.5 }
"""


def test_a_claim_may_compare_with_what_the_paper_quotes() -> None:
    check = "check = \"mean_gap('one') < mean_gap('ESACO')\""
    assert judge(f"{check}{QUOTED}").verdict is ClaimVerdict.REPRODUCED
    # in the paper one has 3 on grid, and ESACO 2.5
    assert OWN_NUMBERS in judge(f"{check}{QUOTED}").why
    no_number = judge(f"check = \"mean('one') < mean('ESACO')\"{QUOTED}")
    assert no_number.verdict is ClaimVerdict.UNTESTED
    assert "quotes no such number of ESACO on ring" in no_number.why


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"ESACO"', '"one"'), "algorithm = 'one' must be a name that no configuration"),
        (('"mean-gap"', '"speedup"'), "measure = 'speedup' must be one of mean-gap, least-gap"),
        (("algorithm", "method"), "method"),
    ],
)
def test_mistakes_in_what_is_quoted_are_named(change: tuple[str, str], said: str) -> None:
    with pytest.raises(DesignError, match=re.escape(said)):
        claimed(f"check = \"mean_gap('one') < 3\"{QUOTED}".replace(*change))


def test_mistakes_in_a_claim_are_named(golden: Golden) -> None:
    def told(claim: str) -> str:
        with pytest.raises(DesignError) as refused:
            claimed(claim.replace("\\n", "\n"))
        return str(refused.value)

    golden.table("refused-claims", told)


def refusal(text: str) -> str:
    """Return why a text is no condition; empty where it is one."""
    try:
        Condition.read(text)
    except DesignError as error:
        return str(error)
    return ""


@given(st.text(max_size=200))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    assert len(refusal(text)) < 500


@pytest.mark.parametrize(
    "text",
    ["(" * 500 + "1" + ")" * 500, "-" * 5000 + "1", "1 <" * 300 + "1", "a" * 10**5, "9" * 999],
)
def test_a_hostile_condition_is_refused_or_read_at_once(text: str) -> None:
    assert len(refusal(text)) < 500


def test_claims_of_the_papers_are_told_in_whole_sentences() -> None:
    for item in items():
        for claim in item.claims:
            for text in (claim.says, claim.untested, claim.cause):
                assert not text or text.endswith("."), (item.name, text)


def test_a_cause_names_no_gpu_but_that_of_our_runs_or_of_published_programs() -> None:
    for item in items():
        for claim in item.claims:
            for named in re.findall(r"H[12]00", claim.cause):
                assert "published" in claim.cause, (item.name, named, claim.cause)
