// What a PostgreSQL server says of its parameters, views, wait events and error codes, for the proof of the knowledge base.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { type Version, versionsOf } from '../../assistant/knowledge/versions.ts';
import { binariesOf, type Major, sharedServer } from '../servers/postgres.ts';

interface Setting {
  name: string;
  vartype: string;
  unit: string | null;
  context: string;
  category: string;
  min_val: string | null;
  max_val: string | null;
  enumvals: string[] | null;
  boot_val: string | null;
}
export interface Seen {
  settings: Setting[];
  /** View → columns. */
  views: Map<string, string[]>;
  /** `type/name`; where the server does not list them itself, what its program holds. */
  waits: { type: string; name: string }[] | undefined;
  program: string;
  errors: { code: string; kind: string; name: string; section: string }[];
}

/** Beside the programs as npm brings them, or as Debian lays them. */
function errorCodesOf(program: string, major: Major): string {
  const own = path.join(program, '../../share/postgresql/errcodes.txt');
  return existsSync(own) ? own : path.join(program, `../../../../../share/postgresql/${major}/errcodes.txt`);
}

/** Lines such as `42P01    E    ERRCODE_UNDEFINED_TABLE    undefined_table` under `Section: …`. */
function errorsOf(text: string): Seen['errors'] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    section = /^Section: (?:Class \w+ - )?(.*)$/.exec(line)?.[1] ?? section;
    const [, code, kind, macro, name] = /^(\w{5})\s+([EWS])\s+(\w+)(?:\s+(\w+))?/.exec(line) ?? [];
    if (code === undefined || kind === undefined || macro === undefined) return [];
    return [{ code, kind, section, name: name ?? macro.replace(/^ERRCODE_/, '').toLowerCase() }];
  });
}

export async function look(major: Major): Promise<Seen> {
  const { url } = await sharedServer(major);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const rows = async <T extends object>(text: string) => (await client.query<T>(text)).rows;
  const settings = await rows<Setting>(`
    select name, vartype, unit, context, category, min_val, max_val, enumvals, boot_val
    from pg_settings where name not like '%.%' order by name`);
  const columns = await rows<{ name: string; columns: string[] }>(`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
    where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'v' group by 1 order by 1`);
  const waits =
    major < 17
      ? undefined
      : await rows<{ type: string; name: string }>(
          `select type, name from pg_wait_events where type <> 'Extension' or name = 'Extension' order by 1, 2`,
        );
  await client.end();
  const file = binariesOf(major).postgres;
  return {
    settings,
    views: new Map(columns.map((one) => [one.name, one.columns])),
    waits,
    program: waits ? '' : readFileSync(file, 'latin1'),
    errors: errorsOf(readFileSync(errorCodesOf(file, major), 'utf8')),
  };
}

/** What the files of facts say of a version whose programs are not here: they were written where those are. */
export function kept(version: Version, rowsOf: (file: string) => Record<string, string>[]): Seen {
  const has = (versions: string | undefined) => versionsOf(versions ?? '').includes(version);
  const some = (text: string | undefined) => (text === undefined || text === '' ? null : text);
  return {
    settings: rowsOf('parameters').flatMap((row) => {
      const value = row[`default_${version}`] ?? '-';
      const { name = '', type = '', context = '', category = '', values = '' } = row;
      if (value === '-') return [];
      return {
        ...{ name, vartype: type, unit: some(row.unit), context, category },
        ...{ min_val: some(row.min), max_val: some(row.max) },
        ...{ enumvals: values === '' ? null : values.split(' '), boot_val: value.replace(/^=/, '') },
      };
    }),
    views: new Map(
      rowsOf('views')
        .filter((row) => has(row.versions))
        .map(({ name = '', columns = '' }) => [
          name,
          columns.split(' ').flatMap((written) => {
            const [column = '', versions] = written.split(':');
            return versions === undefined || has(versions) ? [column] : [];
          }),
        ]),
    ),
    waits: rowsOf('wait-events')
      .filter((row) => has(row.versions))
      .map((row) => ({ type: row.class ?? '', name: row.name ?? '' })),
    program: '',
    errors: rowsOf('errors')
      .filter((row) => has(row.versions))
      .map(({ code = '', kind = '', name = '', section = '' }) => ({ code, kind, name, section })),
  };
}
