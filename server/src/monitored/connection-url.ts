// A server to connect to as it is named on the command line and in settings. Guards: the password is a Secret from here on.
import { UsageError } from '../kernel/errors.ts';
import { Secret } from '../kernel/secret.ts';
import {
  type ConnectionWords,
  NO_HOST,
  readWords,
  tcpPartsOf,
} from '../kernel/server-address/connection-words.ts';
import type { TargetSettings } from './settings.ts';

export type UrlSettings = Pick<
  TargetSettings,
  | 'host'
  | 'hostaddr'
  | 'port'
  | 'database'
  | 'username'
  | 'password'
  | 'ssl_mode'
  | 'ssl_root_cert_path'
  | 'ssl_cert_path'
  | 'ssl_key_path'
> & {
  /** Where libpq would look for the password. */
  passfile?: string;
};

/** User and database default as libpq's do: the database is named like the user. */
export function settingsFrom(words: ConnectionWords): UrlSettings {
  const {
    host,
    port = 5432,
    username = 'postgres',
    database = username,
    password,
    ...rest
  } = tcpPartsOf(words);
  if (host === undefined) throw new UsageError(NO_HOST);
  const passfile = words.get('passfile');
  return {
    ...rest,
    ...{ host, port, username, database },
    password: password === undefined ? undefined : new Secret(password),
    ssl_mode: rest.ssl_mode ?? 'prefer',
    ...(passfile && { passfile }),
  };
}

export const readConnectionUrl = (text: string): UrlSettings => settingsFrom(readWords(text).words);
