from spack.package import Package, install_tree, license, version


class Xbyak(Package):
    """Generates x86 machine code at run time. It consists of headers only."""

    homepage = "https://github.com/herumi/xbyak"
    url = "https://github.com/herumi/xbyak/archive/refs/tags/v6.73.tar.gz"

    license("BSD-3-Clause")

    version("6.73", sha256="41f3dc7727a48c751024c92fa4da24a4a1e0ed16b7930c79d05b76960b19562d")

    def install(self, spec, prefix):
        install_tree("xbyak", prefix.include.xbyak)
