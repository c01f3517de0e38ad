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

# Where this machine has Debian's own packages from: the address of the first source of this release.
debian_mirror() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
        if [ -r "$file" ]; then cat "$file" && echo; fi
    done | awk -v suite="$1" '
        /^deb / { gsub(/\[[^]]*\]/, ""); if ($3 == suite) found = found ? found : $2 }
        /^[[:space:]]*$/ { uri = "" }
        /^URIs:/ { uri = $2 }
        /^Suites:/ { for (i = 2; i <= NF; i++) if ($i == suite) found = found ? found : uri }
        END { print found }
    '
}

# The programs as they are installed: the Swift runtime is inside them.
release_build=(swift build -c release --static-swift-stdlib)
build_release() {
    local product
    for product in longhaul longhauld; do
        "${release_build[@]}" --product "$product" || die "the build failed: see above"
    done
}
# Which Longhaul this is; everything that needs to know reads it there.
release_version() { sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/LonghaulIPC/Release.swift; }

release_directory() { "${release_build[@]}" --show-bin-path; }

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
die() {
    note "error: $*"
    exit 1
}
