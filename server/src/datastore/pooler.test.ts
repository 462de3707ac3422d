// A pooler as the datastore: refused in a sentence where it cannot work, and not where it can.
import { describe, expect, it, onTestFinished } from 'vitest';
import { Secret } from '../kernel/secret.ts';
import { hasPooler, POOLER, type PoolerOptions, startPooler } from '../testing/servers/pooler.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { DROPS, poolerProblem, REFUSES, SHARES } from './pooler.ts';

it('finds nothing before a server', async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  expect(await poolerProblem(new Secret(cluster.url))).toBeUndefined();
});

describe.skipIf(!hasPooler)(POOLER, () => {
  const IGNORES = 'ignore_startup_parameters = options,statement_timeout,extra_float_digits';

  async function problemBehind(over: Pick<PoolerOptions, 'pool_mode' | 'settings'>, roleSettings = '') {
    const cluster = await startCluster();
    onTestFinished(() => cluster.stop());
    await cluster.query(`create role app login password 'app'`);
    await cluster.query('create database app owner app');
    if (roleSettings !== '') await cluster.query(roleSettings);
    const app = { username: 'app', password: 'app', database: 'app' };
    const pooler = await startPooler({ ...app, ...over, port: cluster.port });
    onTestFinished(() => pooler.stop());
    return poolerProblem(new Secret(`postgres://app@${pooler.host}:${pooler.port}/app`));
  }

  it('is refused as it is installed', async () => {
    expect(await problemBehind({ pool_mode: 'session' })).toBe(REFUSES);
  });

  it('is refused where it drops our settings', async () => {
    expect(await problemBehind({ pool_mode: 'session', settings: [IGNORES] })).toBe(DROPS);
  });

  it.each<[PoolerOptions['pool_mode'], string | undefined]>([
    ['transaction', SHARES],
    ['session', undefined],
  ])('is told by what it does where settings hold: mode %s', async (pool_mode, problem) => {
    const passed = `alter role app set search_path = matriarch, metrics, public`;
    const settings = [IGNORES, 'default_pool_size = 3'];
    expect(await problemBehind({ pool_mode, settings }, passed)).toBe(problem);
  });
});
