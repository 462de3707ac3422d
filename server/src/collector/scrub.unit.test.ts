import { describe, expect, it } from 'vitest';
import { Scrubber } from './scrub.ts';

const scrubSecrets = (statement: string) => new Scrubber().statement(statement);

const S = 'hunter2';
const B = '********';

describe('secrets in statements', () => {
  it.each([
    `alter role app password '${S}'`,
    `ALTER USER "App" WITH ENCRYPTED PASSWORD '${S}' VALID UNTIL 'infinity'`,
    `create role app login password E'it\\'s ${S}'`,
    `create role app password 'it''s ${S}' login`,
    `create role app password U&'${S}'`,
    `create role app password $$${S}$$`,
    `create role app password $x$ ' ${S} $x$ createdb`,
    `create role app password -- for the app\n '${S}'`,
    `create role app password /* a /* nested's */ one */ '${S}'`,
    `select $it$don't$it$; alter role app password 'a'\n  '${S}'`,
    `alter role app password '${S}`,
    `alter role app password "${S}"`,
    `alter role app password ${S};`,
    `create user mapping for app server s options (user 'app', password '${S}')`,
    `alter user mapping for app server s options (set "password" '${S}')`,
    `create subscription s connection 'host=db user=app password=${S} dbname=x' publication p`,
    `alter subscription s connection 'host=db password=''my ${S}'' dbname=x'`,
    `alter subscription s connection E'host=db password=\\'my ${S}\\' dbname=x'`,
    `create subscription s connection 'postgresql://app:${S}@db/x' publication p`,
    `create subscription s connection 'postgresql://app:${S}`,
    `alter system set primary_conninfo = 'host=db password = ${S}'`,
    `set app.secret_key to '${S}'`,
    `set app.api_key = '${S}'`,
    `select set_config('app.password', '${S}', false)`,
    `select set_config('app.password', 'a'\n  '${S}', false)`,
    `select dblink_connect('c', 'dbname=x password=${S}')`,
    `do $do$ begin execute 'alter role a password ''${S}'''; end $do$`,
    `do $do$ begin alter role a password '${S}'; end $do$`,
    `do $do$ begin execute $q$ alter role a password '${S}' $q$; end`,
    `update users set password = '${S}' where id = 1`,
    `select 'password: ${S}'`,
    `select 'my token=${S}, and more'`,
    `select 1 -- pass: ${S}`,
    `alter database d set app.smtp_pass = '${S}'`,
    `alter role r in database d set app.smtp_pass to ${S}`,
    `set local app.anything = ${S}`,
    `set "app"."any" = "${S}"`,
    `comment on table t is 'the word is ${S}'`,
    `call send_mail('${S}')`,
    `copy t from program 'curl -u app:${S} http://x'`,
    `do $$ begin perform set_config('app.x', '${S}', true); end $$`,
    `/* who */ (alter role r set app.x = '${S}')`,
    `select * from f(password => '${S}')`,
    `/* password='${S}' */ select 1`,
    `-- postgres://u:${S}@h/d\nselect 1`,
    `select '{"password": "${S}"}'::jsonb`,
    `select 'it''s', 'a' ; alter role app password '${S}'`,
    `select e'\\\\', 1; alter role app password '${S}'`,
    `select "odd'name"; alter role app password '${S}'`,
    `select a$b$c from t; alter role app password '${S}'`,
    `select 'password ''a''''${S}'''`,
  ])('are blanked: %s', (statement) => {
    const kept = scrubSecrets(statement);
    expect(kept).not.toContain(S);
    expect(kept).toContain(B);
    expect(scrubSecrets(kept)).not.toContain(S);
  });

  it('are all that is blanked', () => {
    expect(scrubSecrets(`create role app login password '${S}' createdb -- why`)).toBe(
      `create role app login password '${B}' createdb -- why`,
    );
    expect(scrubSecrets(`select '${S} is kept', 'password: ${S}' from t where name = 'x'`)).toBe(
      `select '${S} is kept', 'password: ${B}' from t where name = 'x'`,
    );
    expect(scrubSecrets(`alter role app set app.mode = ${S}; select 'x'`)).toBe(
      `alter role app set app.mode = ${B}; select 'x'`,
    );
  });

  it('are every literal of a statement that is no query', () => {
    expect(
      scrubSecrets(`create user mapping for a server s options (password '${S}', user 'a', x 'y')`),
    ).toBe(`create user mapping for a server s options (password '${B}', user '${B}', x '${B}')`);
    expect(scrubSecrets(`call send('${S}')`)).toBe(`call send('${B}')`);
    expect(scrubSecrets(`select 'x'; comment on table t is $$${S}$$; explain select 'y'`)).toBe(
      `select 'x'; comment on table t is $$${B}$$; explain select 'y'`,
    );
  });

  it.each([
    'select password from users where password = $1 and id = $2',
    "select 'it''s' as a, e'x\\'y' as b, $$body$$ as c -- nothing",
    'alter role app password null',
    "select 'enter password ' || name from t",
    'select a - b / c, "Na""me", $1::text, \'https://example.com/a?b=c\' from t',
    "update t set note = 'x' /* why */ where id in (1, 2)",
    'alter role app set work_mem = 1024',
    'set app.mode to default',
    "/* why */ select 'a' where passenger = 5",
    "with x as (select 'a') (select 'b' from x)",
    '',
    'é€😀 \u0000 select 1',
  ])('leave other statements as they are: %s', (statement) => {
    expect(scrubSecrets(statement)).toBe(statement);
  });

  it('leave endless and broken texts alone without taking long over them', () => {
    for (const unit of [
      "'",
      "''",
      '$',
      '$$',
      '$a$',
      '/*',
      '"',
      '\\',
      'password',
      "password '",
      "password ''",
      '://a:',
      'a ',
    ])
      expect(scrubSecrets(unit.repeat(8192 / unit.length)).length).toBeLessThan(60_000);
  });
});

describe('parameters of the operator’s choice', () => {
  const scrubber = new Scrubber(['app.licence', 'billing.*', 'search_path']);

  it.each([
    [`select set_config('app.licence', '${S}', false)`, `select set_config('app.licence', '${B}', false)`],
    [
      `select set_config('BILLING.no', '${S}', true), 'x'`,
      `select set_config('BILLING.no', '${B}', true), 'x'`,
    ],
    [`set search_path = ${S}, public`, `set search_path = ${B}`],
    [`select '-c app.licence=${S} -c app.mode=x'`, `select '-c app.licence=${B} -c app.mode=x'`],
  ])('are blanked in %s', (statement, kept) => {
    expect(new Scrubber().statement(statement)).toContain(S);
    expect(scrubber.statement(statement)).toBe(kept);
  });

  it.each([`select 'app.licence_plate=x', 'my.app.licence=x', 'xbilling.a=1' from search_paths`])(
    'leave other names alone: %s',
    (statement) => {
      expect(scrubber.statement(statement)).toBe(statement);
    },
  );

  it('are masked where settings are shown, whatever their case', () => {
    const values = [
      'app.licence',
      'App.Licence',
      'billing.',
      'billing.x.y',
      'app.licences',
      'my.app.licence',
    ];
    expect(values.map((name) => scrubber.parameter(name, S))).toEqual([B, B, B, B, S, S]);
    expect(scrubber.parameter('app.licence', '')).toBe('');
  });
});
