// AWS Signature Version 4 in the query of an address, as AWS publishes it ("Authenticating Requests: Using Query Parameters"). Pure.
import { createHash, createHmac } from 'node:crypto';
import type { AwsCredentials } from '../../../kernel/password-source-settings.ts';

export interface SignedRequest {
  /** With its port, where it has one. */
  host: string;
  path: string;
  query: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hexadecimal, or UNSIGNED-PAYLOAD. */
  payload: string;
  service: string;
  region: string;
  expires_seconds: number;
  at: Date;
}

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text, 'utf8').digest();

export const EMPTY_PAYLOAD = sha256('');

/** RFC 3986: everything but unreserved characters. */
const encoded = (text: string) =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The address without its scheme: host, path and query with the signature. */
export function presigned(request: SignedRequest, credentials: AwsCredentials): string {
  const { host, path, query, payload, service, region, expires_seconds, at } = request;
  const stamp = at.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = stamp.slice(0, 8);
  const scope = `${day}/${region}/${service}/aws4_request`;
  const members = {
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${credentials.access_key_id}/${scope}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(expires_seconds),
    'X-Amz-SignedHeaders': 'host',
    ...(credentials.session_token && { 'X-Amz-Security-Token': credentials.session_token.reveal() }),
  };
  const canonicalQuery = Object.entries(members)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const canonical = ['GET', path, canonicalQuery, `host:${host}`, '', 'host', payload].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', stamp, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${credentials.secret_access_key.reveal()}`,
  );
  return `${host}${path}?${canonicalQuery}&X-Amz-Signature=${hmac(key, toSign).toString('hex')}`;
}
