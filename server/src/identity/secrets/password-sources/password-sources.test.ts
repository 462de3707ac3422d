// Sources with real files and commands: how often they are asked, by how many at once, and what a failing one does to others.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../kernel/clock.ts';
import { silentLog } from '../../../kernel/log.ts';
import { readPasswordSources } from '../../../kernel/password-source-settings.ts';
import { Declarations } from '../../../kernel/setting-values.ts';
import { manualClock } from '../../../testing/manual-clock.ts';
import { testDirectory } from '../../../testing/servers/postgres.ts';
import { PasswordSources } from './password-sources.ts';

const HOSTS = ['*.example.com'];
const to = (host: string) => ({
  host: `${host}.example.com`,
  hostaddr: null,
  port: 5432,
  username: 'monitor',
  database_name: 'postgres',
  ssl_mode: 'prefer' as const,
});
const sourcesOf = (tree: object, clock = systemClock) =>
  new PasswordSources({
    sources: readPasswordSources(new Declarations(new Map(Object.entries(tree))), {}),
    clock,
    log: silentLog,
  });
const open = (sources: PasswordSources, name: string) => {
  const source = sources.find(name);
  if (!source) throw new Error(`no source ${name}`);
  return source;
};
/** Appends + when it starts and - when it ends. */
const counting = (file: string, script: string) => [
  '/bin/sh',
  '-c',
  `echo + >> ${file}; ${script}; echo - >> ${file}; printf "pw-%s" "$1"`,
  'sh',
];
const linesOf = async (file: string) => (await readFile(file, 'utf8')).trim().split('\n');

describe('50 connections with a slow command', () => {
  it('start at most four at once, and hold up no other source', async () => {
    const file = path.join(testDirectory('slow'), 'log');
    // The fourth waits for three others, which a busy machine may start late.
    const met = `i=0; while [ $(grep -c + ${file}) -lt 4 ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i + 1)); done; sleep 0.1`;
    const command = [...counting(file, met), '{host}'];
    const sources = sourcesOf({
      slow: { kind: 'command', command, hosts: HOSTS },
      quick: { kind: 'command', command: ['/bin/echo', 'quick'], hosts: HOSTS },
    });
    let finished = 0;
    const slow = Array.from({ length: 50 }, async (_, at) => {
      const password = await open(sources, 'slow').fetch(to(`db${at}`));
      finished += 1;
      return password.reveal();
    });
    expect((await open(sources, 'quick').fetch(to('db1'))).reveal()).toBe('quick');
    expect(finished).toBeLessThan(50);
    expect(await Promise.all(slow)).toEqual(Array.from({ length: 50 }, (_, at) => `pw-db${at}.example.com`));
    let running = 0;
    let most = 0;
    for (const line of await linesOf(file)) {
      running += line === '+' ? 1 : -1;
      most = Math.max(most, running);
    }
    expect(most).toBe(4);
  });

  it('start one where the password depends on nothing of theirs', async () => {
    const file = path.join(testDirectory('shared'), 'log');
    const sources = sourcesOf({
      one: { kind: 'command', command: counting(file, 'sleep 0.1'), hosts: HOSTS },
    });
    await Promise.all(Array.from({ length: 50 }, (_, at) => open(sources, 'one').fetch(to(`db${at}`))));
    expect(await linesOf(file)).toEqual(['+', '-']);
  });
});

describe('a password', () => {
  const changing = async (name: string) => {
    const file = path.join(testDirectory(name), 'password');
    const clock = manualClock(0);
    await writeFile(file, 'first\n');
    const sources = sourcesOf(
      { one: { kind: 'file', path: file, hosts: HOSTS, refresh_seconds: 30 } },
      clock,
    );
    return { file, clock, source: open(sources, 'one') };
  };

  it('is kept for refresh_seconds, and read again after', async () => {
    const { file, clock, source } = await changing('kept');
    expect((await source.fetch(to('a'))).reveal()).toBe('first');
    await writeFile(file, 'second');
    clock.advance(29_000);
    expect((await source.fetch(to('a'))).reveal()).toBe('first');
    clock.advance(1000);
    expect((await source.fetch(to('a'))).reveal()).toBe('second');
  });

  it('that was refused is read again at once, and not again and again', async () => {
    const { file, clock, source } = await changing('refused');
    const first = await source.fetch(to('a'));
    clock.advance(6000);
    expect(await source.renew(to('a'), first)).toBeUndefined();
    await writeFile(file, 'second');
    // It was read just now.
    expect(await source.renew(to('a'), first)).toBeUndefined();
    clock.advance(6000);
    expect((await source.renew(to('a'), first))?.reveal()).toBe('second');
    // Another session was refused the old one meanwhile.
    expect((await source.renew(to('a'), first))?.reveal()).toBe('second');
  });

  it('that cannot be read fails, and is read again after a pause', async () => {
    const { file, clock, source } = await changing('failing');
    await writeFile(file, '');
    await expect(source.fetch(to('a'))).rejects.toThrow(/^it is empty$/);
    await writeFile(file, 'right');
    await expect(source.fetch(to('a'))).rejects.toThrow(/^it is empty$/);
    clock.advance(5000);
    expect((await source.fetch(to('a'))).reveal()).toBe('right');
  });

  it('of a variable that is not set is missed when it is needed', async () => {
    const sources = sourcesOf({ one: { kind: 'environment', variable: 'PG_GONE', hosts: HOSTS } });
    await expect(open(sources, 'one').fetch(to('a'))).rejects.toThrow(
      /^its environment variable is not set$/,
    );
  });

  it('is no option of a command', async () => {
    const command = ['/bin/echo', '{user}'];
    const sources = sourcesOf({ one: { kind: 'command', command, hosts: HOSTS } });
    const wanted = { ...to('a'), username: '--help' };
    await expect(open(sources, 'one').fetch(wanted)).rejects.toThrow(/begins with - is not passed/);
  });
});
