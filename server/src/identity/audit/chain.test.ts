// S21: what is written into the audit log stays as it is, or verify says where it was touched. The tests do what a
// superuser of the datastore could: switch the triggers off first.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../../cli/cli.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Database, type Db } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { type TestDatabase, testDatabase } from '../../testing/servers/database.ts';
import { recordAudit, recordAudits, systemActor } from './audit.service.ts';
import { pruneAudit } from './keeping.service.ts';
import { verifyAudit } from './verify.service.ts';

/** A log of five rows, which no test changes for good. */
let five: TestDatabase;
beforeAll(async () => {
  five = await testDatabase();
  await write(5, five.db);
});
afterAll(() => five.close());

async function emptyLog(): Promise<TestDatabase> {
  const made = await testDatabase();
  onTestFinished(() => made.close());
  return made;
}

const ctx = (db: Db, clock = systemClock) => ({
  db,
  clock,
  log: silentLog,
  principal: systemActor('cli'),
});

const entry = (n: number) => ({
  action: 'user.change' as const,
  target: { kind: 'user', id: n, name: `person ${n}` },
  details: { n },
});
const write = (count: number, db: Db) =>
  recordAudits(
    ctx(db),
    Array.from({ length: count }, (_, n) => entry(n + 1)),
  );

/** What no program of ours can do. */
async function behindOurBack(db: Db, statements: readonly Sql[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.run(sql`/* test.off */ set local session_replication_role = replica`);
    for (const statement of statements) await tx.run(statement);
  });
}

async function brokenAt(db: Db): Promise<number | undefined> {
  return (await verifyAudit(db)).broken?.id;
}

/** Where the log would be broken after this. */
async function brokenBy(statements: readonly Sql[]): Promise<number | undefined> {
  const undone = new Error('undone');
  let found: number | undefined;
  const work = five.db.transaction(async (tx) => {
    await behindOurBack(tx, statements);
    found = await brokenAt(tx);
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
  return found;
}

describe('a row', () => {
  it('and its change come together or not at all, and ids have no gaps', async () => {
    const test = await emptyLog();
    await recordAudit(ctx(test.db), {
      action: 'user.create',
      target: { kind: 'user', id: 1, name: 'a\0b\ud800' },
    });
    await expect(
      test.db.transaction(async (db) => {
        await recordAudit(ctx(db), { action: 'user.delete' });
        throw new Error('changed our mind');
      }),
    ).rejects.toThrow('changed our mind');
    await recordAudits(ctx(test.db), [
      { action: 'user.change', details: { to: 'x\0\ud800' } },
      { action: 'user.delete', details: { long: 'x'.repeat(10_000) } },
    ]);
    const rows = await test.db.rows(sql`/* test.rows */
      select id, action, target_name, details, actor_id, actor_name, via
      from matriarch.audit_events order by id`);
    const by = { actor_id: null, actor_name: 'system: cli', via: 'system' };
    expect(rows).toEqual([
      { ...by, id: 1, action: 'user.create', target_name: 'a b\ufffd', details: {} },
      { ...by, id: 2, action: 'user.change', target_name: null, details: { to: 'x \ufffd' } },
      { ...by, id: 3, action: 'user.delete', target_name: null, details: { omitted_characters: 10_011 } },
    ]);
    expect(await verifyAudit(test.db)).toMatchObject({ checked: 3, head_id: 3, broken: undefined });
  });

  it.each([
    ['changed', sql`/* test.x */ update matriarch.audit_events set actor_name = 'nobody' where id = 2`],
    ['deleted', sql`/* test.x */ delete from matriarch.audit_events where id = 3`],
    ['emptied', sql`/* test.x */ truncate matriarch.audit_events`],
    [
      'put in with a hash',
      sql`/* test.x */ insert into matriarch.audit_events (at, action, id, hash) values (now(), 'x', 9, '')`,
    ],
    ['hidden by the end', sql`/* test.x */ update matriarch.audit_chain set head_id = 1`],
    ['hidden by another end', sql`/* test.x */ update matriarch.audit_chain set head_hash = ''`],
    ['hidden with the end', sql`/* test.x */ delete from matriarch.audit_chain`],
    ['hidden with all ends', sql`/* test.x */ truncate matriarch.audit_chain`],
  ])('cannot be %s, whoever asks', async (_how, statement) => {
    await expect(five.db.run(statement)).rejects.toThrow('the audit log is only ever added to');
    expect(await verifyAudit(five.db)).toMatchObject({ checked: 5, broken: undefined });
  });
});

describe('S21 verify', () => {
  it.each([
    ['edited', 3, [sql`/* test.x */ update matriarch.audit_events set details = '{"n":4}' where id = 3`]],
    [
      'edited in its time',
      1,
      [sql`/* test.x */ update matriarch.audit_events set at = at + interval '1 microsecond' where id = 1`],
    ],
    [
      'edited in its count',
      5,
      [sql`/* test.x */ update matriarch.audit_events set occurrences = 2 where id = 5`],
    ],
    ['deleted', 2, [sql`/* test.x */ delete from matriarch.audit_events where id = 2`]],
    [
      'deleted, and the rest moved up',
      2,
      [
        sql`/* test.x */ delete from matriarch.audit_events where id = 2`,
        sql`/* test.x */ update matriarch.audit_events set id = id - 1 where id > 2`,
      ],
    ],
    [
      'swapped',
      2,
      [
        sql`/* test.x */ update matriarch.audit_events set id = -3 where id = 3`,
        sql`/* test.x */ update matriarch.audit_events set id = 3 where id = 2`,
        sql`/* test.x */ update matriarch.audit_events set id = 2 where id = -3`,
      ],
    ],
    ['cut off at the end', 4, [sql`/* test.x */ delete from matriarch.audit_events where id >= 4`]],
    ['cut off at the beginning', 1, [sql`/* test.x */ delete from matriarch.audit_events where id <= 2`]],
    [
      'given no hash',
      5,
      [sql`/* test.x */ update matriarch.audit_events set id = null, hash = null where id = 5`],
    ],
    [
      'given no hash and left in its place',
      4,
      [sql`/* test.x */ update matriarch.audit_events set hash = null where id = 4`],
    ],
    [
      'added without a hash',
      6,
      [sql`/* test.x */ insert into matriarch.audit_events (at, action) values (now(), 'x')`],
    ],
    [
      'cut off at the beginning, and the anchor moved',
      2,
      [
        sql`/* test.x */ update matriarch.audit_chain set anchor_id = 2, anchor_hash = (select hash from matriarch.audit_events where id = 2)`,
        sql`/* test.x */ delete from matriarch.audit_events where id <= 2`,
      ],
    ],
    ['left without its end', 1, [sql`/* test.x */ delete from matriarch.audit_chain`]],
  ] as const)('reports a row that was %s', async (_how, at, statements) => {
    expect(await brokenAt(five.db)).toBeUndefined();
    expect(await brokenBy(statements)).toBe(at);
  });

  it('needs a noted head to see that all of the end was written anew', async () => {
    const test = await emptyLog();
    await write(5, test.db);
    const noted = await verifyAudit(test.db);
    const head = { id: noted.head_id, hash: noted.head_hash };
    await behindOurBack(test.db, [
      sql`/* test.x */ delete from matriarch.audit_events where id = 5`,
      sql`/* test.x */ update matriarch.audit_chain
        set head_id = 4, head_hash = (select hash from matriarch.audit_events where id = 4)`,
    ]);
    expect(await brokenAt(test.db)).toBeUndefined();
    expect((await verifyAudit(test.db, head)).broken?.id).toBe(5);
    await write(1, test.db);
    expect(await brokenAt(test.db)).toBeUndefined();
    expect((await verifyAudit(test.db, head)).broken).toEqual({
      id: 5,
      reason: 'row 5 is not the one that was noted',
    });
  });

  it('walks more rows than are read at once', async () => {
    const test = await emptyLog();
    await write(2500, test.db);
    expect(await verifyAudit(test.db)).toMatchObject({ checked: 2500, broken: undefined });
    await behindOurBack(test.db, [
      sql`/* test.x */ update matriarch.audit_events set outcome = 'failed' where id = 2201`,
    ]);
    expect(await brokenAt(test.db)).toBe(2201);
  });

  it('is a command that fails when the chain does', async () => {
    const test = await emptyLog();
    await write(3, test.db);
    const said: string[] = [];
    const io = {
      out: (line: string) => said.push(line),
      err: (line: string) => said.push(line),
      interactive: false,
      readSecret: () => expect.fail(),
      db: async () => test.db,
      migrate: async () => [],
      clock: systemClock,
      log: silentLog,
      config: () => expect.fail(),
    };
    const run = async (...argv: string[]) => {
      said.length = 0;
      const code = await runCli(io, argv[0] === 'user' ? argv : ['audit', ...argv]);
      return [code, said.join('\n')] as const;
    };
    const [code, text] = await run('verify');
    expect(code).toBe(0);
    expect(text).toMatch(/^The audit log is whole \(3 rows\)\.\n3:[0-9a-f]{64}$/);
    const noted = text.split('\n')[1] ?? '';
    expect(await run('verify', '--noted', noted)).toEqual([0, text]);
    expect((await run('verify', '--noted', `${noted.slice(0, -1)}x`))[0]).toBe(1);
    expect((await run('list', '--target', 'user:2', '--outcome', 'ok'))[1]).toMatch(/user 2 person 2$/);
    expect(await run('list', '--outcome', 'good')).toEqual([
      1,
      '--outcome: give one of ok, refused, failed.',
    ]);
    expect((await run('user', 'create', 'robot', '--service-account'))[0]).toBe(0);
    expect((await run('list', '--actor', 'system: cli', '--action', 'user.create'))[1]).toMatch(
      /user \d+ robot$/,
    );
    await behindOurBack(test.db, [sql`/* test.x */ delete from matriarch.audit_events where id = 2`]);
    expect(await run('verify')).toEqual([1, 'The audit log is broken at row 2: rows 2 to 2 are missing.']);
  });
});

describe('retention', () => {
  it('removes what is older, says so, and leaves a chain that can be verified', async () => {
    const test = await emptyLog();
    const clock = manualClock(Date.parse('2026-01-01T00:00:00Z'));
    const options = { db: test.db, clock, log: silentLog, retention_days: 30 };
    for (let day = 0; day < 4; day += 1) {
      await recordAudit(ctx(test.db, clock), entry(day));
      clock.advance(10 * 86_400_000);
    }
    expect(await pruneAudit({ ...options, retention_days: 0 })).toBe(0);
    // On day 40: rows of day 0 and 10, but not of day 20, are older than 30 days... day 10 is exactly as old.
    expect(await pruneAudit(options)).toBe(1);
    expect(await pruneAudit(options)).toBe(0);
    clock.advance(1);
    expect(await pruneAudit(options)).toBe(1);
    const verified = await verifyAudit(test.db);
    expect(verified).toMatchObject({ checked: 4, head_id: 6, broken: undefined });
    const [newest] = await test.db.rows(sql`/* test.newest */
      select action, actor_name, details from matriarch.audit_events order by id desc limit 1`);
    expect(newest).toMatchObject({
      action: 'audit.prune',
      actor_name: 'system: server',
      details: { through_id: 2, removed: 1 },
    });
    clock.advance(400 * 86_400_000);
    expect(await pruneAudit(options)).toBe(4);
    expect(await verifyAudit(test.db)).toMatchObject({ checked: 1, broken: undefined });
    await recordAudit(ctx(test.db), entry(9));
    expect(await verifyAudit(test.db)).toMatchObject({ checked: 2, broken: undefined });
  });
});

describe('many writers', () => {
  it('on two pools keep one chain, and none waits for one that has not committed', async () => {
    const test = await emptyLog();
    const other = new Database({ url: test.url, log: silentLog, applicationName: 'other', max: 8 });
    const held = Promise.withResolvers<void>();
    const slow = test.db.transaction(async (db) => {
      await recordAudit(ctx(db), entry(0));
      await held.promise;
    });
    const writers = Array.from({ length: 100 }, (_, n) =>
      recordAudit(ctx(n % 2 === 0 ? test.db : other), entry(n + 1)),
    );
    await Promise.all(writers);
    expect(await verifyAudit(test.db)).toMatchObject({ checked: 100, broken: undefined });
    held.resolve();
    await slow;
    await other.stop();
    expect(await verifyAudit(test.db)).toMatchObject({ checked: 101, head_id: 101, broken: undefined });
  });
});
