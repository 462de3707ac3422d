// Takes logs that others send: unpacks, reads, counts and stores them. Guards: what a request holds of a
// server is stored in one transaction with its place in the ledger, so that what is sent again is counted once; sizes are bounded before
// memory is taken; who sends more than can be stored is asked to wait, and nothing is dropped silently.
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Ctx } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import { yieldIfBusy } from '../../kernel/scheduler.ts';
import { type LogPiece, type PieceEvents, storeEvents } from '../server-logs/log-writes.service.ts';
import { clocksAhead } from './clocks-ahead.ts';
import { MOST_UNPACKED_BYTES } from './log-intake.contract.ts';
import { findReached, noteBatch, noteReceived, type ReachedRow } from './log-intake.queries.ts';
import { BadOtlp, MOST_RECORDS, type OtlpGroup, type OtlpValue, TooManyRecords } from './otlp.ts';
import { decodeJson } from './otlp-json.ts';
import { lineOf } from './otlp-lines.ts';
import { decodeProto } from './otlp-proto.ts';

export { clocksAhead } from './clocks-ahead.ts';
export { noteBatch, noteReceived } from './log-intake.queries.ts';

export interface IntakeDeps {
  /** Counts lines of a connection. */
  read(db: Db, connection_id: number, piece: LogPiece): Promise<PieceEvents>;
  scrub(text: string): string;
}

export interface Sent {
  readonly body: Uint8Array;
  readonly type: string;
  readonly encoding: string;
}

/** Requests that are worked on at once; whoever comes then is asked to wait. */
const AT_ONCE = 4;
const PIECE_BYTES = 1024 * 1024;
const LONGEST_NAME = 255;
const MOST_REASONS = 5;

const unpack = promisify(gunzip);

async function unpacked({ body, encoding }: Sent): Promise<Uint8Array> {
  const kind = encoding.trim().toLowerCase();
  if (kind === '' || kind === 'identity') return body;
  if (kind !== 'gzip')
    throw new Fault('unsupported_media_type', 'The Content-Encoding must be gzip, or absent.');
  try {
    return await unpack(body, { maxOutputLength: MOST_UNPACKED_BYTES });
  } catch (cause) {
    const isLarge = cause instanceof RangeError;
    if (isLarge) throw new Fault('too_large', 'The request must not be larger than 16 MB when unpacked.');
    throw new Fault('bad_request', 'The request body is not valid gzip.', { cause });
  }
}

export const isProto = ({ type }: Pick<Sent, 'type'>) =>
  type.split(';', 1)[0]?.trim().toLowerCase() === 'application/x-protobuf';

async function decoded(sent: Sent): Promise<OtlpGroup[]> {
  const bytes = await unpacked(sent);
  try {
    return isProto(sent) ? decodeProto(bytes) : decodeJson(bytes);
  } catch (cause) {
    if (cause instanceof TooManyRecords)
      throw new Fault('too_large', `A request must not have more than ${MOST_RECORDS} records.`);
    if (cause instanceof BadOtlp)
      throw new Fault('bad_request', `The body cannot be read as OTLP: ${cause.message}.`, { cause });
    throw cause;
  }
}

/** What names the server of a resource, the surest first. */
const NAMING = ['matriarch.connection', 'k8s.pod.name', 'service.instance.id', 'host.name'] as const;

const nameIn = (value: OtlpValue | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, LONGEST_NAME) : '';
const namesOf = ({ resource }: OtlpGroup) =>
  NAMING.map((key) => nameIn(resource[key])).filter((name) => name !== '');
const idOf = (name: string) => (/^[1-9]\d{0,8}$/.test(name) ? Number(name) : undefined);

/** The only connection that the token is for. */
const onlyOf = ({ scope }: Ctx['principal']): number | undefined =>
  scope?.connections?.length === 1 ? scope.connections[0]?.connection_id : undefined;

type Placed = (group: OtlpGroup) => ReachedRow | string;

const UNNAMED =
  'No resource attribute names a connection. Limit the token to one connection, or set matriarch.connection.';

async function placing({ db, principal }: Ctx, groups: readonly OtlpGroup[]): Promise<Placed> {
  const only = onlyOf(principal);
  const names = [...new Set(groups.flatMap(namesOf))];
  const ids = names.flatMap((name) => idOf(name) ?? []);
  const known = await findReached(db, principal, { ids: only === undefined ? ids : [...ids, only], names });
  const lone = known.find(({ id }) => id === only);
  return (group) => {
    if (lone) return lone;
    const [first = ''] = namesOf(group);
    if (first === '') return UNNAMED;
    const explicit = nameIn(group.resource['matriarch.connection']);
    const named = explicit === '' ? namesOf(group) : [explicit];
    const found = named.flatMap((name) => known.filter((row) => row.name === name));
    const byId = known.find(({ id }) => explicit !== '' && id === idOf(explicit));
    const one = found.length === 1 || explicit === '' ? found[0] : byId;
    return one ?? byId ?? `This token reaches no connection named ${JSON.stringify(named[0])}.`;
  };
}

interface Batch {
  readonly group: OtlpGroup;
  readonly connection: ReachedRow;
}

interface Counted {
  readonly pieces: readonly PieceEvents[];
}

/** Lines in pieces that are counted one after the other, so that others have their turn in between. */
async function counted({ group, connection }: Batch, deps: IntakeDeps, ctx: Ctx): Promise<Counted> {
  const now = ctx.clock.now();
  const ahead_ms = (await clocksAhead(ctx.db, [connection.id])).get(connection.id) ?? 0;
  const pieces: PieceEvents[] = [];
  let lines: string[] = [];
  let size = 0;
  const flush = async () => {
    if (lines.length === 0) return;
    const bytes = Buffer.from(`${lines.join('\n')}\n`, 'utf8');
    const { scrub } = deps;
    const piece = { bytes, prefix: undefined, time_zone: 'UTC', now, ahead_ms, scrub };
    pieces.push(await deps.read(ctx.db, connection.id, piece));
    [lines, size] = [[], 0];
    await yieldIfBusy();
  };
  for (const record of group.records) {
    const line = lineOf(record);
    if (line === '') continue;
    lines.push(line);
    size += line.length;
    if (size >= PIECE_BYTES) await flush();
  }
  await flush();
  return { pieces };
}

const OTHER_WAY =
  'Files of the log of this connection are read already. Drop the schema matriarch_logs on the server to send it by OTLP.';

/** Answers why it was not taken; undefined where it was, now or before. */
async function store(ctx: Ctx, deps: IntakeDeps, batch: Batch): Promise<string | undefined> {
  const at = ctx.clock.now();
  const { group, connection } = batch;
  const { pieces } = await counted(batch, deps, ctx);
  return ctx.db.transaction(async (db) => {
    if ((await noteReceived(db, connection.id, { at, format: 'otlp', reason: pieces.at(-1)?.notice })) === 0)
      return OTHER_WAY;
    if ((await noteBatch(db, connection.id, { hash: group.hash, at })) === 0) return undefined;
    for (const piece of pieces) await storeEvents(db, { connection_id: connection.id }, piece);
    return undefined;
  });
}

export interface Outcome {
  rejected: number;
  readonly reasons: Set<string>;
}

async function take(ctx: Ctx, deps: IntakeDeps, sent: Sent): Promise<Outcome> {
  const groups = await decoded(sent);
  const place = await placing(ctx, groups);
  const outcome: Outcome = { rejected: 0, reasons: new Set() };
  for (const group of groups) {
    const connection = place(group);
    const reason =
      typeof connection === 'string' ? connection : await store(ctx, deps, { group, connection });
    if (reason === undefined) continue;
    outcome.rejected += group.records.length;
    if (outcome.reasons.size < MOST_REASONS) outcome.reasons.add(reason);
  }
  return outcome;
}

const BUSY = 'Too many logs come at once. Send this again in 5 seconds.';

export function createIntake(deps: IntakeDeps) {
  let current = 0;
  return async (ctx: Ctx, sent: Sent): Promise<Outcome> => {
    if (current >= AT_ONCE) throw new Fault('unavailable', BUSY);
    current += 1;
    try {
      return await take(ctx, deps, sent);
    } finally {
      current -= 1;
    }
  };
}
