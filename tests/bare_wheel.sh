#!/usr/bin/env bash
# Installs a wheel by pip in a bare Debian, which has Python and numpy and nothing else that scree needs, and runs scenes
# there: they end in the hashes of the program of this system, and write the bytes that it writes.
#
#   tests/bare_wheel.sh FOLDER WHEEL PROGRAM     FOLDER: becomes that Debian, some 0.5 GB; kept for the next time
#
# As root. Only FOLDER changes: what is mounted in it is seen by this program alone.
set -euo pipefail

if [ $# != 3 ]; then
  echo "usage: $0 FOLDER WHEEL PROGRAM" >&2
  exit 2
fi
if [ "$(id -u)" != 0 ]; then
  echo "bare_wheel: needs root, for debootstrap and chroot" >&2
  exit 3
fi
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
there=$(realpath -m "$1")
wheel=$(realpath "$2")
program=$(realpath "$3")

inside() { # with /proc
  unshare --mount bash -euc '
    mount -t proc proc "$1/proc"
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "${@:2}"' bash "$there" "$@"
}

if [ ! -f "$there/ready" ]; then
  rm -rf --one-file-system "$there"
  mkdir -p "$there"
  . /etc/os-release
  debootstrap --variant=minbase --include=python3,python3-numpy "$VERSION_CODENAME" "$there" >"$there.log" ||
    { tail -n 20 "$there.log" >&2 && exit 1; }
  touch "$there/ready"
fi
for library in libtbb12 libfmt9 libyaml-cpp0.7 libyaml-0-2 libvtk9.1 libcairo2 openmpi-bin g++; do
  if [ -e "$there/usr/share/doc/$library" ]; then
    echo "bare_wheel: $there has $library: it is not bare" >&2
    exit 1
  fi
done

# Today's wheel; pip runs from its own.
rm -rf --one-file-system "$there/wheel"
mkdir "$there/wheel"
cp "$wheel" /usr/share/python-wheels/pip-*.whl "$source/tests/bare_wheel.py" "$there/wheel"
cp -r "$source/examples" "$there/wheel"
pip_wheel=$(basename /usr/share/python-wheels/pip-*.whl)
pip() { inside python3 "/wheel/$pip_wheel/pip" "$@" --disable-pip-version-check --root-user-action=ignore --break-system-packages; }
pip uninstall -qq --yes scree
pip install -q --no-index "/wheel/${wheel##*/}"

# The same scenes on both sides.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
while read -r scene until; do
  "$program" run "$source/examples/$scene.yaml" --until "$until" --output "$work/$scene" --quiet
  inside python3 -B /wheel/bare_wheel.py "/wheel/examples/$scene.yaml" "$until" "/wheel/out/$scene"
  python3 -B "$source/tests/bare_wheel.py" --compare "$work/$scene" "$there/wheel/out/$scene"
done <<'SCENES'
heap 0.3
hard_rubble 0.3
sheared_gas 0.5
SCENES
