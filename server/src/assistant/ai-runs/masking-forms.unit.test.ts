// Every form in which a secret is known to stand in texts, with secrets of any making; and texts like them that hold none.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSource } from '../../testing/source-files.ts';
import { knowledgeEntries } from '../knowledge/entries.ts';
import { Masker } from './masking.ts';

const settings = { mask_emails: true, mask_addresses: true };
const masked = (text: string) => new Masker(settings).text(text);

/** A secret of letters, digits and signs that no form gives a meaning to. */
type SecretForm = (secret: string) => string;

const quoted = (text: string) => text.replaceAll("'", "''");
const jsonIn = (value: unknown, times: number): string =>
  times === 0 ? JSON.stringify(value) : jsonIn({ a: JSON.stringify(value) }, times - 1);

const SECRET_FORMS: Record<string, SecretForm> = {
  'prose: is': (s) => `The password is ${s}, please keep it.`,
  'prose: is, in quotes': (s) => `The password is "${s}".`,
  'prose: of': (s) => `Log in as app. The password of app is ${s} since Monday.`,
  'prose: for': (s) => `the password for the user app on db1 is: ${s}`,
  'prose: was changed to': (s) => `I have changed the password to ${s} today`,
  'prose: has been set to': (s) => `password has been set to ${s}`,
  'prose: now': (s) => `My password is now ${s}`,
  'prose: with password': (s) => `connect as app with password ${s}`,
  'prose: with the password': (s) => `connect as app with the password ${s} and look`,
  'prose: using': (s) => `using password "${s}"`,
  'prose: another language': (s) => `Das Passwort lautet ${s}`,
  'prose: in French': (s) => `Le mot de passe est ${s}.`,
  'prose: in Spanish': (s) => `La contraseña es ${s}`,
  'prose: user and password': (s) => `user: app / pass: ${s}`,
  'prose: with dashes': (s) => `password - ${s}`,
  'prose: over a line': (s) => `Password:\n${s}\n`,
  'a line of .pgpass': (s) => `db1.example.com:5432:shop:app:${s}`,
  'any line of .pgpass': (s) => `# hosts\n*:*:*:app:${s}\nlocalhost:5432:*:postgres:${s}`,
  'a line of .pgpass with an escape': (s) => `db1:5432:shop:app:a\\:${s}`,
  'a line of .netrc': (s) => `machine db1 login app password ${s}`,
  'an option of psql': (s) => `psql -h db1 --password=${s}`,
  PGPASSWORD: (s) => `PGPASSWORD=${s} psql -h db1`,
  export: (s) => `export PGPASSWORD="${s}"`,
  MYSQL_PWD: (s) => `MYSQL_PWD='${s}' mysql`,
  'an option of mysql': (s) => `mysql -u root -p${s} shop`,
  'curl -u': (s) => `curl -u app:${s} https://db1.example.com/`,
  sshpass: (s) => `sshpass -p ${s} ssh db1`,
  YAML: (s) => `db:\n  user: app\n  password: ${s}\n  port: 5432`,
  INI: (s) => `[db]\nuser = app\npassword = ${s}\n`,
  XML: (s) => `<db><user>app</user><password>${s}</password></db>`,
  'XML, an attribute': (s) => `<db user="app" password="${s}"/>`,
  'an object of JavaScript': (s) => `{ user: 'app', password: '${s}' }`,
  'a header': (s) => `X-Api-Key: ${s}`,
  'a bearer token': (s) => `Authorization: Bearer ${s}${s}`,
  'basic authorization': (s) => `authorization: Basic ${Buffer.from(`app:${s}`).toString('base64')}`,
  'a cookie': (s) => `Cookie: session_token=${s}; theme=dark`,
  'create role': (s) => `create role app login password '${s}' valid until 'infinity'`,
  'create role, encrypted': (s) => `CREATE USER app WITH ENCRYPTED PASSWORD '${s}'`,
  'create role, escaped': (s) => `alter role app password E'${s}\\x41'`,
  'create role, unicode': (s) => `alter role app password U&'${s}\\0041'`,
  'create role, dollars': (s) => `alter role app password $p$${s}$p$`,
  'create role, cut': (s) => `create role app password '${s}`,
  'identified by': (s) => `create user app identified by '${s}'`,
  'identified by, in double quotes': (s) => `CREATE USER app IDENTIFIED BY "${s}" ACCOUNT UNLOCK`,
  'identified by, bare': (s) => `ALTER USER app IDENTIFIED BY ${s};`,
  'identified with … as': (s) => `create user app identified with caching_sha2 as '${s}'`,
  'identified with … by': (s) => `CREATE USER a IDENTIFIED WITH mysql_native_password BY "${s}"`,
  'with password =': (s) => `CREATE LOGIN app WITH PASSWORD = N'${s}', CHECK_POLICY = ON`,
  'set password': (s) => `SET PASSWORD FOR 'app'@'%' = PASSWORD('${s}')`,
  'in prose, a statement': (s) => `They ran alter role app password '${s}' at noon.`,
  'a subscription': (s) => `create subscription s connection 'host=db1 user=app password=${s}' publication p`,
  'a user mapping': (s) => `create user mapping for app server f options (user 'app', password '${s}')`,
  'a server of postgres_fdw': (s) => `alter server f options (set passfile '/x', add sslpassword '${s}')`,
  dblink: (s) => `select * from dblink('dbname=shop user=app password=${s}', 'select 1') as t(a int)`,
  'dblink, by address': (s) => `select dblink_connect('c', 'postgresql://app:${s}@db1/shop')`,
  umoptions: (s) => `umoptions\n{user=app,password=${s}}`,
  'options with quotes': (s) => `{user=app,"password=${s} x"}`,
  rolconfig: (s) => `rolname\trolconfig\napp\t{search_path=app,app.api_token=${s}}`,
  'rolconfig in JSON': (s) => JSON.stringify({ rolconfig: [`search_path=app`, `app.jwt_secret=${s}`] }),
  pg_db_role_setting: (s) => `setdatabase\tsetrole\tsetconfig\n5\t10\t{app.secret=${s},work_mem=4MB}`,
  'alter role set': (s) => `alter role app set app.api_token = '${s}'`,
  'alter database set': (s) => `ALTER DATABASE shop SET app.jwt_secret TO '${s}'`,
  set_config: (s) => `select set_config('app.token', '${s}', false)`,
  set: (s) => `set app.password to ${s}`,
  'settings as CSV': (s) => `name,setting,unit\nssl_passphrase_command,echo ${s},\nwork_mem,4096,kB`,
  'settings as CSV in quotes': (s) => `"name","setting"\n"primary_conninfo","host=db1 password=${s}"`,
  'a column of CSV': (s) => `user,password,host\napp,${s},db1\nann,${s},db2`,
  'a column of CSV in quotes': (s) => `"user";"api_key"\n"app";"${s}"`,
  'a unicode string': (s) => `select U&'${s}\\0041' from t`,
  'dollar quotes': (s) => `do $body$ begin perform x('${s}'); end $body$`,
  'dollar quotes within': (s) => `create function f() returns void as $f$ select $q$${s}$q$ $f$ language sql`,
  JSON: (s) => JSON.stringify({ db: { password: s } }),
  'JSON within JSON': (s) => jsonIn({ password: s }, 1),
  'JSON within JSON within JSON': (s) => jsonIn({ password: s }, 3),
  'JSON within prose': (s) =>
    `The reply was ${JSON.stringify({ a: JSON.stringify({ client_secret: s }) })} then.`,
  'JSON of a statement': (s) => `select '${quoted(JSON.stringify({ password: s }))}'::jsonb`,
  'a list of pairs': (s) => JSON.stringify([{ name: 'PGPASSWORD', value: s }]),
  'connection string': (s) => `host=db1 port=5432 user=app password=${s} sslmode=require`,
  'connection string in quotes': (s) => `host=db1 password = '${s} x' user=app`,
  'a URL': (s) => `postgresql://app:${s}@db1.example.com:5432/shop?sslmode=require`,
  'a URL with the password behind': (s) => `postgresql://db1/shop?user=app&password=${s}`,
  'a JDBC URL': (s) => `jdbc:postgresql://db1:5432/shop?user=app&password=${s}&ssl=true`,
  'a URL of redis': (s) => `redis://:${s}@cache:6379/0`,
  'a signed URL': (s) => `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4&X-Amz-Signature=${s}`,
  'a shared access signature': (s) => `https://a.blob.core.windows.net/c?sv=2022&sig=${s}%3D`,
  'a connection string of Azure': (s) =>
    `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s}${s};EndpointSuffix=core.windows.net`,
  'a connection string of a bus': (s) =>
    `Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}=`,
  'ADO.NET': (s) => `Server=db1;Database=shop;User Id=app;Pwd=${s};`,
  'a key of AWS': (s) => `aws_secret_access_key = ${s}`,
  'a key of AWS in the environment': (s) => `AWS_SECRET_ACCESS_KEY=${s} AWS_SESSION_TOKEN=${s}`,
  'a key of a service account': (s) =>
    JSON.stringify({
      type: 'service_account',
      private_key_id: s,
      private_key: `-----BEGIN PRIVATE KEY-----\n${s}\n-----END PRIVATE KEY-----\n`,
    }),
  'a client secret': (s) => `client_secret: ${s}`,
  PEM: (s) => `-----BEGIN RSA PRIVATE KEY-----\nMIIE${s}\nabc\n-----END RSA PRIVATE KEY-----`,
  'PEM on one line': (s) => `key="-----BEGIN EC PRIVATE KEY-----\\nMIIE${s}\\n-----END EC PRIVATE KEY-----"`,
  'PEM that was cut': (s) => `-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl${s}`,
  'a log line of a statement': (s) =>
    `2026-11-22 10:00:00 UTC [77] app@shop LOG:  statement: alter role app password '${s}'`,
  'a log line of a connection': (s) => `FATAL:  could not connect: host=db1 password=${s} user=app`,
  archive_command: (s) => `archive_command = 'PGPASSWORD=x aws s3 cp %p s3://b --key ${s}'`,
  'a comment': (s) => `select 1 /* password: ${s} */`,
  'escaped in JSON': (s) => `{"log":"alter role a password '${s}'\\nnext"} and more`,
};

/** As generators of passwords make them; the ends say that nothing of one is left. */
const anySecret = fc
  .tuple(
    fc.stringMatching(/^[a-z]{3}[A-Z0-9]{2}$/),
    fc.stringMatching(/^[A-Za-z0-9_!%^*+.~-]{0,20}$/),
    fc.stringMatching(/^[A-Z]{2}[0-9a-z]{3}$/),
  )
  .map((parts) => parts.join(''));
const WORD = 'quixoticzebra';
/** Which of them say by signs alone that a bearer token or a key stands there. */
const names = Object.keys(SECRET_FORMS);

describe('nothing is left of a secret', () => {
  it.each(names)('%s', (name) => {
    const form = SECRET_FORMS[name] ?? expect.fail(name);
    expect(masked(form(WORD))).not.toContain('zebra');
    fc.assert(
      fc.property(anySecret, (secret) => {
        const kept = masked(form(secret));
        expect(kept).not.toContain(secret.slice(0, 5));
        expect(kept).not.toContain(secret.slice(-5));
      }),
      // Like the column of a table, with a word for secrets in it by chance.
      { numRuns: 40, examples: [['aadSN.AAaa0'], ['aadSN.AAdsn']] },
    );
  });

  it('wherever it stands between other texts, also as JSON and cut', () => {
    const around = fc.constantFrom(
      'All is well. ',
      "It's slow since 10:30:05.\n",
      'select a from b where c = 5;\n',
      "select 'x', $$y$$ from t;\n",
      'name\tsetting\nwork_mem\t4MB\n',
      '{"a": 1}\n',
      '',
    );
    fc.assert(
      fc.property(
        fc.tuple(around, fc.constantFrom(...names), anySecret, around, fc.boolean()),
        ([before, name, secret, after, isJson]) => {
          const text = `${before}\n${SECRET_FORMS[name]?.(secret)}\n${after}`;
          const kept = masked(isJson ? JSON.stringify({ text }) : text);
          expect(kept, name).not.toContain(secret.slice(0, 5));
          expect(kept, name).not.toContain(secret.slice(-5));
        },
      ),
      { numRuns: 1500 },
    );
  });
});

describe('signs within a secret', () => {
  it.each([
    'password=aQ1(zebra9',
    'password=aQ1)zebra9 host=db',
    'password: aQ1{zebra9}zebra9',
    'password=aQ1<zebra9>zebra9',
    'password=aQ1&zebra9',
    'the password is aQ1(zebra9)zebra9',
    'host=db password=aQ1#zebra9?zebra9 user=a',
    'postgres://a:aQ1#z(zebra9&zebra9@db/shop',
    'password="aQ1,zebra9;zebra9"',
  ])('%s', (text) => {
    expect(masked(text)).not.toContain('zebra');
  });

  it('take nothing of what is behind it', () => {
    expect(masked('jdbc:postgresql://db/shop?password=aQ1z&ssl=true')).toBe(
      'jdbc:postgresql://db/shop?password=[secret 1]&ssl=true',
    );
    expect(masked('{user=app,password=aQ1z}')).toBe('{user=app,password=[secret 1]}');
    expect(masked('(password=aQ1z) and more')).toBe('(password=[secret 1]) and more');
  });
});

describe('what was masked stays as it is', () => {
  it('however many forms stand in one text, where none of them reads like a comment', () => {
    const text = fc
      .array(fc.tuple(fc.constantFrom(...names), anySecret, fc.constantFrom('\n\n', '.\n\n')), {
        minLength: 1,
        maxLength: 4,
      })
      .map((all) =>
        all
          .map(([name, secret, end]) => `${SECRET_FORMS[name]?.(secret.replaceAll('-', '_'))}${end}`)
          .join(''),
      );
    fc.assert(
      fc.property(text, (one) => {
        const once = masked(one);
        expect(masked(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(names)('%s', (name) => {
    const once = masked(SECRET_FORMS[name]?.('Canary-77_Qz') ?? '');
    expect(masked(once)).toBe(once);
  });
});

describe('texts without a secret', () => {
  it.each([
    'The password is required, and the token is expired.',
    'password is not set; the password was changed yesterday',
    'Use password authentication with scram-sha-256, or use password files.',
    'password_encryption is scram-sha-256, max_connections is 100',
    'tokens: 5321, input_tokens=12, thinking_tokens: 0',
    'select token_hash from sessions where token_hash = $1 and password = excluded.password',
    'update t set password = $2, secret = s.secret from s',
    'Basic information about bearer tokens follows.',
    'It took 12:34:56.789, 5321 ms, 3 days and 00:00:01.',
    'pg_stat_activity.wait_event: Lock:transactionid, 10:30:05',
    'shared_buffers = 128MB, work_mem = 4MB, random_page_cost = 1.1',
    'src/backend/access/heap.c:120: error',
    'a,b,c\n1,2,3\n4,5,6',
    'name,setting\nwork_mem,4096\nmax_connections,100',
    'identified by its queryid 5234523452345234523',
    'https://www.postgresql.org/docs/current/runtime-config.html?highlight=wal',
    'psql -p 5432 -U app shop',
    'lag 5s, 12 MB/s, 99.9 %, 1.5e3 rows, 0/16B3748',
    'password: ********',
    'Key management, access keys and secret rotation are described below.',
  ])('%s', (text) => {
    expect(masked(text)).toBe(text);
  });

  it('of the knowledge base lose no word to a secret', () => {
    const texts = knowledgeEntries().flatMap(({ text = '', facts }) => [text, ...facts]);
    const changed = texts.filter((text) => {
      const masker = new Masker(settings);
      masker.text(text);
      return masker.masked.secret !== undefined;
    });
    expect(texts.length).toBeGreaterThan(1000);
    expect(changed).toEqual([]);
  });

  it('of the statements of this program lose none of their names and parameters', () => {
    const texts = readSource()
      .filter(({ isTest }) => !isTest)
      .flatMap(({ text }) =>
        [...text.matchAll(/\bsql(?:<[^`]*>)?`((?:[^`\\]|\\.)+)`/g)].map(([, found = '']) => {
          let count = 0;
          return found.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, () => `$${++count}`);
        }),
      );
    expect(texts.length).toBeGreaterThan(1000);
    const changed = texts.filter((text) => {
      const masker = new Masker(settings);
      masker.text(text);
      return masker.masked.secret !== undefined;
    });
    expect(changed).toEqual([]);
  });
});
