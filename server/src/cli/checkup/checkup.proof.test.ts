// matriarch checkup in each form with the same facts, what a role without pg_monitor gets, and what
// cannot be reached. The verdict itself: checkup.test.ts.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../insight/checks/report.ts';
import { checkup, criticalServer, SHORT } from '../../testing/checkup-process.ts';
import type { TestCluster } from '../../testing/servers/postgres.ts';

let server: TestCluster;
beforeAll(async () => {
  server = await criticalServer();
});
afterAll(() => server.stop());

describe('a server with something critical', () => {
  it('is told as a page, as Markdown and as a file that prints', async () => {
    const page = await checkup([server.url, ...SHORT]);
    expect(page.out).toContain('fsync disabled');
    expect(page.out).toContain('alter system set fsync = on;');
    const markdown = await checkup([server.url, '--markdown', '--html', 'verdict.html', ...SHORT]);
    expect(markdown.out).toContain('### fsync disabled');
    const html = readFileSync(path.join(markdown.folder, 'verdict.html'), 'utf8');
    expect(html).toContain('fsync disabled');
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
  expect(odd.code).toBe(64);
  expect(odd.err).toContain('This is no postgres:// URL.');
  expect(existsSync(path.join(odd.folder, 'data'))).toBe(false);
});
