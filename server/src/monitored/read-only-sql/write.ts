// One statement that may write, run to its end or not at all, for whoever may write there and said so. Guards: an answer that is too
// large undoes what it comes from; what cannot stand in a transaction block runs without one; in a session that a pooler gives to others
// as well, nothing is set for longer than the transaction, and what would stay in the session is refused: before it is sent where its
// text tells, and before it is committed where a function or a block of code left it.
import { TargetError, type TextTable } from '../connect.ts';
import * as queries from './session.queries.ts';
import { refusalOf, type SessionOptions } from './transaction.ts';
import { StatementRefused } from './types.ts';

const LIMITS = { columns: 1664, bytes: 8 * 1024 * 1024, rows: 100_000, isInTransaction: true };
/** It "cannot run inside a transaction block". */
const NO_BLOCK = '25001';

/** Roots of statements and functions whose effect lasts as long as the session. */
const STAYS = new Set([
  'VariableSetStmt',
  'PrepareStmt',
  'DeallocateStmt',
  'DiscardStmt',
  'DeclareCursorStmt',
  'ListenStmt',
  'UnlistenStmt',
  'LoadStmt',
]);
const STAYING_FUNCTION =
  /^(?:pg_catalog\.)?(?:set_config|setseed|lo_open|pg_(?:try_)?advisory_lock(?:_shared)?|pg_advisory_unlock\w*)$/i;
const TEMPORARY = /\b(?:temp|temporary|pg_temp)\b/i;
/** Takes effect with the commit, so that it cannot be seen before. */
const LISTENING = /\b(?:un)?listen\b/i;

const leaves = () =>
  new StatementRefused(
    'not_allowed',
    'There is a pooler or proxy in front of this server, and what this statement leaves in the session would reach the application. Run it over a connection to the server itself.',
  );

async function demandNothingStays({ client, parser }: SessionOptions, text: string): Promise<void> {
  if (client.way === 'direct') return;
  const parsed = await parser.parse(text);
  const all = parsed.kind === 'parsed' ? parsed.statements : [];
  const stays = all.some(
    ({ root, functions }) => STAYS.has(root) || functions.some((name) => STAYING_FUNCTION.test(name)),
  );
  const listens = all.some(({ root }) => root === 'DoStmt') && LISTENING.test(text);
  if (all.length > 0 && !stays && !listens && !TEMPORARY.test(text)) return;
  throw leaves();
}

async function sent(
  { client, ran }: SessionOptions,
  text: string,
  values: readonly unknown[] = [],
): Promise<TextTable> {
  try {
    const table = await client.table(text, values, LIMITS);
    ran?.(text, false);
    return table;
  } catch (error) {
    ran?.(text, true);
    throw error;
  }
}

/** What others would find in the session: its settings, locks, prepared statements, cursors and temporary tables. */
type SessionState = readonly (string | null)[];

async function stateOf(options: SessionOptions): Promise<SessionState> {
  const { rows } = await sent(options, queries.SESSION_STATE);
  return rows[0] ?? [];
}

/** Locks and prepared statements outlast a transaction that is rolled back. */
async function undo(options: SessionOptions, [, locks, prepared]: SessionState): Promise<void> {
  await sent(options, queries.UNLOCK_NEW, [locks]);
  const { rows } = await sent(options, queries.NEW_PREPARED, [prepared]);
  for (const [name] of rows) if (name) await sent(options, queries.deallocate(name));
}

/** In a session that applications get as well: it is left as it was found, whatever the statement does. */
async function inShared(options: SessionOptions, text: string): Promise<TextTable> {
  await sent(options, queries.WRITE_LOCAL, [String(options.timeout_ms)]);
  const before = await stateOf(options);
  await sent(options, queries.SAVEPOINT);
  try {
    const table = await sent(options, queries.write(text));
    const after = await stateOf(options);
    if (after.some((one, index) => one !== before[index])) throw leaves();
    return table;
  } catch (error) {
    await sent(options, queries.TO_SAVEPOINT);
    await undo(options, before);
    throw error;
  }
}

/** Throws StatementRefused, or a TargetError when the session broke. */
export async function runWritable(options: SessionOptions, text: string): Promise<TextTable> {
  await demandNothingStays(options, text);
  const isOurs = options.client.way === 'direct';
  try {
    if (isOurs) await sent(options, queries.WRITE_SETTINGS);
    await sent(options, queries.BEGIN_WRITE);
    try {
      const table = await (isOurs ? sent(options, queries.write(text)) : inShared(options, text));
      await sent(options, queries.COMMIT);
      return table;
    } catch (error) {
      await sent(options, queries.ROLLBACK).catch(() => undefined);
      if (!(error instanceof TargetError) || error.code !== NO_BLOCK) throw error;
      return await sent(options, queries.write(text));
    }
  } catch (error) {
    throw refusalOf(error);
  }
}
