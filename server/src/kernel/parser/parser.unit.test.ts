// Statements of 14 to 18, as pg_stat_statements writes them, and texts that were made to break a parser.
import { afterAll, describe, expect, it } from 'vitest';
import { StatementParser } from './parser.ts';
import type { Parsed, ParsedStatement } from './types.ts';

const parser = new StatementParser();
afterAll(() => parser.stop());

async function statementOf(text: string): Promise<ParsedStatement> {
  const parsed = await parser.parse(text);
  if (parsed.kind === 'refused') throw new Error(`${parsed.why}: ${parsed.message}`);
  return parsed.statements[0] ?? expect.fail('no statement');
}

const scopeOf = async (text: string) => (await statementOf(text)).scopes[0] ?? expect.fail('no scope');
const whyOf = (parsed: Parsed) => (parsed.kind === 'refused' ? parsed.why : parsed.kind);
const conditionsOf = async (text: string) =>
  (await scopeOf(text)).conditions.map(({ table, column, operator, against }) =>
    [table ?? '', column, operator, against.kind].join(' ').trim(),
  );

describe('what is said of a statement', () => {
  it('names relations, functions, operators, types and parameters', async () => {
    const parsed = await statementOf(
      'with w as (select 1) select pg_catalog.lower(t.a), count(*) from public.t t, w where t.b operator(pg_catalog.=) $2 and a like $1::text',
    );
    expect(parsed.root).toBe('SelectStmt');
    expect(parsed.relations).toEqual([
      { schema: 'public', name: 't', alias: 't', isWith: false, at: 65 },
      { schema: null, name: 'w', alias: null, isWith: true, at: 77 },
    ]);
    expect(parsed.functions).toEqual(['count', 'pg_catalog.lower']);
    expect(parsed.operators).toEqual(['pg_catalog.=', '~~']);
    expect(parsed.types).toEqual(['text']);
    expect(parsed.parameters.map(({ number }) => number)).toEqual([2, 1]);
  });

  it.each([
    ['with w as (select 1) select * from w', [true]],
    ['with w as (select 1) select * from public.w', [false]],
    ['with w as (select * from w) select * from w', [true, false]],
    ['with recursive w as (select 1 union select * from w) select * from w', [true, true]],
    ['with a as (select 1), b as (select * from a) select * from b', [true, true]],
    ['with b as (select * from a), a as (select 1) select * from b', [true, false]],
    ['select * from (with w as (select 1) select * from w) x, w', [true, false]],
    ['select * from w, (with w as (select 1) select * from w) x', [false, true]],
    ['with w as (select 1) select * from (select * from w) x where exists (select from w)', [true, true]],
    ['with w as (select 1) select * from w union all select * from w', [true, true]],
    ['(with w as (select 1) select * from w) union all select * from w', [true, false]],
    ['select (with w as (select 1) select 1 from w), (select 1 from w)', [true, false]],
    ['with w as (select 1) select * from (with w as (select * from w) select * from w) x', [true, true]],
  ])('says of each name whether it means a query of a with: %s', async (text, expected) => {
    const { relations } = await statementOf(text);
    expect(relations.map(({ isWith }) => isWith)).toEqual(expected);
  });

  it('resolves thousands of queries of one with, each of which reads the one before', async () => {
    const queries = Array.from(
      { length: 1500 },
      (_none, n) => `w${n} as (select * from ${n === 0 ? 't' : `w${n - 1}`})`,
    );
    const { relations } = await statementOf(`with ${queries.join(', ')} select * from w1499`);
    expect(relations.filter(({ isWith }) => !isWith).map(({ name }) => name)).toEqual(['t']);
  });

  it('tells what columns are compared with, joined and sorted by', async () => {
    const text = `select a.x from public.a join b on b.id = a.b_id where a.x = $1 and b.y in ($2 /*, ... */) and c between $3 and $4
      and $5 >= a.d and e is null and f like $6 and (g = $7 or h = $8) and lower(i) = $9 and j = any($10) and k > now() - $11::interval
      and l = a.m + $12 order by a.x desc, a.d limit $13`;
    expect(await conditionsOf(text)).toEqual([
      'b id = column',
      'a b_id = column',
      'a x = value',
      'b y in value',
      'c between value',
      'a d <= value',
      'e is null value',
      'f like value',
      'j in value',
      'k > value',
      'l = other',
    ]);
    const scope = await scopeOf(text);
    expect(scope.order).toEqual([
      { table: 'a', column: 'x', isDescending: true },
      { table: 'a', column: 'd', isDescending: false },
    ]);
    expect([scope.hasLimit, scope.isGrouped]).toEqual([true, false]);
    expect(scope.relations.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('keeps a select within another apart', async () => {
    const { scopes } = await statementOf(
      'select (select max(v.y) from v where v.z = t.z) from t where exists (select 1 from u where u.tid = t.id) and t.a = $1',
    );
    expect(scopes.map(({ relations, conditions }) => [relations[0]?.name, conditions.length])).toEqual([
      ['t', 1],
      ['v', 2],
      ['u', 2],
    ]);
    expect(scopes.map(({ isGrouped }) => isGrouped)).toEqual([false, true, false]);
  });

  it('reads both sides of a union, updates and deletes', async () => {
    const union = await statementOf('select a from t where a = $1 union all select b from u where b = $2');
    expect(union.scopes.map(({ relations }) => relations[0]?.name)).toEqual(['t', 'u']);
    const update = await statementOf('update t set a = $1 from u where t.id = u.id and u.b = $2');
    expect(update.scopes[0]?.relations.map(({ name }) => name)).toEqual(['t', 'u']);
    expect(await conditionsOf('delete from only t where a = $1')).toEqual(['a = value']);
  });

  it.each([
    ['insert into t values ($1) on conflict do nothing', 'InsertStmt', 'onConflictClause'],
    ['select a into u from t', 'SelectStmt', 'intoClause'],
    ['select a from t for update', 'SelectStmt', 'LockingClause'],
    ['with d as (delete from t returning *) select * from d', 'SelectStmt', 'DeleteStmt'],
    ['explain select 1', 'ExplainStmt', 'SelectStmt'],
    ['copy t to program $$x$$', 'CopyStmt', 'relation'],
    ['show work_mem', 'VariableShowStmt', 'VariableShowStmt'],
    ['do $$begin end$$', 'DoStmt', 'DefElem'],
  ])('%s: has root and kinds of nodes by which it can be told', async (text, root, node) => {
    const parsed = await statementOf(text);
    expect(parsed.root).toBe(root);
    expect(parsed.nodes).toContain(node);
  });

  it('tells statements apart by their fingerprint, and not by constants', async () => {
    const prints = await Promise.all(
      ['select a from t where b = 1', 'select  a from t where b = $1', 'select a from t where c = 1'].map(
        async (text) => {
          const parsed = await parser.parse(text);
          return parsed.kind === 'parsed' ? parsed.fingerprint : expect.fail(parsed.message);
        },
      ),
    );
    expect(prints[0]).toBe(prints[1]);
    expect(prints[2]).not.toBe(prints[0]);
  });

  it('says of several statements that they are several', async () => {
    const parsed = await parser.parse('select 1; drop table t');
    expect(parsed.kind === 'parsed' && parsed.statements.map(({ root }) => root)).toEqual([
      'SelectStmt',
      'DropStmt',
    ]);
  });
});

describe('syntax of 14 to 18 and of pg_stat_statements', () => {
  it.each([
    ['14', 'select ($1::jsonb)[$2] from t'],
    ['14', 'with recursive r as (select 1 as a) search depth first by a set o select * from r'],
    ['15', 'merge into t using s on t.id = s.id when matched then update set a = $1'],
    ['16', 'select json_array($1, $2), any_value(a) from t'],
    ['16', 'select json_arrayagg(a order by b absent on null) from t'],
    ['16', 'select json_objectagg(a: b), json_objectagg(c value d) from t'],
    ['16', 'select json_arrayagg(a) over (partition by b), json_array(select a from t) from t'],
    ['16', "select json_object('a': 1), a is json object with unique keys from t"],
    [
      '17',
      "select json($1), json_scalar(1), json_serialize($2), json_query($3, '$'), json_value($3, '$'), json_exists($3, '$')",
    ],
    ['17', "select * from json_table($1::jsonb, '$[*]' columns (a int path '$.a')) j"],
    [
      '17',
      "select * from json_table($1, '$' columns (a int, nested path '$.b' columns (c text exists path '$')))",
    ],
    [
      '17',
      'merge into t using s on t.id = s.id when not matched by source then delete returning merge_action()',
    ],
    ['18', 'update t set a = $1 returning old.a, new.a'],
    ['18', 'select a from t where b in ($1 /*, ... */)'],
    ['pg_stat_statements', 'select interval $1, date $2, extract($3 from d) from t limit $4 offset $5'],
    ['pg_stat_statements', 'select now() - interval $1 day'],
  ])('%s: %s', async (_version, text) => {
    const { starts } = parser;
    expect(whyOf(await parser.parse(text))).toBe('parsed');
    expect(parser.starts).toBeLessThanOrEqual(Math.max(1, starts));
  });

  it('what we cannot describe ends no worker', async () => {
    const own = new StatementParser();
    const deep = `select ${'a -> '.repeat(500)}b`;
    expect(whyOf(await own.parse(deep))).toBe('too_deep');
    expect(whyOf(await own.parse('select 1'))).toBe('parsed');
    expect(own.starts).toBe(1);
    await own.stop();
  });
});

describe('texts that were made to break it', () => {
  it.each([
    ['a statement that was cut', 'select a from t where b = $1 and (c =', 'syntax'],
    ['a quote that was cut', "select 'abc", 'syntax'],
    ['no statement', '<insufficient privilege>', 'syntax'],
    ['a megabyte', `select '${'a'.repeat(1024 * 1024)}'`, 'too_long'],
    ['10,000 parentheses', `select ${'('.repeat(10_000)}1${')'.repeat(10_000)}`, 'too_deep'],
    ['10,000 selects in each other', `${'select array['.repeat(300)}`, 'too_deep'],
    ['20,000 negations', `select ${'not '.repeat(15_000)}a`, 'too_deep'],
    ['a chain of 12,000 sums', `select ${'1 + '.repeat(12_000)}1`, /too_deep|too_large/],
    ['half a surrogate', "select '\ud800'", 'not_text'],
    ['a NUL, behind which nothing would be seen', 'select 1\0; drop table t', 'not_text'],
    ['nothing', ' ', 'syntax'],
    ['a comment', '/* select */', 'parsed'],
  ])('%s', async (_what, text, why) => {
    expect(whyOf(await parser.parse(text))).toMatch(why);
    expect(whyOf(await parser.parse('select 1'))).toBe('parsed');
  });

  it('a list of 30,000 values and a name of 60 kB end as an answer', async () => {
    for (const text of [`select ${Array(30_000).fill('1').join(',')}`, `select ${'x'.repeat(60_000)}`])
      expect(whyOf(await parser.parse(text))).toMatch(/parsed|too_large|too_slow/);
    expect(whyOf(await parser.parse('select 1'))).toBe('parsed');
  });

  it('a text that takes too long ends the worker, and the next one is parsed by another', async () => {
    const hasty = new StatementParser({ slowestMs: 1 });
    const slow = Array(20_000).fill('a + 1').join(',');
    expect(whyOf(await hasty.parse(`select ${slow.slice(0, 60_000)}`))).toBe('too_slow');
    await hasty.parse('select 1');
    expect(hasty.starts).toBe(2);
    await hasty.stop();
  });

  it('only so many wait, and whoever waits when it stops is told', async () => {
    const full = new StatementParser();
    const all = Array.from({ length: 260 }, () => full.parse('select 1'));
    await full.stop();
    const answers = Map.groupBy(await Promise.all(all), whyOf);
    expect(answers.get('busy')?.length).toBe(60);
    expect(answers.get('stopped')?.length).toBe(200);
    expect(whyOf(await full.parse('select 1'))).toBe('stopped');
  });

  it('a worker that nobody asks is ended, and started again when somebody does', async () => {
    const idle = new StatementParser({ idleMs: 1 });
    expect(whyOf(await idle.parse('select 1'))).toBe('parsed');
    await expect
      .poll(async () => {
        await idle.parse('select 1');
        return idle.starts;
      })
      .toBeGreaterThan(1);
    await idle.stop();
  });
});
