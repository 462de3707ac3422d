import { describe, expect, it } from 'vitest';
import { knowledgeEntries } from './entries.ts';
import { createKnowledge, VERSIONS } from './knowledge.ts';
import { createWordIndex } from './search.ts';
import { runsOf, spanWords, versionsOf } from './versions.ts';

const index = createWordIndex(knowledgeEntries());
const names = (query: string, versions: readonly (typeof VERSIONS)[number][] = VERSIONS) =>
  index.search(query, { versions, limit: 5 }).map(({ entry }) => entry.name);

describe('by words', () => {
  it.each([
    ['work_mem', 'work_mem'],
    ['what is work mem', 'work_mem'],
    ['MAX_WAL_SIZE', 'max_wal_size'],
    ['autovacuum_vacuum_scale', 'autovacuum_vacuum_scale_factor'],
    ['LWLock WALWrite', 'WALWrite'],
    ['SLRURead', 'SlruRead'],
    ['LWLock:BufferContent', 'BufferContent'],
    ['LWLock: LockManager', 'LockManager'],
    ['42P01', '42P01'],
    ['ERROR 40001', '40001'],
    ['deadlock_detected', '40P01'],
    ['SQLSTATE class 23', '23'],
    ['pg_catalog.pg_stat_io', 'pg_stat_io'],
    ['pg_stat_statements_wal pg_stat_wal', 'pg_stat_wal'],
    ['DataFileRead', 'DataFileRead'],
  ])('%s finds the name first', (query, name) => {
    expect(names(query)[0]).toBe(name);
  });

  it.each([
    ['sessions idle in transaction hold locks', 'idle_in_transaction_session_timeout'],
    ['checkpoints are requested too often', 'max_wal_size'],
    ['replication slot fills the disk', 'max_slot_wal_keep_size'],
    ['commit waits for a synchronous standby', 'SyncRep'],
    ['temporary files sort spills to disk', 'work_mem'],
    ['two transactions waited for each other', '40P01'],
    ['autovacuum cannot keep up', 'autovacuum_vacuum_cost_limit'],
    ['all connection slots are taken', '53300'],
    ['who waits for a lock on a row', 'transactionid'],
    ['random page cost on ssd', 'random_page_cost'],
  ])('%s', (query, name) => {
    expect(names(query)).toContain(name);
  });

  it('keeps to the versions that are asked for', () => {
    expect(names('transaction_timeout', [18])[0]).toBe('transaction_timeout');
    expect(names('transaction_timeout', [14])).not.toContain('transaction_timeout');
    expect(names('old_snapshot_threshold', [17])).not.toContain('old_snapshot_threshold');
  });

  it('finds nothing for what is not there, and the same each time', () => {
    expect(names('xyzzy qqqq')).toEqual([]);
    expect(names('')).toEqual([]);
    expect(names('vacuum')).toEqual(names('vacuum'));
  });

  it('takes hostile questions', () => {
    for (const query of ['('.repeat(400), '*+?[', '\u0000\u202e', 'a '.repeat(200), '%_\\'])
      expect(names(query).length).toBeLessThanOrEqual(5);
  });
});

/** A model for which only these words mean anything, each in a direction of its own. */
const directions = ['cake', 'checkpoint', 'deadlock', 'vacuum'];
const vectorOf = (text: string) => [
  0.01,
  ...directions.map((word) => Number(text.toLowerCase().includes(word === 'cake' ? 'work_mem' : word))),
];

describe('by meaning', () => {
  const model = (asked: string[][] = []) => ({
    name: 'test/model',
    async embed(texts: readonly string[]) {
      asked.push([...texts]);
      return texts.map((text) => (text === 'cake' ? [0.01, 1, 0, 0, 0] : vectorOf(text)));
    },
  });

  it('finds what no word finds', async () => {
    const knowledge = createKnowledge();
    const wanted = { query: 'cake', versions: VERSIONS, limit: 5 };
    expect((await knowledge.search(wanted)).entries).toEqual([]);
    const { entries, by_meaning } = await knowledge.search({ ...wanted, embedder: model() });
    expect(by_meaning).toBe(true);
    expect(entries.map(({ name }) => name)).toContain('work_mem');
  });

  it('leaves a name first', async () => {
    const knowledge = createKnowledge();
    const wanted = { query: 'max_wal_size', versions: VERSIONS, limit: 5, embedder: model() };
    expect((await knowledge.search(wanted)).entries[0]?.name).toBe('max_wal_size');
  });

  it('sends each text once, however often it is asked', async () => {
    const knowledge = createKnowledge();
    const asked: string[][] = [];
    const embedder = model(asked);
    for (let time = 0; time < 3; time += 1)
      await knowledge.search({ query: 'cake', versions: VERSIONS, limit: 5, embedder });
    const texts = asked.flat().filter((text) => text !== 'cake');
    expect(new Set(texts).size).toBe(texts.length);
    expect(asked.flat().filter((text) => text === 'cake')).toHaveLength(3);
    for (const part of asked) expect(part.length).toBeLessThanOrEqual(100);
  });

  it('goes on by words when the model fails, and leaves it alone for a while', async () => {
    let time = 0;
    const knowledge = createKnowledge(knowledgeEntries, () => time);
    let calls = 0;
    const embedder = {
      name: 'test/broken',
      async embed(): Promise<number[][]> {
        calls += 1;
        throw new Error('away');
      },
    };
    const wanted = { query: 'work_mem', versions: VERSIONS, limit: 1, embedder };
    expect(await knowledge.search(wanted)).toMatchObject({
      by_meaning: false,
      entries: [{ name: 'work_mem' }],
    });
    const first = calls;
    await knowledge.search(wanted);
    expect(calls).toBe(first);
    time = 11 * 60_000;
    await knowledge.search(wanted);
    expect(calls).toBeGreaterThan(first);
  });
});

describe('versions', () => {
  it('are written as runs and read back', () => {
    expect(runsOf([14, 15, 17])).toBe('14-15,17');
    expect(versionsOf('14-15,17')).toEqual([14, 15, 17]);
    expect([
      spanWords([14, 15, 16, 17, 18, 19]),
      spanWords([17, 18, 19]),
      spanWords([14]),
      spanWords([15, 16]),
      spanWords([18]),
    ]).toEqual([
      undefined,
      'since version 17',
      'until version 14',
      'in versions 15-16 only',
      'in version 18 only',
    ]);
  });
});
