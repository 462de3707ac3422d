// How the built program is loaded and what is compiled of it kept (server/loader.cjs).
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { at, installedRuntime } from './paths.mjs';

const LOADER = at('server', 'loader.cjs');
const { compiledIn, loaderOf } = createRequire(import.meta.url)(LOADER);

const atOnce = () => undefined;
/** A function that takes much more room once it is compiled. */
const LONG = `const later = (x) => [${Array.from({ length: 500 }, (_, n) => `x.a${n} + "${n}"`).join(', ')}].length;`;
const FIRST = `(function (__load, __later, __url) { ${LONG} return { later, url: __url, next: () => __later("next.cjs") }; })`;
const NEXT = `(function (__load) { return { first: __load("first.cjs"), at: Symbol("once") }; })`;

let home;
let folder;
let kept;
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'matriarch-loader-'));
  folder = path.join(home, 'files');
  kept = path.join(home, 'kept');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'first.cjs'), FIRST);
  writeFileSync(path.join(folder, 'next.cjs'), NEXT);
});
afterEach(() => rmSync(home, { recursive: true }));

const newLoader = () => loaderOf(folder, compiledIn(kept));
const sizeOf = (name) => statSync(path.join(kept, name)).size;

/** What another process, which has compiled nothing yet, finds not kept when it loads these files. */
async function notKept(...names) {
  const script = `
    const { compiledIn, loaderOf } = require(${JSON.stringify(LOADER)});
    const compiled = compiledIn(${JSON.stringify(kept)});
    const written = [];
    const write = (name) => written.push(name);
    const { load, keep } = loaderOf(${JSON.stringify(folder)}, { ...compiled, write });
    for (const name of ${JSON.stringify(names)}) load(name);
    keep(() => undefined).then(() => process.stdout.write(JSON.stringify(written)));`;
  const { stdout } = await promisify(execFile)(installedRuntime(), ['-e', script]);
  return JSON.parse(stdout);
}

it('runs each file once, whoever asks for it', async () => {
  const { load } = newLoader();
  const first = load('first.cjs');
  const next = await first.next();
  expect(next).toBe(load('next.cjs'));
  expect(next.first).toBe(first);
  expect(first.url).toMatch(/^file:\/\/.*\/files\/first\.cjs$/);
});

it('runs a file that is asked for later after what waits', async () => {
  const first = newLoader().load('first.cjs');
  const order = [];
  setImmediate(() => order.push('what waits'));
  await first.next().then(() => order.push('the file'));
  expect(order).toEqual(['what waits', 'the file']);
});

it('keeps what was compiled when it was called, not only what was compiled at once', async () => {
  const { keep, load } = newLoader();
  load('first.cjs');
  await keep(atOnce);
  const before = sizeOf('first.cjs');
  rmSync(path.join(kept, 'first.cjs'));

  const other = newLoader();
  other.load('first.cjs').later({});
  await other.keep(atOnce);
  expect(sizeOf('first.cjs')).toBeGreaterThan(before + 5000);
  expect(await notKept('first.cjs')).toEqual([]);
});

it('keeps everything anew once something was not kept', async () => {
  const one = newLoader();
  one.load('first.cjs');
  await one.keep(atOnce);
  const before = sizeOf('first.cjs');

  const other = newLoader();
  other.load('next.cjs').first.later({});
  await other.keep(atOnce);
  expect(sizeOf('first.cjs')).toBeGreaterThan(before);
  expect(await notKept('first.cjs', 'next.cjs')).toEqual([]);
});

it('takes nothing that is damaged, cut off or of another file', async () => {
  const { load, keep } = newLoader();
  load('first.cjs');
  await keep(atOnce);
  const file = path.join(kept, 'first.cjs');
  const whole = readFileSync(file);

  const damaged = Buffer.from(whole);
  damaged[whole.length - 100] ^= 0xff;
  for (const wrong of [damaged, whole.subarray(0, whole.length - 8), whole.subarray(0, 3), Buffer.alloc(0)]) {
    writeFileSync(file, wrong);
    expect(compiledIn(kept).read('first.cjs')).toBeUndefined();
    expect(newLoader().load('first.cjs').later({})).toBe(500);
    expect(await notKept('first.cjs')).toEqual(['first.cjs']);
  }

  writeFileSync(file, whole);
  writeFileSync(path.join(folder, 'first.cjs'), FIRST.replace('later, url', 'later: () => 7, url'));
  expect(newLoader().load('first.cjs').later({})).toBe(7);
  expect(await notKept('first.cjs')).toEqual(['first.cjs']);
});

it('takes what was kept although flags of our own have changed since', async () => {
  const { load, keep } = newLoader();
  load('first.cjs').later({});
  setFlagsFromString('--heap-growing-percent=41');
  try {
    await keep(atOnce);
  } finally {
    setFlagsFromString('--heap-growing-percent=0');
  }
  expect(await notKept('first.cjs')).toEqual([]);
});

it('goes on where nothing can be kept', async () => {
  writeFileSync(kept, 'a file in the way');
  const { load, keep } = newLoader();
  expect(load('first.cjs').later({})).toBe(500);
  await keep(atOnce);
  expect(newLoader().load('first.cjs').later({})).toBe(500);
});
