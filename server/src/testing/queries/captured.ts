// Every statement that the queries files can make, without running any: exported statements as they are, exported
// functions called with a stand-in that can be anything. Guards: nothing is sent to a database by it.
import type { Db } from '../../kernel/db.ts';
import type { Sql } from '../../kernel/sql.ts';

export interface Captured {
  /** Of the export that made it. */
  maker: string;
  text: string;
}

const TEXT = 'x';

/** Stands for whatever a query is given: a number, a text, a list of one, a row with every member. */
function anything(): unknown {
  const members: Record<PropertyKey, unknown> = {
    [Symbol.toPrimitive]: (hint: string) => (hint === 'string' ? TEXT : 1),
    [Symbol.iterator]: () => [anything()][Symbol.iterator](),
    length: 1,
    size: 1,
    toJSON: () => TEXT,
    toString: () => TEXT,
    map: (work: (item: unknown, index: number) => unknown) => [work(anything(), 0)],
    flatMap: (work: (item: unknown, index: number) => unknown) => [work(anything(), 0)].flat(),
    filter: () => [anything()],
    keys: () => [TEXT],
    values: () => [anything()],
    entries: () => [[TEXT, anything()]],
    join: () => TEXT,
  };
  return new Proxy(() => anything(), {
    get: (_target, name) =>
      Object.hasOwn(members, name) ? members[name] : name === 'then' ? undefined : anything(),
    has: () => true,
  });
}

const isSql = (value: unknown): value is Sql =>
  typeof value === 'object' && value !== null && 'text' in value && 'values' in value;

/** A database that notes what it is asked and answers nothing. */
function noting(texts: string[]): Db {
  const note = async (statement: Sql) => {
    texts.push(statement.text);
    throw new Error('nothing is run here');
  };
  const db: Db = {
    rows: note,
    maybe: note,
    one: note,
    run: note,
    transaction: (work) => work(db),
  };
  return db;
}

async function madeBy(make: (...given: unknown[]) => unknown): Promise<string[]> {
  const texts: string[] = [];
  const given = Array.from({ length: 4 }, anything);
  for (const first of [noting(texts), anything()]) {
    try {
      const made = make(first, ...given);
      if (isSql(made)) texts.push(made.text);
      else await made;
    } catch {
      // Another first argument may do; who makes nothing is listed by the test.
    }
    if (texts.length > 0) return texts;
  }
  return texts;
}

/** What the exports of one module make; those that make nothing are `silent`. */
export async function capture(module: object): Promise<{ made: Captured[]; silent: string[] }> {
  const made: Captured[] = [];
  const silent: string[] = [];
  for (const [maker, value] of Object.entries(module)) {
    const texts = isSql(value) ? [value.text] : typeof value === 'function' ? await madeBy(value) : undefined;
    if (texts?.length === 0) silent.push(maker);
    for (const text of texts ?? []) made.push({ maker, text });
  }
  return { made, silent };
}
