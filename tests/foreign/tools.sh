# A compiler with the sources of its standard library, for targets whose library is not at hand: Debian's rustc-web and
# rust-web-src. To be read by scripts that have set `tools`, the folder that it is unpacked in; nothing else is changed.
# shellcheck shell=bash disable=SC2154

apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" >/dev/null 2>&1; }

# Debian's compiler with the sources of its library, which must be as new as the code asks for.
unpack() {
    [ -x "$tools/rustc" ] && return 0
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
    local needed std llvm version lib root=$tools/root
    needed=$(sed -n 's/^rust-version = "1\.\([0-9]*\)"/\1/p' Cargo.toml)
    version=$(apt-cache policy rustc-web | sed -n 's/^ *Candidate: 1\.\([0-9]*\)\..*/\1/p')
    [ "${version:-0}" -ge "$needed" ] || { echo "Debian has rustc-web 1.${version:-0}, 1.$needed is needed"; return 1; }
    std=$(apt-cache depends libstd-rust-web-dev | sed -n 's/.*Depends: \(libstd-rust-web-[0-9].*\)/\1/p')
    llvm=$(apt-cache depends "$std" | sed -n 's/.*Depends: \(libllvm.*\)/\1/p')
    mkdir -p "$tools/packages" "$root" || return 1
    (cd "$tools/packages" && apt-get -qq download rustc-web libstd-rust-web-dev rust-web-src "$std" "$llvm") || return 1
    for lib in "$tools"/packages/*.deb; do dpkg -x "$lib" "$root" || return 1; done
    rm -rf "$tools/packages"
    lib=$(echo "$root"/usr/lib/*-linux-gnu)
    cat >"$tools/rustc.new" <<X
#!/bin/sh
LD_LIBRARY_PATH=$lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec $root/usr/bin/rustc "\$@"
X
    chmod +x "$tools/rustc.new" && "$tools/rustc.new" -V && mv "$tools/rustc.new" "$tools/rustc"
}
