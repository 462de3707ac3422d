// A connection's password as it is stored: sealed together with the destination it was entered for. Guards: it opens
// for no other destination, whoever owns or edits the connection, and also when the datastore's row was changed behind
// our back.

import type { Vault } from '../../identity/identity.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { ConnectionFacts, ConnectionRow } from './connections.queries.ts';
import {
  type Destination,
  destinationOf,
  destinationText,
  goesElsewhere,
  redirections,
} from './destination.ts';

export type StoredPassword = Pick<
  ConnectionRow,
  'password_encrypted' | 'password_destination' | 'password_entered_by' | 'password_source'
>;

export const NO_PASSWORD: StoredPassword = {
  password_encrypted: null,
  password_destination: null,
  password_entered_by: null,
  password_source: null,
};

/** The cell of a connection's password; without a destination, as it was sealed before destinations were kept. */
export const passwordCell = (id: number, destination?: Destination) => ({
  table: 'connections',
  column: 'password_encrypted',
  row_id: id,
  ...(destination && { bound_to: destinationText(destination) }),
});

export interface EnteredPassword {
  id: number;
  password: Secret;
  /** Undefined for the program itself. */
  entered_by: number | undefined;
}

/** Seals a password for the place these facts lead to. */
export async function sealPassword(
  vault: Vault,
  facts: Destination,
  { id, password, entered_by }: EnteredPassword,
): Promise<StoredPassword> {
  const destination = destinationOf(facts);
  return {
    password_encrypted: await vault.seal(passwordCell(id, destination), password),
    password_destination: destination,
    password_entered_by: entered_by ?? null,
    password_source: null,
  };
}

const MISPLACED =
  'The stored password was entered for another server or role, or for better protection, than this connection has now. Enter it again.';

/** The stored password; undefined when there is none. A Fault when it was not entered for this row's destination. */
export async function openPassword(vault: Vault, row: ConnectionRow): Promise<Secret | undefined> {
  const { id, password_encrypted: sealed, password_destination: destination } = row;
  if (sealed === null) return undefined;
  if (destination === null || goesElsewhere(destination, row)) throw new Fault('internal', MISPLACED);
  return vault.open(passwordCell(id, destination), sealed);
}

/**
 * For everybody, owners and superusers too: a stored password goes where it was entered for and nowhere else, so
 * whoever leads the connection elsewhere has to know it.
 */
export function demandPassword(row: ConnectionRow, wanted: Destination): void {
  if (row.password_encrypted === null) return;
  if (destinationText(row) === destinationText(wanted)) return;
  const entered = row.password_destination ?? row;
  const found = new Set([...redirections(row, wanted), ...redirections(entered, wanted)]);
  if (found.size === 0) return;
  const sentence = `Enter the password again: the stored one is not sent to ${[...found].join(' and ')}.`;
  throw new Fault('bad_request', sentence);
}

/** A stored client key signs in as well: it goes elsewhere only when the same request says so. */
export function demandKeyNamed(
  row: ConnectionRow,
  wanted: ConnectionFacts,
  input: { ssl_key_path?: string | null | undefined },
): void {
  if (row.ssl_key_path === null || wanted.ssl_key_path !== row.ssl_key_path) return;
  if (input.ssl_key_path !== undefined || !goesElsewhere(row, wanted)) return;
  throw new Fault(
    'bad_request',
    'Give ssl_cert_path and ssl_key_path again, or null: the client key was chosen for another destination.',
  );
}
