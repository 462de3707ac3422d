// Leaves every text file of the build beside itself once more as br and gzip, as small as they get: the server then only
// has to choose. Files that would hardly shrink, such as fonts, are left alone.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(js|css|html|svg|json|txt|webmanifest)$/;
const LEAST_BYTES = 1024;

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

export function precompressed(): Plugin {
  let directory = '';
  return {
    name: 'precompressed',
    apply: 'build',
    configResolved({ root, build }) {
      directory = path.resolve(root, build.outDir);
    },
    closeBundle() {
      const files = filesBelow(directory).filter((file) => TEXT.test(file));
      let before = 0;
      let after = 0;
      for (const file of files) {
        const text = readFileSync(file);
        if (text.byteLength < LEAST_BYTES) continue;
        const small = brotliCompressSync(text, {
          params: { [constants.BROTLI_PARAM_SIZE_HINT]: text.byteLength },
        });
        writeFileSync(`${file}.br`, small);
        writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
        before += text.byteLength;
        after += small.byteLength;
      }
      const kilobytes = (count: number) => `${Math.round(count / 1000)} kB`;
      this.info(`precompressed: ${kilobytes(before)} of text are ${kilobytes(after)} as br`);
    },
  };
}
