// Connections: what may be stored, by whom, and what a change means. Guards: a password goes in and never comes out, a
// stored one stays with the destination it was entered for, and saving never contacts the server.

import {
  type Ctx,
  demandConnection,
  findConnectionAccess,
  hasPermission,
  inTransaction,
  isAllowed,
  type Vault,
} from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Static } from '../../kernel/schema.ts';
import { Secret } from '../../kernel/secret.ts';
import { forgetScope } from '../scopes/scopes.service.ts';
import { changedNames, noteConnection, whereItGoes } from './connection-audit.ts';
import { checkAddresses, checkFacts, tagsAfter } from './connection-input.ts';
import { type ConnectionView, viewOf } from './connection-view.ts';
import * as queries from './connections.queries.ts';
import type { ConnectionCreateRequest, ConnectionUpdateRequest } from './connections.schemas.ts';
import { findReading } from './password-source.queries.ts';
import {
  demandOnePassword,
  demandSource,
  demandSourceAfter,
  demandUnchanged,
  type SourceRules,
  sourceAfter,
} from './password-source.ts';
import {
  demandKeyNamed,
  demandPassword,
  NO_PASSWORD,
  type StoredPassword,
  sealPassword,
} from './stored-password.ts';
import { demandFolders } from './tls-folders.ts';

export interface ConnectionsDeps extends SourceRules {
  vault: Vault;
}

type CreateInput = Static<typeof ConnectionCreateRequest>;
type UpdateInput = Static<typeof ConnectionUpdateRequest>;
/** The part of a change that concerns reaching the server. */
export type FactsInput = Pick<UpdateInput, keyof queries.ConnectionFacts>;

const GONE = 'There is no such connection.';

export function listConnections(ctx: Ctx): Promise<queries.ConnectionListRow[]> {
  return queries.listVisible(ctx.db, ctx.principal);
}

export async function demandRow(ctx: Ctx, id: number): Promise<queries.ConnectionRow> {
  const row = await queries.findConnection(ctx.db, id);
  if (!row) throw new Fault('not_found', GONE);
  return row;
}

/** The caller's access has been checked. */
export async function getConnection(ctx: Ctx, id: number): Promise<ConnectionView> {
  const [row, access] = await Promise.all([
    demandRow(ctx, id),
    findConnectionAccess(ctx.db, ctx.principal, id),
  ]);
  const reading = row.password_source === null ? undefined : await findReading(ctx.db, id);
  return viewOf(row, isAllowed(ctx.principal, access, 'manage'), reading);
}

function newFacts(input: CreateInput): queries.ConnectionFacts {
  return {
    host: input.host.trim(),
    hostaddr: input.hostaddr?.trim() ?? null,
    port: input.port,
    database_name: input.database_name,
    username: input.username,
    ssl_mode: input.ssl_mode ?? 'prefer',
    ssl_cert_path: input.ssl_cert_path ?? null,
    ssl_key_path: input.ssl_key_path ?? null,
    ssl_root_cert_path: input.ssl_root_cert_path ?? null,
    node_exporter_url: input.node_exporter_url ?? null,
  };
}

interface TypedPassword {
  id: number;
  facts: queries.ConnectionFacts;
  password: string | null | undefined;
  password_source?: string | null | undefined;
}

/** A password as somebody typed it, ready to be stored; undefined when there is none. */
async function sealed(
  ctx: Ctx,
  vault: Vault,
  { id, facts, password, password_source }: TypedPassword,
): Promise<StoredPassword | undefined> {
  if (password_source) return { ...NO_PASSWORD, password_source };
  if (!password) return undefined;
  const entered_by = ctx.principal.user_id;
  return sealPassword(vault, facts, { id, password: new Secret(password), entered_by });
}

export async function createConnection(
  ctx: Ctx,
  deps: ConnectionsDeps,
  input: CreateInput,
): Promise<ConnectionView> {
  const name = input.name;
  const facts = newFacts(input);
  checkFacts(facts);
  demandFolders(facts, deps.tls_folders);
  demandOnePassword(input);
  await checkAddresses(facts, deps);
  const { password, password_source } = input;
  if (password_source) await demandSource(password_source, facts, deps);
  return inTransaction(ctx, async (tx) => {
    const id = await queries.nextConnectionId(tx.db);
    const row = {
      ...facts,
      id,
      name,
      owner_id: ctx.principal.user_id,
      description: input.description ?? '',
      tags: tagsAfter(input.tags, []),
      is_shared: input.is_shared ?? false,
      is_monitored: input.is_monitored ?? false,
      ...((await sealed(ctx, deps.vault, { id, facts, password, password_source })) ?? NO_PASSWORD),
    };
    await queries.insertConnection(tx.db, row);
    await queries.notifyChanged(tx.db, id);
    await noteConnection(tx, row, { action: 'connection.create', details: whereItGoes(row) });
    return getConnection(tx, id);
  });
}

/** Absent keeps, null or an empty text clears, a value sets. */
function merged(change: string | null | undefined, stored: string | null): string | null {
  return change === undefined ? stored : change?.trim() || null;
}

export function changedFacts(input: FactsInput, row: queries.ConnectionRow): queries.ConnectionFacts {
  return {
    host: input.host?.trim() ?? row.host,
    hostaddr: merged(input.hostaddr, row.hostaddr),
    port: input.port ?? row.port,
    database_name: input.database_name ?? row.database_name,
    username: input.username ?? row.username,
    ssl_mode: input.ssl_mode ?? row.ssl_mode,
    ssl_cert_path: merged(input.ssl_cert_path, row.ssl_cert_path),
    ssl_key_path: merged(input.ssl_key_path, row.ssl_key_path),
    ssl_root_cert_path: merged(input.ssl_root_cert_path, row.ssl_root_cert_path),
    node_exporter_url: merged(input.node_exporter_url, row.node_exporter_url),
  };
}

const FACTS = [
  'host',
  'hostaddr',
  'port',
  'database_name',
  'username',
  'ssl_mode',
  'ssl_cert_path',
  'ssl_key_path',
  'ssl_root_cert_path',
  'node_exporter_url',
] as const satisfies readonly (keyof queries.ConnectionFacts)[];

function demandSharing(ctx: Ctx, row: queries.ConnectionRow, wanted: boolean | undefined): void {
  if (wanted === undefined || wanted === row.is_shared) return;
  if (hasPermission(ctx.principal, 'manage_connections')) return;
  throw new Fault(
    'forbidden',
    'You need the permission manage_connections to share or unshare a connection.',
  );
}

/** Sharing gives everybody a level, the caller too: nobody gives more than they have. */
async function demandOwnShare(
  ctx: Ctx,
  row: queries.ConnectionRow,
  wanted: boolean | undefined,
): Promise<void> {
  if (wanted !== true || row.is_shared) return;
  await demandConnection(ctx, { connection_id: row.id, need: ctx.principal.shared_access ?? 'read_write' });
}

const REACHES = [
  'host',
  'hostaddr',
  'port',
  'username',
  'ssl_mode',
  'ssl_cert_path',
  'ssl_key_path',
  'ssl_root_cert_path',
] as const satisfies readonly (keyof queries.ConnectionFacts)[];

/** The datastore that Matriarch brings is where it is, and its password is the program's own. */
function demandOthers(row: queries.ConnectionRow, facts: queries.ConnectionFacts, input: UpdateInput): void {
  if (!row.is_embedded) return;
  if (!input.password && !input.password_source && REACHES.every((fact) => facts[fact] === row[fact])) return;
  throw new Fault(
    'bad_request',
    "This connection leads to Matriarch's own datastore: its address, role and password are set at each start and cannot be changed here.",
  );
}

/** DNS is asked before the transaction, so that no row stays locked meanwhile; the merge is done again inside. */
export async function updateConnection(
  ctx: Ctx,
  deps: ConnectionsDeps,
  change: { id: number; input: UpdateInput },
): Promise<ConnectionView> {
  const { id, input } = change;
  const touchesAddress =
    input.host !== undefined || input.hostaddr !== undefined || input.node_exporter_url !== undefined;
  const before = await demandRow(ctx, id);
  demandSharing(ctx, before, input.is_shared);
  await demandOwnShare(ctx, before, input.is_shared);
  checkFacts(changedFacts(input, before));
  demandFolders(changedFacts(input, before), deps.tls_folders, before);
  if (touchesAddress) {
    const allow_private_networks = deps.allow_private_networks || before.is_embedded;
    await checkAddresses(changedFacts(input, before), { ...deps, allow_private_networks });
  }
  demandOnePassword(input);
  await demandSourceAfter(before, { input, facts: changedFacts(input, before) }, deps);
  return inTransaction(ctx, async (tx) => {
    const row = await queries.lockConnection(tx.db, id);
    if (!row) throw new Fault('not_found', GONE);
    demandUnchanged(before, row);
    const after = await changed(ctx, deps.vault, { row, input });
    await queries.saveConnection(tx.db, after);
    await queries.notifyChanged(tx.db, id);
    const details = { changed: changedNames(row, after), ...whereItGoes(after) };
    await noteConnection(tx, after, { action: 'connection.change', details });
    return getConnection(tx, id);
  });
}

async function changed(
  ctx: Ctx,
  vault: Vault,
  { row, input }: { row: queries.ConnectionRow; input: UpdateInput },
): Promise<queries.ConnectionRow> {
  const facts = changedFacts(input, row);
  checkFacts(facts);
  demandSharing(ctx, row, input.is_shared);
  demandOthers(row, facts, input);
  demandKeyNamed(row, facts, input);
  if (!input.password && !input.password_source) demandPassword(row, facts);
  const password_source = sourceAfter(row, input);
  const isOther =
    Boolean(input.password) ||
    password_source !== row.password_source ||
    FACTS.some((fact) => facts[fact] !== row[fact]);
  return {
    ...row,
    ...facts,
    name: input.name ?? row.name,
    description: merged(input.description, row.description) ?? '',
    tags: tagsAfter(input.tags, row.tags),
    is_shared: input.is_shared ?? row.is_shared,
    is_monitored: input.is_monitored ?? row.is_monitored,
    ...(password_source === null && { password_source }),
    ...(await sealed(ctx, vault, { id: row.id, facts, password: input.password, password_source })),
    revision: row.revision + (isOther ? 1 : 0),
  };
}

export async function deleteConnection(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const row = await queries.lockConnection(tx.db, id);
    if (!row) throw new Fault('not_found', GONE);
    await queries.markDeleted(tx.db, id);
    await queries.clearSelections(tx.db, id);
    await queries.removeFromScopes(tx.db, id);
    await queries.removeFromGrants(tx.db, id);
    await forgetScope(tx.db, 'server', [id]);
    await queries.notifyChanged(tx.db, id);
    await noteConnection(tx, row, { action: 'connection.delete', details: whereItGoes(row) });
  });
}
