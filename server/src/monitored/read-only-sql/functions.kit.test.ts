// Every function of the catalogues of PostgreSQL 14 to 19 has its verdict in functions.gen.ts, and none is missing. Written anew by
// `node scripts/functions.mjs`, which runs this file. Everyday those of 18 are asked about one by one; in the proof all are
// judged anew; the verdicts of what 19 alone has stand where no program of it is here (MATRIARCH_TEST_POSTGRES_19).
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAJORS, sharedServer } from '../../testing/servers/postgres.ts';
import { type CataloguedFunction, judgeFunctions } from '../../testing/sql/function-rules.ts';
import { isProof, majorsInFull } from '../../testing/tier.ts';
import { FUNCTIONS } from './functions.gen.ts';
import {
  ALLOWED_REASONS,
  allowsFunction,
  type FunctionReason,
  REASONS,
  whyNotFunction,
} from './functions.ts';

const FILE = path.join(import.meta.dirname, 'functions.gen.ts');
const WIDTH = 158;
const CATALOGUE = `
  select p.proname::text as name, p.provolatile::text as volatility,
    array(select t::regtype::text from unnest(p.proargtypes) t) || p.prorettype::regtype::text as types
  from pg_proc p
  where p.pronamespace = 'pg_catalog'::regnamespace`;

const functions: CataloguedFunction[] = [];

beforeAll(async () => {
  for (const major of majorsInFull()) {
    const { url } = await sharedServer(major);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<CataloguedFunction>(CATALOGUE);
    for (const row of rows) functions.push(row);
    await client.end();
  }
});

function wrapped(names: readonly string[]): string {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < WIDTH) lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(`  ${name}`);
  }
  return lines.join('\n');
}

/** Written where 19 is; empty there. */
function standing(reason: FunctionReason): string[] {
  if (MAJORS.includes(19)) return [];
  const seen = new Set(functions.map(({ name }) => name));
  return FUNCTIONS[reason]
    .trim()
    .split(/\s+/)
    .filter((name) => !seen.has(name));
}

function generated(): string {
  const judged = judgeFunctions(functions);
  const parts = [...judged.keys()]
    .sort()
    .map((reason) => [reason, [...(judged.get(reason) ?? []), ...standing(reason)].sort()] as const)
    .map(([reason, names]) => `  ${reason}: \`\n${wrapped(names)}\`,`);
  return [
    '// Written by `node scripts/functions.mjs` from the catalogues of PostgreSQL 14 to 19: the names of all functions, by why a statement',
    '// that only reads may call them or not (testing/sql/function-rules.ts).',
    'export const FUNCTIONS = {',
    ...parts,
    '} as const;',
    '',
  ].join('\n');
}

describe('the functions of PostgreSQL 14 to 19', () => {
  if (isProof())
    it('are all judged, as the file says', () => {
      const wanted = generated();
      if (process.env.MATRIARCH_WRITE_FUNCTIONS === '1') writeFileSync(FILE, wanted);
      expect(readFileSync(FILE, 'utf8')).toBe(wanted);
    });

  it('are allowed or not one by one, with the reason', () => {
    const names = new Set(functions.map(({ name }) => name));
    expect(names.size).toBeGreaterThan(2500);
    for (const name of names) {
      const why = whyNotFunction(name);
      expect([name, why === undefined]).toEqual([name, allowsFunction(name)]);
      if (why !== undefined) expect(Object.values(REASONS)).toContain(why);
    }
  });

  it('are allowed as a catalogue marks them: none that is volatile but for those that are named', () => {
    const judged = judgeFunctions(functions);
    const allowed = new Set(ALLOWED_REASONS.flatMap((reason) => judged.get(reason) ?? []));
    const volatile = functions.filter(({ name, volatility }) => volatility === 'v' && allowed.has(name));
    const reads = new Set(judged.get('reads'));
    expect(volatile.filter(({ name }) => !reads.has(name))).toEqual([]);
    for (const name of [
      'pg_terminate_backend',
      'set_config',
      'nextval',
      'pg_read_file',
      'lo_creat',
      'query_to_xml',
      'dblink',
    ])
      expect([name, allowed.has(name)]).toEqual([name, false]);
    for (const name of ['lower', 'count', 'now', 'pg_relation_size', 'current_setting', 'jsonb_build_object'])
      expect([name, allowed.has(name)]).toEqual([name, true]);
  });
});
