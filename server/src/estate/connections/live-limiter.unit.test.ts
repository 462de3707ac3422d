import { describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/errors.ts';
import { LIVE_LIMITS, LiveLimiter, serverKey } from './live-limiter.ts';
import { liveRoom } from './live-room.service.ts';

const asking = (user_id: number, server: string, signal = new AbortController().signal) => ({
  user_id,
  server,
  signal,
});

/** Work that runs until it is ended. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('permits for live questions', () => {
  it('are two for a user and four for a server', () => {
    expect(LIVE_LIMITS).toEqual({ of_user: 2, of_server: 4, wait_ms: 5000 });
  });

  it('the rest waits in order, and goes on as soon as somebody leaves', async () => {
    const permits = new LiveLimiter({ of_user: 2, of_server: 4, wait_ms: 60_000 });
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const jobs = Array.from({ length: 9 }, (_, index) => ({ ...held(), user: Math.floor(index / 2) }));
    const all = jobs.map(({ work, user }, index) =>
      permits.run(asking(user, 'db1'), async () => {
        order.push(String(index));
        running += 1;
        most = Math.max(most, running);
        await work();
        running -= 1;
      }),
    );
    await settled();
    expect(order).toEqual(['0', '1', '2', '3']);
    for (const { end } of jobs) {
      end();
      await settled();
    }
    await Promise.all(all);
    expect(order).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8']);
    expect(most).toBe(4);
  });

  it('who found none in time is sent away, with when to come back, and takes none afterwards', async () => {
    const permits = new LiveLimiter({ of_user: 2, of_server: 4, wait_ms: 10 });
    const jobs = [held(), held()];
    const running = jobs.map(({ work }, index) => permits.run(asking(1, `db${index}`), work));
    const refused = await permits.run(asking(1, 'db9'), async () => 'ran').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(Fault);
    expect(refused).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 5 });
    expect(String(refused)).toMatch(/You already have 2 questions/);
    for (const { end } of jobs) end();
    await Promise.all(running);
    for (let again = 0; again < 5; again += 1)
      expect(await permits.run(asking(1, 'db9'), async () => 'ran')).toBe('ran');
  });

  it('is kept for longer than the work where the work says so', async () => {
    const permits = new LiveLimiter({ of_user: 1, of_server: 1, wait_ms: 10 });
    const left = held();
    await expect(
      permits.run(asking(1, 'db1'), (keep) => {
        keep(left.work());
        return Promise.reject(new Error('time'));
      }),
    ).rejects.toThrow('time');
    await expect(permits.run(asking(1, 'db2'), async () => 'ran')).rejects.toThrow(/already have 1 question/);
    left.end();
    await settled();
    expect(await permits.run(asking(1, 'db2'), async () => 'ran')).toBe('ran');
  });

  it('a full server refuses others, a failed question gives its permit back, and who left waits no longer', async () => {
    const permits = new LiveLimiter({ of_user: 2, of_server: 1, wait_ms: 60_000 });
    const job = held();
    const first = permits.run(asking(1, 'db1'), job.work);
    const gone = new AbortController();
    const left = permits
      .run(asking(2, 'db1', gone.signal), async () => 'ran')
      .catch((error: unknown) => error);
    gone.abort();
    expect(String(await left)).toMatch(/server is already being asked/);
    expect(await permits.run(asking(2, 'db2'), async () => 'ran')).toBe('ran');
    job.end();
    await first;
    await expect(permits.run(asking(3, 'db1'), () => Promise.reject(new Error('lost')))).rejects.toThrow(
      'lost',
    );
    expect(await permits.run(asking(3, 'db1'), async () => 'ran')).toBe('ran');
  });

  it('belong to a server by where it is', () => {
    const at = (host: string, port: number, hostaddr?: string) =>
      serverKey({
        host,
        port,
        hostaddr,
        database: 'x',
        username: 'me',
        password: undefined,
        ssl_mode: 'prefer',
        allow_private_networks: true,
      });
    expect(at('DB1', 5432)).toBe(at('db1', 5432));
    expect(at('db1', 5432)).not.toBe(at('db1', 5433));
    expect(at('a', 5432, '203.0.113.9')).toBe(at('b', 5432, '203.0.113.9'));
  });
});

it('a tenth of the free slots, at least one; not known where a figure is missing', () => {
  const slots = {
    max_connections: '100',
    superuser_reserved_connections: '3',
    reserved_connections: null,
    sessions: 7,
    collected_at: '2026-01-01T00:00:00Z',
  };
  const now = Date.parse(slots.collected_at) + 60_000;
  expect(liveRoom(slots, now)).toBe(9);
  expect(liveRoom({ ...slots, reserved_connections: '50' }, now)).toBe(4);
  expect(liveRoom({ ...slots, sessions: 300 }, now)).toBe(1);
  expect(liveRoom({ ...slots, sessions: null }, now)).toBeUndefined();
  expect(liveRoom({ ...slots, max_connections: null }, now)).toBeUndefined();
  expect(liveRoom(slots, now + 600_000)).toBeUndefined();
});
