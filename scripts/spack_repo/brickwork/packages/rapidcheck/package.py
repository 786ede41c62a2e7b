from spack.package import depends_on, license, version
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Rapidcheck(CMakePackage):
    """Tests properties of C++ code on random input."""

    homepage = "https://github.com/emil-e/rapidcheck"
    git = "https://github.com/emil-e/rapidcheck.git"

    license("BSD-2-Clause")

    # There are no releases. 1033 counts the commits up to this one, which Debian 12 packages.
    version("1033", commit="08b505857e32d52a20b2240b5125d937d67a6d86")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    # CMake 4 refuses projects that ask for a version before 3.5.
    depends_on("cmake@3.10:3", type="build")
