// One statement that may write, run to its end or not at all, for whoever may write there and said so. Guards: an answer that is too
// large undoes what it comes from; what cannot stand in a transaction block runs without one; in a session that a pooler gives to others
// as well, nothing is set for longer than the transaction, and what would stay in the session is refused.
import { TargetError, type TextTable } from '../connect.ts';
import { BEGIN_WRITE, COMMIT, ROLLBACK, WRITE_LOCAL, WRITE_SETTINGS, write } from './session.queries.ts';
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

async function demandNothingStays({ client, parser }: SessionOptions, text: string): Promise<void> {
  if (client.way === 'direct') return;
  const parsed = await parser.parse(text);
  const all = parsed.kind === 'parsed' ? parsed.statements : [];
  const stays = all.some(
    ({ root, functions }) => STAYS.has(root) || functions.some((name) => STAYING_FUNCTION.test(name)),
  );
  if (all.length > 0 && !stays && !TEMPORARY.test(text)) return;
  throw new StatementRefused(
    'not_allowed',
    'There is a pooler or proxy in front of this server, and what this statement leaves in the session would reach the application. Run it over a connection to the server itself.',
  );
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

/** In a transaction of its own, whose settings end with it where the session is not ours alone. */
async function begin(options: SessionOptions): Promise<void> {
  const isOurs = options.client.way === 'direct';
  if (isOurs) await sent(options, WRITE_SETTINGS);
  await sent(options, BEGIN_WRITE);
  if (!isOurs) await sent(options, WRITE_LOCAL, [String(options.timeout_ms)]);
}

/** Throws StatementRefused, or a TargetError when the session broke. */
export async function runWritable(options: SessionOptions, text: string): Promise<TextTable> {
  await demandNothingStays(options, text);
  try {
    await begin(options);
    try {
      const table = await sent(options, write(text));
      await sent(options, COMMIT);
      return table;
    } catch (error) {
      await sent(options, ROLLBACK).catch(() => undefined);
      if (!(error instanceof TargetError) || error.code !== NO_BLOCK) throw error;
      return await sent(options, write(text));
    }
  } catch (error) {
    throw refusalOf(error);
  }
}
