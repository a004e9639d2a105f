#!/usr/bin/env bash
# Builds scree beside ParaView's Python, as who looks at runs by `paraview --script` or pvbatch has it: in a fresh Debian
# without VTK's headers, where python3-paraview excludes their package. Runs scenes there, and draws them by pvbatch.
#
#   tests/beside_paraview.sh FOLDER     FOLDER: becomes that Debian, some 4 GB; kept for the next time
#
# As root. Only FOLDER changes: what is mounted in it is seen by this program alone.
set -euo pipefail

if [ $# != 1 ]; then
  echo "usage: $0 FOLDER" >&2
  exit 2
fi
if [ "$(id -u)" != 0 ]; then
  echo "beside_paraview: needs root, for debootstrap and chroot" >&2
  exit 3
fi
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
there=$(realpath -m "$1")

inside() { # with /proc, and what ccache knows
  unshare --mount bash -euc '
    mount -t proc proc "$1/proc"
    if [ -d "$2" ]; then mkdir -p "$1/ccache" && mount --bind "$2" "$1/ccache"; fi
    exec chroot "$1" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      CCACHE_DIR=/ccache "${@:3}"' bash "$there" "$(ccache --get-config cache_dir 2>/dev/null || true)" "$@"
}

if [ ! -f "$there/ready" ]; then
  rm -rf --one-file-system "$there"
  mkdir -p "$there"
  . /etc/os-release
  debootstrap --variant=minbase "$VERSION_CODENAME" "$there" >"$there.log" || { tail -n 20 "$there.log" >&2 && exit 1; }
  inside apt-get install -y -qq --no-install-recommends python3-paraview >>"$there.log" 2>&1 || { tail -n 20 "$there.log" >&2 && exit 1; }
  touch "$there/ready"
fi

# Today's sources; what was built of the last ones stays.
mkdir -p "$there/scree"
find "$there/scree" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf --one-file-system {} +
(cd "$source" && git ls-files -z --cached --others --exclude-standard | xargs -0 -r ls -d 2>/dev/null |
  tar --files-from=- -cf -) | tar -C "$there/scree" -xf -

inside /scree/dev paraview-check
inside bash -euc '
  [ "$(dpkg-query -W -f="\${db:Status-Status}" python3-paraview)" = installed ] || { echo "python3-paraview is gone"; exit 1; }
  /scree/build/release/app/scree --version'
