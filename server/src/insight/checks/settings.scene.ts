// Scenes of checks of settings that say by themselves that something is amiss.
import { expect } from 'vitest';
import { type CheckScene, run } from '../../testing/servers/check-scenes/scene.ts';
import type { TestCluster } from '../../testing/servers/cluster.ts';

async function startAnew(server: TestCluster): Promise<void> {
  await server.shutdown();
  await server.start();
}

async function undoWithRestart(server: TestCluster, name: string): Promise<void> {
  await run(server, `alter system reset ${name}`);
  await startAnew(server);
}

/** Sets them and takes them back afterwards; those that need it hold from the next start. */
export async function set(
  server: TestCluster,
  values: Readonly<Record<string, string>>,
  restart = false,
): Promise<() => Promise<void>> {
  const anew = () => (restart ? startAnew(server) : run(server, 'select pg_reload_conf()'));
  for (const [name, value] of Object.entries(values))
    await run(server, `alter system set ${name} = '${value}'`);
  await anew();
  return async () => {
    for (const name of Object.keys(values)) await run(server, `alter system reset ${name}`);
    await anew();
  };
}

const off = (check: CheckScene['check'], name: string, severity: string): CheckScene => ({
  check,
  make: ({ primary }) => set(primary, { [name]: 'off' }),
  isIt: ({ object_name }) => object_name === name,
  expect: (found) => expect(found).toMatchObject({ severity, evidence: { [name]: 'off' } }),
});

const rescuing = (name: string, severity: string): CheckScene => ({
  check: 'recovery_settings_on',
  isDear: true,
  title: name,
  make: ({ primary }) => set(primary, { [name]: 'on' }),
  isIt: ({ object_name }) => object_name === name,
  expect: (found) => expect(found.severity).toBe(severity),
});

const SILENT = {
  log_checkpoints: 'off',
  log_lock_waits: 'off',
  log_temp_files: '-1',
  log_autovacuum_min_duration: '-1',
};

export const scenes: readonly CheckScene[] = [
  off('fsync_off', 'fsync', 'critical'),
  off('full_page_writes_off', 'full_page_writes', 'critical'),
  off('synchronous_commit_off', 'synchronous_commit', 'warning'),
  rescuing('zero_damaged_pages', 'critical'),
  rescuing('ignore_checksum_failure', 'critical'),
  {
    ...rescuing('ignore_system_indexes', 'warning'),
    // Of sessions that begin afterwards.
    make: ({ primary }) => set(primary, { ignore_system_indexes: 'on' }, true),
    remedy: 'restart',
  },
  {
    ...rescuing('ignore_invalid_pages', 'critical'),
    make: ({ primary }) => set(primary, { ignore_invalid_pages: 'on' }, true),
    remedy: 'restart',
  },
  off('planner_method_off', 'enable_hashjoin', 'warning'),
  {
    check: 'io_timing_off',
    make: ({ primary }) => set(primary, { track_io_timing: 'off' }),
    isIt: () => true,
    expect: (found) => expect(found).toMatchObject({ severity: 'info', object_name: 'track_io_timing' }),
  },
  {
    check: 'checkpoint_timeout_short',
    make: ({ primary }) => set(primary, { checkpoint_timeout: '90s' }),
    isIt: () => true,
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 90, promised: 300 } }),
  },
  {
    check: 'effective_cache_size_small',
    make: ({ primary }) => set(primary, { effective_cache_size: '8MB' }),
    isIt: () => true,
    expect: (found) =>
      expect(found).toMatchObject({
        severity: 'warning',
        figure: { value: 8 * 1024 ** 2 },
        evidence: { effective_cache_size: 8 * 1024 ** 2, shared_buffers: 16 * 1024 ** 2 },
      }),
  },
  {
    check: 'log_says_too_little',
    make: ({ primary }) =>
      set(primary, { ...SILENT, log_min_duration_statement: '-1', log_line_prefix: '%m [%p] ' }),
    isIt: ({ figure }) => figure?.value === 6,
    expect: (found) => {
      expect(found.message).toBe(
        'Not logged: checkpoints, lock waits, temporary files, slow autovacuum runs, slow statements. Lines lack: user, database, application, SQLSTATE.',
      );
      expect(found.evidence).toMatchObject({ log_line_prefix: '%m [%p] ', log_min_duration_statement: '-1' });
    },
  },
  {
    check: 'log_says_too_little',
    title: 'connections',
    // Of sessions that begin afterwards.
    make: ({ primary }) => set(primary, { log_connections: 'off' }, true),
    isIt: () => true,
    expect: (found) => expect(found.message).toBe('Not logged: connections.'),
    remedy: 'restart',
  },
  {
    check: 'log_says_too_little',
    title: 'what is enough',
    // Lines of CSV have every field, and a sample of slow statements is one.
    make: ({ primary }) =>
      set(primary, {
        ...SILENT,
        log_line_prefix: '%%u',
        log_destination: 'csvlog',
        log_min_duration_statement: '-1',
        log_min_duration_sample: '1s',
      }),
    isIt: ({ figure }) => figure?.value === 4,
    expect: (found) =>
      expect(found.message).toBe(
        'Not logged: checkpoints, lock waits, temporary files, slow autovacuum runs.',
      ),
  },
  {
    check: 'pending_restart',
    isDear: true,
    async make({ primary }) {
      await set(primary, { max_worker_processes: '9' });
      return () => undoWithRestart(primary, 'max_worker_processes');
    },
    isIt: () => true,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', figure: { value: 1 } });
      expect(found.message).toBe('1 setting is pending restart: max_worker_processes.');
    },
    remedy: 'restart',
  },
];
