// Stored connections as something that can be connected to, with their passwords opened. Guards: a secret that does
// not open, or was entered for another destination, spoils its own connection only, and is never taken for a missing
// password.

import type { PasswordSources, Vault } from '../../identity/identity.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { TargetSettings } from '../../monitored/connect.ts';
import { type ConnectionFacts, type ConnectionRow, findConnections } from './connections.queries.ts';
import { fetchedPassword, SourceNotes } from './password-source.ts';
import { openPassword } from './stored-password.ts';
import { forbiddenFile, type TlsFolders } from './tls-folders.ts';

/** Where a server is and how to sign in; whoever connects adds names, timeouts and caps. */
export type ServerSettings = Omit<
  TargetSettings,
  | 'application_name'
  | 'connect_timeout_ms'
  | 'statement_timeout_ms'
  | 'pipeline'
  | 'session'
  | 'max_socket_bytes'
>;

export interface Target {
  connection_id: number;
  name: string;
  revision: number;
  is_embedded: boolean;
  node_exporter_url: string | null;
  /** Undefined when the password or a file of TLS cannot be used; `problem` then says so. */
  settings: ServerSettings | undefined;
  problem: string | undefined;
}

const given = (text: string | null) => text ?? undefined;

/** The embedded datastore is on loopback by our own doing, whatever the rule for others. */
export function serverSettings(
  facts: ConnectionFacts & { is_embedded?: boolean },
  password: Secret | undefined,
  allowPrivateNetworks: boolean,
): ServerSettings {
  return {
    host: facts.host,
    hostaddr: given(facts.hostaddr),
    port: facts.port,
    database: facts.database_name,
    username: facts.username,
    password,
    ssl_mode: facts.ssl_mode,
    ssl_cert_path: given(facts.ssl_cert_path),
    ssl_key_path: given(facts.ssl_key_path),
    ssl_root_cert_path: given(facts.ssl_root_cert_path),
    allow_private_networks: allowPrivateNetworks || facts.is_embedded === true,
  };
}

export interface TargetOptions {
  ids: readonly number[];
  allow_private_networks: boolean;
  tls_folders?: TlsFolders | undefined;
  password_sources?: PasswordSources | undefined;
}

const notes = new SourceNotes();

/** Undefined where the password is a stored one, or none is needed. */
function fetchedFor(db: Db, row: ConnectionRow, sources: PasswordSources | undefined) {
  const { id: connection_id, password_source } = row;
  if (password_source === null) return undefined;
  const note = (problem: string | null) =>
    notes.note(db, { connection_id, password_source, problem, at: systemClock.monotonic() });
  return fetchedPassword(sources, { name: password_source, facts: row, note });
}

async function targetOf(
  row: ConnectionRow,
  { db, vault }: { db: Db; vault: Vault },
  options: TargetOptions,
): Promise<Target> {
  const { id: connection_id, name, revision, is_embedded, node_exporter_url } = row;
  const facts = { connection_id, name, revision, is_embedded, node_exporter_url };
  const { tls_folders } = options;
  const problem = tls_folders?.is_set ? forbiddenFile(row, tls_folders) : undefined;
  if (problem !== undefined) return { ...facts, settings: undefined, problem };
  try {
    const password = await openPassword(vault, row);
    const settings = {
      ...serverSettings(row, password, options.allow_private_networks),
      fetched_password: fetchedFor(db, row, options.password_sources),
    };
    return { ...facts, settings, problem: undefined };
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'internal') throw error;
    return { ...facts, settings: undefined, problem: error.message };
  }
}

/** The connections of these ids that still exist, in order of id. */
export async function loadTargets(db: Db, vault: Vault, options: TargetOptions): Promise<Target[]> {
  const rows = await findConnections(db, options.ids);
  return Promise.all(rows.map((row) => targetOf(row, { db, vault }, options)));
}
