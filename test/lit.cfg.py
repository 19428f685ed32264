import os

import lit.formats
from lit.llvm import llvm_config

config.name = "posenc"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.posenc_obj_root, "test")
config.environment["FILECHECK_OPTS"] = "-enable-var-scope --dump-input=fail"

lib = os.path.join(config.posenc_obj_root, "lib")
plugin = os.path.join(lib, "PosEncPlugin" + config.llvm_shlib_ext)
config.substitutions += [
    # The distribution's mlir-opt with the posenc plugin loaded.
    ("%mlir-opt-posenc", f"mlir-opt --load-dialect-plugin={plugin} --load-pass-plugin={plugin}"),
    ("%test-maps", os.path.join(lib, "TestMapPlugin" + config.llvm_shlib_ext)),
    ("%shlibext", config.llvm_shlib_ext),
    ("%posenc_libs", lib),
    ("%posenc_root", config.posenc_src_root),
    ("%mlir_include", config.mlir_include_dir),
    ("%python", config.python),
    ("%check", os.path.join(config.test_source_root, "e2e", "check.py")),
    ("%run-targets", " ".join([config.python, os.path.join(config.test_source_root, "e2e", "targets.py"),
                               os.path.join(config.posenc_obj_root, "bin", "posenc-run")])),
    ("%posenc-run", os.path.join(config.posenc_obj_root, "bin", "posenc-run")),
    ("%cc", config.cc),
    ("%llvm_tools", config.llvm_tools_dir),
    ("%llvm_libs", os.path.join(config.llvm_tools_dir, "..", "lib")),
    ("%cxx", config.cxx),
    ("%install", " ".join(["bash", os.path.join(config.test_source_root, "install", "install.sh"), config.cmake, config.cxx,
                           config.posenc_obj_root, config.posenc_src_root, config.mlir_cmake_dir, config.llvm_tools_dir])),
    ("%examples", os.path.join(config.test_source_root, "examples")),
]
llvm_config.add_tool_substitutions(
    ["bounds-test", "builders-test", "extents-test", "minimal-opt", "minimal-register-opt", "posenc-compile", "posenc-lsp-server", "posenc-opt", "posenc-reduce", "posenc-run", "llc", "llvm-nm", "llvm-readobj", "mlir-opt", "mlir-tblgen", "mlir-translate", "FileCheck", "not", "count", "split-file"],
    [os.path.join(config.posenc_obj_root, "bin"), config.llvm_tools_dir],
)
def host_flags():
    """The features of the CPU, where Linux lists them."""
    try:
        with open("/proc/cpuinfo") as file:
            lines = [line for line in file if line.startswith("flags")]
    except OSError:
        lines = []
    return set(lines[0].split()) if lines else set()


if {"avx2", "bmi2", "f16c", "fma"} <= host_flags():
    config.available_features.add("x86-64-v3")
if config.posenc_bench:
    config.available_features.add(config.posenc_bench)
    llvm_config.add_tool_substitutions([config.posenc_bench], [os.path.join(config.posenc_obj_root, "bin")])
# What links libraries with sanitizers in them is built with sanitizers.
if not config.sanitizer:
    config.available_features.add("plain-libraries")
