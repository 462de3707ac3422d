// The estate at a glance, from stored samples only. Guards: what the caller may see and do is asked anew for each
// request, and only then is anything taken that was read before; a reply is as old as it says.

import { type Ctx, hasPermission, isAllowed, type Principal } from '../../identity/identity.ts';
import { FingerprintCache } from '../../kernel/fingerprint-cache.ts';
import type { JsonText } from '../../kernel/json-text.ts';
import { lasting } from '../../kernel/leaving.ts';
import type { Static } from '../../kernel/schema.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { isCurrent } from '../../store/layout/intervals.ts';
import type { EstateResponse, EstateServer } from './estate.contract.ts';
import * as queries from './estate.queries.ts';
import { type ServerStatus, type StatusFacts, serverStatus } from './status.ts';

export type { ServerStatus };

type Server = Static<typeof EstateServer>;

const CONNECTIVITY_SECONDS = probes.find(({ name }) => name === 'pg_connectivity')?.intervalSeconds ?? 30;

export type StateFacts = Omit<StatusFacts, 'interval_seconds' | 'now'> & {
  /** How often its connectivity is sampled; null: as the probe is built. */
  interval_seconds: number | null;
};

/** The status of a server, wherever servers are shown. */
export function statusOf(facts: StateFacts, now: number): ServerStatus {
  const { is_monitored, created_at, last_sample_at } = facts;
  const interval_seconds = facts.interval_seconds ?? CONNECTIVITY_SECONDS;
  return serverStatus({ is_monitored, created_at, last_sample_at, interval_seconds, now });
}

/** A sum beyond 2^53 would come as text; that many bytes nobody has. */
function sizeOf(size: number | string | null): number | null {
  return size === null ? null : Number(size);
}

function roleOf(is_in_recovery: boolean | null): Server['role'] {
  if (is_in_recovery === null) return null;
  return is_in_recovery ? 'standby' : 'primary';
}

/** How long the newest answer took, while that is of now. */
function responseTime(
  { is_monitored, answered_at, interval_seconds, ...row }: queries.EstateRow,
  now: number,
) {
  if (!is_monitored || answered_at === null) return null;
  const isNew = isCurrent(Date.parse(answered_at), now, interval_seconds ?? CONNECTIVITY_SECONDS);
  return isNew ? row.response_time_ms : null;
}

function serverOf(row: queries.EstateRow, may_manage: boolean, now: number): Server {
  const { connection_id, name, description, tags, host, port, is_monitored, is_shared, owner_username } = row;
  const { last_sample_at, database_count, problem_count, failing_since } = row;
  const isFailing = is_monitored && row.connection_error !== null;
  return {
    connection_id,
    name,
    description,
    ...(tags.length > 0 && { tags: [...tags] }),
    host,
    port,
    is_monitored,
    is_shared,
    owner_username,
    created_at: row.created_at,
    may_manage,
    status: statusOf(row, now),
    connection_error: is_monitored ? row.connection_error : null,
    ...(isFailing && failing_since !== null && { failing_since }),
    version: row.server_version,
    role: roleOf(row.is_in_recovery),
    last_sample_at,
    response_time_ms: isFailing ? null : responseTime(row, now),
    database_count,
    size_bytes: sizeOf(row.size_bytes),
    problem_count,
  };
}

interface Reading {
  rows: queries.EstateRow[];
  samples: ReadonlyMap<number, queries.ServerSamples>;
  /** Of the servers as they were listed. */
  fingerprint: string;
  /** When the samples were read, in milliseconds since the epoch. */
  at: number;
}

/** Of a server from which nothing was collected yet. */
const NO_SAMPLES: queries.ServerSamples = {
  server_version: null,
  is_in_recovery: null,
  last_sample_at: null,
  response_time_ms: null,
  answered_at: null,
  database_count: null,
  size_bytes: null,
  problem_count: 0,
};

async function readEstate({ db, clock }: Ctx, fingerprint: string): Promise<Reading> {
  const at = clock.now();
  const rows = await queries.listSampledServers(db);
  return { rows, samples: new Map(rows.map((row) => [row.connection_id, row])), fingerprint, at };
}

export const numbersIn = (array: string) => (array === '{}' ? [] : array.slice(1, -1).split(',').map(Number));
const levelIn = (level: number | undefined): 0 | 1 | 2 => (level === 2 ? 2 : level === 1 ? 1 : 0);

/** What `principal` sees of it. */
function estateFor(
  principal: Principal,
  visibility: Pick<queries.Visibility, 'ids' | 'levels' | 'own'>,
  { listed, samples, at }: Pick<Reading, 'samples' | 'at'> & { listed: readonly queries.ListedServer[] },
): Static<typeof EstateResponse> {
  const levels = numbersIn(visibility.levels);
  const level = new Map(numbersIn(visibility.ids).map((id, index) => [id, levelIn(levels[index])]));
  const own = new Set(numbersIn(visibility.own));
  return {
    generated_at: new Date(at).toISOString(),
    servers: listed.flatMap((server) => {
      const access = {
        found: true,
        owned: own.has(server.connection_id),
        level: level.get(server.connection_id) ?? 0,
      };
      if (access.level === 0) return [];
      const row = Object.assign({}, samples.get(server.connection_id) ?? NO_SAMPLES, server);
      return [serverOf(row, isAllowed(principal, access, 'manage'), at)];
    }),
  };
}

/** As it is now. */
export async function getEstate(ctx: Ctx): Promise<Static<typeof EstateResponse>> {
  const visibility = await queries.findVisibility(ctx.db, ctx.principal);
  const reading = await readEstate(ctx, visibility.fingerprint);
  return estateFor(ctx.principal, visibility, { ...reading, listed: reading.rows });
}

/**
 * The same as JSON text, from what was read within the last two seconds. What is kept knows no caller (decision 014). What
 * people change shows at once. The samples, which are most of the work, are read anew only when there are other servers or
 * one of them can be read again, or no longer.
 */
export function createEstate(): (ctx: Ctx) => Promise<JsonText> {
  const readings = new FingerprintCache<Reading>();
  const lists = new FingerprintCache<readonly queries.ListedServer[]>();
  return async (ctx) => {
    const { principal } = ctx;
    const { fingerprint, ids, levels, own, every, errors } = await queries.findVisibility(ctx.db, principal);
    const visibility = { ids, levels, own };
    const now = ctx.clock.monotonic();
    const manages = hasPermission(principal, 'manage_connections');
    const reading = await readings.of({
      ...{ fingerprint: `${every} ${errors}`, now },
      read: () => readEstate({ ...ctx, db: lasting(ctx.db) }, fingerprint),
    });
    const { samples, at } = reading.value;
    const draw = (listed: readonly queries.ListedServer[]) =>
      JSON.stringify(estateFor(principal, visibility, { listed, samples, at }));
    const key = JSON.stringify([at, manages, visibility]);
    if (reading.value.fingerprint === fingerprint) return reading.text(key, ({ rows }) => draw(rows));
    return (await lists.of({ fingerprint, now, read: () => queries.listServers(lasting(ctx.db)) })).text(
      key,
      draw,
    );
  };
}
