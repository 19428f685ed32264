#!/bin/bash
# Installs a build, moves what was installed, and compiles and runs a project
# that knows nothing else of posenc. Prints what that prints.
#
#   install.sh CMAKE CXX BUILD SOURCE MLIR_DIR LLVM_TOOLS
set -euo pipefail
cmake=$1 cxx=$2 build=$3 source=$4 mlir=$5 llvm_tools=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "install.sh: failed: $*"; exit 1; }; }

quietly "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
prefix=$work/prefix

# Text that names a folder of this machine would be wrong on the next.
if grep -rIP "((?<![\\w.})/-])|(?<=-[IL]))(\\Q$source\\E|\\Q$build\\E|\\Q$work\\E/first)(?![\\w.-])" "$prefix"; then
  echo "install.sh: error: these files name where they were built or first installed"
  exit 1
fi

# Headers and td files include only what is installed.
grep -rhoP '^#?include "\K(dialects|passes|posenc)/[^"]+' "$prefix/include" | sort -u | while read -r file; do
  [ -f "$prefix/include/posenc/$file" ] || { echo "install.sh: error: $file is included, not installed"; exit 1; }
done

# The consumer is outside of the source tree, too.
cp -r "$source/test/install/Consumer" "$work/consumer"
quietly "$cmake" -S "$work/consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DMLIR_DIR="$mlir" -DCMAKE_CXX_COMPILER="$cxx"
quietly "$cmake" --build "$work/build"
"$work/build/t5"

# The td files serve those of others; tools and plugin find their libraries.
"$llvm_tools/mlir-tblgen" -gen-attrdef-decls -attrdefs-dialect=test_maps -I "$prefix/include/posenc" \
  -I "$llvm_tools/../include" "$source/test/plugin/TestMapPlugin/TestMaps.td" | grep "^class OctaveAttr;"
example=$source/test/examples/t5-encoder.mlir
quietly "$prefix/bin/posenc-opt" "$example" --posenc-decompose
echo "posenc-opt runs"
quietly "$prefix/bin/posenc-compile" "$example" -o "$work/t5.o"
grep -o "const char \*attention" "$work/t5.h"
plugin=$prefix/lib/PosEncPlugin.so
quietly "$llvm_tools/mlir-opt" --load-dialect-plugin="$plugin" --load-pass-plugin="$plugin" \
  --pass-pipeline="builtin.module(posenc-decompose)" "$example"
echo "mlir-opt loads the plugin"
