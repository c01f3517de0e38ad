# Shared by the scripts: how they speak and where they stand. Source it; it is not run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Test servers that no package has live here; tests look here as well.
export LONGHAUL_TOOLS=${LONGHAUL_TOOLS:-$root/.tools}

# What the scripts build: apart from a person's own build, with every warning an error.
strict_build=(--scratch-path "$root/.build/strict" -Xswiftc -warnings-as-errors -Xcc -Werror)

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
die() {
    note "error: $*"
    exit 1
}
