// The tarball for npm: the built program and pages, what the program reads beside itself, and the packages that it loads on demand as
// dependencies, locked by npm-shrinkwrap.json. Guards: no source and no test of ours is in it; nothing in it tells when or where it
// was built but the commit.
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow } from './built.mjs';
import { commitOf } from './commit.mjs';
import { npm } from './install.mjs';
import { lockedFor } from './locked.mjs';
import { NOTICES, noticesText } from './package-notices.mjs';
import { at, installedRuntime } from './paths.mjs';
import { run } from './run.mjs';

export const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
export const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** Copied as they are, with all that is below. */
const WHOLE = ['README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md', 'docs'];
const OF_SERVER = ['server/migrations', 'server/schema.sql', 'server/openapi.json'];
const LAUNCHER = ['installed.mjs', 'lib/hand-over.mjs', 'lib/memory.mjs', 'lib/paths.mjs'];

/** What modules read beside themselves (server/bundle.mjs leaves it where it is). */
const READ_BY_MODULES = /\.(?:json|tsv|txt)$/;

/** Under the pinned runtime, so that the same bytes come out whatever Node the machine has. */
export async function runNpm(args, cwd) {
  const [command, first] = npm();
  const [program, ...before] = first.length > 0 ? [installedRuntime(), ...first] : [command];
  const { code, output } = await run(program, [...before, ...args], { cwd, capture: true });
  if (code !== 0) throw new Error(`npm ${args[0]} failed:\n${output.trim()}`);
  return output;
}

async function build(name, args, cwd) {
  const { code, output } = await run(installedRuntime(), args, { cwd, capture: true });
  if (code !== 0) throw new Error(`Building ${name} failed:\n${output.trim()}`);
}

function copyInto(stage, file) {
  mkdirSync(path.dirname(path.join(stage, file)), { recursive: true });
  cpSync(at(file), path.join(stage, file), { recursive: true });
}

/** Those of the server's dependencies that are not within its built files. */
function loadedOnDemand(stage, dependencies) {
  const folder = path.join(stage, 'server', 'dist');
  const texts = readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
  const isAsked = (name) => texts.some((text) => text.includes(`import("${name}")`));
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => isAsked(name)));
}

function manifestOf(stage) {
  const { name, version, description, license, engines, optionalDependencies } = readJson(at('package.json'));
  const server = readJson(at('server', 'package.json'));
  const commit = commitOf(at());
  return {
    ...{ name, version, description, license, type: 'module', engines },
    bin: { matriarch: 'scripts/installed.mjs' },
    dependencies: loadedOnDemand(stage, server.dependencies),
    optionalDependencies: { ...server.optionalDependencies, ...optionalDependencies },
    ...(commit !== undefined && { gitHead: commit }),
  };
}

/** Makes it in `out` of what is put into `stage`; answers its name. */
export async function makeTarball(stage, out) {
  await build('the program', [at('server', 'bundle.mjs'), path.join(stage, 'server', 'dist')], at('server'));
  const vite = at('node_modules', 'vite', 'bin', 'vite.js');
  await build('the pages', [vite, 'build', '--outDir', path.join(stage, 'web', 'dist')], at('web'));
  for (const file of [...WHOLE, ...OF_SERVER]) copyInto(stage, file);
  const read = filesBelow(at('server', 'src'), (name) => READ_BY_MODULES.test(name));
  for (const file of read) copyInto(stage, path.relative(at(), file));
  for (const file of LAUNCHER) copyInto(stage, `scripts/${file}`);
  writeFileSync(path.join(stage, NOTICES), noticesText());
  const manifest = manifestOf(stage);
  writeJson(path.join(stage, 'package.json'), manifest);
  // The program takes its version from there.
  const { name, version } = readJson(at('server', 'package.json'));
  writeJson(path.join(stage, 'server', 'package.json'), { name, version, private: true, type: 'module' });
  const { gitHead: _commit, description: _text, type: _type, ...locked } = manifest;
  writeJson(path.join(stage, 'npm-shrinkwrap.json'), lockedFor(readJson(at('package-lock.json')), locked));
  const [packed] = JSON.parse(await runNpm(['pack', '--json', '--ignore-scripts'], stage));
  copyFileSync(path.join(stage, packed.filename), path.join(out, packed.filename));
  return packed.filename;
}
