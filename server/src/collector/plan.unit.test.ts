import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineProbe, type Probe } from '../probes/types.ts';
import { connectDelay, probeDelay } from './back-off.ts';
import { tellsServer } from './hurries.ts';
import { Plan } from './plan.ts';
import { nextTick, pauseUntil, phaseOf } from './ticks.ts';

function probe(name: string, level: 'S' | 'D', intervalSeconds: number): Probe {
  const columns = [{ name: 'a', type: 'integer', kind: 'gauge', description: '' }] as const;
  const common = {
    description: '',
    retentionDays: 7,
    keeps: 'snapshot',
    sql: () => 'select 1 as a',
  } as const;
  return defineProbe({ name, level, intervalSeconds, columns, ...common });
}

const database = (datname: string, may_connect = true, obstacle: string | null = null) => ({
  datname,
  dbid: datname,
  may_connect,
  obstacle,
});

function plan(now = 1000) {
  const slow = { ...probe('slow', 'S', 3600), onIdentity: true } as const;
  const probes = [probe('fast', 'S', 30), slow, probe('each', 'D', 3600)];
  return new Plan({ serverKey: '7', probes, now });
}

const interval = fc.integer({ min: 1, max: 86_400 }).map((seconds) => seconds * 1000);

describe('probes of databases', () => {
  it('meet, so that a database is visited once for all of them', () => {
    const each = [60, 300, 3600].map((seconds) => probe(`each_${seconds}`, 'D', seconds));
    for (let id = 0; id < 50; id += 1) {
      const one = new Plan({ serverKey: String(id), probes: each, now: 0 });
      one.setDatabases([database('a')], 0);
      for (const slot of one.dueIn('a', 0)) one.settle(slot, 'ran', 0);
      const due = new Set<number>();
      for (let now = 0; now <= 3_600_000; now += 1000)
        for (const slot of one.dueIn('a', now)) {
          due.add(Math.round(slot.due));
          one.settle(slot, 'ran', now);
        }
      // The rarer ones come at times of the most frequent one.
      expect(due.size).toBeLessThanOrEqual(61);
    }
  });
});

describe('ticks', () => {
  it('the next one lies ahead, within one interval, on the phase', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e10, noNaN: true }), interval, fc.nat(1e6), (now, ms, id) => {
        const phase = phaseOf(String(id), 'p', ms);
        const next = nextTick(now, ms, phase);
        expect(next).toBeGreaterThan(now);
        expect(next - now).toBeLessThanOrEqual(ms + 1e-3);
        expect((((next - phase) % ms) + ms) % ms).toBeCloseTo(0, 3);
      }),
      { numRuns: 200 },
    );
  });

  it('probes of one server meet on its grid; servers spread out', () => {
    const servers = new Map<number, number>();
    for (let id = 0; id < 1000; id += 1) {
      const offset = phaseOf(String(id), 'a', 30_000) % 10_000;
      expect(phaseOf(String(id), 'b', 300_000) % 10_000).toBe(offset);
      servers.set(offset, (servers.get(offset) ?? 0) + 1);
    }
    // Each second of the grid has its share.
    expect([...servers.keys()].toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, second) => second * 1000),
    );
    for (const share of servers.values()) expect(Math.abs(share - 100)).toBeLessThan(40);
  });

  it('all lie on whole seconds, so that one server is read after the other', () => {
    fc.assert(
      fc.property(fc.nat(1e9), interval, fc.string(), (now, ms, key) => {
        expect(nextTick(now, ms, phaseOf(key, 'p', ms)) % 1000).toBe(0);
      }),
    );
  });

  it('have come when a timer fires that was set for them, even one millisecond early', () => {
    const moment = fc.double({ min: 0, max: 1e10, noNaN: true });
    fc.assert(
      fc.property(moment, fc.double({ min: -1e5, max: 59_000, noNaN: true }), (now, ahead) => {
        const pause = pauseUntil(now + ahead, now);
        expect(now + Math.trunc(pause) - 1).toBeGreaterThanOrEqual(now + ahead - 1e-3);
        expect(pause).toBeLessThan(Math.max(ahead, 18) + 2.001);
      }),
    );
    expect(pauseUntil(Number.POSITIVE_INFINITY, 0)).toBe(60_000);
    expect(pauseUntil(Number.NEGATIVE_INFINITY, 0)).toBe(20);
  });
});

describe('a quiet server', () => {
  it('is asked six times a minute, with all that is due, and each probe as often as declared', () => {
    const own = [10, 10, 30, 60, 300].map((seconds, n) => probe(`own_${n}`, 'S', seconds));
    const busy = { column: 'a', value: 'yes' };
    const sampled: Probe = { ...probe('sampled', 'S', 1), adaptive: { slowestSeconds: 10, busy } };
    for (let id = 0; id < 50; id += 1) {
      const one = new Plan({ serverKey: String(id), probes: [...own, sampled], now: 0 });
      const ticks: number[] = [];
      const last = new Map<string, number>();
      for (let now = 0; now <= 660_000; now = one.nextDue({ own: '', elsewhere: true })) {
        if (now >= 60_000) ticks.push(now);
        for (const slot of one.dueOnServer(now)) {
          const { name, intervalSeconds } = slot.probe;
          const most = name === 'sampled' ? 10 : intervalSeconds;
          expect(now - (last.get(name) ?? now)).toBeLessThanOrEqual(most * 1000);
          last.set(name, now);
          slot.quietRuns = name === 'sampled' ? (slot.quietRuns ?? 0) + 1 : 0;
          one.settle(slot, 'ran', now);
        }
      }
      expect(ticks.length).toBeLessThanOrEqual(61);
    }
  });
});

describe('a plan', () => {
  it('wants everything at once at first, then each probe at its interval', () => {
    const one = plan();
    const due = one.dueOnServer(1000);
    expect(due.map((slot) => slot.probe.name)).toEqual(['fast', 'slow']);
    for (const slot of due) one.settle(slot, 'ran', 1000);
    expect(one.dueOnServer(1000)).toEqual([]);
    expect(one.dueOnServer(31_000).map((slot) => slot.probe.name)).toContain('fast');
  });

  it('reads at a tick of the server where a time is set for it, and never later than it would anyway', () => {
    const one = plan();
    const [fast, slow] = one.dueOnServer(1000);
    if (!fast || !slow) throw new Error('nothing due');
    for (const slot of [fast, slow]) one.settle(slot, 'ran', 1000);
    const usual = fast.due;
    for (const slot of [fast, slow]) one.readBy(slot, 61_000);
    expect(fast.due).toBe(usual);
    expect(slow.due).toBeGreaterThan(51_000);
    expect(slow.due).toBeLessThanOrEqual(61_000);
    expect(Math.abs(slow.due - usual) % 10_000).toBe(0);
  });

  it('knows as new what is read for the first time on a new server, and all of a server that answers in place of another', () => {
    const newServer = new Plan({ serverKey: '7', probes: [probe('fast', 'S', 30)], now: 0, isNew: true });
    const known = plan();
    const areNew = (one: Plan) => one.dueOnServer(5000).map(({ isNew }) => isNew);
    expect([areNew(newServer), areNew(known)]).toEqual([[true], [false, false]]);
    known.restart(5000);
    expect(areNew(known)).toEqual([true, true]);
  });

  it('coalesces ticks that were missed', () => {
    const one = plan();
    const [fast] = one.dueOnServer(1000);
    if (!fast) throw new Error('nothing due');
    one.settle(fast, 'ran', 1000);
    const hourLater = 3_601_000;
    expect(fast.due).toBeLessThanOrEqual(31_000);
    one.settle(fast, 'ran', hourLater);
    expect(fast.due).toBeGreaterThan(hourLater);
  });

  it('asks a failing probe ever less often, alone, and as before once it runs', () => {
    const one = plan();
    const [fast] = one.dueOnServer(1000);
    if (!fast) throw new Error('nothing due');
    const delays = Array.from({ length: 8 }, () => {
      one.settle(fast, 'failed', 1000);
      return (fast.due - 1000) / 1000;
    });
    expect(delays).toEqual([15, 30, 60, 120, 240, 480, 600, 600]);
    expect(one.dueOnServer(1000).map((slot) => slot.probe.name)).toEqual(['slow']);
    one.settle(fast, 'ran', 1000);
    expect(fast.failures).toBe(0);
    expect(fast.due).toBeLessThanOrEqual(31_000);
  });

  it('looks again at what was skipped after ten minutes at most', () => {
    const one = plan();
    const [fast, slow] = one.dueOnServer(1000);
    if (!fast || !slow) throw new Error('nothing due');
    one.settle(fast, 'skipped', 1000);
    one.settle(slow, 'skipped', 1000);
    expect([fast.due, slow.due]).toEqual([31_000, 601_000]);
  });

  it('knows databases that appear, disappear and become reachable', () => {
    const one = plan();
    one.setDatabases([database('b', false), database('a')], 1000);
    expect(one.databasesDue(1000).map(({ datname }) => datname)).toEqual(['a', 'b']);
    for (const name of ['a', 'b'])
      for (const slot of one.dueIn(name, 1000)) one.settle(slot, name === 'a' ? 'ran' : 'skipped', 1000);
    expect(one.databasesDue(2000)).toEqual([]);
    one.setDatabases([database('b', true), database('c')], 2000);
    expect(one.databasesDue(2000).map(({ datname }) => datname)).toEqual(['b', 'c']);
    expect(one.dueIn('a', 1e12)).toEqual([]);
  });

  it('opens no session for what cannot run in a database, but looks again when it is there anyway', () => {
    const probes = [probe('minutely', 'D', 60), probe('each', 'D', 300)];
    const one = new Plan({ serverKey: '7', probes, now: 0 });
    one.setDatabases([database('other')], 0);
    const [minutely, each] = one.dueOnVisit('other', 0);
    if (!minutely || !each) throw new Error('nothing due');
    const skip = (now: number) => {
      one.settle(minutely, 'skipped', now);
      one.bar(minutely, now);
    };
    skip(0);
    one.settle(each, 'ran', 0);
    expect(one.nextDue({ own: 'own', elsewhere: true })).toBe(each.due);
    expect(one.databasesDue(each.due - 1)).toEqual([]);
    expect(one.dueOnVisit('other', each.due).map((slot) => slot.probe.name)).toEqual(['minutely', 'each']);
    one.retest(1000);
    expect(one.databasesDue(1000)).toHaveLength(1);
    skip(1000);
    // The only one that is left there: in ten minutes.
    one.adjust(new Map([['each', { interval_seconds: 300, off: 'why' }]]), 2000);
    one.settle(each, 'off', 2000);
    expect(one.nextDue({ own: 'own', elsewhere: true })).toBe(601_000);
    skip(601_000);
    one.adjust(new Map([['minutely', { interval_seconds: 60, off: 'why' }]]), 602_000);
    expect(one.databasesDue(602_000)).toHaveLength(1);
  });

  it('tries at once what was barred when more is offered in the own database', () => {
    const one = plan();
    const [fast, slow] = one.dueOnServer(1000);
    if (!fast || !slow) throw new Error('nothing due');
    one.settle(fast, 'ran', 1000);
    one.settle(slow, 'skipped', 1000);
    one.bar(slow, 1000);
    one.unbar('own', 5000);
    expect([fast.due > 5000, slow.due]).toEqual([true, 5000]);
  });

  it('says when the next thing is due, with or without other databases', () => {
    const one = plan();
    for (const slot of one.dueOnServer(1000)) one.settle(slot, 'ran', 1000);
    one.setDatabases([database('own'), database('other')], 1500);
    for (const slot of one.dueIn('own', 1500)) one.settle(slot, 'ran', 1500);
    expect(one.nextDue({ own: 'own', elsewhere: true })).toBe(1500);
    expect(one.nextDue({ own: 'own', elsewhere: false })).toBeGreaterThan(1500);
  });

  it('starts anew when somebody edited the connection, and hurries what tells servers apart', () => {
    const one = plan();
    for (const slot of one.dueOnServer(1000)) one.settle(slot, 'failed', 1000);
    one.hurry(tellsServer, 2000);
    expect(one.dueOnServer(2000).map((slot) => [slot.probe.name, slot.failures])).toEqual([['slow', 1]]);
    one.restart(3000);
    expect(one.dueOnServer(3000).map((slot) => slot.failures)).toEqual([0, 0]);
  });
});

describe('back-off', () => {
  it('grows from 1 s to 60 s with jitter, and from 15 s to 10 min for probes', () => {
    expect([1, 2, 3, 7, 50].map((failures) => connectDelay(failures, 1))).toEqual([
      1000, 2000, 4000, 60_000, 60_000,
    ]);
    expect(connectDelay(3, 0)).toBe(2000);
    expect([1, 50].map(probeDelay)).toEqual([15_000, 600_000]);
  });
});
