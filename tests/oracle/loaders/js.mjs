// Reads files with @huggingface/gguf and prints, for each, its path, "ok" or "fail", and why.
import { gguf } from "@huggingface/gguf";

for (const path of process.argv.slice(2)) {
  try {
    await gguf(path, { allowLocalFile: true });
    console.log(`${path}\tok\t`);
  } catch (error) {
    console.log(`${path}\tfail\t${String(error).split("\n")[0]}`);
  }
}
