// The commands that docs/backup.md gives for a datastore of one's own, run as they are written there on a datastore with the tables of this
// version. They need the programs of PostgreSQL, which machines have for one major version.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { migrate } from '../datastore/migrate.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { MAJORS, startCluster, testDirectory } from '../testing/servers/postgres.ts';

const run = promisify(execFile);
const page = readFileSync(path.resolve(import.meta.dirname, '../../../docs/backup.md'), 'utf8');
const commandsOf = (program: string): string => {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  return blocks.find((text) => text.startsWith(program)) ?? expect.fail(`docs/backup.md has no ${program}`);
};

/** The newest major version that the programs of this machine can read. */
function majorOfPrograms() {
  try {
    const text = execFileSync(path.join('/usr/bin', 'pg_dump'), ['--version'], { encoding: 'utf8' });
    const major = Number(/(\d+)/.exec(text)?.[1]);
    return MAJORS.findLast((one) => one <= major);
  } catch {
    return undefined;
  }
}

it('backs up and restores a datastore of its own by pg_dump, and by pg_basebackup', async (test) => {
  const major = majorOfPrograms();
  if (major === undefined) return test.skip('this machine has no pg_dump');
  await using server = await startCluster({
    major,
    hba: ['host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'],
  });
  for (const name of ['original', 'restored']) await server.query(`create database ${name}`);
  const urlOf = (name: string) => server.url.replace(/\/postgres$/, `/${name}`);
  await migrate(new Secret(urlOf('original')), silentLog);
  const folder = testDirectory('dump');
  const env = { PATH: '/usr/bin:/bin', DATASTORE_URL: urlOf('original'), RESTORED_URL: urlOf('restored') };
  await run('sh', ['-ec', commandsOf('pg_dump')], { cwd: folder, env });
  // It is up to date there, so nothing is applied.
  expect(await migrate(new Secret(urlOf('restored')), silentLog)).toEqual([]);

  const base = path.join(folder, 'base');
  mkdirSync(base);
  const text = commandsOf('pg_basebackup').replace('/backups/matriarch-base', base);
  expect(text).toContain(base);
  await run('sh', ['-ec', text], { cwd: folder, env });
  expect(readFileSync(path.join(base, 'PG_VERSION'), 'utf8').trim()).toBe(String(major));
});
