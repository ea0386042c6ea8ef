// Loads models with llama.cpp and prints, for each, its path, "ok" or "fail", and the last errors.
#include "llama.h"

#include <cstdio>
#include <string>

static std::string errors;

static void listen(ggml_log_level level, const char * text, void *) {
    if (level == GGML_LOG_LEVEL_ERROR) {
        errors += text;
    }
}

int main(int count, char ** paths) {
    llama_log_set(listen, nullptr);
    llama_backend_init();
    for (int at = 1; at < count; ++at) {
        errors.clear();
        llama_model_params how = llama_model_default_params();
        how.n_gpu_layers = 0;
        llama_model * model = llama_model_load_from_file(paths[at], how);
        for (char & c : errors) {
            c = c == '\n' || c == '\t' ? ' ' : c;
        }
        printf("%s\t%s\t%s\n", paths[at], model ? "ok" : "fail", errors.c_str());
        fflush(stdout);
        llama_model_free(model);
    }
}
