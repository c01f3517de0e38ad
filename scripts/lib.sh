# Sourced by the other scripts: common settings and functions.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# The directory of test servers that Debian does not package. The tests look there too.
export LONGHAUL_TOOLS=${LONGHAUL_TOOLS:-$root/.tools}

# A second version of libcurl, which scripts/setup unpacks on Debian 12.
other_libcurl=$LONGHAUL_TOOLS/libcurl
other_libcurl_path=$other_libcurl/usr/lib/$(uname -m)-linux-gnu

# Prints the version of the other libcurl. Prints nothing if it is missing or does not load.
other_libcurl_version() {
    [ -e "$other_libcurl_path/libcurl.so.4" ] || return 0
    LD_LIBRARY_PATH=$other_libcurl_path python3 -c 'if True:
        import ctypes
        library = ctypes.CDLL("libcurl.so.4")
        library.curl_version.restype = ctypes.c_char_p
        print(library.curl_version().split()[0].split(b"/")[1].decode())' 2>/dev/null || true
}

# Prints the address of the first apt source for a Debian release.
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

# Builds the programs as they are installed: with a static Swift runtime.
release_build=(swift build -c release --static-swift-stdlib)
build_release() {
    local product
    for product in longhaul longhauld; do
        "${release_build[@]}" --product "$product" || die "the build failed: see above"
    done
}
# Prints the version of Longhaul. All scripts and packages read it from this file.
release_version() { sed -n 's/.*static let version = "\(.*\)"/\1/p' Sources/LonghaulIPC/Release.swift; }

release_directory() { "${release_build[@]}" --show-bin-path; }

say() { printf '%s\n' "$*"; }
note() { printf '%s\n' "$*" >&2; }
die() {
    note "error: $*"
    exit 1
}
