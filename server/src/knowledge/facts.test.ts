// Names and facts of the knowledge base are those of PostgreSQL 14 to 18 themselves: parameters, wait events, views and error codes of
// each version, none missing. Written anew by `node scripts/knowledge.mjs`, which runs this file.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { findBinaries, platformPackage } from '../datastore/binaries.ts';
import { MAJORS, type Major, sharedServer } from '../testing/servers/postgres.ts';
import { knowledgeEntries } from './entries.ts';
import { runsOf } from './versions.ts';

const FOLDER = path.join(import.meta.dirname, 'facts');

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
interface Seen {
  settings: Setting[];
  /** View → columns. */
  views: Map<string, string[]>;
  /** `type/name`; where the server does not list them itself, what its program holds. */
  waits: { type: string; name: string }[] | undefined;
  program: string;
  errors: { code: string; kind: string; name: string; section: string }[];
}

const seen = new Map<Major, Seen>();

const programOf = (major: Major) =>
  findBinaries({ packageName: major === 18 ? platformPackage() : `pg${major}`, user: null }).postgres;

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

async function look(major: Major): Promise<Seen> {
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
  const file = programOf(major);
  return {
    settings,
    views: new Map(columns.map((one) => [one.name, one.columns])),
    waits,
    program: waits ? '' : readFileSync(file, 'latin1'),
    errors: errorsOf(readFileSync(path.join(file, '../../share/postgresql/errcodes.txt'), 'utf8')),
  };
}

beforeAll(async () => {
  for (const major of MAJORS) seen.set(major, await look(major));
}, 60_000);

const of = (major: Major): Seen => seen.get(major) ?? expect.fail(`PostgreSQL ${major} was not seen`);
const clean = (text: string) => text.replaceAll(/[\t\n\r]/g, ' ');
const table = (head: string[], rows: string[][]) =>
  `${[head, ...rows].map((cells) => cells.map(clean).join('\t')).join('\n')}\n`;
const newest = <T>(find: (one: Seen) => T | undefined): T | undefined =>
  MAJORS.toReversed()
    .map((major) => find(of(major)))
    .find((found) => found !== undefined);
const inAll = (has: (one: Seen) => boolean) => runsOf(MAJORS.filter((major) => has(of(major))));
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** What the build decides rather than the version. */
const OF_BUILD = new Set(['max_stack_depth', 'debug_assertions', 'krb_server_keyfile', 'ssl_library']);

function parameters(): string {
  const names = sorted(MAJORS.flatMap((major) => of(major).settings.map(({ name }) => name)));
  return table(
    [
      'name',
      'type',
      'unit',
      'context',
      'category',
      'min',
      'max',
      'values',
      ...MAJORS.map((major) => `default_${major}`),
    ],
    names.map((name) => {
      const one = newest(({ settings }) => settings.find((setting) => setting.name === name));
      const defaults = MAJORS.map((major) => {
        const found = of(major).settings.find((setting) => setting.name === name);
        if (!found) return '-';
        return found.context === 'internal' || OF_BUILD.has(name) ? '?' : `=${found.boot_val ?? ''}`;
      });
      return [
        ...[name, one?.vartype ?? '', one?.unit ?? '', one?.context ?? '', one?.category ?? ''],
        ...[one?.min_val ?? '', one?.max_val ?? '', one?.enumvals?.join(' ') ?? '', ...defaults],
      ];
    }),
  );
}

/** Names that 17 does not have any more; counted where a program holds them. */
const GONE = [
  ['LWLock', 'OldSnapshotTimeMap'],
  ['Activity', 'PgStatMain'],
  ['IPC', 'HashGrowBatchesAllocate'],
  ['IPC', 'HashGrowBucketsAllocate'],
] as const;

function waitEvents(): string {
  const listed = MAJORS.flatMap((major) => of(major).waits ?? []).map(
    ({ type, name }) => [type, name] as const,
  );
  const names = new Map([...listed, ...GONE].map((one) => [one.join('/'), one]));
  const rows = sorted(names.keys()).map((key) => {
    const [type = '', name = ''] = names.get(key) ?? [];
    const spelled = new Set<string>();
    const versions = MAJORS.filter((major) => {
      const { waits, program } = of(major);
      if (waits) return waits.some((one) => one.type === type && one.name === name);
      // A linker keeps a text that ends another one only once.
      const found =
        new RegExp(`\\0(${name})\\0`, 'i').exec(program)?.[1] ??
        new RegExp(`[A-Za-z\\d_ ](${name})\\0`).exec(program)?.[1];
      if (found !== undefined && found !== name) spelled.add(found);
      return found !== undefined;
    });
    return [type, name, runsOf(versions), [...spelled].join(' ')];
  });
  return table(['class', 'name', 'versions', 'spelled_before_17'], rows);
}

function views(): string {
  const names = sorted(MAJORS.flatMap((major) => [...of(major).views.keys()]));
  return table(
    ['name', 'versions', 'columns'],
    names.map((name) => {
      const versions = inAll((one) => one.views.has(name));
      const columns = new Set(MAJORS.toReversed().flatMap((major) => of(major).views.get(name) ?? []));
      const written = [...columns].map((column) => {
        const has = inAll((one) => one.views.get(name)?.includes(column) === true);
        return has === versions ? column : `${column}:${has}`;
      });
      return [name, versions, written.join(' ')];
    }),
  );
}

function errors(): string {
  const codes = sorted(MAJORS.flatMap((major) => of(major).errors.map(({ code }) => code)));
  return table(
    ['code', 'name', 'kind', 'section', 'versions'],
    codes.map((code) => {
      const one = newest(({ errors: all }) => all.find((error) => error.code === code));
      const versions = inAll(({ errors: all }) => all.some((error) => error.code === code));
      return [code, one?.name ?? '', one?.kind ?? '', one?.section ?? '', versions];
    }),
  );
}

describe('the facts', () => {
  it.each([
    ['parameters', parameters],
    ['wait-events', waitEvents],
    ['views', views],
    ['errors', errors],
  ] as const)('of %s are those of the servers', (name, made) => {
    const file = path.join(FOLDER, `${name}.tsv`);
    const wanted = made();
    if (process.env.MATRIARCH_WRITE_KNOWLEDGE === '1') writeFileSync(file, wanted);
    expect(readFileSync(file, 'utf8')).toBe(wanted);
  });
});

describe.each(MAJORS)('everything of PostgreSQL %s has its entry', (major) => {
  const names = (kind: string) =>
    new Set(
      knowledgeEntries()
        .filter((entry) => entry.kind === kind && entry.versions.includes(major))
        .map(({ name }) => name),
    );
  const missing = (kind: string, wanted: Iterable<string>) => {
    const known = names(kind);
    return [...wanted].filter((name) => !known.has(name));
  };

  it('parameters', () => {
    const wanted = of(major).settings.map(({ name }) => name);
    expect(wanted.length).toBeGreaterThan(330);
    expect(missing('parameter', wanted)).toEqual([]);
  });

  it('views', () => {
    const wanted = [...of(major).views.keys()];
    expect(wanted.length).toBeGreaterThan(60);
    expect(missing('view', wanted)).toEqual([]);
  });

  it('error codes and their classes', () => {
    const wanted = of(major).errors.map(({ code }) => code);
    expect(wanted.length).toBeGreaterThan(230);
    expect(missing('error code', wanted)).toEqual([]);
    expect(missing('error class', new Set(wanted.map((code) => code.slice(0, 2))))).toEqual([]);
  });

  it('wait events', () => {
    const { waits } = of(major);
    // Until 16 the server lists none: its program holds them.
    if (waits)
      expect(
        missing(
          'wait event',
          waits.map(({ name }) => name),
        ),
      ).toEqual([]);
    expect(names('wait event').size).toBeGreaterThan(200);
  });
});

describe('what the texts explain', () => {
  it('is all views of statistics, all classes of wait events and of errors, and what is met most', () => {
    const explained = (kind: string) =>
      new Set(
        knowledgeEntries()
          .filter((entry) => entry.kind === kind && entry.text !== undefined)
          .map(({ name }) => name),
      );
    const all = (kind: string) => knowledgeEntries().filter((entry) => entry.kind === kind);
    const statistics = all('view').filter(({ name }) => /^pg_stat(?:io)?_/.test(name));
    expect(statistics.filter(({ text }) => text === undefined).map(({ name }) => name)).toEqual([]);
    for (const kind of ['wait event class', 'error class'])
      expect(
        all(kind)
          .filter(({ text }) => text === undefined)
          .map(({ name }) => name),
      ).toEqual([]);
    expect(explained('parameter').size).toBeGreaterThan(150);
    expect(explained('wait event').size).toBeGreaterThan(130);
    expect(explained('error code').size).toBeGreaterThan(100);
  });
});
