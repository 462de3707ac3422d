// Replies that were asked for before the code was there.
import { afterEach, expect, it } from 'vitest';
import { startApi } from '../testing/api.ts';
import { EVERYWHERE } from '../testing/estate.ts';
import { call } from './client.ts';

const USER = '/api/v1/user/info';

afterEach(() => {
  delete window.earlyReplies;
});

const early = (reply: Promise<Response | undefined>) => {
  const stop = new AbortController();
  window.earlyReplies = new Map([[USER, { reply, stop }]]);
  return stop;
};

it('takes an early reply once, and asks by itself from then on', async () => {
  const api = await startApi({ ...EVERYWHERE, getUserInfo: { authenticated: true } });
  early(Promise.resolve(Response.json({ authenticated: false })));
  expect(await call('getUserInfo', {})).toEqual({ authenticated: false });
  expect(api.sent).toEqual([]);
  expect(await call('getUserInfo', {})).toEqual({ authenticated: true });
  expect(api.sent).toHaveLength(1);
});

it('asks by itself where it was not asked for after all', async () => {
  const api = await startApi({ ...EVERYWHERE, getUserInfo: { authenticated: true } });
  early(Promise.resolve(undefined));
  expect(await call('getUserInfo', {})).toEqual({ authenticated: true });
  expect(api.sent).toHaveLength(1);
});

it('tells of an early failure as of any other, and ends it when the page has left', async () => {
  await startApi(EVERYWHERE);
  early(Promise.reject(new TypeError('Failed to fetch')));
  await expect(call('getUserInfo', {})).rejects.toMatchObject({ name: 'ApiError', status: 0 });
  const stop = early(Promise.resolve(Response.json({ authenticated: true })));
  const leave = new AbortController();
  await call('getUserInfo', {}, leave.signal);
  leave.abort();
  expect(stop.signal.aborted).toBe(true);
});

it('leaves all of them once something is written', async () => {
  const api = await startApi({
    ...EVERYWHERE,
    getUserInfo: { authenticated: true },
    logout: { success: true, message: 'Signed out.' },
  });
  const stop = early(Promise.resolve(Response.json({ authenticated: false })));
  await call('logout', {});
  expect(stop.signal.aborted).toBe(true);
  expect(await call('getUserInfo', {})).toEqual({ authenticated: true });
  expect(api.sent).toHaveLength(2);
});
