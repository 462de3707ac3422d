// For tests of what the API says of a server's past: the API, servers of the same owner, and a time from which on the test
// writes samples of them. Guards: that time is a whole hour some hours ago, so that all of it is over.
import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../kernel/clock.ts';
import { HOUR_MS } from '../kernel/units.ts';
import { makeConnection } from './access/actors.ts';
import { startTestApi, type TestApi } from './api.ts';
import type { TestRoom } from './rooms/parts.ts';

export const iso = (at: number): string => new Date(at).toISOString();
export const between = (from: number, to: number) => `start_time=${iso(from)}&end_time=${iso(to)}`;

export const figureIn = <F extends { metric: string }>(figures: readonly F[], name: string): F | undefined =>
  figures.find(({ metric }) => metric === name);

/** Starts the API with these rooms before the tests of a file and closes it behind them. */
export function historyApi(rooms: readonly TestRoom[]) {
  let started: TestApi | undefined;
  beforeAll(async () => {
    started = await startTestApi({ rooms });
  });
  afterAll(() => started?.close());
  const api = (): TestApi => {
    if (!started) throw new Error('The API is there as soon as tests run.');
    return started;
  };
  let made = 0;
  return {
    api,
    /** On a whole hour, three to four hours ago. */
    T: Math.floor(systemClock.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS,
    /** Another server of the owner's. */
    connection() {
      made += 1;
      const { db, actors } = api();
      return makeConnection(db, { owner_id: actors.owner.user_id, name: `server ${made}` });
    },
    /** Asks as the owner, with all statements forgotten that were sent before. */
    asked(path: string) {
      const { statements, call, actors } = api();
      statements.reset();
      return call(`GET /api/v1/connections/${path}`, { token: actors.owner.session });
    },
  };
}
