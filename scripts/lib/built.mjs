// What is built from sources, once for each state of them: a stamp beside the result holds the hash of all that it was
// made of. It is removed before and written after a build, so an interrupted one is done again.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { at, installedRuntime } from './paths.mjs';
import { step } from './progress.mjs';
import { run } from './run.mjs';

const SKIPPED = new Set(['dist', 'node_modules']);

/** The files below a directory whose names are wanted. */
export function filesBelow(directory, wanted) {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(file, wanted);
    return wanted(entry.name) ? [file] : [];
  });
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of [...files].sort()) {
    hash.update(path.relative(at(), file)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Builds unless what was built is of the same sources. `name`: what is built, in a sentence; `stamp`: a file in the
 * directory of the result; `inputs`: all files that it is made of; `args` and `cwd`: the program, for the runtime;
 * `saying`: answers from its output what is worth telling; `out`: where progress is shown. Throws when it cannot be
 * written there (with the code of the system's error), and when the build fails.
 */
export async function ensureBuilt({ name, stamp, inputs, args, cwd, saying, out }) {
  const hash = hashOf([...inputs, at('package-lock.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8').trim() === hash) return;
  const build = async () => {
    mkdirSync(path.dirname(stamp), { recursive: true });
    accessSync(path.dirname(stamp), constants.W_OK);
    rmSync(stamp, { force: true });
    const result = await run(installedRuntime(), args, { cwd, capture: true });
    if (result.code !== 0) throw new Error(`Building ${name} failed:\n${result.output.trim()}`);
    writeFileSync(stamp, `${hash}\n`);
    return saying(result.output);
  };
  await step(`Building ${name}`, build, out);
}
