// A language model that is asked what is wrong, over the chat on the server, for the evaluation of its answers. Guards: it is told which
// names a cause can have, the same ones for every incident, and nothing of the incident itself.

import { rules } from '../../alerting/rules/catalog.gen.ts';
import { createApi } from '../../api/server.ts';
import { allConstraints, allRoutes } from '../../app/routes.ts';
import type { LlmConfig } from '../../assistant/providers/types.ts';
import { checks } from '../../insight/checks/catalog.gen.ts';
import type { Clock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { makeUser } from '../access/actors.ts';
import { dataOf, framesOf, textOf } from '../llm/chat-tests.ts';
import { testParts } from '../rooms/parts.ts';
import { wholeServices } from '../rooms/whole.ts';
import type { TestDatabase } from '../servers/database.ts';
import type { Incident } from './incidents.ts';

const CONFIG = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: [],
  webRoot: undefined,
  logRequests: false,
  requestTimeoutMs: 60_000,
  bodyLimitBytes: 1_048_576,
  sharedAccess: 'read_write' as const,
};
const NAMES = [
  ...new Set<string>([
    ...checks.map(({ name }) => name),
    ...rules.map(({ name }) => name),
    ...['lock', 'config_change', 'index_dropped'],
  ]),
].sort();
const QUESTION = `What is wrong with this server now? Look, then say it in a few sentences. End with one to three lines
of the form "cause: name", the likeliest cause first, and with nothing after them. The names are: ${NAMES.join(', ')}.`;
const CAUSE = /^[\s>*`_-]*cause[\s*`_]*:[\s*`_]*([a-z0-9]+(?:_[a-z0-9]+)*)/gim;

/** The model of `npm run eval`, by MATRIARCH_EVAL_PROVIDER and what it needs of _API_KEY, _MODEL and _BASE_URL; undefined without. */
export function modelFrom(environment: Record<string, string | undefined>): LlmConfig | undefined {
  const of = (name: string) => environment[`MATRIARCH_EVAL_${name}`] || undefined;
  const [name, api_key, model, base_url] = [of('PROVIDER'), of('API_KEY'), of('MODEL'), of('BASE_URL')];
  if (name === undefined) return undefined;
  const settings = {
    ...(api_key !== undefined && { api_key: new Secret(api_key) }),
    ...(model !== undefined && { model }),
    ...(base_url !== undefined && { base_url }),
  };
  return { default_provider: name, providers: { [name]: settings } };
}

/** Names of causes in the order in which an answer names them. */
export const causesIn = (answer: string) =>
  [...answer.matchAll(CAUSE)].map(([, name = '']) => name.toLowerCase());

/** Where the cause stands in a list of names, from 1; undefined: it was not named. */
export function placeOf(names: readonly string[], { causes }: Pick<Incident, 'causes'>): number | undefined {
  const right: readonly string[] = causes;
  const at = names.findIndex((name) => right.includes(name));
  return at < 0 ? undefined : at + 1;
}

export interface Asking {
  /** The model's answer about a server. */
  ask(connection_id: number): Promise<string>;
  close(): Promise<void>;
}

export async function startAsking(
  { db, url }: Pick<TestDatabase, 'db' | 'url'>,
  { llm, clock }: { llm: LlmConfig; clock: Clock },
): Promise<Asking> {
  // Users of the store under test have ids of their own choosing.
  await db.run(sql`/* test.users */
    select setval(pg_get_serial_sequence('matriarch.users', 'id'), 1000)`);
  const limits = { tokens_per_day: 0 };
  const parts = testParts({ db, url, clock, log: silentLog });
  const constraints = allConstraints;
  const routes = allRoutes(await wholeServices(parts, { llm: { ...llm, ...limits } }));
  const api = await createApi({ db, routes, constraints, log: silentLog, clock, config: CONFIG });
  const { url: origin } = await api.listen();
  const { session } = await makeUser(db, { is_superuser: true });
  return {
    async ask(id) {
      const response = await fetch(`${origin}/api/v1/chat`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
        body: JSON.stringify({ message: QUESTION, scope: { kind: 'server', id } }),
      });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const frames = await Array.fromAsync(framesOf(response));
      const [failure] = dataOf(frames, 'error');
      if (failure) throw new Error(`The model did not answer: ${String(failure.error)}`);
      if (dataOf(frames, 'run')[0]?.is_model !== true) throw new Error('No model was asked.');
      return textOf(frames);
    },
    async close() {
      await api.stop();
      await parts.close();
    },
  };
}
