// What a first visit has to load before anything shows: the entry and everything it imports statically; and how many files all
// pages are, as each costs a request. The build prints both and fails above the budgets, so that they cannot grow unseen.
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

function initialChunks(bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] {
  const found = new Map<string, Rolldown.OutputChunk>();
  const visit = (fileName: string): void => {
    const output = bundle[fileName];
    if (output?.type !== 'chunk' || found.has(fileName)) return;
    found.set(fileName, output);
    for (const imported of output.imports) visit(imported);
  };
  for (const output of Object.values(bundle)) {
    if (output.type === 'chunk' && output.isEntry) visit(output.fileName);
  }
  return [...found.values()];
}

export function pagesBudget(options: { maxGzipBytes: number; maxFiles: number }): Plugin {
  return {
    name: 'pages-budget',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        const chunks = initialChunks(bundle);
        const sum = chunks.reduce((total, chunk) => total + gzipSync(chunk.code).byteLength, 0);
        const kilobytes = (count: number) => `${(count / 1000).toFixed(1)} kB`;
        const sentence = `initial JavaScript: ${kilobytes(sum)} gzip in ${chunks.length} files, budget ${kilobytes(options.maxGzipBytes)}`;
        if (sum > options.maxGzipBytes) this.error(`Too much ${sentence}. Load something lazily.`);
        this.info(sentence);
        const files = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name)).length;
        if (files > options.maxFiles)
          this.error(
            `The pages are ${files} files, budget ${options.maxFiles}. Add the new ones to a group of chunks.ts.`,
          );
      },
    },
  };
}
