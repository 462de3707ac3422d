import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { initialJavaScriptBudget } from './budget.ts';
import { precompressed } from './compress.ts';
import { lateStyles } from './late-styles.ts';
import { serverPageCode } from './page-code.ts';

/** What every page begins with. */
const FIRST = { name: 'first', tags: ['$initial' as const], priority: 1 };
/** What several pages share goes by who shares it; small parts join the nearest one, since each file is a request. */
const SHARED = { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 60_000 };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    initialJavaScriptBudget({ maxGzipBytes: 250_000 }),
    lateStyles(),
    serverPageCode(),
    precompressed(),
  ],
  // Code finds its parts beside itself, so that the pages may be below a path (server/src/api/base-path.ts).
  experimental: {
    renderBuiltUrl: (filename, { hostType }) => (hostType === 'html' ? `/${filename}` : { relative: true }),
  },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [FIRST, SHARED] } } },
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8080', '/health': 'http://127.0.0.1:8080' },
  },
});
