// Connection 1: the embedded datastore watches itself, so the first page has real data before anything is added.
// It is monitored like any other server, by a role that may only read statistics; the role's password is renewed
// at each start and exists nowhere but in the sealed column. Who deletes the connection does not get it back.
import { randomBytes } from 'node:crypto';
import { recordAudit, systemActor, type Vault } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Destination } from './destination.ts';
import * as queries from './embedded.queries.ts';
import { sealPassword } from './stored-password.ts';

export interface EmbeddedServer {
  host: string;
  port: number;
  database: string;
}

export interface EnsureEmbeddedOptions {
  db: Db;
  clock: Clock;
  log: Log;
  vault: Vault;
  owner_id: number;
  server: EmbeddedServer;
}

async function noteCreated({ db, clock, log, server }: EnsureEmbeddedOptions, id: number): Promise<void> {
  await recordAudit(
    { db, clock, log, principal: systemActor('server') },
    {
      action: 'connection.create',
      target: { kind: 'connection', id },
      details: { is_embedded: true, host: server.host, port: server.port },
    },
  );
}

const whereItIs = ({ host, port }: EmbeddedServer): Destination => ({
  host,
  hostaddr: null,
  port,
  username: 'matriarch_monitor',
  ssl_mode: 'disable',
  ssl_root_cert_path: null,
});

/** Creates or refreshes the connection to the embedded server; answers its id, or undefined when it was deleted. */
export async function ensureEmbeddedConnection(options: EnsureEmbeddedOptions): Promise<number | undefined> {
  const { db, vault, owner_id, server } = options;
  const password = new Secret(randomBytes(24).toString('base64url'));
  return db.transaction(async (tx) => {
    const known = await queries.findEmbedded(tx);
    if (known?.is_deleted) return undefined;
    await queries.ensureMonitorRole(tx, password.reveal());
    const destination = whereItIs(server);
    const { host, port, username } = destination;
    const facts = { owner_id, host, port, username, database_name: server.database };
    const id = known?.id ?? (await queries.insertEmbedded(tx, facts));
    if (!known) await noteCreated({ ...options, db: tx }, id);
    const stored = await sealPassword(vault, destination, { id, password, entered_by: undefined });
    await queries.updateEmbedded(tx, { id, ...destination, ...stored });
    return id;
  });
}
