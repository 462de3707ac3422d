// What a first visit has to load before anything shows: the entry and everything it imports statically. The build
// prints the sum after compression and fails above the budget, so that it cannot grow unseen.
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

export function initialJavaScriptBudget(options: { maxGzipBytes: number }): Plugin {
  return {
    name: 'initial-javascript-budget',
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
      },
    },
  };
}
