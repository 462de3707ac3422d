import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Capabilities, SqlProbe } from '../probes/types.ts';
import { KnownCapabilities } from './known-capabilities.ts';
import { isStillOffered, sharedCapabilities, sharedStatement } from './shared-capabilities.ts';

const offered = (more: Partial<Capabilities> = {}): Capabilities => ({
  version_num: 180_000,
  may_read_control: true,
  columns: new Map([
    ['pg_catalog.pg_class', new Set(['oid', 'relname'])],
    ['public.late', new Set(['a'])],
  ]),
  extensions: new Map([['plpgsql', '1.0']]),
  extensionSchemas: new Map([['plpgsql', '"pg_catalog"']]),
  closedSchemas: new Map(),
  roles: new Set(['pg_read_all_stats']),
  functions: new Set(['pg_catalog.pg_ls_waldir()']),
  ...more,
});

describe('sharedCapabilities', () => {
  it('answers one object for what is equal, in whatever order the server told it', () => {
    const first = sharedCapabilities(offered());
    const columns = new Map([...offered().columns].reverse());
    columns.set('pg_catalog.pg_class', new Set(['relname', 'oid']));
    expect(sharedCapabilities(offered({ columns }))).toBe(first);
  });

  it.each<[string, Partial<Capabilities>]>([
    ['version', { version_num: 170_000 }],
    ['right to read control data', { may_read_control: false }],
    ['column', { columns: new Map([['pg_catalog.pg_class', new Set(['oid'])]]) }],
    ['extension', { extensions: new Map([['plpgsql', '1.1']]) }],
    ['schema of an extension', { extensionSchemas: new Map([['plpgsql', '"public"']]) }],
    ['closed schema', { closedSchemas: new Map([['plpgsql', 'pg_catalog']]) }],
    ['role', { roles: new Set() }],
    ['function', { functions: new Set() }],
  ])('tells another %s from it', (_, more) => {
    const first = sharedCapabilities(offered());
    expect(sharedCapabilities(offered(more))).not.toBe(first);
  });

  it('keeps nothing that nobody uses', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const made = () => new WeakRef(sharedCapabilities(offered({ version_num: 150_001 })));
    const first = made();
    await expect
      .poll(() => {
        collect();
        return first.deref() === undefined;
      })
      .toBe(true);
    const again = offered({ version_num: 150_001 });
    expect(sharedCapabilities(again)).toBe(again);
  });
});

describe('sharedStatement', () => {
  it('makes a statement once for what is offered', () => {
    const [probe, other] = [{}, {}] as [SqlProbe, SqlProbe];
    const [one, two] = [offered(), offered()];
    let made = 0;
    const make = () => {
      made += 1;
      return { text: `select ${made}` };
    };
    const texts = [
      sharedStatement(probe, one, make),
      sharedStatement(probe, one, make),
      sharedStatement(other, one, make),
      sharedStatement(probe, two, make),
    ].map(({ text }) => text);
    expect(texts).toEqual(['select 1', 'select 1', 'select 2', 'select 3']);
  });
});

describe('isStillOffered', () => {
  const asked = (more: Partial<Capabilities> = {}) =>
    offered({ columns: new Map(), functions: new Set(), ...more });
  const of = (one: Capabilities, views: string[] = [], functions: string[] = []) =>
    isStillOffered(offered(), { asked: one, views, functions });

  it('compares what was asked for, and nothing else', () => {
    expect(of(asked())).toBe(true);
    expect(of(asked(), ['public.other'])).toBe(true);
    expect(of(asked({ columns: new Map([['public.late', new Set(['a'])]]) }), ['public.late'])).toBe(true);
  });

  it('notices what came and what went', () => {
    expect(of(asked({ columns: new Map([['public.other', new Set(['b'])]]) }), ['public.other'])).toBe(false);
    expect(of(asked(), ['public.late'])).toBe(false);
    expect(of(asked({ extensions: new Map() }))).toBe(false);
    expect(of(asked({ functions: new Set(['pg_catalog.f()']) }), [], ['pg_catalog.f()'])).toBe(false);
    expect(of(asked({ roles: new Set() }))).toBe(false);
  });
});

describe('KnownCapabilities', () => {
  const visited = (capabilitiesAt: number) => ({ database: 'shop', capabilities: offered(), capabilitiesAt });

  it('knows a database for ten minutes, of the same start of the server', () => {
    const known = new KnownCapabilities();
    known.keep(visited(1000), 'a', 1000);
    expect(known.of('shop', { instance: 'a', now: 601_000 })).toMatchObject({ at: 1000 });
    expect(known.of('shop', { instance: 'a', now: 601_001 })).toBeUndefined();
    expect(known.of('shop', { instance: 'b', now: 2000 })).toBeUndefined();
    expect(known.of('other', { instance: 'a', now: 2000 })).toBeUndefined();
  });

  it('forgets what was found to be out of date, what was dropped, and all of it when told', () => {
    const known = new KnownCapabilities();
    known.keep(visited(1000), 'a', 1000);
    known.keep(visited(Number.NEGATIVE_INFINITY), 'a', 2000);
    expect(known.of('shop', { instance: 'a', now: 2000 })).toBeUndefined();
    known.keep(visited(3000), 'a', 3000);
    known.keepOnly(new Set(['other']));
    expect(known.of('shop', { instance: 'a', now: 3000 })).toBeUndefined();
    known.keep(visited(3000), 'a', 3000);
    known.keepOnly(new Set(['shop']));
    expect(known.of('shop', { instance: 'a', now: 3000 })).toMatchObject({ at: 3000 });
    known.forget();
    expect(known.of('shop', { instance: 'a', now: 3000 })).toBeUndefined();
  });
});
