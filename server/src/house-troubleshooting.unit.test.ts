// docs/troubleshooting.md against the program: each message that it quotes is one that the program says, each command is one of its
// commands, and each event and setting exists.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { commands } from './cli/commands/catalog.gen.ts';
import { LOG_EVENT_GROUPS } from './kernel/log-events/log-events.ts';
import { readSource } from './testing/source-files.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const page = readFileSync(path.join(ROOT, 'docs/troubleshooting.md'), 'utf8');
/** Of the tables of symptoms: what is seen, where to look, what fixes it. */
const rows = [
  ...page.matchAll(/^\| (?!---|what you see|place)([^|\n]+) \| ([^|\n]+) \| ([^|\n]+) \|$/gm),
].map(([, seen = '', look = '', fix = '']) => ({ seen, look, fix }));
const said = readSource()
  .filter(({ isTest, path: file }) => !isTest && !file.startsWith('testing/'))
  .map(({ text }) => text);

/** Whether one file says all parts of a message, in their order. */
function isSaid(message: string): boolean {
  const parts = message.split('…').map((part) => part.trim());
  return said.some((text) => {
    const at = parts.reduce((from, part) => (from < 0 ? from : text.indexOf(part, from)), 0);
    return at >= 0;
  });
}

it('each message that it quotes is one of the program', () => {
  const quoted = rows.flatMap(({ seen }) =>
    [...seen.matchAll(/`([^`]+)`/g)].map(([, message = '']) => message),
  );
  expect(rows.length).toBeGreaterThan(40);
  expect(quoted.length).toBeGreaterThan(30);
  expect(quoted.filter((message) => !isSaid(message))).toEqual([]);
  expect(isSaid('The data directory … is made of cheese')).toBe(false);
});

it('every symptom has a place to look and a fix, and no symptom is there twice', () => {
  expect(rows.filter(({ look, fix }) => look.length < 4 || fix.length < 8)).toEqual([]);
  const seen = rows.map((row) => row.seen);
  expect(seen.filter((one, at) => seen.indexOf(one) !== at)).toEqual([]);
});

it('its commands, events and settings exist', () => {
  const names = commands.map((command) => command.path.join(' '));
  const called = [...page.matchAll(/`(?:sudo -u matriarch )?matriarch ([a-z][a-z-]*(?: [a-z-]+)?)/g)].map(
    ([, words = '']) => words,
  );
  expect(called.length).toBeGreaterThan(10);
  expect(
    called.filter((words) => !names.some((name) => words === name || words.startsWith(`${name} `))),
  ).toEqual([]);
  const events = new Set<string>(LOG_EVENT_GROUPS.flatMap(({ events: own }) => Object.keys(own)));
  const reference = readFileSync(path.join(ROOT, 'docs/reference/configuration.md'), 'utf8');
  const dotted = [...page.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name = '']) => name);
  const files = readdirSync(ROOT);
  const isKnown = (name: string) =>
    events.has(name) || reference.includes(`\`${name}\``) || ['postgres.log', 'secret.key'].includes(name);
  expect(dotted.length).toBeGreaterThan(20);
  expect(dotted.filter((name) => !isKnown(name) && !files.includes(name))).toEqual([]);
});
