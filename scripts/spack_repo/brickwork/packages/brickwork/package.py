from pathlib import Path

from spack.package import conflicts, depends_on, extends, license, variant, version, when, which
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage


class Brickwork(CMakePackage, CudaPackage):
    """Deep-learning primitives as loops around one kernel, the batch-reduce GEMM, measured beside the best libraries."""

    # The recipe is part of the sources that it builds.
    git = Path(__file__).resolve().parents[5].as_uri()

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("onednn", default=True, description="Measure oneDNN, too")
    variant("libxsmm", default=True, when="target=x86_64:", description="Measure LIBXSMM, too")
    variant("openblas", default=True, description="Measure OpenBLAS, too")
    variant("plots", default=True, description="Install the Python packages that the scripts need")
    variant("python", default=False, description="Build the Python module")
    variant("tests", default=False, description="Build the tests")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")

    # The next major version of a library may lack what the sources use.
    depends_on("kokkos@4.7:4 +openmp")
    depends_on("highway@1.0.3:1.0")
    depends_on("fmt@9.1:9")
    depends_on("nlohmann-json@3.11:3")
    depends_on("cli11@2.1:2")
    depends_on("hwloc@2.9:2")
    depends_on("isl@0.25:0")
    depends_on("benchmark@1.7.1:1 ~performance_counters")
    depends_on("libcsv@3")
    depends_on("xbyak@6.68:", when="target=x86_64:")

    # All libraries share one OpenMP runtime, because two thread pools would compete for the cores.
    depends_on("onednn@3.2: cpu_runtime=omp", when="+onednn")
    depends_on("libxsmm@1.17", when="+libxsmm")
    depends_on("openblas threads=openmp", when="+openblas")

    with when("+tests"):
        depends_on("googletest@1.12:1 +gmock")
        depends_on("rapidcheck")

    with when("+plots"):
        depends_on("python@3.11:", type="run")
        depends_on("py-jinja2@3.1:", type="run")
        depends_on("py-markupsafe@3:", type="run")
        depends_on("py-matplotlib@3.11:", type="run")
        depends_on("py-numpy@2.4:", type="run")
        depends_on("py-pandas@3:", type="run")
        depends_on("py-scikit-learn@1.5:", type="run")
        depends_on("py-scipy@1.17:", type="run")

    with when("+python"):
        extends("python@3.11:")
        depends_on("py-nanobind@2.10:", type="build")
        depends_on("py-numpy@2.4:", type=("build", "run"))

    # Device code needs the instructions of Ampere. Kokkos takes one architecture.
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPU's architecture, such as cuda_arch=90")
    depends_on("cuda@12:", when="+cuda")
    for arch in CudaPackage.cuda_arch_values:
        if int(arch.rstrip("af")) < 80:
            conflicts(f"cuda_arch={arch}", when="+cuda", msg="the GPU kernels need cuda_arch=80 or newer")
        else:
            depends_on(f"kokkos +cuda +wrapper cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    sanity_check_is_file = ("bin/brickwork",)

    def cmake_args(self):
        args = [
            self.define_from_variant("BRICKWORK_TESTS", "tests"),
            self.define_from_variant("BRICKWORK_PYTHON", "python"),
            self.define_from_variant("BRICKWORK_WITH_ONEDNN", "onednn"),
            self.define_from_variant("BRICKWORK_WITH_LIBXSMM", "libxsmm"),
            self.define_from_variant("BRICKWORK_WITH_OPENBLAS", "openblas"),
            self.define_from_variant("BRICKWORK_WITH_CUDA", "cuda"),
            self.define("CMAKE_INSTALL_LIBDIR", "lib"),  # where Spack looks for Python modules, too
            # A checkout may hold more libraries in .deps/. A package takes none from there.
            self.define("BRICKWORK_ONEDNN_LATEST", ""),
            self.define("BRICKWORK_PYTORCH", ""),
            self.define("BRICKWORK_DYNET", ""),
            self.define("BRICKWORK_TVM", ""),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
            args.append(self.define("BRICKWORK_CUDNN_FRONTEND", ""))
        return args

    def test_list(self):
        """the installed program starts and lists its experiments"""
        which(self.prefix.bin.brickwork, required=True)("--list")
