// One statement that may write, run to its end or not at all, for whoever may write there and said so. Guards: an answer that is too
// large undoes what it comes from; what cannot stand in a transaction block runs without one.
import { TargetError, type TextTable } from '../kernel/target/connect.ts';
import { BEGIN_WRITE, COMMIT, ROLLBACK, WRITE_SETTINGS, write } from './session.queries.ts';
import { refusalOf, type SessionOptions } from './transaction.ts';

const LIMITS = { columns: 1664, bytes: 8 * 1024 * 1024, rows: 100_000 };
/** It "cannot run inside a transaction block". */
const NO_BLOCK = '25001';

type WriteOptions = Pick<SessionOptions, 'client' | 'ran'>;

async function sent({ client, ran }: WriteOptions, text: string): Promise<TextTable> {
  try {
    const table = await client.table(text, [], LIMITS);
    ran?.(text, false);
    return table;
  } catch (error) {
    ran?.(text, true);
    throw error;
  }
}

/** Throws StatementRefused, or a TargetError when the session broke. */
export async function runWritable(options: WriteOptions, text: string): Promise<TextTable> {
  try {
    await sent(options, WRITE_SETTINGS);
    await sent(options, BEGIN_WRITE);
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
