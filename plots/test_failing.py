"""Which runs are to be measured again."""

import failing
from conftest import STORED, times


def slow(samples):
    """The kernel of ours takes twice as long as it did."""
    return times(samples, samples["contender"].str.startswith("brickwork-simd"), 2)


def test_a_run_by_which_a_claim_of_ours_fails_is_named_and_others_are_not(variation, capsys, monkeypatch):
    run = variation("brgemm", slow)
    monkeypatch.setattr("sys.argv", ["failing.py", str(STORED / "conv"), str(run)])
    assert failing.main() == 0 and capsys.readouterr().out == f"{run.name}\n"


def test_no_run_is_named_where_no_claim_fails(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["failing.py", str(STORED / "conv")])
    assert failing.main() == 0 and capsys.readouterr().out == ""
