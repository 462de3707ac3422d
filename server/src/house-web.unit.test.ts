// The architecture of the web interface: imports point one way, and what belongs to no feature stands below them all.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PRIVATE_TYPES, UNITS_AGAIN } from './testing/private-words.ts';
import { codeOf } from './testing/source-files.ts';

const SOURCE = path.resolve(import.meta.dirname, '../../web/src');

/** Rooms that each room may import from, besides itself. */
const REACH: Readonly<Record<string, readonly string[]>> = {
  'main.tsx': ['app', 'features', 'ui', 'api', 'lib'],
  app: ['features', 'ui', 'api', 'lib'],
  features: ['ui', 'api', 'lib'],
  ui: ['api', 'lib'],
  api: ['lib'],
  lib: [],
  // What tests of components stand on, and nothing but tests.
  testing: ['app', 'features', 'ui', 'api', 'lib'],
};

interface Import {
  file: string;
  room: string;
  /** From web/src; outside of it with `..` in front. */
  target: string;
  isTypeOnly: boolean;
  /** `import('…')`: loaded when it is needed. */
  isLazy: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(SOURCE, file), 'utf8');
  const found = text.matchAll(/(?:^(?:import|export)\s+(type\s)?[^;]*?from\s*|import\()'(\.[^']+)'/gm);
  return [...found].map(([whole, type, target = '']) => ({
    file,
    isTypeOnly: type !== undefined,
    isLazy: whole.startsWith('import('),
    room: file.split('/')[0] ?? '',
    target: path.posix.join(path.posix.dirname(file), target),
  }));
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
const imports = files.flatMap(importsOf);

it('imports point one way: main → app → features → ui → api → lib', () => {
  expect(imports.length).toBeGreaterThan(files.length);
  const wrong = imports.filter(({ room, target }) => {
    const other = target.split('/')[0] ?? '';
    return other !== '..' && other !== room && !(REACH[room] ?? []).includes(other);
  });
  expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
});

/** What the page runs of the server's code, so that both read one text as the same thing. */
const SHARED = [
  'identity/auth/password-length.ts',
  'insight/findings/happened-words.ts',
  'kernel/errors.ts',
  'kernel/server-address/connection-forms.ts',
  'kernel/server-address/connection-words.ts',
  'kernel/units.ts',
];
/** A library that the page runs as a whole, with the file through which it is read. */
const PLANS = /^plans\//;
const PLANS_ENTRY = 'plans/read.ts';
const SERVER = path.resolve(import.meta.dirname, '../..', 'server/src');

it('what is shared with the server is pure: it stands on nothing of Node, and on few files', () => {
  const seen = new Set([...SHARED, PLANS_ENTRY]);
  for (const file of seen) {
    const text = readFileSync(path.join(SERVER, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/^(?:import|export)\s+(?!type\s)[^;]*?from\s*'([^']+)'/gm)) {
      expect(target, file).toMatch(/^\.\.?\//);
      seen.add(path.posix.join(path.posix.dirname(file), target));
    }
  }
  expect([...seen].filter((file) => !PLANS.test(file)).sort()).toEqual(
    [...SHARED, 'kernel/inert-text.ts', 'kernel/lists.ts', 'kernel/server-address/ssl-mode.ts'].sort(),
  );
});

it('of the server only contracts, their helper and lists of names are imported as types, and few files as code', () => {
  const isShared = ({ target }: Import) =>
    SHARED.some((file) => target === `../../server/src/${file}`) ||
    PLANS.test(target.replace('../../server/src/', ''));
  const outside = imports.filter((one) => one.target.startsWith('..') && !isShared(one));
  expect(outside.length).toBeGreaterThan(0);
  const allowed =
    /^\.\.\/\.\.\/server\/src\/([\w/-]+\.contract|kernel\/contract|identity\/audit\/audit-actions)\.ts$/;
  expect(outside.filter(({ target }) => !allowed.test(target))).toEqual([]);
  expect(outside.filter(({ isTypeOnly }) => !isTypeOnly)).toEqual([]);
});

/** The wings of the server, from the lowest. */
const WINGS = ['identity', 'history', 'estate', 'alerting', 'insight', 'assistant'];

it('the pages stand in the six wings of the server, and each wing imports only those before it', () => {
  expect(readdirSync(path.join(SOURCE, 'features')).sort()).toEqual(WINGS.toSorted());
  const wingOf = (file: string) => WINGS.indexOf(/^features\/([\w-]+)\//.exec(file)?.[1] ?? '');
  const across = imports.filter(({ file, target }) => wingOf(target) >= 0 && wingOf(file) >= 0);
  expect(across.length).toBeGreaterThan(100);
  const upward = across.filter((one) => wingOf(one.target) > wingOf(one.file) && !one.isLazy);
  expect(upward.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
});

it('rooms import one another in one direction; what a page loads when it is opened does not count', () => {
  const roomOf = (file: string) => /^features\/([\w-]+\/[\w-]+)\//.exec(file)?.[1];
  const needs = new Map<string, Set<string>>();
  for (const { file, target, isLazy } of imports) {
    const [from, to] = [roomOf(file), roomOf(target)];
    if (from === undefined || to === undefined || from === to || isLazy) continue;
    needs.set(from, (needs.get(from) ?? new Set()).add(to));
  }
  expect(needs.size).toBeGreaterThan(3);
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    [...(needs.get(from) ?? [])].some((next) => {
      if (next === wanted) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, wanted, seen);
    });
  expect([...needs.keys()].filter((room) => reaches(room, room))).toEqual([]);
});

/** A turn is what a conversation is made of. */
const OF_A_CHAT = 'interface Turn';
const codeIn = (file: string) => codeOf(readFileSync(path.join(SOURCE, file), 'utf8'));

it('types have names that say what they hold, as those of the server', () => {
  const found = files.flatMap((file) => codeIn(file).match(PRIVATE_TYPES) ?? []);
  expect(found.filter((name) => name !== OF_A_CHAT)).toEqual([]);
});

it('lengths of time in milliseconds have the names of the server', () => {
  expect(files.filter((file) => codeIn(file).match(UNITS_AGAIN) !== null)).toEqual([]);
  expect(codeOf(readFileSync(path.join(SERVER, 'kernel/units.ts'), 'utf8'))).toMatch(UNITS_AGAIN);
});
