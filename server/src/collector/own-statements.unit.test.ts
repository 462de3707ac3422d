import { describe, expect, it } from 'vitest';
import type { SettingReading } from '../probes/requirements/reading.queries.ts';
import {
  type CountedBy,
  heldBack,
  maySayUncounted,
  OwnStatements,
  willBeUncounted,
} from './own-statements.ts';

const setting = (value: string): SettingReading => ({ value, source: 'default', is_pending: false });
const server = (over: Partial<CountedBy> = {}, track = 'top', max = '5000'): CountedBy => ({
  is_superuser: false,
  is_set_uncounted: false,
  settings: new Map([
    ['pg_stat_statements.track', setting(track)],
    ['pg_stat_statements.max', setting(max)],
  ]),
  ...over,
});

function visited(own: OwnStatements, database: string, texts: number): void {
  for (let n = 0; n < texts; n += 1) own.ran(database, `text ${n}`);
  own.visited(database);
}

describe('our entries of pg_stat_statements', () => {
  it('stay within a twentieth of all, whatever a visit turns out to take', () => {
    const own = new OwnStatements();
    own.judge(server());
    let databases = 0;
    while (own.mayVisit(`d${databases}`) && databases < 1000) {
      visited(own, `d${databases}`, 18);
      databases += 1;
    }
    expect(databases).toBe(10);
    expect(own.report).toEqual({ statement_entries: 220, statement_entries_limit: 250 });
    // What was visited once has its entries already, and is visited again.
    expect(own.mayVisit('d3')).toBe(true);
    own.keepOnly(new Set(['d1', 'd2']));
    expect(own.mayVisit('d3')).toBe(true);
  });

  it('are none where nothing is counted, and everything may be visited', () => {
    for (const uncounted of [server({}, 'none'), server({ settings: new Map() })]) {
      const own = new OwnStatements();
      own.judge(uncounted);
      visited(own, 'postgres', 5000);
      expect(own.mayVisit('another')).toBe(true);
    }
    const own = new OwnStatements();
    own.judge(server({}, 'none'));
    expect(own.report).toEqual({ statement_entries: 0, statement_entries_limit: 250 });
    own.judge(server({ settings: new Map() }));
    expect(own.report).toEqual({ statement_entries: null, statement_entries_limit: null });
  });

  it('can be had none of by a superuser, and by a role that is set so', () => {
    const direct = { way: 'direct' } as const;
    expect(maySayUncounted({ client: direct, server: server({ is_superuser: true }) })).toBe(true);
    expect(maySayUncounted({ client: { way: 'pooled' }, server: server({ is_superuser: true }) })).toBe(
      false,
    );
    expect(maySayUncounted({ client: direct, server: server() })).toBe(false);
    expect(maySayUncounted({ client: direct, server: server({ is_superuser: true }, 'none') })).toBe(false);
    expect(willBeUncounted(server({ is_set_uncounted: true }))).toBe(true);
    expect(willBeUncounted(server({ is_set_uncounted: true }, 'none'))).toBe(false);
    expect(willBeUncounted(server({ is_superuser: true }))).toBe(false);
    expect(heldBack('odd "role"').mend).toBe(
      `alter role "odd ""role""" set pg_stat_statements.track = 'none';`,
    );
  });
});
