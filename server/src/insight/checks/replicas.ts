// Senders and the receiver of a server, as several checks ask for them. Pure.
import type { Facts, Item } from './facts.ts';

/** Programs that copy a server, and do not follow it. */
const COPIES = new Set(['pg_basebackup', 'pg_receivewal', 'pg_recvlogical']);

/** What streams from the server and applies it: standbys and subscriptions. */
export const senders = (facts: Facts): Item[] =>
  facts
    .rows('pg_stat_replication')
    .filter(
      (row) =>
        row.text('role') === 'primary' &&
        row.text('state') !== 'backup' &&
        !COPIES.has(row.text('application_name') ?? ''),
    );

/** On a standby: what it receives and replays. */
export const receiver = (facts: Facts): Item | undefined =>
  facts.rows('pg_stat_replication').find((row) => row.text('role') === 'standby');

/** A name that lasts longer than the process. */
export const placeOf = (row: Item): string =>
  [row.text('application_name') ?? '', row.text('client_addr') ?? 'local'].join('@');
