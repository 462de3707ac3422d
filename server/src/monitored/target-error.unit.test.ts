// What a server says while signing in is judged by what is the same in every language.
import { expect, it } from 'vitest';
import { signInError } from './target-error.ts';

const FACTS = { host: 'db', port: 5432, database: 'shop', username: 'mon', ssl_mode: 'prefer' } as const;
const messageOf = (refusal: Parameters<typeof signInError>[0]) => signInError(refusal, FACTS).message;

it('tells a missing role from a refusal of pg_hba.conf, whatever language the server speaks', () => {
  const missing = { code: '28000', routine: 'InitializeSessionUserId' };
  expect(messageOf({ ...missing, message: 'Rolle »mon« existiert nicht' })).toMatch(
    /^The role mon does not exist/,
  );
  expect(messageOf({ ...missing, message: 'role "mon" does not exist' })).toMatch(
    /^The role mon does not exist/,
  );
  const refused = { code: '28000', routine: 'ClientAuthentication' };
  const words = messageOf({ ...refused, message: 'kein pg_hba.conf-Eintrag für Host »::1«' });
  expect(words).toMatch(/pg_hba\.conf/);
  expect(words).not.toMatch(/does not exist/);
});

it('tells whose limit of connections is reached, whatever language the server speaks', () => {
  const full = (routine: string) => messageOf({ code: '53300', message: 'zu viele Verbindungen', routine });
  expect(full('CheckMyDatabase')).toMatch(/^The database shop takes no further connection: .*alter database/);
  expect(full('InitializeSessionUserId')).toMatch(/^The role mon takes no further connection: .*alter role/);
  expect(full('InitProcess')).toMatch(/^The server has no free connection for mon\./);
});

it('knows the words of a pooler that has no such database', () => {
  expect(messageOf({ code: '08P01', message: 'no such database: shop' })).toMatch(/connection pooler/);
});

it('tells what fails while a session starts from a refusal, whatever its SQLSTATE', () => {
  const where = 'PL/pgSQL function public.seen() line 3 at SQL statement';
  for (const code of ['P0001', '42501', '28000', '25006', '57014'])
    expect(messageOf({ code, message: 'no', where })).toMatch(/login event trigger/);
  expect(messageOf({ code: '42501', message: 'permission denied for database' })).toMatch(/CONNECT/);
  expect(messageOf({ code: '58P01', message: 'could not access file "nosuch"' })).toMatch(
    /session_preload_libraries/,
  );
  expect(messageOf({ code: '0A000', message: 'conversion is not supported' })).toMatch(/encoding/);
});

it('tells why a server accepts no session, and does not take a crash for a standby', () => {
  const closed = (message: string, detail?: string) => messageOf({ code: '57P03', message, detail });
  expect(closed('the database system is in recovery mode')).toMatch(/crash recovery/);
  expect(closed('the database system is starting up')).toMatch(/starting up/);
  expect(closed('the database system is shutting down')).toMatch(/smart shutdown/);
  expect(closed('the database system is not accepting connections', 'Hot standby mode is disabled.')).toMatch(
    /hot_standby is off/,
  );
  expect(
    closed(
      'the database system is not yet accepting connections',
      'Consistent recovery state has not been yet reached.',
    ),
  ).toMatch(/has not replayed enough WAL/);
  expect(closed('das Datenbanksystem startet')).toMatch(/starting, stopping or recovering/);
});
