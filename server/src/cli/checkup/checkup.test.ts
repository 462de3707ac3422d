// matriarch checkup as people run it: a process, a real server, nothing else. Shown: the verdict, an exit status for scripts, and that
// nothing is written anywhere. The other forms, roles with fewer rights and
// what cannot be reached are in checkup.proof.test.ts.
import { chmodSync, writeFileSync } from 'node:fs';
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
});

describe('what psql takes', () => {
  const asReader = () => {
    const url = new URL(server.url);
    return `host=${url.hostname} port=${url.port} user=reader dbname=postgres`;
  };

  it('is taken: the keyword form, a password of the environment, one of a password file', async () => {
    const wrong = await checkup([asReader(), '--json', ...SHORT], undefined, { PGPASSWORD: 'wrong' });
    expect([wrong.code, wrong.out]).toEqual([2, '']);
    const right = await checkup([asReader(), '--json', ...SHORT], undefined, { PGPASSWORD: 'rather-secret' });
    expect(JSON.parse(right.out).server.username).toBe('reader');
    const file = path.join(right.folder, 'pass');
    writeFileSync(file, '*:*:*:reader:rather-secret\n', { mode: 0o600 });
    const filed = await checkup([asReader(), '--json', ...SHORT], undefined, { PGPASSFILE: file });
    expect(JSON.parse(filed.out).server.username).toBe('reader');
    chmodSync(file, 0o644);
    const open = await checkup([asReader(), '--json', ...SHORT], undefined, { PGPASSFILE: file });
    expect([open.code, open.err]).toEqual([2, expect.stringContaining(`chmod 600 ${file}`)]);
  });
});

it.each([
  [[]],
  [['postgres://u@127.0.0.1/x', '--nonsense']],
  [['no-url']],
  [['postgres://u@127.0.0.1/x', '--seconds', '0']],
  [['postgres://u@127.0.0.1/x', '--json', '--markdown']],
  [['postgres://a:1,b:2/x']],
])('mistakes have a status of their own: %j', async (args) => {
  const { code, err } = await checkup(args);
  expect([code, err]).toEqual([64, expect.stringMatching(/\S/)]);
});

it('help is no mistake', async () => {
  const { code, out } = await checkup(['--help']);
  expect([code, out]).toEqual([0, expect.stringContaining('64 the command was not understood')]);
});
