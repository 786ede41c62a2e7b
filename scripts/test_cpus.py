"""How many CPUs scripts/cpus counts, on the trees of /proc and /sys of primitives/planning/machine/limits_test.cpp."""

import os
import subprocess
from pathlib import Path

import pytest

CPUS = Path(__file__).resolve().parent / "cpus"
V1 = """\
32 31 0:29 {top} /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
"""
V2 = "41 31 0:38 {top} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"


@pytest.fixture
def cpus(tmp_path):
    """cpus(group, mounts, files): how many of four CPUs are left."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "nproc").write_text("#!/bin/sh\necho 4\n")
    (tmp_path / "bin" / "nproc").chmod(0o755)

    def run(group: str | None, mounts: str, files: dict[str, str]) -> int:
        root = tmp_path / "root"
        texts = {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
        if group is not None:
            texts |= {
                "proc/self/cgroup": f"9:name=systemd:/x\n5:memory:{group}\n4:cpu,cpuacct:{group}\n0::{group}\n",
                "proc/self/mountinfo": mounts,
            }
        for name, text in texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        path = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
        return int(subprocess.run([CPUS, root], env=os.environ | path, capture_output=True, text=True, check=True).stdout)

    return run


def v1(quotas: dict[str, str], period: str = "100000\n") -> dict[str, str]:
    folder = "cpu,cpuacct"
    return {f"{folder}{group}/cpu.cfs_quota_us": quota for group, quota in quotas.items()} | {
        f"{folder}{group}/cpu.cfs_period_us": period for group in quotas
    }


@pytest.mark.parametrize(
    ("group", "mounts", "files", "expected"),
    [
        (None, "", {}, 4),
        ("/a", "", {"a/cpu.max": "100000 100000\n"}, 4),
        ("/a", V2.format(top="/"), {"a/cpu.max": "max 100000\n"}, 4),
        ("/a", V2.format(top="/"), {"a/cpu.max": "900000 100000\n"}, 4),
        ("/a", V2.format(top="/"), {"a/cpu.max": "250000 100000\n"}, 2),
        ("/a", V2.format(top="/"), {"a/cpu.max": "50000 100000\n"}, 1),
        (
            "/a/b",
            V2.format(top="/"),
            {"a/b/cpu.max": "max 100000\n", "a/cpu.max": "300000 100000\n", "other/cpu.max": "100000 100000\n"},
            3,
        ),
        ("/pod/1", V2.format(top="/pod/1"), {"cpu.max": "100000 100000\n"}, 1),
        ("/pod/12", V2.format(top="/pod/1"), {"cpu.max": "100000 100000\n"}, 4),
        ("/../..", V2.format(top="/"), {"cpu.max": "200000 100000\n"}, 2),
        *[("/a", V2.format(top="/"), {"a/cpu.max": text}, 4) for text in ("", "garbage", "100000", "0 100000", "100000 0", "-5 100000")],
        ("/a/b", V1.format(top="/"), v1({"": "-1\n", "/a": "150000\n", "/a/b": "300000\n"}), 1),
        ("/a", V1.format(top="/"), v1({"/a": "50000\n"}, "25000\n"), 2),
        ("/pod/1/part", V1.format(top="/pod/1"), v1({"": "300000\n", "/part": "-1\n"}), 3),
        ("/a", V1.format(top="/"), v1({"/a": "garbage\n"}), 4),
    ],
)
def test_a_quota_leaves_fewer_cpus(cpus, group, mounts, files, expected):
    assert cpus(group, mounts, files) == expected
