import { describe, expect, it } from 'vitest';
import { TargetError } from '../monitored/connect.ts';
import { type Capabilities, defineProbe } from '../probes/types.ts';
import { judge, obstacle } from './outcomes.ts';
import type { Answer } from './pipeline.ts';

const COMMON = {
  name: 'p',
  description: '',
  level: 'S',
  intervalSeconds: 60,
  retentionDays: 7,
  keeps: 'snapshot',
  columns: [{ name: 'a', type: 'text', kind: 'label', description: '' }],
  sql: () => 'select 1',
} as const;
const NOTHING: Capabilities = {
  version_num: 140_000,
  may_read_control: false,
  columns: new Map(),
  extensions: new Map(),
  extensionSchemas: new Map(),
  closedSchemas: new Map(),
  functions: new Set(),
  roles: new Set(),
};
const where = { database: 'shop', username: 'watcher' };
const probe = (over: Partial<Parameters<typeof defineProbe>[0]> = {}) => defineProbe({ ...COMMON, ...over });

describe('what stands in the way of a probe', () => {
  it.each([
    [{ version_num: 160_000 }, {}, 'not_applicable', null],
    [{ extension: 'x' }, {}, 'missing_extension', 'create extension x;'],
    [{ relation: '@spock.log' }, {}, 'not_applicable', null],
    [
      { relation: '@spock.log' },
      { extensions: new Map([['spock', '5.0.1']]) },
      'missing_grant',
      'grant usage on schema spock to watcher;',
    ],
  ])('%j', (requires, over, ...[cause, mend]) => {
    const one = probe({ requires, grants: ['usage on schema spock'] });
    expect(obstacle(one, { ...NOTHING, ...over }, where)).toMatchObject({ kind: 'skipped', cause, mend });
  });

  it('is nothing when nothing is needed', () => {
    expect(obstacle(probe(), NOTHING, where)).toBeUndefined();
  });
});

describe('what became of a run', () => {
  const answered = (...values: (string | null)[]): Answer => ({
    kind: 'answered',
    rows: values.map((a) => ({ a })),
    took_ms: 1,
    server_ms: 1,
    elapsed_ms: 1,
  });
  const refused = (code: string): Answer => {
    const error = new TargetError({ step: 'permission', message: 'No.', code });
    return { kind: 'refused', error, took_ms: 1, server_ms: 1, elapsed_ms: 1, broke: false };
  };
  const judged = async (one: ReturnType<typeof probe>, answer: Answer, roles: string[] = []) =>
    (await judge(one, answer, { attempted_at: 0, ...where, roles: new Set(roles) })).outcome;

  it('a refusal for lack of rights names the grant', async () => {
    expect(await judged(probe(), refused('42501'))).toMatchObject({
      kind: 'skipped',
      cause: 'missing_grant',
      mend: 'grant pg_monitor to watcher;',
    });
    expect(await judged(probe(), refused('57014'))).toMatchObject({ kind: 'failed' });
  });

  it('a prepared statement that a pooler lost is no failure of the probe, which stays due', async () => {
    expect(await judged(probe(), refused('26000'))).toBeUndefined();
    expect(await judged(probe(), refused('42P05'))).toBeUndefined();
  });

  it('rows with hidden values are marked, with what shows them', async () => {
    const hidden = { without: 'pg_read_all_stats', column: 'a' } as const;
    const mask = { kind: 'ran', cause: 'masked', mend: 'grant pg_read_all_stats to watcher;' };
    expect(await judged(probe({ hidden }), answered('x', '<insufficient privilege>'))).toMatchObject(mask);
    expect(await judged(probe({ hidden }), answered('x', null))).toMatchObject(mask);
    expect(await judged(probe({ hidden: { without: 'pg_read_all_stats' } }), answered())).toMatchObject(mask);
    expect(await judged(probe({ hidden }), answered('x'))).not.toHaveProperty('cause');
    expect(await judged(probe({ hidden }), answered(null), ['pg_read_all_stats'])).not.toHaveProperty(
      'cause',
    );
    expect(await judged(probe(), answered(null))).not.toHaveProperty('cause');
  });

  it('says both when rows were cut off too', async () => {
    const one = probe({ hidden: { without: 'pg_read_all_stats' }, caps: { maxRows: 1 } });
    expect(await judged(one, answered('x', 'y'))).toMatchObject({
      is_cut: true,
      note: expect.stringMatching(/^There are more than 1 rows.*\n.*hidden from the role watcher/),
    });
  });
});
