// What the knowledge base says of a name that not every version has.
import { expect, it } from 'vitest';
import { Secret } from '../../kernel/secret.ts';
import { clientOptions } from '../../kernel/session.ts';
import { knowledgeEntries } from './entries.ts';

const find = (kind: string, name: string) =>
  knowledgeEntries().find((entry) => entry.kind === kind && entry.name === name);
const factsOf = (kind: string, name: string) => find(kind, name)?.facts.join(' ');

it('parameters that came, went and have another default', () => {
  expect(find('parameter', 'io_workers')?.versions).toEqual([18]);
  expect(factsOf('parameter', 'escape_string_warning')).toContain('There until version 18.');
  expect(factsOf('parameter', 'jit')).toContain('off in 19');
  expect(factsOf('parameter', 'max_locks_per_transaction')).toContain('128 in 19');
  expect(factsOf('parameter', 'autovacuum_freeze_score_weight')).toBe(
    `Type real. Default: 1. From 0 to 10. A change needs a reload. Group: Vacuuming / Automatic Vacuuming. There since version 19.`,
  );
  // The build decides it, so nothing is said of it.
  expect(factsOf('parameter', 'max_stack_depth')).not.toContain('Default');
  expect(find('parameter', 'work_mem')?.versions).toEqual([14, 15, 16, 17, 18, 19]);
});

it('wait events and their classes', () => {
  expect(find('wait event class', 'BufferPin')?.versions).toEqual([14, 15, 16, 17, 18]);
  expect(find('wait event class', 'Buffer')?.versions).toEqual([19]);
  expect(find('wait event', 'BufferContent')?.versions).toEqual([14, 15, 16, 17, 18]);
  expect(find('wait event', 'CommitDelay')?.versions).toEqual([19]);
  expect(find('wait event', 'WaitForWalReplay')?.also.join(' ')).toContain('IPC');
});

it('views and their columns', () => {
  const stats = factsOf('view', 'pg_stat_subscription_stats');
  expect(stats).toContain('sync_table_error_count (since version 19)');
  expect(stats).toContain('confl_insert_exists (since version 18)');
  expect(factsOf('view', 'pg_aios')).toContain('There since version 18.');
  expect(find('view', 'pg_stat_lock')?.versions).toEqual([19]);
  // Of betas alone.
  expect(find('view', 'pg_stat_progress_data_checksums')).toBeUndefined();
});

it('sessions on the datastore begin with settings alone that every version has', () => {
  const { options = '' } = clientOptions(new Secret('postgres://localhost/matriarch'), 'test');
  const names = [...options.matchAll(/-c (\w+)=/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(20);
  const everywhere = knowledgeEntries().flatMap(({ kind, name, versions }) =>
    kind === 'parameter' && versions.join() === '14,15,16,17,18,19' ? name.toLowerCase() : [],
  );
  expect(names.filter((name) => !everywhere.includes(name))).toEqual([]);
});
