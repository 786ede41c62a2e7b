from spack.package import depends_on, version
from spack_repo.builtin.packages.onednn.package import Onednn as BuiltinOnednn


class Onednn(BuiltinOnednn):
    """Spack's recipe with the versions from 3.2 on that Brickwork is compared with."""

    url = "https://github.com/uxlfoundation/oneDNN/archive/refs/tags/v3.13.3.tar.gz"

    version("3.13.3", sha256="20ccad26f3de1de2a996b3f0c25d7e29200dcefe0561a53c72458fa90232c859")
    version("3.11", sha256="04df98b18300daf6c3aa7cc2d5e7ce8a8f430fed1787151daed0254d8dd4e64e")
    version("3.2.1", sha256="2f76b407ef8893cca71340f88cd800019a1f14f8ac1bbdbb89a84be1370b52e3")

    depends_on("cmake@3.13:", when="@3.2:", type="build")
