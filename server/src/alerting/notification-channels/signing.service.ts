// What the other side of a channel sends to us: the secret that it signs with, and which alert it means. Guards: a channel
// names only alerts that it was given to tell.

import type { Vault } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import type { Secret } from '../../kernel/secret.ts';
import { alertIdOf, dedupKey } from '../channels/support/fields.ts';
import { openSecret } from './channel-secrets.ts';
import { findSecret, listTold } from './signing.queries.ts';

/** Undefined where there is no such channel, it is switched off, or it has none. */
export async function openSigningSecret(
  db: Db,
  vault: Vault,
  channel_id: number,
): Promise<Secret | undefined> {
  const row = await findSecret(db, { channel_id, type: 'pagerduty', name: 'signing_secret' });
  return row && openSecret(vault, channel_id, row);
}

/** The alert that this channel told under that key. */
export async function findAlertByKey(db: Db, channel_id: number, key: string): Promise<number | undefined> {
  const alert_id = alertIdOf(key);
  if (alert_id === undefined) return undefined;
  const told = await listTold(db, channel_id, alert_id);
  return told.some(({ facts }) => dedupKey(facts) === key) ? alert_id : undefined;
}
