// Tokens of RDS, against the example that AWS publishes and against what its own library makes.
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../kernel/secret.ts';
import { awsCredentials, rdsToken, readProfile } from './rds-token.ts';
import { presigned } from './sigv4.ts';

const KEYS = {
  access_key_id: 'AKIAIOSFODNN7EXAMPLE',
  secret_access_key: new Secret('wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'),
  session_token: undefined,
};

describe('a signature of version 4', () => {
  it('is that of the example in the documentation of Amazon S3', () => {
    const address = presigned(
      {
        host: 'examplebucket.s3.amazonaws.com',
        path: '/test.txt',
        query: {},
        payload: 'UNSIGNED-PAYLOAD',
        service: 's3',
        region: 'us-east-1',
        expires_seconds: 86_400,
        at: new Date('2013-05-24T00:00:00Z'),
      },
      KEYS,
    );
    expect(address).toBe(
      'examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
        '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });
});

describe('a token of RDS', () => {
  /** Parameters in any order, as a server reads them. */
  const partsOf = (token: string) => {
    const url = new URL(`https://${token}`);
    return { host: url.host, path: url.pathname, query: Object.fromEntries(url.searchParams) };
  };
  const wish = {
    host: 'DB1.abc123.eu-central-1.rds.amazonaws.com',
    port: 5432,
    username: "monitor+a'b",
    region: 'eu-central-1',
  };

  // Signatures made by @aws-sdk/rds-signer.
  it.each([
    [undefined, '2026-11-28T01:13:33Z', '52e9e019b249352db478d35902316dd3cddb719aa8fac46fe6531852a9be2d0d'],
    [
      new Secret('IQoJ+/=tok'),
      '2026-11-28T01:13:33Z',
      '9c8d60d51cfa0d0e5865893abdae933af6aa93effc4775589fe1c269d4373f08',
    ],
  ])('is what the library of AWS makes, with the session token %s', (session_token, at, signature) => {
    const { host, path, query } = partsOf(
      rdsToken({ ...wish, at: new Date(at) }, { ...KEYS, session_token }).reveal(),
    );
    expect({ host, path }).toEqual({ host: 'db1.abc123.eu-central-1.rds.amazonaws.com:5432', path: '/' });
    expect(query).toMatchObject({
      Action: 'connect',
      DBUser: "monitor+a'b",
      'X-Amz-Expires': '900',
      'X-Amz-Signature': signature,
    });
  });
});

describe('keys of AWS', () => {
  const text =
    '[default]\naws_access_key_id = A\naws_secret_access_key=B\n\n[two]\r\naws_access_key_id=C\r\naws_secret_access_key = D\naws_session_token = E=\n[bare]\n';

  it('come from a profile of the file', () => {
    expect(readProfile(text, 'default')).toMatchObject({ access_key_id: 'A', session_token: undefined });
    const two = readProfile(text, 'two');
    expect([two?.access_key_id, two?.secret_access_key.reveal(), two?.session_token?.reveal()]).toEqual([
      'C',
      'D',
      'E=',
    ]);
    expect(readProfile(text, 'bare')).toBeUndefined();
  });

  it('say why there are none, without a path', async () => {
    await expect(awsCredentials({ file: '/nowhere/x', profile: 'default' })).rejects.toThrow(
      /^the file of AWS credentials cannot be read$/,
    );
  });
});
