import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** What most screens need goes into one chunk: fewer requests, and it compresses better in one piece. */
const SHARED =
  /node_modules|src\/(entry|api|i18n\/[^/]+$|screens\/[^/]+$)|src\/(ui|lib)\/(?!code|mistyped|more|new-password|strength|success|use-return)/;

export default defineConfig(({ isSsrBuild }) => ({
  base: '/auth/',
  plugins: [react()],
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: isSsrBuild ? '.build/server' : '.build/client',
    manifest: !isSsrBuild,
    modulePreload: false, // the documents name every chunk they need
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: isSsrBuild
      ? { input: 'src/entry/prerender.tsx' }
      : { output: { codeSplitting: { groups: [{ name: 'shared', test: SHARED }] } } },
  },
}));
