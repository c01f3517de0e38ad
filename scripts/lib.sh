# Shared by the scripts: how they speak and where they stand. Source it; it is not run.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# Test servers that no package has live here; tests look here as well.
export LONGHAUL_TOOLS=${LONGHAUL_TOOLS:-$root/.tools}

# Another libcurl than the system's, unpacked by scripts/setup where it can be had.
other_libcurl=$LONGHAUL_TOOLS/libcurl
other_libcurl_path=$other_libcurl/usr/lib/$(uname -m)-linux-gnu

# Its version; nothing when it is not there or does not load.
other_libcurl_version() {
    [ -e "$other_libcurl_path/libcurl.so.4" ] || return 0
    LD_LIBRARY_PATH=$other_libcurl_path python3 -c 'if True:
        import ctypes
        library = ctypes.CDLL("libcurl.so.4")
        library.curl_version.restype = ctypes.c_char_p
        print(library.curl_version().split()[0].split(b"/")[1].decode())' 2>/dev/null || true
}

# What the scripts build: apart from a person's own build, with every warning an error.
strict_build=(--scratch-path "$root/.build/strict" -Xswiftc -warnings-as-errors -Xcc -Werror)

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
die() {
    note "error: $*"
    exit 1
}
