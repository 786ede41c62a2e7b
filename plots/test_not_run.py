"""What is said of claims that no run could judge, and which kind a processor is."""

import functools
import re

import pytest

import learning
import not_run
from claims import Verdict, judge_all
from claims_file import STORED as CLAIMS
from claims_file import load_claims, load_kinds
from data import load_environment
from machine_kinds import NOTHING_KNOWN, kind_of
from machines import REFERENCES
from outcomes import FAILS, HOLDS, NOT_RUN, Outcome

BY_ID = {claim.id: claim for claim in load_claims(CLAIMS)}


def verdicts(*ids: str, status: str = NOT_RUN, reason: str = "no run was given") -> list[Verdict]:
    return [Verdict(BY_ID[name], Outcome(status, reason), "") for name in ids]


def test_claims_that_were_judged_are_not_named():
    assert not_run.line(verdicts("brgemm-peak", status=HOLDS) + verdicts("conv-peak", status=FAILS)) == ""


def test_one_command_judges_what_a_quick_run_can():
    found = not_run.line(verdicts("brgemm-peak", "brgemm-libxsmm", "add-stream") + verdicts("conv-peak", status=HOLDS))
    assert found == "NOT RUN: 3 claims. To judge 3: scripts/reproduce --only brgemm,add"


def test_one_command_judges_what_needs_a_full_run():
    found = not_run.line(verdicts("conv-either", "conv-peak", "brgemm-peak"))
    assert found.endswith(" claims. To judge 3: scripts/reproduce --full --only conv-forward-N28,brgemm")


def test_a_claim_of_quick_runs_alone_has_a_command_of_its_own():
    found = not_run.line(verdicts("gnmt-small-onednn", "conv-peak"))
    assert found.endswith("1: scripts/reproduce --full --only conv-forward-N28. To judge 1: scripts/reproduce --only gnmt-stack-T10")


def test_many_names_are_a_whole_run():
    quick = [claim.id for claim in BY_ID.values() if claim.quick]
    assert not_run.line(verdicts(*quick)).endswith(f" claims. To judge {len(quick)}: scripts/reproduce")
    full = [claim.id for claim in BY_ID.values() if claim.full]
    assert not_run.line(verdicts(*full)).endswith(f" claims. To judge {len(full)}: scripts/reproduce --full")


def test_what_the_machine_or_the_build_lacks_is_said():
    found = [
        *verdicts("conv-peak"), *verdicts("gpu-kernel-fma", "gpu-fc-forward-mma-speed"),
        *verdicts("conv-onednn-latest", reason="built without it: run scripts/setup --with-onednn-latest (2 GB), configure anew"),
        *verdicts("brgemm-narrow", reason="is about Zen 4 and Zen 5, this run is on another"),
    ]  # fmt: skip
    assert not_run.line(found).split(". ") == [
        "NOT RUN: 5 claims",
        "To judge 1: scripts/reproduce --full --only conv-forward-N28",
        "To judge 2: scripts/gpu-check on a machine with a GPU",
        "To judge 1: scripts/setup --with-onednn-latest, then the same runs again",
        "To judge 1: scripts/reproduce on Zen 4 or Zen 5",
    ]


def test_a_claim_that_two_runs_could_not_judge_counts_once():
    assert not_run.line(verdicts("conv-peak", "conv-peak")).startswith("NOT RUN: 1 claim. To judge 1: ")


def test_without_any_run_every_claim_has_a_command():
    others = dict.fromkeys(learning.STATISTICS, functools.partial(learning.judge, curves=[]))
    counts = [int(count) for count in re.findall(r"To judge (\d+): ", not_run.line(judge_all(list(BY_ID.values()), [], others)))]
    assert sum(counts) == len(BY_ID) and len(counts) <= 3


# --- kinds of processors


KINDS = load_kinds(CLAIMS)
def of(family: int, model: int, name: str = "AMD EPYC") -> dict:
    return {"name": name, "id": f"family {family}, model {model}, stepping 1"}


WITHOUT_FAMILY = {"name": "AMD EPYC", "l1d_bytes": 32768, "l2_bytes": 524288, "l3_bytes": 33554432}


@pytest.mark.parametrize(
    ("cpu", "kind"),
    [
        (of(23, 49), "Zen 2"),
        (of(25, 1), "Zen 3"),
        (of(25, 15), "Zen 3"),
        (of(25, 33), "Zen 3"),
        (of(25, 16), "Zen 4"),
        (of(25, 17), "Zen 4"),
        (of(25, 160), "Zen 4"),
        (of(26, 2), "Zen 5"),
        (WITHOUT_FAMILY | of(99, 2), "AMD EPYC"),  # a recorded family decides, not the caches
        (of(6, 207, "Intel(R) Xeon(R) Processor"), "Emerald Rapids"),
        ({"name": "AMD EPYC", "id": "family unknown, model unknown"} | WITHOUT_FAMILY, "Zen 3"),
        (WITHOUT_FAMILY, "Zen 3"),
        (WITHOUT_FAMILY | {"l3_bytes": 16777216}, "Zen 2"),
        (WITHOUT_FAMILY | {"l2_bytes": 1048576}, "Zen 4"),
        (WITHOUT_FAMILY | {"l2_bytes": 1048576, "l1d_bytes": 49152}, "Zen 5"),
        (WITHOUT_FAMILY | {"name": "Intel(R) Xeon(R) Processor"}, "Intel(R) Xeon(R) Processor"),
        ({}, NOTHING_KNOWN),
    ],
)
def test_a_processor_is_known_by_family_and_model_or_by_its_caches(cpu, kind):
    assert kind_of({"cpu": cpu}, KINDS) == kind


@pytest.mark.parametrize(("folder", "kind"), [("amd-zen2", "Zen 2"), ("amd-zen3", "Zen 3"), ("amd-zen4", "Zen 4"), ("amd-zen5", "Zen 5")])
def test_the_references_are_of_the_machines_that_their_folders_name(folder, kind):
    files = list((REFERENCES / folder).glob("*/environment.json"))
    assert {kind_of(load_environment(file), KINDS) for file in files} == {kind}
