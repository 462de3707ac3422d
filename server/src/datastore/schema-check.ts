// Whether a datastore has what the migrations make: each table and column of the committed schema, and each index, view, function and
// trigger by its name. Guards: what is there besides is not ours to judge, and no definition is compared, which versions of PostgreSQL
// write in different ways.
import { readFile } from 'node:fs/promises';
import type { Db } from '../kernel/db.ts';
import { schemaDump } from './schema-dump.ts';

const SCHEMA = new URL('../../schema.sql', import.meta.url);

const NAMED =
  /^(?:create (view) (\S+) as$|CREATE (?:UNIQUE )?(INDEX) (\S+) ON (?:ONLY )?(\S+)|CREATE OR REPLACE (FUNCTION|PROCEDURE) ([\w.]+)\(|CREATE (?:CONSTRAINT )?(TRIGGER) (\S+) )/;

/** What a dump makes, one line each, such as "table matriarch.users" and "column matriarch.users.id integer". */
function madeBy(dump: string): Set<string> {
  const made = new Set<string>();
  let table: string | undefined;
  for (const line of dump.split('\n')) {
    const begins = /^create table (\S+) \($/.exec(line)?.[1];
    if (begins !== undefined) made.add(`table ${begins}`);
    table = begins ?? (line.startsWith(')') ? undefined : table);
    const column =
      /^ {2}(?!constraint )(\w+) (.+?)(?: not null)?(?: default .*| generated always .*)?,?$/.exec(line);
    if (table !== undefined && column) made.add(`column ${table}.${column[1]} ${column[2]}`);
    const found = NAMED.exec(line);
    const [kind, name] = (found?.slice(1) ?? []).filter((part) => part !== undefined);
    if (kind !== undefined && name !== undefined) made.add(`${kind.toLowerCase()} ${name}`);
  }
  return made;
}

/** What is missing, each as a sentence; of a table that is missing nothing else. */
export async function schemaLacks(db: Db): Promise<string[]> {
  const wanted = madeBy(await readFile(SCHEMA, 'utf8'));
  const there = madeBy(await schemaDump(db));
  const lacks = [...wanted].filter((line) => !there.has(line));
  const tables = lacks.flatMap((line) => /^table (\S+)$/.exec(line)?.[1] ?? []);
  return lacks
    .filter((line) => !tables.some((table) => line.startsWith(`column ${table}.`)))
    .map((line) => `The ${line} is missing.`);
}
