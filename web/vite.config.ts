import { defineConfig, type Plugin } from 'vite';

/** The two tags by which the server finds the script and the style sheet, when it puts them inline into a report. */
function fixedTags(): Plugin {
  return {
    name: 'fixed-tags',
    transformIndexHtml: {
      order: 'post',
      handler: (html, context) =>
        context.bundle === undefined
          ? html
          : html
              .replace(/<script type="module"[^>]*app\.js"><\/script>/, '<script type="module" src="assets/app.js"></script>')
              .replace(/<link rel="stylesheet"[^>]*app\.css">/, '<link rel="stylesheet" href="assets/app.css">'),
    },
  };
}

/**
 * One script, one style sheet, fixed names: the server embeds them, and a build of the same sources is the same bytes.
 * `npm run dev` asks a server that runs already (`gguf view`), named by GGUF_VIEW.
 */
export default defineConfig({
  base: './',
  plugins: [fixedTags()],
  build: {
    outDir: '../crates/viewer/page',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome111', 'firefox113', 'safari16.4'],
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: {
      output: {
        codeSplitting: false,
        entryFileNames: 'app.js',
        assetFileNames: (asset) => (asset.names.some((name) => name.endsWith('.css')) ? 'app.css' : '[name][extname]'),
      },
    },
  },
  server: { proxy: { '/api': process.env.GGUF_VIEW ?? 'http://127.0.0.1:8080' } },
});
