import fnmatch
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import output
import report
from claims import judge
from claims_file import STATISTICS, load_claims
from claims_file import STORED as CLAIMS
from conftest import STORED
from program import InputError

SCRIPTS = Path(__file__).parent.parent / "scripts"
GOOD = """
[names]
brickwork-simd = "the simd kernel"
onednn = "oneDNN"

[conditions]
"one core" = "threads == 1"
"64 columns" = "n == 64"

[machines]
"Zen 5" = [{ family = 26 }]

[[claims]]
about = "The kernel, {of}"
experiment = "brgemm"
each = "shape"
of = "brickwork-simd"
when = ["one core"]
judged = [
  { id = "one", where = ["64 columns"], machines = ["Zen 5"], statistic = "lowest share of the loaded roof", at_least = 0.97 },
  { id = "two", statistic = "lowest ratio", against = "onednn", at_least = 1.0, or_of_roof = 0.95, was = "twice", quick = ["a", "b"] },
]
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
    assert len(claims) >= 117 and {claim.statistic for claim in claims} == set(STATISTICS)
    assert {claim.whose for claim in claims} == {"ours", "the paper"}
    for claim in claims:
        as_said = (f"{claim.bound}", f"{100 * claim.bound:g} %", "at least as fast as" if claim.bound == 1 else "-")
        assert any(bound in claim.sentence for bound in as_said), claim.sentence
        assert claim.when.words in claim.sentence and claim.where.words in claim.sentence
        assert not re.search(r"threads == [2-9]", claim.when.text), claim.id


def conditions() -> dict[str, str]:
    return tomllib.loads(CLAIMS.read_text())["conditions"]


def test_the_numbers_in_the_words_of_a_condition_are_in_its_expression():
    words_of_numbers = {"one": "1"}
    for words, expression in conditions().items():
        said = re.findall(r"(?<![\w-])\d[\d.]*|\bone\b", words.replace("3x3", "3").replace("on one core", ""))
        for number in (words_of_numbers.get(number, number) for number in said):
            assert re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", expression), (words, number)


def test_every_condition_and_name_is_used():
    table = tomllib.loads(CLAIMS.read_text())
    text = CLAIMS.read_text().partition("[[claims]]")[2]
    assert [words for words in table["conditions"] if f'"{words}"' not in text] == []
    assert [name for name in table["names"] if name not in text] == []


def test_the_runs_that_judge_the_stored_claims_exist():
    script = (SCRIPTS / "reproduce").read_text()
    quick, _, full = script[script.index("runs=("): script.index("keep_asked() {")].partition("\nelse\n")
    steps = subprocess.run([SCRIPTS / "gpu-check", "--list"], capture_output=True, text=True, check=True).stdout
    names = {
        "quick": re.findall(r'^ +"(\S+) ', quick, re.MULTILINE), "full": re.findall(r'^ +"(\S+) ', full, re.MULTILINE),
        "gpu_check": [line.split()[0] for line in steps.splitlines()],
    }  # fmt: skip
    trainings = [re.sub(r"\$(count|all)", "1", name) for name in names["full"] if "$" in name]
    for claim in load_claims(CLAIMS):
        assert claim.quick or claim.full or claim.gpu_check, claim.id
        for mode, asked in {"quick": claim.quick, "full": claim.full, "gpu_check": filter(None, [claim.gpu_check])}.items():
            for name in asked:
                assert fnmatch.filter([*names[mode], *trainings], name), (claim.id, mode, name)


def test_a_sentence_says_what_is_judged(written):
    one, two = load_claims(written(GOOD))
    assert one.sentence == "The kernel, the simd kernel (one core, 64 columns): every shape reaches at least 0.97 of the loaded roof."
    assert (one.bound, one.expressions, [kind.name for kind in one.machines]) == (0.97, "threads == 1; n == 64", ["Zen 5"])
    assert two.sentence == (
        "The kernel, the simd kernel (one core): every shape is at least as fast as oneDNN or as 0.95 of the loaded roof, whichever is "
        "less. Restated: it was twice, which the runs did not reach."
    )
    assert (two.or_of_roof, two.quick, two.full, one.quick) == (0.95, ("a", "b"), ("a", "b"), ())
    (claim, _) = load_claims(written(GOOD.replace("The kernel, {of}", "All reach {percent}").replace("= 0.97", "= 0.835")))
    assert claim.sentence.startswith("All reach 83.5 % (one core, 64 columns): every shape reaches at least 0.835 of")


def test_a_claim_overrides_what_its_group_says(written):
    one, two = load_claims(written(GOOD.replace('id = "two"', 'id = "two", about = "Another", full = [], whose = "the paper"')))
    assert two.sentence.startswith("Another (one core)") and two.full == () and (one.whose, two.whose) == ("ours", "the paper")


def test_an_error_and_an_accuracy_may_have_a_bound_above(written):
    above = GOOD.replace("lowest share of the loaded roof", "test mean squared error").replace("at_least = 0.97", "at_most = 0.97")
    claim = load_claims(written(above))[0]
    assert claim.sentence.endswith("the mean squared error on the test sequences is at most 0.97.") and claim.needed == "at most 0.97"
    assert [claim.fulfilled_by(value) for value in (0.96, 0.97, 0.98)] == [True, True, False]
    claim = load_claims(written(above.replace("test mean squared error", "test accuracy")))[0]
    assert claim.sentence.endswith("at most 97 % of the answers to the test examples are right.")
    claim = load_claims(written(GOOD))[0]
    assert [claim.fulfilled_by(value) for value in (0.96, 0.97, 0.98)] == [False, True, True] and claim.needed == "0.97"


def test_columns_have_their_usual_values_unless_a_claim_names_them(written):
    usual = '[unless_said]\ncache = "hot"\nthreads = "1"\n'
    assert load_claims(written(usual + GOOD))[0].usual == {"cache": "hot"}
    assert load_claims(written(GOOD))[0].usual == {}


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("each =", "every =", "claim 'one' has the unknown key 'every'; known are id, about"),
        ('of = "brickwork-simd"\n', "", "claim 'one' lacks 'of'"),
        ('id = "one", ', "", "claim '1 of the file' lacks 'id'"),
        (", at_least = 0.97", "", "claim 'one' needs one of 'at_least' and 'at_most'"),
        ("at_least = 0.97", "at_least = 0.97, at_most = 1.0", "claim 'one' needs one of 'at_least' and 'at_most'"),
        ("at_least = 0.97", "at_most = 0.97", "claim 'one' has 'at_most', which is for the statistics most seconds to choose"),
        ("at_least = 0.97", 'at_least = "much"', "claim 'one' needs a number above 0 as 'at_least'"),
        ("at_least = 0.97", "at_least = 0", "claim 'one' needs a number above 0 as 'at_least'"),
        ("at_least = 0.97", "at_least = nan", "claim 'one' needs a number above 0 as 'at_least'"),
        ("or_of_roof = 0.95", "or_of_roof = -1", "claim 'two' needs a number above 0 as 'or_of_roof'"),
        ("at_least = 0.97", "at_least = 0.97, or_of_roof = 0.9", "claim 'one' has 'or_of_roof', which is for the statistics that compare"),
        ('experiment = "brgemm"', "experiment = 3", "claim 'one' needs a text as 'experiment'"),
        ('experiment = "brgemm"', 'experiment = ""', "claim 'one' needs a text as 'experiment'"),
        ('quick = ["a", "b"]', 'quick = "a"', "claim 'two' needs a list of texts as 'quick'"),
        ("lowest share", "highest share", "has the statistic 'highest share of the loaded roof'; known are lowest share of"),
        ("lowest share of the loaded roof", "weighted ratio", "claim 'one' has the statistic 'weighted ratio', which needs 'against'"),
        ("at_least = 0.97", 'at_least = 0.97, against = "onednn"', "which compares with no other contender and must not name one"),
        ('of = "brickwork-simd"', 'of = "brickwork-simd or brickwork-winograd"', "names several contenders as 'of'"),
        ('each = "shape"', 'whose = "theirs"', "claim 'one' has 'theirs' as 'whose'; known are ours, the paper"),
        ("The kernel", "N=28: the kernel", "claim 'one' has a number of its own in its 'about', '28'"),
        ("{of}", "{bound}", "claim 'one' has {bound} in its 'about'; known are {of} and {percent}"),
        ("{of}", "{of", "claim 'one' has an 'about' whose braces do not match"),
        ("threads == 1", "threads ==", "claim 'one' has a 'when' that does not parse: threads =="),
        ("n == 64", "n = 64", "claim 'one' has a 'where' that does not parse: n = 64"),
        ('where = ["64 columns"]', 'where = ["65 columns"]', "claim 'one' has '65 columns' in its 'where', which [conditions]"),
        ('machines = ["Zen 5"]', 'machines = ["Zen 6"]', "claim 'one' names the machine 'Zen 6', which [machines] does not have"),
        ("family = 26", 'family = "26"', "machine 'Zen 5' has a wrong 'family'; known are family (int)"),
        ("family = 26", "year = 26", "machine 'Zen 5' has a wrong 'year'; known are family (int)"),
        ("family = 26", "models = [1]", "machine 'Zen 5' needs the first and the last model as 'models'"),
        ("family = 26", 'name = "(AMD"', "machine 'Zen 5' has a 'name' that is no regular expression"),
        ('[{ family = 26 }]', '"AMD"', "machine 'Zen 5' needs a list of tables with keys of family"),
        ("[[claims]]", "[[claim]]", "must hold a list of [[claims]]"),
        ("judged = [", "judge = [", "group 1 of [[claims]] needs a list 'judged'"),
        ("[names]", "[usual]\ncache = 'hot'\n[names]", "a list of [[claims]] and may hold the tables conditions, machines, names,"),
        ("[names]", "[unless_said]\nthreads = 2\n[names]", "each line of [unless_said] must have a text"),
        ('"one"', '"one', "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_claims_name(written, old, new, complaint):
    assert old in GOOD
    with pytest.raises(InputError) as error:
        load_claims(written(GOOD.replace(old, new, 1)))
    assert complaint in str(error.value) and "\n" not in str(error.value)


def test_two_claims_with_one_name_are_refused(written):
    with pytest.raises(InputError, match="claim 'one' is in the file twice"):
        load_claims(written(GOOD.replace('id = "two"', 'id = "one"')))


ON_ANY_MACHINE = GOOD.replace('machines = ["Zen 5"], ', "")


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
    monkeypatch.setattr(output, "CLAIMS", written(ON_ANY_MACHINE.replace(old, new)))
    assert report.main([str(STORED / "brgemm"), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert complaint in error and error.count("\n") == 1


def test_without_a_where_a_claim_is_about_every_problem(written, brgemm):
    claim = load_claims(written(ON_ANY_MACHINE.replace('where = ["64 columns"], ', "")))[0]
    (verdict,) = judge(claim, [brgemm])
    assert f"of {len(brgemm.problems)} problems" in verdict.outcome.reason
