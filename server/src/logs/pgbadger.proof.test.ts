// The figures of `matriarch logs` against those of pgBadger, on the same files of real servers under real trouble. Guards: a figure that
// both have is equal; where pgBadger counts otherwise, the test says how. It is left out where pgBadger is not installed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMPARED_PREFIX, KEPT_FIGURES, keptLog, oursOf } from '../testing/logs/compared-figures.ts';
import { LOG_SCENES, LOG_SCENES_SETTINGS, LOG_SCENES_SETUP } from '../testing/logs/log-scenes.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';

function versionOf(program: string): string | undefined {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const PROGRAM = 'pgbadger';
const pgbadger = versionOf(PROGRAM);
if (pgbadger === undefined)
  process.stderr.write(
    'pgBadger is not installed, so its figures are not compared (Debian: apt-get install pgbadger).\n',
  );

/** What PostgreSQL writes as LOG, and pgBadger counts as errors. */
const MADE_ERRORS =
  /^ERROR: {2}(?:process \.\.\. still waiting for|database system was|parameter "\.\.\." changed|server process)/;
type Found = Record<string, unknown>;
const isFound = (value: unknown): value is Found => typeof value === 'object' && value !== null;

/** Numbers under a name, of all databases and whatever is between, added up. */
function sumOf(value: unknown, name: string): number {
  if (!isFound(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [key, one]) => sum + (key === name ? Number(one) : sumOf(one, name)),
    0,
  );
}

/** The value under a name, in each database. */
const ofDatabases = (value: unknown, read: (one: unknown) => number): number =>
  isFound(value) ? Object.values(value).reduce<number>((sum, one) => sum + read(one), 0) : 0;

/** Its lock is beside its answer, so that several may run. */
function pgbadgerOn(file: string, format: string, out = `${file}.pgbadger.json`): Found {
  execFileSync(
    PROGRAM,
    [
      '-q',
      '-x',
      'json',
      '-o',
      out,
      '-f',
      format,
      '-p',
      COMPARED_PREFIX,
      '--pid-dir',
      path.dirname(out),
      file,
    ],
    {
      stdio: 'pipe',
    },
  );
  const parsed: unknown = JSON.parse(readFileSync(out, 'utf8'));
  return isFound(parsed) ? parsed : {};
}

function errorsOf(found: Found): number {
  return ofDatabases(found.error_info, (one) =>
    isFound(one)
      ? Object.entries(one).reduce((sum, [text, about]) => {
          const count = isFound(about) ? Number(about.count) : 0;
          return sum + (MADE_ERRORS.test(text) || !/^(?:ERROR|FATAL|PANIC):/.test(text) ? 0 : count);
        }, 0)
      : 0,
  );
}

const figuresOf = (found: Found) => {
  const { overall_stat: all, checkpoint_info: checkpoints } = found;
  return {
    errors: errorsOf(found),
    slow_statements: isFound(all) ? Number(all.queries_number) : 0,
    temp_files: ofDatabases(found.tempfile_info, (one) => sumOf(one, 'count')),
    temp_bytes: ofDatabases(found.tempfile_info, (one) => sumOf(one, 'size')),
    autovacuums: ofDatabases(found.autovacuum_info, (one) => (isFound(one) ? Number(one.count ?? 0) : 0)),
    autoanalyzes: ofDatabases(found.autoanalyze_info, (one) => (isFound(one) ? Number(one.count ?? 0) : 0)),
    lock_waits: ofDatabases(found.lock_info, (one) =>
      ofDatabases(one, (lock) => (isFound(lock) ? Number(lock.count) : 0)),
    ),
    checkpoints_started: isFound(checkpoints) ? ofDatabases(checkpoints.starting, Number) : 0,
    checkpoint_buffers: isFound(checkpoints) ? Number(checkpoints.wbuffer) : 0,
  };
};

/** Tables that are changed, read with small memory, and checkpointed, again and again. */
async function work(server: TestCluster): Promise<void> {
  await server.query(
    'create table work (id int primary key, n int); insert into work select g, 0 from generate_series(1, 2000) g',
  );
  for (let round = 0; round < 40; round += 1) {
    await server.query(`update work set n = n + 1 where id % 7 = ${round % 7}`);
    await server.query('select g from generate_series(1, 30000) g order by md5(g::text)');
    if (round % 10 === 0) await server.query('checkpoint');
    await server.query('select 1 / (1 - count(*)) from work where id = 1').catch(() => undefined);
  }
}

describe.skipIf(pgbadger === undefined).each([14, 17] as const)(
  'figures of logs of PostgreSQL %i',
  (major) => {
    it('are those of pgBadger', async () => {
      const settings = {
        ...LOG_SCENES_SETTINGS,
        log_destination: 'stderr,csvlog',
        log_line_prefix: COMPARED_PREFIX,
        log_error_verbosity: 'default',
        log_min_duration_statement: '0',
        log_temp_files: '0',
        autovacuum_naptime: '1',
        log_autovacuum_min_duration: '0',
        work_mem: '64kB',
      };
      await using server = await startCluster({ major, settings });
      for (const statement of LOG_SCENES_SETUP) await server.query(statement);
      for (const scene of LOG_SCENES) await scene.play(server);
      await work(server);
      await server.query('select pg_sleep(2)');
      await server.shutdown();
      const folder = path.join(server.directory, 'log');
      const [log, csv] = ['.log', '.csv'].map((end) =>
        execFileSync('sh', ['-c', `ls ${folder}/*${end}`], { encoding: 'utf8' }).trim(),
      );
      expect({
        stderr: figuresOf(pgbadgerOn(log ?? '', 'stderr')),
        csv: figuresOf(pgbadgerOn(csv ?? '', 'csv')),
      }).toEqual({
        stderr: await oursOf(log ?? ''),
        csv: await oursOf(csv ?? ''),
      });
    }, 300_000);
  },
);

describe.skipIf(pgbadger === undefined)('figures of the kept log of PostgreSQL 18', () => {
  it.each([
    ['stderr', 'log'],
    ['csv', 'csv'],
    ['jsonlog', 'json'],
  ] as const)('are those of pgBadger, as %s', (format, end) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pgbadger-'));
    const { checkpoint_buffers, ...figures } = figuresOf(
      pgbadgerOn(keptLog(end), format, path.join(folder, 'out.json')),
    );
    rmSync(folder, { recursive: true });
    const { checkpoint_buffers: buffers, ...expected } = KEPT_FIGURES;
    expect(figures).toEqual(expected);
    // 12.0 does not know this line of 18; a later one may.
    expect([0, buffers]).toContain(checkpoint_buffers);
  });
});
