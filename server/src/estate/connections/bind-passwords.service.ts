// Passwords that were stored before they were bound to a destination, bound when the program starts to the one that the
// migration noted for them. Guards: afterwards none of them opens for anything else, even for whoever writes into the
// datastore; one that does not open stays as it is, and its connection says so.

import type { Vault } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type ConnectionRow, lockUnboundPasswords, saveSealed } from './connections.queries.ts';
import { passwordCell, sealPassword } from './stored-password.ts';

interface Binding {
  db: Db;
  vault: Vault;
  log: Log;
}

async function bind({ db, vault, log }: Binding, row: ConnectionRow): Promise<void> {
  const { id, password_encrypted: sealed, password_destination: destination } = row;
  if (sealed === null || destination === null) return;
  try {
    const password = await vault.open(passwordCell(id), sealed);
    const bound = await sealPassword(vault, destination, { id, password, entered_by: undefined });
    await saveSealed(db, id, bound.password_encrypted);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    log.warn({ event: 'connections.password_not_bound', connection_id: id, err: error });
  }
}

export async function bindPasswords({ db, ...others }: Binding): Promise<void> {
  await db.transaction(async (tx) => {
    const rows = await lockUnboundPasswords(tx);
    for (const row of rows) await bind({ db: tx, ...others }, row);
    if (rows.length > 0) others.log.info({ event: 'connections.passwords_bound', connections: rows.length });
  });
}
