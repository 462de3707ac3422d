// A way out for an operator whose secret key file is lost for good: the data keys that it wrapped are deleted, so that the next start makes
// a new one. Guards: a key file that opens them is never given up, and what was sealed stays unreadable instead of becoming something else.
import { UsageError } from '../../kernel/errors.ts';
import { type Ctx, inTransaction } from '../access/principal.ts';
import { recordAudit } from '../audit/audit.service.ts';
import { readKeyFile } from './key-file.ts';
import { deleteDataKeys, listDataKeys, lockDataKeys } from './secrets.queries.ts';
import { opensDataKeys } from './vault.service.ts';

/** Ids of the data keys that are of no use without the lost key. Throws UsageError where nothing is lost. */
async function lostDataKeys({ db }: Pick<Ctx, 'db'>, keyFile: string): Promise<number[]> {
  const rows = await listDataKeys(db);
  if (rows.length === 0)
    throw new UsageError('This datastore holds no secrets, so no key is missing: start Matriarch.');
  const bytes = await readKeyFile(keyFile);
  if (bytes !== undefined && opensDataKeys(bytes, rows))
    throw new UsageError(`The secret key file ${keyFile} opens the stored secrets: it is not lost.`);
  return rows.map(({ id }) => id);
}

/** Throws UsageError where the key file is there and opens what is stored. */
export async function demandLostKey(ctx: Pick<Ctx, 'db'>, keyFile: string): Promise<void> {
  await lostDataKeys(ctx, keyFile);
}

/** Deletes the data keys for good. A key file that is there stays, and wraps the next data key. */
export function giveUpLostKey(ctx: Ctx, keyFile: string): Promise<void> {
  return inTransaction(ctx, async (inside) => {
    await lockDataKeys(inside.db);
    await deleteDataKeys(inside.db, await lostDataKeys(inside, keyFile));
    await recordAudit(inside, { action: 'secret_key.replace' });
  });
}
