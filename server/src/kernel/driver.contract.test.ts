// The private members of the driver that are used, held against the installed version and a real server: what an update moves fails here.
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { datastoreServer } from '../testing/servers/postgres.ts';
import { controlStartup, driverQuery, processIdOf, scram } from './driver.ts';

function clientOf() {
  const { host, port, superuser: user, password } = datastoreServer();
  return new pg.Client({
    host,
    port,
    user,
    password,
    database: 'postgres',
    application_name: 'from-the-options',
  });
}

it('has the members that are used', () => {
  expect(driverQuery).toMatchObject({
    submit: expect.any(Function),
    prepare: expect.any(Function),
    hasBeenParsed: expect.any(Function),
    _getRows: expect.any(Function),
  });
  expect(scram).toMatchObject({
    deriveKey: expect.any(Function),
    hmacSha256: expect.any(Function),
    sha256: expect.any(Function),
  });
});

it('makes a key of SCRAM as RFC 5802 says', async () => {
  const key = await scram.deriveKey('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'), 4096);
  expect(Buffer.from(new Uint8Array(key)).toString('base64')).toBe(
    'xKSVEDI6tPlSysH6mUQZOeeOp01r6B3fcJbodRPcYV0=',
  );
});

it('leaves the environment out of the startup message, and forgets the password', async () => {
  const client = clientOf();
  const { connection, forgetPassword } = controlStartup(client, '-c work_mem=5MB');
  const said = new Map<string, string>();
  connection.on('parameterStatus', (message: { parameterName: string; parameterValue: string }) =>
    said.set(message.parameterName, message.parameterValue),
  );
  await client.connect();
  onTestFinished(() => client.end());
  forgetPassword();
  expect(Number.parseInt(said.get('server_version') ?? '', 10)).toBeGreaterThanOrEqual(14);
  const { rows } = await client.query(
    `select pg_backend_pid() as pid, current_setting('work_mem') as work_mem, current_setting('application_name') as name`,
  );
  expect(rows).toEqual([{ pid: processIdOf(client), work_mem: '5MB', name: '' }]);
  expect(Reflect.get(client, 'password')).toBeNull();
  expect(Reflect.get(Reflect.get(client, 'connectionParameters'), 'password')).toBeNull();
});
