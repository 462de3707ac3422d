// matriarch checkup as people run it: a process, a real server, nothing else. Shown: the verdict in each form with the same facts, an
// exit status for scripts, what a role without pg_monitor gets, and that nothing is written anywhere.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from './findings/report.ts';
import { startCluster, type TestCluster, testDirectory } from './testing/servers/postgres.ts';

const MAIN = path.resolve(import.meta.dirname, 'main.mjs');

interface Ran {
  code: number | null;
  out: string;
  err: string;
  /** Files in the folder it was run in. */
  left: string[];
  folder: string;
}

function checkup(args: readonly string[], password?: string): Promise<Ran> {
  const folder = mkdtempSync(path.join(testDirectory('checkup'), 'run-'));
  const child = spawn(process.execPath, [MAIN, 'checkup', ...args], { cwd: folder });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  child.stdin.end(password === undefined ? '' : `${password}\n`);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err, folder, left: readdirSync(folder) }));
  });
}

let server: TestCluster;
beforeAll(async () => {
  server = await startCluster({ settings: { fsync: false, full_page_writes: true } });
  await server.query('create database shop');
  await server.query("create role reader login password 'rather-secret'");
  await server.query('create table twice (a int)');
  await server.query('create index one on twice (a)');
  await server.query('create index two on twice (a)');
});
afterAll(() => server.stop());

const SHORT = ['--seconds', '1'];

describe('a server with something critical', () => {
  it('is told as JSON, with exit status 1', async () => {
    const { code, out, err, left } = await checkup([server.url, '--json', ...SHORT]);
    expect(err).toBe('');
    const report: Report = JSON.parse(out);
    expect(report.findings.find(({ check }) => check === 'fsync_off')).toMatchObject({
      severity: 'critical',
      remedy: 'alter system set fsync = on;\nselect pg_reload_conf();',
    });
    expect(report.findings.find(({ object_name }) => object_name === 'public.two')).toMatchObject({
      check: 'duplicate_index',
      database_name: 'postgres',
    });
    expect(report.server).toMatchObject({ is_standby: false, databases: { read: 2, all: 2 } });
    expect(report.watched.transactions_per_second).toBeGreaterThanOrEqual(0);
    expect(report.worst).toBe('critical');
    expect(code).toBe(1);
    expect(left).toEqual([]);
  });

  it('is told as a page, as Markdown and as a file that prints', async () => {
    const page = await checkup([server.url, ...SHORT]);
    expect(page.out).toContain('fsync is off');
    expect(page.out).toContain('alter system set fsync = on;');
    const markdown = await checkup([server.url, '--markdown', '--html', 'verdict.html', ...SHORT]);
    expect(markdown.out).toContain('### fsync is off');
    const html = readFileSync(path.join(markdown.folder, 'verdict.html'), 'utf8');
    expect(html).toContain('fsync is off');
    expect(html).not.toMatch(/<script|https?:\/\/(?!www\.postgresql\.org)/);
    expect(markdown.left).toEqual(['verdict.html']);
    for (const { out, err } of [page, markdown]) expect(out + err + html).not.toContain(server.password);
  });
});

it('a role without pg_monitor gets what it can read, and the list of what it cannot', async () => {
  const url = server.url.replace(/\/\/.*@/, '//reader:rather-secret@');
  const { out } = await checkup([url, '--json', ...SHORT]);
  const report: Report = JSON.parse(out);
  expect(report.findings.map(({ check }) => check)).toContain('duplicate_index');
  expect(out).not.toContain('rather-secret');
});

it('what cannot be reached or understood is said in one sentence', async () => {
  const closed = await checkup(['postgres://postgres:x@127.0.0.1:9/postgres', ...SHORT]);
  expect(closed.code).toBe(2);
  expect(closed.err).toMatch(/127\.0\.0\.1/);
  const odd = await checkup(['127.0.0.1:5432', ...SHORT]);
  expect(odd.code).toBe(1);
  expect(odd.err).toContain('This is no postgres:// URL.');
  expect(existsSync(path.join(odd.folder, 'data'))).toBe(false);
});
