// A whole datastore copied into another one, of each engine, and read there; a row that somebody changed is found; targets that
// are in use are left alone. Everyday into plain tables. What is interrupted, fails or holds something is in copy.proof.test.ts.
import { describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { COPIED_PROBES, copyTests, emptyTarget } from '../../testing/store/copied.ts';
import { isProof } from '../../testing/tier.ts';
import { runMaintenance } from './maintenance.ts';

const ENGINES = ['plain', 'citus', 'timescaledb'] as const;
const { source, firstDay, copy, check, readAll } = copyTests();

describe.each(isProof() ? ENGINES : ENGINES.slice(0, 1))('into %s', (engine) => {
  it('copies everything, which is then read there as it was', async () => {
    const target = await emptyTarget(engine);
    await check(target);
    const compared = await copy(target);
    expect(compared.filter(({ is_same }) => !is_same)).toEqual([]);
    const rows = (name: RegExp) =>
      compared
        .filter(({ table, day }) => name.test(table) && day !== null)
        .reduce((total, one) => total + Number(one.target.rows), 0);
    for (const name of [/test_server$/, /test_server__packed/, /test_tables__packed/, /__m15p?$/, /__h1p?$/])
      expect(rows(name), String(name)).toBeGreaterThan(0);
    const there = await readAll(target);
    expect(there).toEqual(await readAll(source()));
    expect(there.rows.length).toBeGreaterThan(200);
    expect(there.facts).toHaveLength(2);
    expect(there.audit).toHaveLength(2);
    // Whoever comes next gets a number of their own, and the audit log is guarded again.
    await target.db.run(sql`insert into matriarch.audit_events (at, action) values (now(), 'test.three')`);
    await expect(target.db.run(sql`delete from matriarch.audit_events`)).rejects.toThrow(
      'only ever added to',
    );
    const maintained = await runMaintenance({ db: target.db, probes: COPIED_PROBES });
    expect(maintained.problems).toEqual([]);
  });
});

it('finds a row that was changed, with its table and day', async () => {
  const target = await emptyTarget();
  await copy(target);
  await target.db.run(sql`
    update metrics.test_server__packed set collected_at = collected_at + interval '1 microsecond'
    where collected_at = (select min(p.collected_at) from metrics.test_server__packed p)`);
  const different = (await copy(target)).filter(({ is_same }) => !is_same);
  const day = firstDay();
  expect(different.map(({ table, day: of }) => [table, of])).toEqual([
    ['metrics.test_server__packed', day],
    ['metrics.test_server__packed', null],
  ]);
});

describe('refuses', () => {
  it('the datastore itself', async () => {
    await expect(check(source())).rejects.toThrow('The target is the datastore itself.');
  });

  it('a target in use, and a source in use', async () => {
    const target = await emptyTarget();
    const start = sql`
      insert into matriarch.collectors (owner, expires_at) values ('runs', now() + interval '1 hour')`;
    await target.db.run(start);
    await expect(check(target)).rejects.toThrow('The target is in use by a running Matriarch.');
    await source().db.run(start);
    try {
      await expect(check(await emptyTarget())).rejects.toThrow('The datastore is in use');
    } finally {
      await source().db.run(sql`delete from matriarch.collectors where owner = 'runs'`);
    }
  });
});
