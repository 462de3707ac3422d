// The encoding that a session asks for as it starts. Guards: a server cannot convert MULE_INTERNAL to UTF-8 and ends such a session at once, with
// a FATAL line in its log; the bytes are taken as they are there, and the refusal is met once for each database.
import type { TargetSettings } from './settings.ts';
import { TargetError } from './target-error.ts';

/** The server converts nothing. */
const AS_IT_IS = 'SQL_ASCII';
/** feature_not_supported: a session that starts asks for no other feature that a server may lack. */
const NO_CONVERSION = '0A000';
const MOST_REMEMBERED = 1000;

const remembered = new Set<string>();

const keyOf = ({ host, hostaddr = '', port, database }: TargetSettings) =>
  JSON.stringify([host, hostaddr, port, database]);

/** Opens with the encoding that this database takes. */
export async function withStartupEncoding<T>(
  settings: TargetSettings,
  open: (settings: TargetSettings) => Promise<T>,
): Promise<T> {
  const key = keyOf(settings);
  const plain = { ...settings, startup_encoding: AS_IT_IS };
  if (remembered.has(key)) return open(plain);
  try {
    return await open(settings);
  } catch (error) {
    if (!(error instanceof TargetError && error.step === 'sign_in' && error.code === NO_CONVERSION))
      throw error;
    const session = await open(plain);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.add(key);
    return session;
  }
}
