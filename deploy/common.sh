# Sourced by the scripts of this folder: places, packages, messages.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
# Tests of another build say where it is.
binaries=${RESONANCE_BINARIES:-$top/.build/release}

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }

# What the build and the running system need from Debian.
packages=(libzmq3-dev libical-dev libexpat1-dev libzip-dev libsqlite3-dev libturbojpeg0-dev libpng-dev pkg-config supervisor)
# What only the tests need on top.
test_packages=(python3 iproute2 python3-venv python3-prometheus-client systemd age)

# The same rules as Sources/ServiceKit/Directories.swift.
runtime_dir=${RESONANCE_RUNTIME_DIR:-${XDG_RUNTIME_DIR:+$XDG_RUNTIME_DIR/resonance}}
runtime_dir=${runtime_dir:-/tmp/resonance-$(id -u)}
data_dir=${RESONANCE_DATA_DIR:-${XDG_DATA_HOME:+$XDG_DATA_HOME/resonance}}
data_dir=${data_dir:-$HOME/.local/share/resonance}
state_dir=${RESONANCE_STATE_DIR:-${XDG_STATE_HOME:+$XDG_STATE_HOME/resonance}}
state_dir=${state_dir:-$HOME/.local/state/resonance}
config_dir=${RESONANCE_CONFIG_DIR:-${XDG_CONFIG_HOME:+$XDG_CONFIG_HOME/resonance}}
config_dir=${config_dir:-$HOME/.config/resonance}

# install_packages NAME…: installs what is missing, as root or by sudo, and says so.
install_packages() {
    local missing=() name
    for name in "$@"; do
        dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'install ok installed' || missing+=("$name")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    local as=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail "these Debian packages are missing: ${missing[*]}. As root: apt-get install ${missing[*]}"
        as=(sudo)
    fi
    say "Installing Debian packages: ${missing[*]}"
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
        fail "apt-get could not install ${missing[*]}: see above"
}

need_swift() {
    command -v swift >/dev/null || fail "Swift 6.2 or newer is not on the PATH: install it from https://swift.org/install/linux"
    local version
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
    case "$version" in
        6.[2-9]* | 6.[1-9][0-9]* | [7-9].*) ;;
        *) fail "Swift ${version:-of an unknown version} is too old: 6.2 or newer is needed" ;;
    esac
}

# The order of the start; the stop is its reverse.
start_order="hub librarian body player-stub context-agent sensor-emitter brain"
stop_order="brain sensor-emitter context-agent player-stub body librarian hub"

private_dir() {
    mkdir -p -m 700 "$1" || fail "cannot create $1"
    [ -O "$1" ] || fail "$1 belongs to somebody else: set another directory"
    chmod 700 "$1"
}
