import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { pagesBudget } from './budget.ts';
import { GROUPS } from './chunks.ts';
import { precompressed } from './compress.ts';
import { fewerColours } from './fewer-colours.ts';
import { lateStyles } from './late-styles.ts';
import { noCircles } from './no-circles.ts';
import { pageCode } from './page-code.ts';
import { uiFont } from './ui-font.ts';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    uiFont(),
    pagesBudget({ maxGzipBytes: 172_000, maxFiles: 30 }),
    lateStyles(),
    fewerColours(),
    noCircles(),
    pageCode(),
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
    rolldownOptions: { output: { codeSplitting: { groups: GROUPS } } },
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8080', '/health': 'http://127.0.0.1:8080' },
  },
});
