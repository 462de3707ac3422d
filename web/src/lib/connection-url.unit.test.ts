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
    expect(fields('db1.example.com')).toMatch(/no postgres:\/\/ URL/);
  });

  it.each([
    [
      'jdbc:postgresql://db1:5433/orders?user=me&password=p%26w',
      { host: 'db1', port: 5433, username: 'me', password: 'p&w', database_name: 'orders' },
    ],
    [
      'jdbc:postgresql://db1/orders?ssl=true',
      { host: 'db1', database_name: 'orders', ssl_mode: 'verify-full' },
    ],
    [
      'jdbc:postgresql://db1/orders?ssl=true&sslmode=require',
      { host: 'db1', database_name: 'orders', ssl_mode: 'require' },
    ],
    ['jdbc:postgresql:orders', { database_name: 'orders' }],
    [
      'postgresql+asyncpg://me:pw@db1/orders',
      { host: 'db1', username: 'me', password: 'pw', database_name: 'orders' },
    ],
    ['host=db1 user=me hostaddr=db1', { host: 'db1', username: 'me' }],
    ['hostaddr=203.0.113.9 user=me', { host: '203.0.113.9', username: 'me' }],
  ])('understands %s', (text, expected) => {
    expect(looksLikeConnection(text)).toBe(true);
    expect(fields(text)).toEqual(expected);
  });

  it.each([
    ['mysql://me:pw@h/x', /MySQL or MariaDB, .*Matriarch watches PostgreSQL/],
    ['jdbc:mysql://h/x', /MySQL/],
    ['jdbc:sqlserver://h;databaseName=x', /SQL Server/],
    ['jdbc:oracle:thin:@h:1521:x', /Oracle/],
    ['mongodb+srv://h/x', /MongoDB/],
    ['https://db1.example.com/x', /a web page/],
    ['cockroach://h/x', /no postgres:\/\/ URL/],
    ['postgres://me@db1/x?hostaddr=203.0.113.9', /another address for it \(hostaddr\)/],
    ['jdbc:postgresql://h1,h2/x', /several hosts/],
    ['postgres://me@db1/x?options=-csearch_path%3Dx', /^options sets parameters/],
    ['host=db1 user=me passfile=/tmp/pw', /^passfile names a file/],
    ['service=prod', /^service names an entry/],
    ['postgres://me@db1/x?sslmode=require&sslrootcert=system', /needs sslmode=verify-full/],
    ['postgres://me@db1/x?sslmode=yes', /sslmode must be one of/],
    ['Host=db1;Username=me;Password=pw', /form of \.NET/],
  ])('answers %s in words', (text, words) => {
    expect(looksLikeConnection(text)).toBe(true);
    expect(fields(text)).toMatch(words);
    expect(fields(text)).not.toContain('pw');
  });
});

it('names what it leaves out, and leaves no certificate for a path', () => {
  expect(parseConnection('postgres://me@db1/x?pgbouncer=true&schema=a&sslrootcert=system')).toEqual({
    fields: { host: 'db1', username: 'me', database_name: 'x', ssl_mode: 'verify-full' },
    left_out: ['pgbouncer', 'schema'],
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
