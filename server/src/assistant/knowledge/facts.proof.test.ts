// Names and facts of the knowledge base are those of PostgreSQL 14 to 19 themselves: parameters, wait events, views and error codes of
// each version, none missing; what is written of 19 stands where no program of it is here (MATRIARCH_TEST_POSTGRES_19). Written anew by
// `node scripts/knowledge.mjs`, which runs this file. That each has an entry is in facts.kit.test.ts.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { kept, look, type Seen } from '../../testing/knowledge/seen.ts';
import { MAJORS } from '../../testing/servers/postgres.ts';
import { factRows } from './entries.ts';
import { runsOf, VERSIONS, type Version } from './versions.ts';

const FOLDER = path.join(import.meta.dirname, 'facts');

const seen = new Map<Version, Seen>();

beforeAll(async () => {
  for (const version of VERSIONS)
    seen.set(version, MAJORS.includes(version) ? await look(version) : kept(version, factRows));
});

const of = (major: Version): Seen => seen.get(major) ?? expect.fail(`PostgreSQL ${major} was not seen`);
const clean = (text: string) => text.replaceAll(/[\t\n\r]/g, ' ');
const table = (head: string[], rows: string[][]) =>
  `${[head, ...rows].map((cells) => cells.map(clean).join('\t')).join('\n')}\n`;
const newest = <T>(find: (one: Seen) => T | undefined): T | undefined =>
  VERSIONS.toReversed()
    .map((major) => find(of(major)))
    .find((found) => found !== undefined);
const inAll = (has: (one: Seen) => boolean) => runsOf(VERSIONS.filter((major) => has(of(major))));
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

/** What the build decides rather than the version. */
const OF_BUILD = new Set([
  'max_stack_depth',
  'debug_assertions',
  'krb_server_keyfile',
  'ssl_library',
  'unix_socket_directories',
]);

function parameters(): string {
  const names = sorted(VERSIONS.flatMap((major) => of(major).settings.map(({ name }) => name)));
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
      ...VERSIONS.map((major) => `default_${major}`),
    ],
    names.map((name) => {
      const one = newest(({ settings }) => settings.find((setting) => setting.name === name));
      const defaults = VERSIONS.map((major) => {
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
  const listed = VERSIONS.flatMap((major) => of(major).waits ?? []).map(
    ({ type, name }) => [type, name] as const,
  );
  const names = new Map([...listed, ...GONE].map((one) => [one.join('/'), one]));
  const rows = sorted(names.keys()).map((key) => {
    const [type = '', name = ''] = names.get(key) ?? [];
    const spelled = new Set<string>();
    const isListed = ({ waits = [] }: Seen) => waits.some((one) => one.type === type && one.name === name);
    const isOlder = GONE.some(([, gone]) => gone === name) || isListed(of(17));
    const versions = VERSIONS.filter((major) => {
      const { waits, program } = of(major);
      if (waits) return isListed(of(major));
      // What came later may still be a word of the program.
      if (!isOlder) return false;
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
  const names = sorted(VERSIONS.flatMap((major) => [...of(major).views.keys()]));
  return table(
    ['name', 'versions', 'columns'],
    names.map((name) => {
      const versions = inAll((one) => one.views.has(name));
      const columns = new Set(VERSIONS.toReversed().flatMap((major) => of(major).views.get(name) ?? []));
      const written = [...columns].map((column) => {
        const has = inAll((one) => one.views.get(name)?.includes(column) === true);
        return has === versions ? column : `${column}:${has}`;
      });
      return [name, versions, written.join(' ')];
    }),
  );
}

function errors(): string {
  const codes = sorted(VERSIONS.flatMap((major) => of(major).errors.map(({ code }) => code)));
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
