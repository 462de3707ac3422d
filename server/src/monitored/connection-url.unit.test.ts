// Every way in which people write a server down is taken as libpq takes it, or named with what to do.
import { describe, expect, it } from 'vitest';
import { readConnectionUrl } from './connection-url.ts';
import { passwordIn, readNamedServer } from './libpq-environment.ts';

const plain = { host: 'db', port: 5432, username: 'u', database: 'd', ssl_mode: 'prefer' };
const read = (text: string) => {
  const { password, ...rest } = readConnectionUrl(text);
  return password === undefined ? rest : { ...rest, password: password.reveal() };
};

describe('is taken', () => {
  it.each([
    ['postgres://u@db/d', plain],
    ['postgresql://u:p%40ss@db:6432/d', { ...plain, port: 6432, password: 'p@ss' }],
    ['postgres://u@db', { ...plain, database: 'u' }],
    ['postgres://db', { ...plain, username: 'postgres', database: 'postgres' }],
    ['postgres://u@[::1]:5433/d', { ...plain, host: '::1', port: 5433 }],
    ['postgres:///d?host=db&user=u', plain],
    ['postgres://u@db/d?hostaddr=10.0.0.7', { ...plain, hostaddr: '10.0.0.7' }],
    ['postgres://u@db/d?host=/tmp/sockets', plain],
    ['postgres://u@db/d?application_name=x&sslRootCert=system', { ...plain, ssl_mode: 'verify-full' }],
    ['postgres://u@db/d?ssl=verify-ca', { ...plain, ssl_mode: 'verify-ca' }],
    ['postgres://u@db/d?ssl=false', plain],
    ['postgres://u@db/d?sslmode=no-verify', { ...plain, ssl_mode: 'require' }],
    ['postgres://u:secret#x@db/d', { ...plain, password: 'secret#x' }],
    ['postgres://u:%zz@db/d', { ...plain, password: '%zz' }],
    ['postgres://u:a/b@c#d@db/d', { ...plain, password: 'a/b@c#d' }],
    ['postgres://u@db/d%40x', { ...plain, database: 'd@x' }],
    ['jdbc:postgresql://db/d?user=u&password=a+b&reWriteBatchedInserts=true', { ...plain, password: 'a b' }],
    ['postgresql+asyncpg://u@db/d', plain],
    [`psql "postgres://u@db/d"`, plain],
    [`psql 'host=db user=u dbname=d'`, plain],
    [`export DATABASE_URL='postgres://u@db/d?schema=public'`, plain],
    ['postgres://u@db/d?channel_binding=prefer&gssencmode=disable', plain],
    ['postgres://u@db/d?sslrootcert=system', { ...plain, ssl_mode: 'verify-full' }],
    ['postgres://u@db/d?sslmode=verify-full&sslrootcert=system', { ...plain, ssl_mode: 'verify-full' }],
    [
      'postgres://u@db/d?sslmode=verify-ca&sslrootcert=/ca.pem',
      { ...plain, ssl_mode: 'verify-ca', ssl_root_cert_path: '/ca.pem' },
    ],
    ['postgres://u@db/d?pgbouncer=true&connection_limit=1&schema=public', plain],
    ['postgres://u@db/d?ssl=true', { ...plain, ssl_mode: 'require' }],
    ['postgres://u@db/d?passfile=/etc/pass', { ...plain, passfile: '/etc/pass' }],
    ['postgres://a%20b+c@db/d', { ...plain, username: 'a b+c' }],
    ['host=db user=u dbname=d', plain],
    [" host = db  user='u' dbname=d password='it\\'s a b' ", { ...plain, password: "it's a b" }],
    ['hostaddr=10.0.0.7 user=u dbname=d', { ...plain, host: '10.0.0.7' }],
  ])('%s', (text, settings) => expect(read(text)).toEqual(settings));
});

describe('is named', () => {
  it.each([
    ['postgres://u@a:1,b:2/d', /several hosts/],
    ['postgres://u@a,b/d', /several hosts/],
    ['host=a,b user=u', /several hosts/],
    ['postgres:///d?host=/var/run/postgresql', /socket directory/],
    ['host=/var/run/postgresql user=u', /socket directory/],
    ['postgres://u@db/d?options=-csearch_path%3Dx', /^options sets parameters/],
    ['service=prod', /^service names an entry/],
    ['postgres://u@db/d?sslmode=require&sslrootcert=system', /needs sslmode=verify-full/],
    ['postgres://u@db/d?sslmode=yes', /sslmode must be one of/],
    ['postgres://u@db:99999/d', /port must be/],
    ['postgres://u@db/d?frobnicate=1', /parameter frobnicate is not supported/],
    ['postgres://u:secret@ss/w@db/d', /read in two ways/],
    ['postgres://u@db/d?channel_binding=require', /^channel_binding=require asks for/],
    ['postgres://u@db/d?gssencmode=require', /Kerberos/],
    ['postgres://u@db/d?sslnegotiation=direct', /^sslnegotiation=direct asks for TLS/],
    ['postgres://u@db/d?search_path=x', /^search_path sets parameters/],
    ['postgres://u@db/d?constructor=1', /parameter constructor is not supported/],
    ['postgres://u@db/d?ssl=perhaps', /ssl must be true/],
    ['host=db port=5432,5433', /several hosts/],
    ['Host=db;Port=5432;Username=u;Password=secret', /form of \.NET/],
    ['Server=db;User Id=u;Password=secret', /form of \.NET/],
    ['mysql://u:secret@db/d', /MySQL or MariaDB/],
    ['postgres:///d', /names no host/],
    ['https://db', /no postgres:\/\/ URL/],
    ["host=db password='open", /cannot be told apart/],
    ['db.example.com', /no postgres:\/\/ URL/],
  ])('%s', (text, sentence) => {
    expect(() => readConnectionUrl(text)).toThrow(sentence);
    expect(() => readConnectionUrl(text)).not.toThrow(/secret/);
  });
});

it('lists what is of no use here, and what of the environment is not read', async () => {
  const text = 'postgres://u@db/d?pgbouncer=true&connection_limit=1';
  const { warnings } = await readNamedServer(text, {
    PGPASSWORD: 'x',
    PGOPTIONS: '-c x=y',
    PGSERVICE: 'prod',
  });
  expect(warnings).toEqual([
    'Left out, as Matriarch has no use for it: pgbouncer, connection_limit.',
    'Set in the environment and not read: PGSERVICE, PGOPTIONS.',
  ]);
});

describe('what libpq reads besides', () => {
  it('completes what is not given', async () => {
    const env = {
      PGPASSWORD: 'from-env',
      PGPORT: '6000',
      PGUSER: 'env',
      PGSSLMODE: 'require',
      PGHOSTADDR: '10.9.9.9',
    };
    const { settings } = await readNamedServer('postgres://u@db/d', env);
    expect({ ...settings, password: settings.password?.reveal() }).toEqual({
      ...plain,
      port: 6000,
      ssl_mode: 'require',
      password: 'from-env',
    });
    const given = await readNamedServer('postgres://u:mine@db/d', env);
    expect(given.settings.password?.reveal()).toBe('mine');
  });

  it.each([
    ['db:5432:d:u:right', 'right'],
    ['# a comment\n\n*:*:*:other:wrong\n*:*:*:u:right\n*:*:*:*:late', 'right'],
    ['db:5432:d:u:r\\:i\\\\ght', 'r:i\\ght'],
    ['db:5433:d:u:wrong', undefined],
    ['db:5432:d:u', undefined],
  ])('finds the password in %j', (text, password) =>
    expect(passwordIn(text, readConnectionUrl('postgres://u@db/d'))?.reveal()).toBe(password),
  );
});
