// Reads the heads of files with llama.cpp and prints, for each, its path, "ok" or "fail", and the last errors.
#include "ggml.h"
#include "gguf.h"

#include <cstdio>
#include <string>

static std::string errors;

static void listen(ggml_log_level level, const char * text, void *) {
    if (level == GGML_LOG_LEVEL_ERROR) {
        errors += text;
    }
}

int main(int count, char ** paths) {
    ggml_log_set(listen, nullptr);
    for (int at = 1; at < count; ++at) {
        errors.clear();
        gguf_init_params how{};
        how.no_alloc = true;
        gguf_context * head = gguf_init_from_file(paths[at], how);
        for (char & c : errors) {
            c = c == '\n' || c == '\t' ? ' ' : c;
        }
        printf("%s\t%s\t%s\n", paths[at], head ? "ok" : "fail", errors.c_str());
        fflush(stdout);
        gguf_free(head);
    }
}
