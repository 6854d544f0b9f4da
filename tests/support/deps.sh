#!/bin/sh
# Installs the Debian packages named as arguments that are not there yet, and says which.
# Uses sudo when not root; without root and sudo it prints the line to run and fails.
set -u
if ! command -v apt-get >/dev/null 2>&1; then
    echo "no apt-get here; pksk needs what Debian calls: $*" >&2
    echo "when that is installed, run 'make' instead" >&2
    exit 1
fi
present=" $(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2>/dev/null |
    sed -n 's/ install ok installed$//p' | tr '\n' ' ') "
missing=
for package in "$@"; do
    case $present in
    *" $package "*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -z "$missing" ] && exit 0

sudo=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "pksk needs these packages; as root, run:" >&2
        echo "  apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
    sudo=sudo
fi
echo "installing:$missing"
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null || exit 1
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
