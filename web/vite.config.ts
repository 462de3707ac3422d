import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { initialJavaScriptBudget } from './budget.ts';
import { precompressed } from './compress.ts';
import { lateStyles } from './late-styles.ts';
import { noCircles } from './no-circles.ts';
import { serverPageCode } from './page-code.ts';

/** What every page begins with. */
const FIRST = { name: 'first', tags: ['$initial' as const], priority: 1 };
/** What many pages share of packages and rooms that import no page, so that no two files import each other. */
const SHARED = { name: 'shared', test: /node_modules|src.(ui|lib|api)./, minShareCount: 4 };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    initialJavaScriptBudget({ maxGzipBytes: 250_000 }),
    lateStyles(),
    noCircles(),
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
