// A channel's secrets as they are stored: each sealed together with the destination it was entered for. Guards: none
// opens for another destination, whoever edits the channel, also when a row was changed behind our back.

import type { Vault } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Secret } from '../../kernel/secret.ts';
import type { Channel, ChannelConfig, SendCall } from '../channels/types.ts';
import {
  channelNamed,
  destinationOf,
  HEADER_PREFIX,
  isOnlySafer,
  readConfig,
  secretNamesOf,
  takesHeaders,
} from './channel-config.ts';
import { checkHeaders, checkSecret, refuse } from './channel-input.ts';
import {
  type ChannelRow,
  listRecipients,
  listSecrets,
  type SecretRow,
} from './notification-channels.queries.ts';

/** What a request does to the secrets, by name. */
export interface SecretChange {
  set: ReadonlyMap<string, string>;
  keep: ReadonlySet<string>;
  drop: readonly string[];
}

/** Those that the channel has afterwards. */
export const heldAfter = ({ set, keep }: SecretChange): Set<string> => new Set([...set.keys(), ...keep]);

type Headers = Readonly<Record<string, string>>;

function headerChange(
  headers: Headers,
  stored: readonly string[],
): { set: Map<string, string>; keep: string[] } {
  checkHeaders(headers);
  const set = new Map<string, string>();
  const keep: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const known = stored.find((one) => one.toLowerCase() === `${HEADER_PREFIX}${name}`.toLowerCase());
    if (value !== '') set.set(known ?? `${HEADER_PREFIX}${name}`, value);
    else if (known !== undefined) keep.push(known);
    else refuse(`The header ${name} has no stored value to keep: give one.`);
  }
  return { set, keep };
}

export interface SecretInput {
  headers?: Headers | undefined;
}

/** Absent keeps, an empty text clears, a value sets; headers are replaced whole, an empty one keeps. */
export function secretChange(channel: Channel, input: SecretInput, stored: readonly string[]): SecretChange {
  const set = new Map<string, string>();
  const keep = new Set<string>();
  for (const name of secretNamesOf(channel)) {
    const value: unknown = Reflect.get(input, name);
    if (typeof value === 'string' && value !== '') set.set(name, value);
    else if (value === undefined && stored.includes(name)) keep.add(name);
  }
  const headers = stored.filter((name) => name.startsWith(HEADER_PREFIX));
  if (takesHeaders(channel) && input.headers !== undefined) {
    const change = headerChange(input.headers, headers);
    for (const [name, value] of change.set) set.set(name, value);
    for (const name of change.keep) keep.add(name);
  } else for (const name of headers) keep.add(name);
  return { set, keep, drop: stored.filter((name) => !set.has(name) && !keep.has(name)) };
}

export function checkEntered({ set }: SecretChange, config: ChannelConfig): void {
  for (const [name, value] of set) if (!name.startsWith(HEADER_PREFIX)) checkSecret(name, value, config);
}

const shown = (name: string) =>
  name.startsWith(HEADER_PREFIX) ? `the header ${name.slice(HEADER_PREFIX.length)}` : name;

/** A webhook_url is where it goes; what the other side signs with is sent nowhere. */
const STAYS_HERE = new Set(['webhook_url', 'signing_secret']);

/** For everybody: a stored secret goes where it was entered for, so whoever leads the channel elsewhere has to know it. */
export function demandEntered(
  channel: Channel,
  configs: { before: ChannelConfig; after: ChannelConfig },
  { set, keep }: SecretChange,
): void {
  const { before, after } = configs;
  const kept = [...keep].filter((name) => !STAYS_HERE.has(name));
  const isElsewhere =
    destinationOf(channel, before) !== destinationOf(channel, after) && !isOnlySafer(channel, before, after);
  if (isElsewhere && kept.length > 0)
    refuse(
      `Enter ${kept.map(shown).join(', ')} again, or clear it: what is stored is not sent to another address or without TLS.`,
    );
  if (set.has('smtp_username') && keep.has('smtp_password'))
    refuse('Enter smtp_password again: the stored one belongs to another smtp_username.');
  const type = after.auth_type ?? 'none';
  if (keep.has('auth_credentials') && type !== 'none' && type !== (before.auth_type ?? 'none'))
    refuse('Enter auth_credentials again: the stored ones are of another auth_type.');
}

const cell = (channelId: number, name: string, destination: string) => ({
  table: 'notification_channel_secrets',
  column: 'sealed',
  row_id: channelId,
  bound_to: JSON.stringify([name, destination]),
});

export interface Sealing {
  id: number;
  name: string;
  value: Secret;
  destination: string;
}

export async function sealSecret(
  vault: Vault,
  { id, name, value, destination }: Sealing,
): Promise<SecretRow> {
  return { name, destination, sealed: await vault.seal(cell(id, name, destination), value) };
}

/** A Fault when it was changed or moved. */
export const openSecret = (vault: Vault, channelId: number, row: SecretRow): Promise<Secret> =>
  vault.open(cell(channelId, row.name, row.destination), row.sealed);

const MISPLACED = 'A stored secret of the channel was entered for another address. Enter it again.';

/** All that is needed to send by a channel to where it leads now, but for the message. */
export async function openChannel(
  db: Db,
  vault: Vault,
  { id, channel_type, config: stored }: ChannelRow,
): Promise<Omit<SendCall, 'out' | 'message'>> {
  const config = readConfig(Object(stored));
  const destination = destinationOf(channelNamed(channel_type), config);
  const [rows, recipients] = await Promise.all([
    listSecrets(db, id),
    channel_type === 'email' ? listRecipients(db, [id]) : [],
  ]);
  const opened = await Promise.all(
    rows.map(async (row) => {
      if (row.destination !== destination) throw new Fault('internal', MISPLACED);
      return [row.name, await openSecret(vault, id, row)] as const;
    }),
  );
  return {
    config,
    secrets: Object.fromEntries(opened.filter(([name]) => !name.startsWith(HEADER_PREFIX))),
    headers: opened
      .filter(([name]) => name.startsWith(HEADER_PREFIX))
      .map(([name, value]) => ({ name: name.slice(HEADER_PREFIX.length), value })),
    recipients: recipients
      .filter(({ enabled }) => enabled)
      .map(({ email_address, display_name }) => ({ email_address, display_name })),
  };
}
