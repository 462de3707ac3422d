// matriarch checkup as people run it: a process, a real server, nothing else. Shown: the verdict, an exit status for scripts, and that
// nothing is written anywhere. The other forms, roles with fewer rights and
// what cannot be reached are in checkup.proof.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from './findings/report.ts';
import { checkup, criticalServer, SHORT } from './testing/checkup-process.ts';
import type { TestCluster } from './testing/servers/postgres.ts';

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
