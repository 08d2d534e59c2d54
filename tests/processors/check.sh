#!/usr/bin/env bash
# Law 1 over processors and threads: one world and its regions have the same bits on processors without AVX2, with it, and
# with all that the emulator knows, and with 1 to 16 threads. Needs qemu-user (Debian's package) and takes a minute or two.
#
#   bash tests/processors/check.sh target/release/terrane
set -euo pipefail
# a command that fails within $( ) ends all
shopt -s inherit_errexit
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# What is run says nothing but errors; the emulator tells of features that it lacks.
run() {
    "$@" 2> >(grep -v "^qemu-x86_64: warning" >&2 || true)
}

# Digests of the world and of files of its regions: a peak, a great river, a steep and a low coast, a corner of the cube, from
# 10 m to 300 km a sample, by both methods.
digests() {
    local name=$1 threads=$2
    shift 2
    local world=$folder/$name.terrane
    run "$@" "$program" --threads "$threads" --quiet generate --recipe small -o "$world"
    "$program" info --json "$world" | sed -n 's/.*"digest": "\(.*\)".*/\1/p'
    local view=0
    while read -r arguments; do
        view=$((view + 1))
        # shellcheck disable=SC2086
        run "$@" "$program" --threads "$threads" --quiet region "$world" $arguments -o "$folder/$name.$view.tif"
        sha256sum <"$folder/$name.$view.tif"
    done <<'VIEWS'
--at=-69.61,-11.33 --resolution 90 --size 64 --layers elevation,water_depth,discharge,order
--at=170.51,3.24 --resolution 400 --size 48 --layers elevation,water_depth,discharge,basin
--at=-75.54,-19.96 --resolution 10 --size 48 --layers elevation,land_cover
--at=19.43,72.85 --resolution 3000 --size 48 --layers elevation,temperature
--at=-45,35.26 --resolution 1000 --size 48 --layers ridges,peaks,buttresses
--at=-69.61,-11.33 --resolution 2000 --size 48 --method classic --layers elevation,discharge
--bbox=-179,-80,179,80 --resolution 300000 --layers elevation
VIEWS
}

native=$(digests native 1 env)
printf '%s\n' "$native"
same() {
    if [ "$2" = "$native" ]; then
        printf '%-28s the same\n' "$1"
    else
        printf '%-28s DIFFERENT:\n%s\n' "$1" "$2"
        exit 1
    fi
}
for threads in 2 3 8 16; do
    same "$threads threads" "$(digests "threads-$threads" "$threads" env)"
done
# SSE3 alone; SSE4.2; AVX2 and FMA; all that there is
for model in qemu64 Nehalem Haswell max; do
    same "$model" "$(digests "$model" 2 qemu-x86_64 -cpu "$model")"
done
