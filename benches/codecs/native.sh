#!/bin/sh
# Compiles ggml's quantization, as it is in a source tree of llama.cpp, for this machine and for any x86-64.
#
#     native.sh LLAMA_CPP_FOLDER OUT_FOLDER
#
# OUT_FOLDER gets libggml-any.so (as ggml-base is shipped: -O3 and nothing else) and libggml-native.so (-march=native).
set -eu
source=$1/ggml
out=$2
mkdir -p "$out/include"
# The build of llama.cpp writes this from its version, which nothing here asks for.
printf '#pragma once\n#define GGML_VERSION ""\n#define GGML_COMMIT ""\n' > "$out/include/ggml-version.h"
for kind in any native; do
    flags=
    if [ "$kind" = native ]; then flags=-march=native; fi
    flags="-O3 -DNDEBUG -D_GNU_SOURCE $flags -fPIC -w -I$out/include -I$source/include -I$source/src"
    # What ggml.c calls of the rest of ggml is not called here, and stays undefined.
    ${CXX:-c++} $flags -c "$source/src/ggml-threading.cpp" -o "$out/threading.o"
    ${CC:-cc} -std=gnu11 $flags -shared "$source/src/ggml-quants.c" "$source/src/ggml.c" "$out/threading.o" \
        -lm -lpthread -lstdc++ -o "$out/libggml-$kind.so"
done
