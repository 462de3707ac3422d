// The servers of tests: shared ones, clusters of their own, standbys and certificates. Everyday with fewer versions and certificates.
// One that is stopped and killed is in postgres.proof.test.ts.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProof, majorsOfKits } from '../tier.ts';
import { ask, tcp } from './ask.ts';
import {
  datastoreServer,
  type Major,
  makeTlsFiles,
  sharedServer,
  startCluster,
  type TestServer,
  testDirectory,
} from './postgres.ts';

const directory = testDirectory('tls');

describe('shared servers', () => {
  it.each(majorsOfKits())('PostgreSQL %i answers, and is the same for every test', async (major) => {
    const server = await sharedServer(major);
    const version = Number(await ask({ connectionString: server.url }, 'show server_version_num'));
    expect(Math.floor(version / 10_000)).toBe(major);
    expect(await sharedServer(major)).toEqual(server);
  });

  it('the datastore has pg_stat_statements and wants a password', async () => {
    const server = datastoreServer();
    expect(await ask({ connectionString: server.url }, 'show shared_preload_libraries')).toBe(
      'pg_stat_statements',
    );
    await expect(ask({ ...tcp(server), password: 'wrong' }, 'select 1')).rejects.toThrow(
      /password authentication/,
    );
  });
});

describe('a cluster of its own', () => {
  it('trusts whom hba trusts', async () => {
    await using cluster = await startCluster({ hba: ['host all all 127.0.0.1/32 trust'] });
    expect(await ask({ ...tcp(cluster), password: '' }, 'select 1')).toBe(1);
  });

  it('pauses: connections are accepted by the system, nothing answers; resumes', async () => {
    await using cluster = await startCluster({ major: 16 });
    cluster.pause();
    const short = { ...tcp(cluster), connectionTimeoutMillis: 300 };
    await expect(ask(short, 'select 1')).rejects.toThrow(/timeout/);
    cluster.resume();
    expect(await ask(tcp(cluster), 'select 1')).toBe(1);
    cluster.pause();
  });

  it.each<Major>(isProof() ? [14] : [18])('has a streaming standby on PostgreSQL %i', async (major) => {
    await using primary = await startCluster({ major });
    await using standby = await startCluster({ standbyOf: primary });
    expect(await ask(tcp(standby), 'select pg_is_in_recovery()')).toBe(true);
    await primary.query('create table herd as select 42 as size');
    await expect
      .poll(() => ask(tcp(standby), 'select size from herd').catch(() => null), { timeout: 90_000 })
      .toBe(42);
    const streaming = await primary.query('select state from pg_stat_replication');
    expect(streaming).toEqual([{ state: 'streaming' }]);
  });
});

const REFUSED = [
  ['wrong host', { host: 'elsewhere.example' }, /does not match certificate/],
  ['expired', { host: '127.0.0.1', expired: true }, /expired/],
  ['self-signed', { host: '127.0.0.1', selfSigned: true }, /self-signed/],
] as const;

describe('certificates', () => {
  const serve = (name: string, options: { host: string; expired?: boolean; selfSigned?: boolean }) => {
    const files = makeTlsFiles(path.join(directory, name), options);
    return { files, starting: startCluster({ tls: files }) };
  };
  const verified = async (server: TestServer, ca: string) => {
    return ask(
      { ...tcp(server), ssl: { ca: readFileSync(ca, 'utf8') } },
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
  };

  it('a good one verifies; plain text is refused', async () => {
    const { files, starting } = serve('good', { host: '127.0.0.1' });
    await using cluster = await starting;
    expect(await verified(cluster, files.ca)).toBe(true);
    await expect(ask(tcp(cluster), 'select 1')).rejects.toThrow(/no encryption/);
  });

  it.each(isProof() ? REFUSED : REFUSED.slice(0, 1))('%s is refused', async (name, options, reason) => {
    const { files, starting } = serve(name, options);
    await using cluster = await starting;
    await expect(verified(cluster, files.ca)).rejects.toThrow(reason);
  });
});
