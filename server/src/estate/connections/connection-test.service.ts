// Who may try which server with which password. Guards: a stored password is used only for the destination it was
// stored for; for any other it has to be typed in again.

import { type Ctx, demandConnection, recordAudit } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { Secret } from '../../kernel/secret.ts';
import { noteConnection } from './connection-audit.ts';
import { checkFacts } from './connection-input.ts';
import { type TestReport, testTarget } from './connection-test.ts';
import type { ConnectionFacts, ConnectionRow } from './connections.queries.ts';
import { type ConnectionTestRequest, TEST_STEPS } from './connections.schemas.ts';
import { type ConnectionsDeps, changedFacts, demandRow } from './connections.service.ts';
import { goesElsewhere } from './destination.ts';
import { liveLimiter, serverKey } from './live-limiter.ts';
import { readLiveRoom } from './live-room.service.ts';
import { demandOnePassword, demandSource, fetchedPassword, sourceAfter } from './password-source.ts';
import { demandKeyNamed, demandPassword, openPassword } from './stored-password.ts';
import { serverSettings } from './targets.service.ts';
import { demandFolders } from './tls-folders.ts';

type TestInput = Static<typeof ConnectionTestRequest>;

function required<T>(value: T | undefined, member: string): T {
  if (value === undefined) throw new Fault('bad_request', `${member} is missing.`);
  return value;
}

function typedFacts(input: TestInput): ConnectionFacts {
  return {
    host: required(input.host, 'host').trim(),
    hostaddr: input.hostaddr?.trim() ?? null,
    port: required(input.port, 'port'),
    database_name: required(input.database_name, 'database_name'),
    username: required(input.username, 'username'),
    ssl_mode: input.ssl_mode ?? 'prefer',
    ssl_cert_path: input.ssl_cert_path ?? null,
    ssl_key_path: input.ssl_key_path ?? null,
    ssl_root_cert_path: input.ssl_root_cert_path ?? null,
    node_exporter_url: null,
  };
}

async function storedPassword(
  ctx: Ctx,
  { vault }: ConnectionsDeps,
  { row, facts }: { row: ConnectionRow; facts: ConnectionFacts },
): Promise<Secret | undefined> {
  demandPassword(row, facts);
  const password = await openPassword(vault, row);
  if (password)
    await noteConnection(ctx, row, { action: 'secret.use', details: { purpose: 'testing the connection' } });
  return password;
}

async function noteSource(
  ctx: Ctx,
  deps: ConnectionsDeps,
  use: { row: ConnectionRow | undefined; facts: ConnectionFacts; source: string },
): Promise<void> {
  const { row, facts, source } = use;
  await demandSource(source, facts, deps);
  const details = { purpose: 'testing the connection', password_source: source };
  await recordAudit(ctx, {
    action: 'secret.use',
    target: { kind: 'connection', ...(row && { id: row.id, name: row.name }) },
    details,
  });
}

/** The report has been made; a server that was tried is named by where it is. */
async function noteTest(
  ctx: Ctx,
  row: ConnectionRow | undefined,
  { facts, report }: { facts: ConnectionFacts; report: TestReport },
): Promise<void> {
  const { host, port, database_name, username } = facts;
  await recordAudit(ctx, {
    action: 'connection.test',
    outcome: report.success ? 'ok' : 'failed',
    target: { kind: 'connection', ...(row ? { id: row.id, name: row.name } : {}) },
    details: { host, port, database_name, username },
  });
}

/** Tries a new connection, or a stored one with changes, and saves nothing. */
export async function testConnection(ctx: Ctx, deps: ConnectionsDeps, input: TestInput): Promise<TestReport> {
  if (input.id !== undefined) await demandConnection(ctx, { connection_id: input.id, need: 'manage' });
  const row = input.id === undefined ? undefined : await demandRow(ctx, input.id);
  const facts = row ? changedFacts(input, row) : typedFacts(input);
  checkFacts(facts);
  demandFolders(facts, deps.tls_folders, deps.tls_folders?.is_set ? undefined : row);
  if (row) demandKeyNamed(row, facts, input);
  demandOnePassword(input);
  const source = sourceAfter(row, input);
  if (source !== null) await noteSource(ctx, deps, { row, facts, source });
  const typed = input.password ? new Secret(input.password) : undefined;
  const isStored = typed === undefined && source === null;
  const password = isStored && row ? await storedPassword(ctx, deps, { row, facts }) : typed;
  const isEmbedded = row?.is_embedded === true && !goesElsewhere(row, facts);
  const fetched_password =
    source === null ? undefined : fetchedPassword(deps.password_sources, { name: source, facts });
  const settings = {
    ...serverSettings({ ...facts, is_embedded: isEmbedded }, password, deps.allow_private_networks),
    fetched_password,
  };
  const { signal } = ctx;
  // What was read of the stored server says nothing of another one.
  const room = row && !goesElsewhere(row, facts) ? await readLiveRoom(ctx, row.id) : undefined;
  const asking = { user_id: ctx.principal.user_id, server: serverKey(settings), room, signal };
  const report = await liveLimiter.run(asking, async () => {
    // A source may be slow, and takes nothing of the time that the test has.
    await fetched_password?.fetch(undefined).catch(() => undefined);
    return testTarget(settings, TEST_STEPS, { signal, lookup: deps.lookup });
  });
  await noteTest(ctx, row, { facts, report });
  return report;
}
