// Events of the log: what is written is in the reference by its type (kernel/log.ts); here, that nothing writes past that type, that no
// entry is left of what was removed, and that each says in plain sentences what to do.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LOG_EVENT_GROUPS } from './kernel/log-events/log-events.ts';
import type { LogEvent } from './kernel/log-events/types.ts';

const SERVER = import.meta.dirname;
const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(test|scene|bench|gen)\.ts$/.test(file))
  .filter((file) => !file.startsWith('testing/') && !file.startsWith('kernel/log-events/'))
  .map((file) => ({ file, text: readFileSync(path.join(SERVER, file), 'utf8') }));
const events = LOG_EVENT_GROUPS.flatMap((group) => Object.entries<LogEvent>(group.events));
/** A name that is written down as a value; a statement of a query is named otherwise. */
const written = new Set(
  sources.flatMap(({ text }) => [...text.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, name = '']) => name)),
);

it('every entry of the reference is logged somewhere', () => {
  expect(events.length).toBeGreaterThan(150);
  expect(events.map(([name]) => name).filter((name) => !written.has(name))).toEqual([]);
});

it('every event is in the reference once', () => {
  const names = events.map(([name]) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const literal = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/\blog\??\.(?:debug|info|warn|error)\(\{\s*event: '([^']+)'/g)].map(
      ([, name = '']) => ({
        file,
        name,
      }),
    ),
  );
  expect(literal.length).toBeGreaterThan(100);
  expect(literal.filter(({ name }) => !names.includes(name))).toEqual([]);
});

it('nothing but the log itself uses the logger below it', () => {
  const users = sources.filter(({ text }) => /from 'pino'/.test(text)).map(({ file }) => file);
  expect(users).toEqual(['kernel/log.ts']);
});

it('warnings and errors say what to do, and settings that they name exist', () => {
  const silent = events.filter(([, { levels, action }]) => !levels.includes('info') && action === undefined);
  expect(silent).toEqual([]);
  const reference = readFileSync(path.join(SERVER, '../../docs/reference/configuration.md'), 'utf8');
  const named = events.flatMap(([, { meaning, action = '' }]) =>
    [...`${meaning} ${action}`.matchAll(/`((?:api|channels|collector|heartbeat)\.[a-z_.]+)`/g)].map(
      ([, key = '']) => key,
    ),
  );
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((key) => !reference.includes(`\`${key}\``))).toEqual([]);
});
