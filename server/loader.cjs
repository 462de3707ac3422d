// Runs the program of the files that bundle.mjs makes of it (dist/), and keeps what V8 compiled of them beside the packages.
// A function is compiled when it is called for the first time. Node itself (enableCompileCache) keeps what is compiled before
// anything is called, which is little; here what a start and its first minute called is kept, too. Guards: what was kept is
// taken for the same file, runtime and flags alone, and only whole; where it cannot be read or written, everything is
// compiled anew.
const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const path = require('node:path');
const process = require('node:process');
const { pathToFileURL } = require('node:url');
const vm = require('node:vm');
const { crc32 } = require('node:zlib');

const FILES = path.join(__dirname, 'dist');
const CACHE = path.join(__dirname, '../node_modules/.cache/matriarch');
const KEEP_AFTER_MS = 60_000;
/** Four of them, and four that keep the code where V8 can read it without a copy. */
const CHECKSUM_BYTES = 8;
/** Where V8 writes the hash of its flags, in what it hands out of compiled code. */
const FLAGS = { from: 12, to: 16 };
const HEAD_BYTES = 20;

/** What V8 writes before all compiled code: its version and its flags as they are now, and the length of the source. */
const head = () => new vm.Script('0').createCachedData().subarray(0, HEAD_BYTES);

/** Another process may be starting, or keep the same. */
function writeWhole(file, content) {
  const written = `${file}.${process.pid}`;
  try {
    writeFileSync(written, content);
    renameSync(written, file);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

/** Compiled code in one folder; for each combination of runtime and flags that somebody starts us with, another. */
function compiledIn(folder) {
  return {
    read(name) {
      try {
        const whole = readFileSync(path.join(folder, name));
        const code = whole.subarray(CHECKSUM_BYTES);
        // V8 itself would run into damaged code.
        return whole.readUInt32LE(0) === crc32(code) ? code : undefined;
      } catch {
        return undefined;
      }
    },
    write(name, code) {
      const checksum = Buffer.alloc(CHECKSUM_BYTES);
      checksum.writeUInt32LE(crc32(code));
      try {
        mkdirSync(folder, { recursive: true });
        writeWhole(path.join(folder, name), Buffer.concat([checksum, code]));
      } catch {
        // A program that is installed for all users, or a full disk.
      }
    },
  };
}

/**
 * Our own flags change while the program runs (kernel/memory-flags.ts). None of them changes what is compiled, but V8 takes no
 * code that was kept under other flags than those of the moment; so these are written into it.
 */
function underFlagsOfNow(code) {
  head().copy(code, FLAGS.from, FLAGS.from, FLAGS.to);
  return code;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Loads the files in a folder; each is run once. */
function loaderOf(folder, compiled) {
  const values = new Map();
  let scripts = [];

  function runFile(name) {
    const filename = path.join(folder, name);
    const kept = compiled.read(name);
    const script = new vm.Script(readFileSync(filename, 'latin1'), {
      filename,
      cachedData: kept && underFlagsOfNow(kept),
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    scripts.push({ name, script, isNew: script.cachedDataRejected !== false });
    return script.runInThisContext()(load, later, pathToFileURL(filename).href);
  }

  function load(name) {
    if (!values.has(name)) values.set(name, runFile(name));
    return values.get(name);
  }

  /** Whatever waits, such as an answer of the datastore, comes first: running a large file takes a tenth of a second. */
  async function later(name) {
    await turn();
    return load(name);
  }

  /** Keeps what is compiled by now, if something was not kept before. `pause` is waited for between two files. */
  async function keep(pause) {
    const all = scripts;
    scripts = [];
    if (!all.some(({ isNew }) => isNew)) return;
    for (const { name, script } of all) {
      compiled.write(name, script.createCachedData());
      await pause();
    }
  }

  return { load, keep };
}

/** Runs one command line. `flags` and `program` are the files of kernel/memory-flags.ts and app/main-commands.ts. */
async function run({ flags, program }) {
  // Of packages that are loaded later.
  enableCompileCache(CACHE);
  const started = head().toString('hex', 0, HEAD_BYTES);
  const { load, keep } = loaderOf(FILES, compiledIn(path.join(CACHE, 'program', started)));
  load(flags).setMemoryFlags();
  const { runMain } = load(program);
  setTimeout(() => void keep(turn), KEEP_AFTER_MS).unref();
  process.exitCode = await runMain(process.argv.slice(2));
  await keep(() => undefined);
}

module.exports = { compiledIn, loaderOf, run };
