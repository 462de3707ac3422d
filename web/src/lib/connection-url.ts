// Reads what people paste, by the very code that reads URLs on the command line. Guards: nothing is sent from here, and what is not taken
// is named: refused as a problem, or listed as left out.
import { UsageError } from '../../../server/src/kernel/errors.ts';
import { looksLikeConnection } from '../../../server/src/kernel/server-address/connection-forms.ts';
import {
  type ConnectionWords,
  readWords,
  tcpPartsOf,
} from '../../../server/src/kernel/server-address/connection-words.ts';

export { looksLikeConnection };

export interface ConnectionFields {
  host?: string;
  port?: number;
  database_name?: string;
  username?: string;
  password?: string;
  ssl_mode?: string;
  ssl_root_cert_path?: string;
  ssl_cert_path?: string;
  ssl_key_path?: string;
}

export type ParsedConnection =
  | { fields: ConnectionFields /** Names that Matriarch has no use for. */; left_out: readonly string[] }
  | { problem: string };

function fieldsOf(words: ConnectionWords): ConnectionFields {
  const { hostaddr, database, ...fields } = tcpPartsOf(words);
  // An address in place of the name's own is not left out silently: the password would go elsewhere.
  if (hostaddr !== undefined)
    throw new UsageError(
      'This names a host and another address for it (hostaddr). Keep the one to connect to.',
    );
  if (words.has('passfile'))
    throw new UsageError('passfile names a file on your machine, which is not read here. Type the password.');
  return { ...fields, ...(database !== undefined && { database_name: database }) };
}

/** Takes a connection string apart; a problem is a sentence for the person who pasted it. */
export function parseConnection(text: string): ParsedConnection {
  try {
    const { words, left_out } = readWords(text);
    return { fields: fieldsOf(words), left_out };
  } catch (error) {
    if (error instanceof UsageError) return { problem: error.message };
    throw error;
  }
}
