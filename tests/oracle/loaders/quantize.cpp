// Quantizes files with llama.cpp. A line of standard input is a job: words with tabs between them, the input, the output, the
// number of the file type, and options as NAME=VALUE. A line of the output is the answer: "ok" or "fail", and the last errors.
#include "llama.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

static std::string errors;

static void listen(ggml_log_level level, const char * text, void *) {
    if (level == GGML_LOG_LEVEL_ERROR) {
        errors += text;
    }
}

static std::vector<std::string> words(const std::string & text, char between) {
    std::vector<std::string> out;
    std::stringstream stream(text);
    for (std::string word; std::getline(stream, word, between);) {
        out.push_back(word);
    }
    return out;
}

struct Importance {
    std::vector<std::string> names;
    std::vector<std::vector<float>> numbers;
    std::vector<llama_model_imatrix_data> list;

    // Of each tensor: a line with its name and how many numbers, and these.
    explicit Importance(const std::string & path) {
        std::ifstream in(path, std::ios::binary);
        std::string line;
        while (std::getline(in, line)) {
            const auto parts = words(line, '\t');
            std::vector<float> own(std::stoull(parts[1]));
            in.read((char *) own.data(), (std::streamsize) (own.size() * sizeof(float)));
            names.push_back(parts[0]);
            numbers.push_back(own);
        }
        for (size_t at = 0; at < names.size(); ++at) {
            list.push_back({names[at].c_str(), numbers[at].data(), numbers[at].size()});
        }
        list.push_back({nullptr, nullptr, 0});
    }
};

static llama_model_kv_override key(const std::string & name) {
    llama_model_kv_override made{};
    std::strncpy(made.key, name.c_str(), sizeof(made.key) - 1);
    return made;
}

static bool quantize(const std::vector<std::string> & job) {
    llama_model_quantize_params how = llama_model_quantize_default_params();
    how.nthread = 1;
    how.ftype   = (llama_ftype) std::stoi(job[2]);
    std::vector<std::string> patterns;
    std::vector<ggml_type> types;
    std::vector<llama_model_kv_override> keys;
    std::unique_ptr<Importance> importance;
    for (size_t at = 3; at < job.size(); ++at) {
        const auto cut = job[at].find('=');
        const std::string name = job[at].substr(0, cut), value = job[at].substr(cut + 1);
        if (name == "copy")       { how.only_copy              = true; }
        if (name == "pure")       { how.pure                   = true; }
        if (name == "keep-split") { how.keep_split             = true; }
        if (name == "again")      { how.allow_requantize       = true; }
        if (name == "leave")      { how.quantize_output_tensor = false; }
        if (name == "output")     { how.output_tensor_type     = (ggml_type) std::stoi(value); }
        if (name == "embedding")  { how.token_embedding_type   = (ggml_type) std::stoi(value); }
        if (name == "type") {
            const auto last = value.rfind('=');
            patterns.push_back(value.substr(0, last));
            types.push_back((ggml_type) std::stoi(value.substr(last + 1)));
        }
        if (name == "number") {
            const auto last = value.rfind('=');
            auto made = key(value.substr(0, last));
            made.tag     = LLAMA_KV_OVERRIDE_TYPE_INT;
            made.val_i64 = std::stoll(value.substr(last + 1));
            keys.push_back(made);
        }
        if (name == "text") {
            const auto last = value.rfind('=');
            auto made = key(value.substr(0, last));
            made.tag = LLAMA_KV_OVERRIDE_TYPE_STR;
            std::strncpy(made.val_str, value.substr(last + 1).c_str(), sizeof(made.val_str) - 1);
            keys.push_back(made);
        }
        if (name == "imatrix") {
            importance = std::make_unique<Importance>(value);
            how.imatrix = importance->list.data();
        }
    }
    std::vector<llama_model_tensor_override> rules;
    for (size_t at = 0; at < patterns.size(); ++at) {
        rules.push_back({patterns[at].c_str(), types[at]});
    }
    rules.push_back({nullptr, GGML_TYPE_COUNT});
    if (rules.size() > 1) {
        how.tt_overrides = rules.data();
    }
    keys.emplace_back();
    keys.back().key[0] = 0;
    if (keys.size() > 1) {
        how.kv_overrides = keys.data();
    }
    return llama_model_quantize(job[0].c_str(), job[1].c_str(), &how) == 0;
}

int main() {
    llama_log_set(listen, nullptr);
    llama_backend_init();
    for (std::string line; std::getline(std::cin, line);) {
        errors.clear();
        const bool done = quantize(words(line, '\t'));
        for (char & c : errors) {
            c = c == '\n' || c == '\t' ? ' ' : c;
        }
        printf("%s\t%s\n", done ? "ok" : "fail", errors.c_str());
        fflush(stdout);
    }
}
