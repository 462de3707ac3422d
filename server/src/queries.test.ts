// Every statement of the queries files is described by PostgreSQL against the migrated schema: it can be parsed, and its
// columns are the members of the rows that the code expects, of fitting types. Nothing is run.
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRESS } from './store/upkeep/copy.queries.ts';
import { type Captured, capture } from './testing/queries/captured.ts';
import { type DescribedColumn, describeStatement } from './testing/queries/describe-statement.ts';
import { expectedRows, fits } from './testing/queries/row-types.ts';
import { type TestDatabase, testDatabase } from './testing/servers/database.ts';
import { readSource } from './testing/source-files.ts';

interface Described extends Captured {
  file: string;
  /** undefined: it answers no rows. */
  columns?: DescribedColumn[];
  problem?: string;
}

const files = readSource();
const queries = files.filter(({ path: file }) => file.endsWith('.queries.ts'));
/** A whole statement opens with its name; the rest are parts of statements. */
const isWhole = ({ text }: Captured) => /^\s*\/\* [a-z_]+\.[a-z_.]+ \*\//.test(text);
/** Run on monitored servers, whose views differ; collector/prepared.test.ts and the kit of probes have them parsed and run there. */
const ELSEWHERE = ['collector/probe.queries.ts', 'collector/target.queries.ts'];
/** Over tables that are made from declarations, named when they are used; the store's tests run them. */
const OF_DECLARED_TABLES = /relation "(metrics|pg_temp|x)\.x" does not exist/;
/** Given a part of its text by who calls it, for which a stand-in is a parameter: SQL where none can stand. */
const OF_GIVEN_PARTS = /syntax error at or near "\$\d+"/;
/** Beginnings of statements that go on elsewhere. */
const BEGINNINGS = ['seenBy'];

const isKnown = ({ maker, problem = '' }: Described) =>
  OF_DECLARED_TABLES.test(problem) || OF_GIVEN_PARTS.test(problem) || BEGINNINGS.includes(maker);

const described: Described[] = [];
const silent: string[] = [];
let test: TestDatabase;

async function describeAll(file: string, client: pg.PoolClient): Promise<void> {
  const { made, silent: none } = await capture(await import(path.join(import.meta.dirname, file)));
  silent.push(...none.map((maker) => `${file} ${maker}`));
  for (const one of made.filter(isWhole)) {
    try {
      const columns = await describeStatement(client, one.text);
      described.push({ ...one, file, ...(columns && { columns }) });
    } catch (error) {
      described.push({ ...one, file, problem: error instanceof Error ? error.message : String(error) });
    }
  }
}

beforeAll(async () => {
  test = await testDatabase();
  // Not of the migrations: a copy makes it in its target.
  for (const statement of PROGRESS) await test.db.run(statement);
  await test.db.withClient(async (client) => {
    for (const { path: file } of queries) if (!ELSEWHERE.includes(file)) await describeAll(file, client);
  });
});
afterAll(() => test.close());

describe('the statements of the queries files', () => {
  it('are nearly all found', () => {
    expect(described.length).toBeGreaterThan(9 * silent.length);
    expect(described.length).toBeGreaterThan(200);
  });

  it('are understood by PostgreSQL on the migrated schema', () => {
    const problems = described.filter((one) => one.problem !== undefined && !isKnown(one));
    expect(problems.map(({ file, maker, problem }) => `${file} ${maker}: ${problem}`)).toEqual([]);
  });

  it('answer the columns that the code reads, with types that fit', () => {
    const expected = expectedRows(files);
    let judged = 0;
    const wrong = expected.flatMap(({ file, maker, row, members }) => {
      const statements = described.filter((one) => one.file === file && one.maker === maker && one.columns);
      const [first, ...others] = statements;
      if (!first?.columns || others.length > 0) return [];
      judged += 1;
      const columns = new Map(first.columns.map(({ name, dataTypeID }) => [name, dataTypeID]));
      const lacking = [...members.keys()].filter((name) => !columns.has(name));
      const unread = [...columns.keys()].filter((name) => !members.has(name));
      const unfit = [...members].filter(
        ([name, type]) => columns.has(name) && !fits(type, columns.get(name) ?? 0),
      );
      const parts = [
        ...lacking.map((name) => `no column ${name}`),
        ...unread.map((name) => `column ${name} is not in ${row}`),
        ...unfit.map(([name, type]) => `${name} is ${type} here and type ${columns.get(name)} there`),
      ];
      return parts.map((part) => `${file} ${maker}: ${part}`);
    });
    expect(judged).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  });
});
