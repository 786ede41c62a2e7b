"""A small tree of files to test scripts/mutate with: CMake only copies, and a GoogleTest program is a shell script."""

import os
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = ("mutate", "mutation_list.py", "changed_mutants.py")

CODE = """\
def larger(a, b):
    return a if a > b else b


def doubled(x):
    hint = 8
    return 2 * x if hint else 0
"""
TEST = """\
import code_under_test as code


def test_larger():
    assert code.larger(1, 2) == 2 and code.larger(2, 1) == 2


def test_doubled():
    assert code.doubled(3) == 6
"""
# Prints what GoogleTest would print; "cmake" copies it as a program.
PROGRAM = """\
#!/bin/sh
[ "$2" = --gtest_filter=None ] && { echo "[  PASSED  ] 0 tests."; exit 0; }
[ "$2" = --gtest_filter=Gpu ] && { echo "[  PASSED  ] 0 tests."; echo "[  SKIPPED ] 1 test, listed below:"; exit 0; }
echo "[ RUN      ] Toy.AddsUp"
sum=$((1 + 2))
[ "$sum" = 3 ] && { echo "[       OK ] Toy.AddsUp (0 ms)"; echo "[  PASSED  ] 1 test."; exit 0; }
echo "[  FAILED  ] Toy.AddsUp (0 ms)"
exit 1
"""
TOY_TEST = "TEST(Toy, AddsUp) {}\n"
# Takes WRONG and break for errors of compilation. If the query file exists, it writes which sources its one target has.
CMAKE = """\
#!/bin/sh
reply=build/release/.cmake/api/v1/reply
[ "$1" = --preset ] && {
  mkdir -p $reply
  [ -e build/release/.cmake/api/v1/query/codemodel-v2 ] || exit 1
  echo '{"name": "toy_test", "sources": [{"path": "toy/toy_test.cpp"}]}' > $reply/target-toy_test-Release.json
  exit 0
}
[ "$1" = --build ] || exit 1
grep -q -e WRONG -e 'break;' toy/toy.cpp && { echo "toy/toy.cpp:5: error: WRONG is no command"; exit 1; }
case "$*" in *--target\\ toy_test\\ *) cp toy/toy.cpp build/release/toy_test ;; *) exit 1 ;; esac
"""

LARGER = dict(name="larger", file="plain/code_under_test.py", old="a > b", new="a < b", tests=["plain/test_code.py"])
HINT = dict(name="hint", file="plain/code_under_test.py", old="hint = 8", new="hint = 4", tests=["plain/test_code.py"])
SUM = dict(name="sum", file="toy/toy.cpp", old="1 + 2", new="1 + 3", tests=["toy_test:Toy.*"])


class Tree:
    def __init__(self, folder: Path):
        self.folder = folder
        (folder / "scripts" / "mutations").mkdir(parents=True)
        (folder / "bin").mkdir()
        (folder / ".deps").mkdir()
        (folder / ".deps" / "venv").symlink_to(sys.prefix)
        for name, text in {
            **{f"scripts/{name}": (ROOT / "scripts" / name).read_text() for name in PROGRAMS},
            "plain/code_under_test.py": CODE,
            "plain/test_code.py": TEST,
            "toy/toy.cpp": PROGRAM,
            "toy/toy_test.cpp": TOY_TEST,
            "bin/cmake": CMAKE,
            ".gitignore": "/build/\n/.deps/\n__pycache__/\n",
        }.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        for name in ("toy/toy.cpp", "bin/cmake"):
            (folder / name).chmod(0o755)
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)

    def commit(self) -> None:
        name = ["-c", "user.name=nobody", "-c", "user.email=nobody"]
        for command in (["add", "--all"], [*name, "commit", "--quiet", "--allow-empty", "--message=now"]):
            subprocess.run(["git", *command], cwd=self.folder, check=True)

    def change(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        assert path.read_text().count(old) == 1
        path.write_text(path.read_text().replace(old, new))

    def keep(self, *mutations: dict) -> None:
        lines = []
        for mutation in mutations:
            lines.append("[[mutation]]")
            lines += [f"{key} = '''{value}'''" if isinstance(value, str) else f"{key} = {value}" for key, value in mutation.items()]
        (self.folder / "scripts" / "mutations" / "toy.toml").write_text("\n".join(lines) + "\n")

    def start(self, *options: str) -> subprocess.Popen:
        heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - a shell's background jobs ignore it
        return subprocess.Popen(
            [sys.executable, "scripts/mutate", *options],
            cwd=self.folder,
            env=os.environ | {"PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=heard,
        )

    def mutate(self, *options: str) -> tuple[int, list[str], str]:
        """Returns the exit code, the lines about mutations with the line of counts at the end, and the errors."""
        process = self.start(*options)
        out, err = process.communicate()
        assert "Traceback" not in err, err
        return process.returncode, [line for line in out.splitlines() if not line.startswith("unmutated")], err

    def files(self) -> dict[Path, bytes]:
        return {
            path: path.read_bytes()
            for path in self.folder.rglob("*")
            if path.is_file() and not {"build", ".git", ".deps"} & {*path.relative_to(self.folder).parts}
        }
