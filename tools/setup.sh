#!/bin/bash
# Installs what a build needs from Debian's packages, and builds.
#
#   tools/setup.sh [TARGET...]
#
# The CMake targets to build are all by default. Called by demo.sh and test.sh;
# both may be run again, which takes seconds when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."

# Without libbenchmark-dev there is no posenc-bench, without libomp-22-dev
# posenc-run and posenc-bench use one thread; all else is there.
packages=(cmake g++ ninja-build libmlir-22-dev llvm-22-dev llvm-22-tools mlir-22-tools python3 python3-numpy
  libbenchmark-dev libomp-22-dev)
llvm=/usr/lib/llvm-22
step() { printf '\n== %s\n' "$*"; }
fail() { echo "tools/setup.sh: error: $*" >&2; exit 1; }

# Prints those of the packages that are not installed.
missing_packages() {
  local package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
  done
}

install_packages() {
  local missing as_root=()
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
    fail "there is no apt here: on another distribution install LLVM and MLIR 22, CMake, Ninja and numpy, and build with CMake"
  mapfile -t missing < <(missing_packages)
  [ ${#missing[@]} -gt 0 ] || return 0
  . /etc/os-release
  [ "$ID ${VERSION_ID:-}" = "debian 12" ] ||
    fail "this is ${PRETTY_NAME:-$ID}, not Debian 12: install ${missing[*]} yourself and run it again"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "installing ${missing[*]} needs root or sudo"
    as_root=(sudo)
  fi
  step "Installing ${missing[*]}"
  "${as_root[@]}" apt-get update -q || fail "apt-get update failed: is there a network?"
  apt-cache show llvm-22-dev >/dev/null 2>&1 ||
    fail "apt offers no llvm-22-dev: the sources need Debian 12's security updates"
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install ${missing[*]}: is there a network?"
}

configure() {
  [ -f build/build.ninja ] && return 0
  # ccache takes precompiled headers if it is told so.
  local launcher=() ccache='cmake;-E;env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache'
  command -v ccache >/dev/null &&
    launcher=("-DCMAKE_C_COMPILER_LAUNCHER=$ccache" "-DCMAKE_CXX_COMPILER_LAUNCHER=$ccache")
  step "Configuring in build/"
  cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release -DMLIR_DIR=$llvm/lib/cmake/mlir "${launcher[@]}" ||
    fail "CMake could not configure build/"
}

install_packages
[ -f $llvm/lib/cmake/mlir/MLIRConfig.cmake ] || fail "LLVM and MLIR 22 are not in $llvm"
configure
step "Building"
cmake --build build --target "${@:-all}" || fail "the build failed"
