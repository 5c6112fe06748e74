#!/bin/sh
# Installs the Debian packages named, where they are missing and this is root; otherwise says in one sentence what to install.
set -eu
missing=""
for package in "$@"; do
    status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
# python3-venv is only needed by Debian's own Python.
if [ "$missing" = " python3-venv" ] && python3 -c 'import ensurepip, venv' 2>/dev/null; then exit 0; fi
if [ "$(id -u)" != 0 ]; then
    echo "Please install these Debian packages first: apt-get install$missing" >&2
    exit 1
fi
command -v apt-get >/dev/null || { echo "Please install these packages first (no apt-get here):$missing" >&2; exit 1; }
apt-get update -qq
# shellcheck disable=SC2086 # the list is meant to split
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
