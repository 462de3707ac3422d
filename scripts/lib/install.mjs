// Installs exactly what package-lock.json says, and only when it changed. A stamp in node_modules holds the lockfile's
// hash; it is removed before and written after an installation, so an interrupted one is done again. An
// installation made by hand counts too, when npm's own record of it agrees with the lockfile.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { at, fail, runtime } from './paths.mjs';
import { step } from './progress.mjs';
import { run } from './run.mjs';

const STAMP = at('node_modules', '.matriarch-install.json');
const NPM_RECORD = at('node_modules', '.package-lock.json');
const LOCKFILE = at('package-lock.json');

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

function wanted() {
  if (!existsSync(LOCKFILE)) fail('package-lock.json is missing: please get Matriarch again, complete.');
  const hash = createHash('sha256').update(readFileSync(LOCKFILE)).digest('hex');
  return { hash, platform: `${process.platform}-${process.arch}` };
}

/** Whether npm's record of what it installed holds every package of the lockfile, in that very version. */
export function recordAgrees(lock, record, dev) {
  if (!lock?.packages || !record?.packages) return false;
  return Object.entries(lock.packages).every(([name, entry]) => {
    if (name === '' || !name.includes('node_modules/')) return true;
    if (!dev && (entry.dev || entry.devOptional)) return true;
    const found = record.packages[name];
    if (!found) return Boolean(entry.optional || entry.devOptional || entry.peer);
    return found.version === entry.version && found.integrity === entry.integrity;
  });
}

function satisfied({ hash, platform }, dev) {
  const stamp = readJson(STAMP);
  if (!existsSync(runtime())) return false;
  return stamp?.hash === hash && stamp.platform === platform && (stamp.dev || !dev);
}

function writeStamp(want, dev) {
  writeFileSync(STAMP, `${JSON.stringify({ ...want, dev })}\n`);
}

/** The npm that runs us, else the one on the PATH: the command, and its first arguments. */
export function npm() {
  const script = process.env.npm_execpath;
  if (script && /npm-cli\.c?js$/.test(script))
    return [process.env.npm_node_execpath ?? process.execPath, [script]];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm', []];
}

function explain({ code, output }) {
  const lines = output.split('\n').filter((line) => !/^npm (warn|notice)/i.test(line));
  const tail = lines.join('\n').trim().split('\n').slice(-15).join('\n');
  const offline = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET/.test(output);
  const hint = offline ? ' The package registry cannot be reached; the first start needs the network.' : '';
  return `Installing the packages failed (npm ended with ${code}).${hint}\n${tail}`;
}

/** Killed with us, and at once: npm would first roll back, into the next installation. */
const runNpm = (...args) => {
  const [command, first] = npm();
  rmSync(STAMP, { force: true });
  const all = [...first, ...args, '--no-audit', '--no-fund'];
  return run(command, all, { cwd: at(), capture: true, deathSignal: 'KILL' });
};

async function install(dev) {
  const which = dev ? '--include=dev' : '--omit=dev';
  let result = await runNpm('ci', which);
  if (result.code !== 0 && /ENOTEMPTY|EBUSY/.test(result.output)) {
    rmSync(at('node_modules'), { recursive: true, force: true, maxRetries: 5 });
    result = await runNpm('ci', which);
  }
  if (result.code !== 0) fail(explain(result));
}

/** Adds the development packages beside the others, which a running server may be using. */
async function addDevelopment() {
  const { code } = await runNpm('install', '--include=dev', '--no-save');
  return code === 0 && recordAgrees(readJson(LOCKFILE), readJson(NPM_RECORD), true);
}

/** Leaves node_modules as the lockfile says; with the development packages when `dev`. `out`: where progress is shown. */
export async function ensureInstalled({ dev, out }) {
  const want = wanted();
  if (satisfied(want, dev)) return;
  const hadDev = readJson(STAMP)?.dev === true;
  const lock = readJson(LOCKFILE);
  const record = existsSync(runtime()) ? readJson(NPM_RECORD) : null;
  for (const full of [true, false]) {
    if ((full || !dev) && recordAgrees(lock, record, full)) return writeStamp(want, full);
  }
  const all = dev || hadDev;
  const label = existsSync(at('node_modules')) ? 'Updating the packages' : 'Installing the packages (once)';
  const work = async () => {
    const added = all && recordAgrees(lock, record, false) && (await addDevelopment());
    if (!added) await install(all);
  };
  await step(label, work, out);
  if (!existsSync(runtime())) {
    fail(
      'npm left out the runtime that Matriarch brings: allow optional packages (npm config set omit "") and try again.',
    );
  }
  writeStamp(want, all);
}
