import pytest

import output
import report
from claims import judge
from claims_file import STATISTICS, load_claims
from claims_file import STORED as CLAIMS
from conftest import STORED
from program import InputError

GOOD = """
[[claim]]
id = "one"
sentence = "Ours reaches {at_least} of the peak with {where} ({when})."
whose = "ours"
experiment = "brgemm"
statistic = "lowest share of the loaded roof"
of = "brickwork-simd"
at_least = 0.97
when = "threads == 1"
where = "n == 64"
machine = { cpu = "EPYC", words = "an EPYC" }
"""


@pytest.fixture
def written(tmp_path):
    def write(text: str):
        path = tmp_path / "claims.toml"
        path.write_text(text)
        return path

    return write


def test_the_stored_claims():
    claims = load_claims(CLAIMS)
    assert len(claims) >= 12 and {claim.statistic for claim in claims} == set(STATISTICS)
    assert {claim.whose for claim in claims} == {"ours", "the paper"}
    for claim in claims:
        assert f"{claim.bound}" in claim.sentence or f"{100 * claim.bound:g} %" in claim.sentence


def test_the_numbers_of_the_sentence_are_those_that_are_judged(written):
    (claim,) = load_claims(written(GOOD))
    assert claim.sentence == "Ours reaches 0.97 of the peak with n == 64 (threads == 1)."
    assert (claim.bound, claim.machine.words) == (0.97, "an EPYC")
    (claim,) = load_claims(written(GOOD.replace("{at_least}", "{percent}").replace("= 0.97", "= 0.835")))
    assert claim.sentence == "Ours reaches 83.5 % of the peak with n == 64 (threads == 1)."


def test_an_error_may_have_a_bound_above(written):
    above = GOOD.replace("lowest share of the loaded roof", "test mean squared error").replace("at_least", "at_most")
    (claim,) = load_claims(written(above))
    assert claim.sentence.startswith("Ours reaches 0.97 of") and claim.needed == "at most 0.97"
    assert [claim.fulfilled_by(value) for value in (0.96, 0.97, 0.98)] == [True, True, False]
    (claim,) = load_claims(written(GOOD))
    assert [claim.fulfilled_by(value) for value in (0.96, 0.97, 0.98)] == [False, True, True] and claim.needed == "0.97"
    with pytest.raises(InputError, match=r"needs in its sentence \{at_most\} or \{percent\}"):
        load_claims(written(above.replace("{at_most}", "{at_least}")))


def test_what_holds_unless_a_claim_says_otherwise(written):
    usual = '[unless_said]\ncache = "hot"\nthreads = "1"\n'
    (claim,) = load_claims(written(usual + GOOD))
    assert claim.usual == {"cache": "hot"}
    assert load_claims(written(GOOD))[0].usual == {}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("whose =", "who =", "claim 'one' has the unknown key 'who'; known are id, sentence"),
        ('of = "brickwork-simd"\n', "", "claim 'one' lacks 'of'"),
        ('id = "one"\n', "", "claim 'number 1' lacks 'id'"),
        ("at_least = 0.97", "", "claim 'one' needs one of 'at_least' and 'at_most'"),
        ("at_least = 0.97", "at_least = 0.97\nat_most = 1.0", "claim 'one' needs one of 'at_least' and 'at_most'"),
        ("at_least = 0.97", "at_most = 0.97", "claim 'one' has 'at_most', which is for the statistics test mean squared error,"),
        ("at_least = 0.97", 'at_least = "much"', "claim 'one' needs a number above 0 as 'at_least'"),
        ("at_least = 0.97", "at_least = 0", "claim 'one' needs a number above 0 as 'at_least'"),
        ("at_least = 0.97", "at_least = nan", "claim 'one' needs a number above 0 as 'at_least'"),
        ('experiment = "brgemm"', "experiment = 3", "claim 'one' needs a text as 'experiment'"),
        ('experiment = "brgemm"', 'experiment = ""', "claim 'one' needs a text as 'experiment'"),
        ("lowest share", "highest share", "has the statistic 'highest share of the loaded roof'; known are lowest share of"),
        ("lowest share of the loaded roof", "weighted ratio", "claim 'one' has the statistic 'weighted ratio', which needs 'against'"),
        ("of =", 'against = "onednn"\nof =', "which compares with no other contender and must not name one"),
        ('of = "brickwork-simd"', 'of = "brickwork-simd or brickwork-winograd"', "names several contenders as 'of'"),
        ('"ours"', '"theirs"', "claim 'one' is of 'theirs'; a claim is one of ours, the paper"),
        ("{at_least}", "0.97", "claim 'one' needs in its sentence {at_least} or {percent}, and {when} and {where}"),
        ("{at_least}", "{at_least} {percent}", "claim 'one' needs in its sentence {at_least} or {percent}"),
        (" ({when})", "", "claim 'one' needs in its sentence {at_least} or {percent}, and {when} and {where}"),
        ("with {where}", "", "claim 'one' needs in its sentence {at_least} or {percent}, and {when} and {where}"),
        ('when = "threads == 1"\n', "", "claim 'one' needs in its sentence {at_least} or {percent}, and {when} and {where}"),
        ("the peak with", "the peak, 0.95 with", "claim 'one' has a number of its own in its sentence, '0.95'"),
        ("Ours", "N=28: ours", "claim 'one' has a number of its own in its sentence, '28'"),
        ("({when})", "({when)", "claim 'one' has a sentence whose braces do not match"),
        ("threads == 1", "threads ==", "claim 'one' has a 'when' that does not parse: threads =="),
        ("n == 64", "n = 64", "claim 'one' has a 'where' that does not parse: n = 64"),
        ("cpu =", "tpu =", "claim 'one' needs a machine with two texts"),
        ('"EPYC"', '"(EPYC"', "claim 'one' has a machine whose pattern '(EPYC' is no regular expression"),
        ("[[claim]]", "[[claims]]", "must hold a list of [[claim]]"),
        ("[[claim]]", "[usual]\ncache = 'hot'\n[[claim]]", "must hold a list of [[claim]]"),
        ("[[claim]]", "[unless_said]\nthreads = 2\n[[claim]]", "[unless_said] must give each column a text"),
        ('"one"', '"one', "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_claims_name(written, old, new, complaint):
    assert old in GOOD
    with pytest.raises(InputError) as error:
        load_claims(written(GOOD.replace(old, new, 1)))
    assert complaint in str(error.value) and "\n" not in str(error.value)


def test_a_claim_that_stands_there_twice_is_refused(written):
    with pytest.raises(InputError, match="claim 'one' stands there twice"):
        load_claims(written(GOOD + GOOD))


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("threads == 1", "treads == 1", "claim 'one': its 'when' names 'treads', which is no column of the brgemm run."),
        ("n == 64", "width == 64", "claim 'one': its 'where' names 'width', which is no column of the brgemm run."),
        ("n == 64", "n + 64", "claim 'one': its 'where' 'n + 64' is neither true nor false for each row."),
        ("threads == 1", "threads", "claim 'one': its 'when' 'threads' is neither true nor false for each row."),
        ("n == 64", "n == [n for n in [64]]", "claim 'one': its 'where' 'n == [n for n in [64]]' cannot be evaluated ("),
    ],
)
def test_a_query_that_does_not_fit_the_run_ends_with_one_sentence_and_status_2(written, monkeypatch, capsys, tmp_path, old, new, complaint):
    monkeypatch.setattr(output, "CLAIMS", written(GOOD.replace(old, new)))
    assert report.main([str(STORED / "brgemm"), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1


def test_without_a_where_a_claim_speaks_of_every_problem(written, brgemm):
    (claim,) = load_claims(written(GOOD.replace('where = "n == 64"\n', "").replace(" with {where}", "")))
    (verdict,) = judge(claim, [brgemm])
    assert f"of {len(brgemm.problems)} problems" in verdict.outcome.reason
