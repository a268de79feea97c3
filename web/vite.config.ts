import { basename } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** One chunk with all the code of the sign-in page: fewer requests, and it compresses better as a whole. */
const SHARED =
  /node_modules|src\/(entry|api|form\/(?!reload-when-over|use-press)|i18n\/[^/]+$|screens\/((?!app-secret|ask-address|new-password|signed-in-other|terms-box)[^/]+|signin\/.+)$)|src\/(ui|lib)\/(?!bullets|changed-row|check-box|choices|code|guard|local-times|mistyped|more|name-field|new-password|scripted|strength|success|username|warning)/;

/** Names a class by its file and itself, such as `field-input`. File names are unique, and a hash would be longer. */
const nameOf = (local: string, file: string) => `${basename(file, '.module.css')}-${local}`;

/**
 * Vite wraps an import() in a helper that preloads its styles and chunks. Our imports have
 * neither, and the helper would be on every page.
 */
const plainImports: Plugin = {
  name: 'plain-imports',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : null,
};

/** The page of administration is a build of its own, so that no file of the other pages depends on it. */
const ADMIN = {
  input: 'src/admin/main.tsx',
  output: { entryFileNames: 'assets/admin-[hash].js', chunkFileNames: 'assets/admin-[name]-[hash].js' },
};

export default defineConfig(({ isSsrBuild, mode }) => ({
  base: '/auth/',
  plugins: [react(), plainImports],
  // Leaves React's hooks for its developer tools out of the bundle.
  define: isSsrBuild ? {} : { __REACT_DEVTOOLS_GLOBAL_HOOK__: 'undefined' },
  css: { modules: { generateScopedName: nameOf } },
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: isSsrBuild ? '.build/server' : mode === 'admin' ? '.build/admin' : '.build/client',
    manifest: !isSsrBuild,
    modulePreload: false, // the documents name every chunk they need
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: isSsrBuild
      ? { input: 'src/entry/prerender.tsx', checks: { ineffectiveDynamicImport: false } }
      : mode === 'admin'
        ? ADMIN
        : { output: { codeSplitting: { groups: [{ name: 'shared', test: SHARED }] } } },
  },
}));
