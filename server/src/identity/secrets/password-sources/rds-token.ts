// The token that an RDS or Aurora server with IAM authentication takes as a password. Guards: it is good for one host, port and role.
import { readFile } from 'node:fs/promises';
import type { AwsCredentialSource, AwsCredentials } from '../../../kernel/password-source-settings.ts';
import { Secret } from '../../../kernel/secret.ts';
import { SourceFailed } from './run-command.ts';
import { EMPTY_PAYLOAD, presigned } from './sigv4.ts';

const LASTS_SECONDS = 900;

/** The keys of one profile of a file of credentials. */
export function readProfile(text: string, profile: string): AwsCredentials | undefined {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const title = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (title !== undefined) section = title;
    const [, key, value] = /^\s*([\w-]+)\s*=\s*(\S+)\s*$/.exec(line) ?? [];
    if (section === profile && key !== undefined && value !== undefined) values.set(key, value);
  }
  const id = values.get('aws_access_key_id');
  const secret = values.get('aws_secret_access_key');
  const token = values.get('aws_session_token');
  if (id === undefined || secret === undefined) return undefined;
  return {
    access_key_id: id,
    secret_access_key: new Secret(secret),
    session_token: token === undefined ? undefined : new Secret(token),
  };
}

/** Read anew for each token, since short-lived keys are replaced in the file. */
export async function awsCredentials(source: AwsCredentialSource): Promise<AwsCredentials> {
  if ('given' in source) return source.given;
  const text = await readFile(source.file, 'utf8').catch(() => {
    throw new SourceFailed('the file of AWS credentials cannot be read');
  });
  const found = readProfile(text, source.profile);
  if (found) return found;
  throw new SourceFailed('the file of AWS credentials has no keys for its profile');
}

export interface TokenWish {
  host: string;
  port: number;
  username: string;
  region: string;
  at: Date;
}

export function rdsToken({ host, port, username, region, at }: TokenWish, keys: AwsCredentials): Secret {
  const request = {
    host: `${host.toLowerCase()}:${port}`,
    path: '/',
    query: { Action: 'connect', DBUser: username },
    payload: EMPTY_PAYLOAD,
    service: 'rds-db',
    region,
    expires_seconds: LASTS_SECONDS,
    at,
  };
  return new Secret(presigned(request, keys));
}
