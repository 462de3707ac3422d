// What the access matrix works with: the API with every kind of caller in it, the requests that each of them makes, and what
// the model says to them.
import { expect } from 'vitest';
import { createRefusals, type Refusals } from '../../identity/audit/refusals.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Operation } from '../../kernel/contract.ts';
import { silentLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { type Answer, callApi } from '../api.ts';
import { manualClock } from '../manual-clock.ts';
import { type HostileProvider, startHostileProvider } from '../oidc/hostile-provider.ts';
import { giveIdentity, type McpApiOptions, startMcpApi } from '../oidc/mcp-api.ts';
import type { WholeApi } from '../rooms/whole.ts';
import { type ModelCaller, type Verdict, verdict } from './access-model.ts';
import { emptyScene, type Scene, secretsIn } from './access-scene.ts';
import type { CallerKind, Prepared } from './callers.ts';
import {
  type Aim,
  aimsOf,
  makeSubjects,
  type Request,
  requestOf,
  SIGNING_SECRET,
  type Subjects,
} from './matrix-requests.ts';
import { everyCaller } from './provider-callers.ts';
import { type WriteWatch, watchWrites } from './write-watch.ts';

export interface Matrix {
  test: WholeApi;
  scene: Scene;
  subjects: Subjects;
  refusals: Refusals;
  /** Of the refusals, which count together what repeats within a minute. */
  clock: ReturnType<typeof manualClock>;
  writes: WriteWatch;
  /** One of each kind, for requests that change nothing. */
  byKind: ReadonlyMap<CallerKind, Prepared>;
}

export interface Cell {
  what: string;
  kind: CallerKind;
  aim: Aim;
  prepared: Prepared;
  request: Request;
  expected: Verdict;
}

async function makeSigningChannel(test: WholeApi): Promise<number> {
  const token = test.actors.superuser.session;
  const body = { channel_type: 'pagerduty', name: 'signing', api_key: 'k', signing_secret: SIGNING_SECRET };
  const made = await callApi(test.api, 'POST /api/v1/notification-channels', { token, body });
  return Object(made.body).id;
}

const BASE_URL = 'https://matriarch.test';

/** A token of a provider, for a user who has an account there. */
export const tokensOf =
  ({ db }: Pick<WholeApi, 'db'>, provider: HostileProvider) =>
  async (userId: number): Promise<string> => {
    const [{ issuer: iss }, sub] = [provider, `person ${userId}`];
    await giveIdentity(db, userId, { issuer: iss, subject: sub });
    const exp = Math.floor(systemClock.now() / 1000) + 86_400;
    return provider.sign({ iss, sub, aud: `${BASE_URL}/mcp/v1`, exp });
  };

/** An API where tokens of that provider open MCP. */
export function trusting({ issuer }: HostileProvider): Pick<McpApiOptions, 'base_url' | 'flags'> {
  const own = { issuer, 'client-id': 'matriarch', 'mcp-sign-in': 'true' };
  // The third: requests of the matrix name the first, which is to be unknown.
  const flags = Object.entries(own).flatMap(([name, value]) => [`--auth-oidc-3-${name}`, value]);
  return { base_url: BASE_URL, flags };
}

export async function startMatrix(): Promise<Matrix> {
  const clock = manualClock(systemClock.now());
  const provider = await startHostileProvider();
  const whole = await startMcpApi({
    ...trusting(provider),
    refusals: (db) => createRefusals({ db, clock, log: silentLog }),
  });
  const close = async () => {
    await whole.close();
    await provider.stop();
  };
  const test = { ...whole, close };
  const { refusals } = test;
  const writes = await watchWrites(test.db);
  const scene = emptyScene(test.db);
  scene.providerToken = tokensOf(test, provider);
  const subjects = { ...(await makeSubjects(scene)), signing_channel: await makeSigningChannel(test) };
  const byKind = new Map<CallerKind, Prepared>();
  for (const kind of everyCaller) byKind.set(kind, await kind.prepare(scene));
  return { test, scene, subjects, refusals, clock, writes, byKind };
}

/** What was refused before counts for itself from here on. */
export async function forgetRefusals({ clock, refusals }: Matrix): Promise<void> {
  clock.advance(60_000);
  await refusals.flush();
}

/** How many refusals the audit log has. */
export async function refusedSoFar({ refusals, test }: Matrix): Promise<number> {
  await refusals.flush();
  const { count } = await test.db.one<{ count: number }>(sql`/* test.refused */
    select coalesce(sum(occurrences), 0)::int as count from matriarch.audit_events where outcome = 'refused'`);
  return count;
}

export const preparedBy = ({ byKind }: Matrix, name: string): Prepared =>
  [...byKind].find(([kind]) => kind.name === name)?.[1] ?? expect.fail(name);

interface Chosen {
  kind: CallerKind;
  aim: Aim;
  prepared: Prepared;
  subjects: Subjects;
}

export function cellOf({ scene }: Matrix, operation: Operation, chosen: Chosen): Cell {
  const { kind, aim, prepared, subjects } = chosen;
  const request = requestOf(operation, aim, { prepared, subjects });
  const { caller, cross_site, target } = prepared;
  const expected = verdict(scene.world, { operation, caller, cross_site, target, named: request.named });
  return { what: `${kind.name}: ${request.line}`, kind, aim, prepared, request, expected };
}

/** What these callers ask of an operation, about all that it may be asked about. */
export function cellsOf(matrix: Matrix, operation: Operation, kinds: readonly CallerKind[]): Cell[] {
  const { subjects } = matrix;
  return kinds.flatMap((kind) => {
    const prepared = preparedBy(matrix, kind.name);
    return aimsOf(operation).map((aim) => cellOf(matrix, operation, { kind, aim, prepared, subjects }));
  });
}

export const ask = ({ test }: Matrix, { request }: Cell) => callApi(test.api, request.line, request.options);

/** Four at a time; each works on what is its own, or changes nothing. */
export async function together<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
}

export function expectErrorReply(answer: Answer): void {
  expect(Object.keys(Object(answer.body))).toEqual(['error']);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers.link).toBe('</api/v1/openapi.json>; rel="service-desc"');
  expect(answer.headers['x-request-id']).toBeDefined();
}

/** No name of what the caller cannot see. */
export function expectNothingHidden(scene: Scene, answer: Answer, about: About): void {
  const { caller, what } = about;
  const hidden = secretsIn(scene, answer.text).filter(({ seenBy }) => !caller || !seenBy(caller));
  expect(
    hidden.map(({ name }) => name),
    `${what} shows what is hidden`,
  ).toEqual([]);
}

interface About {
  caller: ModelCaller | undefined;
  what: string;
}
