// A connection whose password comes from a source of the settings. Guards: the source is for the place this connection leads to, when it
// is saved and at each sign-in, by the address that answered.
import type { PasswordSources } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type FetchedPassword, TargetError } from '../../monitored/connect.ts';
import { Deadline } from '../../monitored/deadline.ts';
import { lookupHost } from '../../monitored/lookup.ts';
import { resolveHost } from '../../monitored/resolve.ts';
import type { HostRules } from './connection-input.ts';
import type { ConnectionFacts, ConnectionRow } from './connections.queries.ts';
import { destinationText } from './destination.ts';
import { type SourceReading, saveReading } from './password-source.queries.ts';

const DNS_MS = 2000;
/** As long as nothing changes, a reading is stored no more often. */
const NOTE_MS = 60_000;

export interface SourceRules extends HostRules {
  password_sources?: PasswordSources | undefined;
}

function unknownSource(name: string): string {
  return `There is no password source ${JSON.stringify(name)}. The settings declare none.`;
}

/** The addresses the connection leads to now; none when its host does not resolve. */
async function addressesOf(facts: ConnectionFacts, rules: SourceRules): Promise<readonly string[]> {
  const { host, hostaddr } = facts;
  const deadline = new Deadline(DNS_MS);
  const wanted = { host, hostaddr: hostaddr ?? undefined, allow_private_networks: true };
  try {
    return await deadline.race(resolveHost(wanted, rules.lookup ?? lookupHost));
  } catch {
    return [];
  } finally {
    deadline.end();
  }
}

/** Refuses a source that is not declared or not for this destination. */
export async function demandSource(name: string, facts: ConnectionFacts, rules: SourceRules): Promise<void> {
  const sources = rules.password_sources;
  if (!sources) throw new Fault('bad_request', unknownSource(name));
  const addresses = sources.find(name) ? await addressesOf(facts, rules) : [];
  const refused = sources.refusal(name, facts, addresses);
  if (refused !== undefined) throw new Fault('bad_request', refused);
}

/** What the two members ask for together. */
export function demandOnePassword(input: PasswordInput): void {
  if (!input.password || !input.password_source) return;
  throw new Fault('bad_request', 'Give a password or a password_source, not both.');
}

export interface PasswordInput {
  password?: string | null | undefined;
  password_source?: string | null | undefined;
}

/** The source that the connection will have; null for none. A typed password takes its place. */
export function sourceAfter(
  row: Pick<ConnectionRow, 'password_source'> | undefined,
  { password, password_source }: PasswordInput,
): string | null {
  if (password) return null;
  return password_source === undefined ? (row?.password_source ?? null) : password_source || null;
}

/** What leads elsewhere, or names another source, is judged again; a change of the name alone is not. */
export async function demandSourceAfter(
  row: ConnectionRow,
  { input, facts }: { input: PasswordInput; facts: ConnectionFacts },
  rules: SourceRules,
): Promise<void> {
  const source = sourceAfter(row, input);
  if (source === null) return;
  const isSamePlace =
    destinationText(row) === destinationText(facts) && row.database_name === facts.database_name;
  if (source !== row.password_source || !isSamePlace) await demandSource(source, facts, rules);
}

/** With a source, what was judged before the transaction has to be what is changed in it. */
export function demandUnchanged(before: ConnectionRow, row: ConnectionRow): void {
  if (before.password_source === null && row.password_source === null) return;
  if (before.revision === row.revision) return;
  throw new Fault('conflict', 'Another change was saved meanwhile. Load the connection again.');
}

const failed = (message: string, code: string, cause?: unknown) =>
  new TargetError({ step: 'sign_in', message, code, ...(cause !== undefined && { cause }) });

export interface SourceUse {
  name: string;
  facts: ConnectionFacts;
  /** Told how each fetch went: null when well. */
  note?: ((problem: string | null) => Promise<void>) | undefined;
}

/** What a session asks for its password. */
export function fetchedPassword(
  sources: PasswordSources | undefined,
  { name, facts, note }: SourceUse,
): FetchedPassword {
  const open = () => sources?.find(name);
  const missing = () =>
    failed(sources?.refusal(name, facts, []) ?? unknownSource(name), 'password_source_refused');
  const read = async (fetching: () => ReturnType<FetchedPassword['renew']>) => {
    try {
      const password = await fetching();
      await note?.(null);
      return password;
    } catch (error) {
      const why = error instanceof Error ? error.message : 'it failed';
      await note?.(why);
      throw failed(`The password source ${name} gave no password: ${why}.`, 'password_source', error);
    }
  };
  return {
    source: name,
    async fetch(address) {
      const source = open();
      if (!source) throw missing();
      const refused = address === undefined ? undefined : sources?.refusal(name, facts, [address]);
      if (refused !== undefined) throw failed(refused, 'password_source_refused');
      return read(() => source.fetch(facts));
    },
    async renew(refused) {
      const source = open();
      if (!source) throw missing();
      return read(() => source.renew(facts, refused));
    },
  };
}

/** Stores how fetching went: at once when it changed, and every minute. One for each process. */
export class SourceNotes {
  readonly #noted = new Map<number, { text: string; at: number }>();

  async note(db: Db, reading: SourceReading & { at: number; log?: Log | undefined }): Promise<void> {
    const { at, log, ...wanted } = reading;
    const { connection_id, password_source, problem } = wanted;
    const text = JSON.stringify([password_source, problem]);
    const before = this.#noted.get(connection_id);
    if (before?.text === text && at - before.at < NOTE_MS) return;
    this.#noted.set(connection_id, { text, at });
    try {
      await saveReading(db, wanted);
    } catch (error) {
      log?.warn({ event: 'password_sources.not_noted', connection_id, err: error });
    }
  }
}
