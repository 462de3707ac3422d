import { describe, expect, it } from 'vitest';
import { looksLikeConnection, parseConnection } from './connection-url.ts';

const fields = (text: string) => {
  const parsed = parseConnection(text);
  return 'fields' in parsed ? parsed.fields : parsed.problem;
};

describe('URLs', () => {
  it('takes every part', () =>
    expect(
      fields(
        ' postgresql://app:s3cret@db1.example.com:5433/orders?sslmode=verify-full&sslrootcert=%2Fca.pem ',
      ),
    ).toEqual({
      host: 'db1.example.com',
      port: 5433,
      database_name: 'orders',
      username: 'app',
      password: 's3cret',
      ssl_mode: 'verify-full',
      ssl_root_cert_path: '/ca.pem',
    }));

  it.each([
    ['postgres://db1', { host: 'db1' }],
    ['postgres://app@db1/', { host: 'db1', username: 'app' }],
    ['postgres://[2001:db8::7]:5432/x', { host: '2001:db8::7', port: 5432, database_name: 'x' }],
    ['postgres:///orders', { database_name: 'orders' }],
    ['postgres:///orders?host=db1&user=me', { database_name: 'orders', host: 'db1', username: 'me' }],
  ])('%s', (text, expected) => expect(fields(text)).toEqual(expected));

  it('decodes what was escaped and forgives what was not', () => {
    expect(fields('postgres://a%40b:p%23%2Fw@h/d')).toMatchObject({ username: 'a@b', password: 'p#/w' });
    expect(fields('postgres://app:p@ss/w#rd%@h/d')).toMatchObject({ password: 'p@ss/w#rd%', host: 'h' });
  });

  it('says what it cannot take', () => {
    expect(fields('postgres://h1,h2/x')).toMatch(/several hosts/);
    expect(fields('postgres://%2Fvar%2Frun/x')).toMatch(/socket/);
    expect(fields('postgres://h:port/x')).toMatch(/port/);
    expect(fields('postgres://h:99999/x')).toMatch(/port/);
    expect(fields('mysql://h/x')).toMatch(/does not look like/);
  });
});

describe('words', () => {
  it('takes names and quoted values', () =>
    expect(fields("host=db1 port=5432 dbname='my db' user=me password='it\\'s' sslmode=require")).toEqual({
      host: 'db1',
      port: 5432,
      database_name: 'my db',
      username: 'me',
      password: "it's",
      ssl_mode: 'require',
    }));

  it('tells a connection from a host name that is being typed', () => {
    expect(looksLikeConnection('postgres://h')).toBe(true);
    expect(looksLikeConnection('host=db1 user=me')).toBe(true);
    expect(looksLikeConnection('db1.example.com')).toBe(false);
    expect(looksLikeConnection('postgres')).toBe(false);
    expect(looksLikeConnection('')).toBe(false);
  });
});
