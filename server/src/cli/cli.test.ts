import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tokenHash } from '../identity/auth/tokens.ts';
import { openVault } from '../identity/secrets/vault.service.ts';
import { systemClock } from '../kernel/clock.ts';
import { loadConfig } from '../kernel/config.ts';
import { createLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { versionLine } from '../kernel/version.ts';
import { openEngine } from '../store/layout/engine/open.ts';
import { makeConnection, makeUser } from '../testing/access/actors.ts';
import { type AuthProcess, authProcess, GOOD_PASSWORD } from '../testing/access/auth.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { startCluster } from '../testing/servers/postgres.ts';
import { collected } from '../testing/store/collected.ts';
import { installStandIn } from '../testing/store/store-extensions.ts';
import { runCli } from './cli.ts';
import type { CliIo } from './command.ts';
import { settings } from './settings.ts';

let test: TestDatabase;
let here: AuthProcess;
let folder: string;
let keyFile: string;
/** The environment that settings are read from. */
let env: Record<string, string> = {};
beforeAll(async () => {
  test = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'matriarch-cli-'));
  keyFile = join(folder, 'secret.key');
  await openVault({ db: test.db, keyFile, createIfMissing: true });
});
beforeEach(async () => {
  env = { MATRIARCH_SECRET_KEY_FILE: keyFile };
  await test.db.run(sql`/* test.empty */ truncate matriarch.users restart identity cascade`);
  await test.db.run(sql`/* test.empty */ truncate matriarch.login_attempts`);
  await test.db.run(sql`/* test.empty */ delete from metrics.current_snapshots`);
  here = authProcess(test.db);
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true });
});

interface Ran {
  code: number;
  out: string[];
  err: string;
  logged: string;
  prompts: string[];
}

/** Runs a command line; `typed` are the secrets in the order they are asked for. */
async function matriarch(
  argv: string[],
  typed: string[] = [],
  { interactive = false, db = test.db } = {},
): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const logged: string[] = [];
  const prompts: string[] = [];
  const io: CliIo = {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    interactive,
    readSecret: async (prompt) => {
      prompts.push(prompt);
      return new Secret(typed.shift() ?? '');
    },
    db: async () => db,
    migrate: async () => [],
    clock: systemClock,
    log: createLog({ level: 'trace', destination: { write: (line) => logged.push(line) } }),
    config: () => loadConfig({ settings, argv: [], env }),
  };
  const code = await runCli(io, argv);
  return { code, out, err: err.join('\n'), logged: logged.join(''), prompts };
}

describe('matriarch doctor', () => {
  it('with a connection says everything about that one', async () => {
    const owner = await makeUser(test.db);
    const add = (name: string) =>
      makeConnection(test.db, { owner_id: owner.user_id, name, is_monitored: true });
    const [id] = [await add('Orders'), await add('other')];
    const skipped = {
      reason: 'It lacks rights.',
      mend: 'grant select on x to y;',
      cause: 'missing_grant' as const,
    };
    await collected(
      test.db,
      { connection_id: id, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }], took_ms: 1.25 },
      { connection_id: id, probe: 'pg_extension', database_name: 'shop', skipped },
    );
    const ran = await matriarch(['doctor', 'orders']);
    expect(ran.code).toBe(1);
    expect(ran.out[0]).toMatch(
      /^✗ Orders: Nothing listens on 127.0.0.1 port 9.* Newest sample \d+ s ago \(20/,
    );
    const line = (start: string) => ran.out.find((one) => one.startsWith(start))?.split(/ {2,}/);
    expect(line('PROBE')).toEqual(['PROBE', 'DATABASE', 'STATUS', 'EVERY', 'COST', 'TOOK']);
    expect(line('pg_connectivity ')).toBeUndefined();
    expect(line('pg_extension ')).toEqual(['pg_extension', 'shop', 'missing grant', '3600 s', '–', '1.0 ms']);
    expect(ran.out).toContain('! pg_extension in shop: It lacks rights. Run this in the database shop:');
    expect(ran.out).toContain('    grant select on x to y;');
    expect(ran.out.join('\n')).toMatch(/\d+ runs of probes: 1 collected, 1 missing, \d+ not run yet\./);
    const all = (await matriarch(['doctor', 'orders', '--all'])).out;
    expect(all.find((one) => one.startsWith('pg_connectivity '))?.split(/ {2,}/)).toEqual([
      'pg_connectivity',
      'ok',
      '30 s',
      '–',
      '1.3 ms',
    ]);
    const json: { server: object; probes: object[] } = JSON.parse(
      (await matriarch(['doctor', String(id), '--json'])).out.join('\n'),
    );
    expect(json.server).toMatchObject({ connection_id: id, name: 'Orders' });
  });

  it('connects and looks, whatever was seen last, and says of when that is', async () => {
    await using server = await startCluster({ hba: ['host all all 127.0.0.1/32 trust'] });
    const owner = await makeUser(test.db);
    const id = await makeConnection(test.db, { owner_id: owner.user_id, name: 'live', is_monitored: true });
    await test.db.run(sql`/* test.point */
      update matriarch.connections set port = ${server.port}, username = 'postgres' where id = ${id}`);
    const sample = { connection_id: id, probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }] };
    await collected(test.db, sample);
    const good = await matriarch(['doctor', 'live']);
    expect(good.out[0]).toMatch(/^✓ live: Answers now, PostgreSQL 18\.\S+\. Newest sample \d+ s ago \(20/);
    expect(good.code).toBe(0);
    await server.shutdown();
    const stopped = await matriarch(['doctor', 'live']);
    expect(stopped.out[0]).toMatch(/^✗ live: Nothing listens on .* Newest sample \d+ s ago/);
    expect(stopped.code).toBe(1);
    const all = await matriarch(['doctor']);
    expect(all.code).toBe(1);
    expect(all.out).toContainEqual(expect.stringMatching(/^✗ live: Nothing listens on/));
    expect(all.out).toContainEqual(expect.stringMatching(/^! collector: None is running/));
    expect(all.out.join('\n')).not.toContain('✓ live');
  });

  it('says how much the datastore takes on every server that keeps a part of it', async () => {
    const spread = await testDatabase({ choosesEngine: true });
    onTestFinished(() => spread.close());
    await installStandIn(spread.db, 'citus', 'public');
    await openEngine(spread.db);
    await openVault({ db: spread.db, keyFile: join(folder, 'spread.key'), createIfMissing: true });
    env = { MATRIARCH_SECRET_KEY_FILE: join(folder, 'spread.key') };
    const { mb } = await spread.db.one<{ mb: number }>(sql`
      select round(sum(n.result::bigint) / 1048576)::integer as mb
      from run_command_on_all_nodes('select pg_database_size(current_database())') n`);
    const { out } = await matriarch(['doctor'], [], { db: spread.db });
    const said = /^✓ datastore: PostgreSQL \S+, (\d+) MB used\.$/m.exec(out.join('\n'))?.[1];
    expect(Math.abs(Number(said) - mb)).toBeLessThanOrEqual(2);
    expect(mb).toBeGreaterThan(10);
  });

  it('connects with no file of TLS outside the permitted folders', async () => {
    const owner = await makeUser(test.db);
    const over = { owner_id: owner.user_id, name: 'certified', is_monitored: true };
    const id = await makeConnection(test.db, over);
    await test.db.run(sql`/* test.path */
      update matriarch.connections set ssl_root_cert_path = '/etc/ca.pem', host = '127.0.0.1', port = 9 where id = ${id}`);
    env = { ...env, MATRIARCH_CONNECTIONS_TLS_FILE_FOLDERS: '/srv/certs' };
    expect((await matriarch(['doctor', 'certified'])).out[0]).toMatch(
      /^✗ certified: ssl_root_cert_path must lie in \/srv\/certs\. Put the file there/,
    );
  });

  it('says with its exit status that it could not look', async () => {
    expect(await matriarch(['doctor', 'nobody'])).toMatchObject({ code: 2, out: [] });
    env = { MATRIARCH_SECRET_KEY_FILE: join(folder, 'no such key') };
    expect((await matriarch(['doctor'])).code).toBe(2);
  });

  it('with an unknown connection says so', async () => {
    expect(await matriarch(['doctor', 'nobody'])).toMatchObject({
      code: 2,
      err: 'There is no connection nobody.',
    });
  });
});

it('--version is one line: the version, then the commit', async () => {
  expect(versionLine()).toMatch(/^\d+\.\d+\.\d+(?: \(commit [0-9a-f]{12}\))?$/);
  expect(await matriarch(['--version'])).toMatchObject({ code: 0, out: [versionLine()], err: '' });
});

it('tokens last a month unless something else is said', async () => {
  await here.person('ada');
  const made = (...more: string[]) => matriarch(['token', 'create', 'ada', '--name', 'x', ...more]);
  const byDefault = await made();
  expect(byDefault.out).toEqual([expect.stringMatching(/^\S+$/)]);
  const until = Date.parse(/expires at (\S+)\./.exec(byDefault.err)?.[1] ?? '');
  expect(Math.round((until - systemClock.now()) / 86_400_000)).toBe(30);
  expect((await made('--expires', 'never')).err).toContain('does not expire');
});

describe('matriarch user', () => {
  it('create asks twice at a terminal, and the user can sign in', async () => {
    const ran = await matriarch(['user', 'create', 'ada', '--superuser'], [GOOD_PASSWORD, GOOD_PASSWORD], {
      interactive: true,
    });
    expect(ran).toMatchObject({ code: 0, out: [], prompts: ['New password: ', 'Once more: '] });
    expect(ran.err).toMatch(/^Created user ada \(id \d+\)\.$/);
    expect(ran.logged).not.toContain(GOOD_PASSWORD);
    expect(await here.signIn('ada', GOOD_PASSWORD)).toBeDefined();
  });

  it('create reads a piped line once, or a file', async () => {
    expect((await matriarch(['user', 'create', 'piped'], [GOOD_PASSWORD])).prompts).toHaveLength(1);
    const path = join(folder, 'password');
    await writeFile(path, `${GOOD_PASSWORD}\n`);
    expect(await matriarch(['user', 'create', 'filed', '--password-file', path])).toMatchObject({
      code: 0,
      prompts: [],
    });
    expect(await here.signIn('piped', GOOD_PASSWORD)).toBeDefined();
    expect(await here.signIn('filed', GOOD_PASSWORD)).toBeDefined();
  });

  it.each([
    [['user', 'create', 'ada'], [GOOD_PASSWORD, 'another password'], /not the same/],
    [['user', 'create', 'ada'], ['short', 'short'], /at least 12 characters/],
    [['user', 'create', 'ada'], [''], /No password was given/],
    [['user', 'create', 'no spaces'], [], /1 to 128 letters/],
    [['user', 'create', 'ada', '--password-file', '/does/not/exist'], [], /does not exist: check the path/],
    [['user', 'create', 'ada', '--link', '--service-account'], [], /exclude each other/],
    [['user', 'create', 'ada', '--password', 'in-the-arguments'], [], /unknown option '--password'/],
    [['user', 'create'], [], /missing required argument 'username'/],
    [['user', 'passwd', 'nobody'], [GOOD_PASSWORD], /There is no user named "nobody"/],
    [['user', 'link', 'nobody'], [], /There is no user named "nobody"/],
    [['user', 'second-factor', 'nobody', '--remove'], [], /There is no user named "nobody"/],
    [['user', 'sign-out', 'nobody'], [], /There is no user named "nobody"/],
    [['user', 'sign-out'], [], /Name a user, or give --all/],
    [['user', 'sign-out', 'ada', '--all'], [], /Name a user, or give --all/],
    [['user', 'identity', 'nobody'], [], /Give --issuer and --subject/],
    [
      ['user', 'identity', 'nobody', '--issuer', 'x', '--subject', 'y'],
      [],
      /There is no user named "nobody"/,
    ],
    [['token', 'create', 'nobody', '--name', 'x'], [], /There is no user named "nobody"/],
    [['token', 'create', 'nobody'], [], /--name is needed/],
    [
      ['token', 'create', 'nobody', '--name', 'x', '--connections', '1:write'],
      [],
      /--connections: found "1:write"/,
    ],
    [['token', 'revoke', 'abc'], [], /by its number/],
    [['token', 'revoke', '77'], [], /There is no token 77/],
    [['tokens'], [], /unknown command 'tokens'/],
  ])('%j stops with one sentence and code 1', async (argv, typed, sentence) => {
    const ran = await matriarch(argv, typed, { interactive: true });
    expect(ran.code).toBe(1);
    expect(ran.out).toEqual([]);
    expect(ran.err).toMatch(sentence);
    expect(ran.err).not.toMatch(/\bat .*:\d+:\d+/);
  });

  it('create refuses a taken name', async () => {
    await here.person('Ada');
    expect(await matriarch(['user', 'create', 'aDA'], [GOOD_PASSWORD])).toMatchObject({
      code: 1,
      err: 'The user name aDA is taken.',
    });
  });

  it('create --link and link print a token that signs in, alone on standard output', async () => {
    for (const argv of [
      ['user', 'create', 'eve', '--link'],
      ['user', 'link', 'EVE'],
    ]) {
      const ran = await matriarch(argv);
      expect(ran.out).toEqual([expect.stringMatching(/^mlk_[\w-]{43}$/)]);
      expect(ran.err).toContain('/link#<token>');
      expect(ran.logged).not.toContain(ran.out[0]);
    }
  });

  it('second-factor says whether there is one, and --remove takes it away', async () => {
    const id = await here.person('twofold');
    const show = ['user', 'second-factor', 'TWOFOLD'];
    expect((await matriarch(show)).out).toEqual(['not set up']);
    await test.db.run(sql`/* test.factor */
      insert into matriarch.second_factors (user_id, sealed_key, created_at, confirmed_at)
      values (${id}, '', now(), now())`);
    expect((await matriarch(show)).out).toEqual([expect.stringMatching(/^set up on 2/)]);
    const removed = { code: 0, out: [], err: expect.stringMatching(/twofold has no second factor any more/) };
    expect(await matriarch([...show, '--remove'])).toMatchObject(removed);
    expect((await matriarch(show)).out).toEqual(['not set up']);
    expect(await matriarch([...show, '--remove'])).toMatchObject({ code: 1 });
  });

  it('sign-out ends the sessions of one user, or of all', async () => {
    await here.person('leaving');
    await here.person('staying');
    const open = (name: string) => here.signIn(name, GOOD_PASSWORD);
    const [gone, left] = [await open('leaving'), await open('staying')];
    const ran = await matriarch(['user', 'sign-out', 'LEAVING']);
    expect(ran).toMatchObject({ code: 0, out: ['leaving: ended one session'] });
    expect([await here.whoIs(gone.token), await here.whoIs(left.token)]).toEqual([undefined, 'staying']);
    await open('leaving');
    const { out } = await matriarch(['user', 'sign-out', '--all']);
    expect(out).toEqual(expect.arrayContaining(['leaving: ended one session', 'staying: ended one session']));
    expect(await here.whoIs(left.token)).toBeUndefined();
  });

  it('identity lets a user sign in with a provider, and --remove no more', async () => {
    await here.person('ada');
    const identity = ['--issuer', 'https://login.example.com', '--subject', 'a-1'];
    const bound = () =>
      test.db.rows(sql`/* test.identities */
        select u.username, i.issuer, i.subject
        from matriarch.user_identities i
        join matriarch.users u on u.id = i.user_id`);
    const given = await matriarch(['user', 'identity', 'ADA', ...identity]);
    expect(given).toMatchObject({ code: 0, out: [], err: 'ada can sign in with this identity now.' });
    const row = { username: 'ada', issuer: 'https://login.example.com', subject: 'a-1' };
    expect(await bound()).toEqual([row]);
    await here.person('eve');
    expect(await matriarch(['user', 'identity', 'eve', ...identity])).toMatchObject({
      code: 1,
      err: 'This identity belongs to a user already.',
    });
    expect(await matriarch(['user', 'identity', 'eve', ...identity, '--remove'])).toMatchObject({
      code: 1,
      err: 'eve has no such identity.',
    });
    expect(await matriarch(['user', 'identity', 'ada', ...identity, '--remove'])).toMatchObject({ code: 0 });
    expect(await bound()).toEqual([]);
    const audited = await test.db.rows(sql`/* test.audited */
      select action, target_name, actor_name, details
      from matriarch.audit_events
      where action like 'user.%bind_identity'
      order by id`);
    const details = { issuer: row.issuer, subject: row.subject };
    expect(audited).toEqual([
      { action: 'user.bind_identity', target_name: 'ada', actor_name: 'system: cli', details },
      { action: 'user.unbind_identity', target_name: 'ada', actor_name: 'system: cli', details },
    ]);
  });

  it('passwd ends all sessions', async () => {
    await here.person('ada');
    const session = await here.signIn('ada', GOOD_PASSWORD);
    const ran = await matriarch(['user', 'passwd', 'ada'], ['lantern orbit staple']);
    expect(ran).toMatchObject({ code: 0, out: [] });
    expect(await here.whoIs(session.token)).toBeUndefined();
    expect(await here.signIn('ada', 'lantern orbit staple')).toBeDefined();
  });

  it('list prints a table or JSON', async () => {
    await here.person('ada', { is_superuser: true });
    await matriarch(['user', 'create', 'robot', '--service-account']);
    const table = (await matriarch(['user', 'list'])).out;
    expect(table[0]).toMatch(/^id {2}name {3}kind +enabled {2}superuser {2}password {2}created$/);
    expect(table[1]).toMatch(/^1 {3}ada +person +yes +yes +yes +\d{4}-/);
    expect(table[2]).toMatch(/^2 {3}robot +service account +yes +no +- +\d{4}-/);
    const { users } = JSON.parse((await matriarch(['user', 'list', '--json'])).out.join('\n'));
    expect(users).toMatchObject([
      { username: 'ada', is_superuser: true, has_password: true },
      { username: 'robot', is_service_account: true, has_password: false },
    ]);
    expect(JSON.stringify(users)).not.toContain('argon2');
  });
});

describe('matriarch token', () => {
  it('create prints the token alone; list knows it by its hash; revoke ends it', async () => {
    await matriarch(['user', 'create', 'robot', '--service-account']);
    const ran = await matriarch(['token', 'create', 'robot', '--name', 'backup job', '--expires', '30d']);
    expect(ran.code).toBe(0);
    expect(ran.out).toEqual([expect.stringMatching(/^mat_[\w-]{43}$/)]);
    expect(ran.err).toMatch(/^Token 1 \(backup job\) of robot expires at \d{4}-.*shown only this once:$/);
    const token = new Secret(ran.out[0] ?? '');
    expect(await here.whoIs(token)).toBe('robot');

    const table = (await matriarch(['token', 'list'])).out;
    expect(table[1]).toContain(tokenHash(token).toString('hex').slice(0, 12));
    expect(table[1]).toMatch(/backup job .* robot .*Z +\d{4}-.*Z +all of the owner$/);
    expect(table.join()).not.toContain(token.reveal());
    const { tokens } = JSON.parse((await matriarch(['token', 'list', '--json'])).out.join('\n'));
    expect(tokens).toMatchObject([{ id: 1, name: 'backup job', username: 'robot' }]);

    expect(await matriarch(['token', 'revoke', '1'])).toMatchObject({
      code: 0,
      err: 'Token 1 (backup job) is revoked.',
    });
    expect(await here.whoIs(token)).toBeUndefined();
  });

  it('create keeps to auth.max_token_lifetime, also when no end is asked for', async () => {
    env = { MATRIARCH_AUTH_MAX_TOKEN_LIFETIME: '12h' };
    await matriarch(['user', 'create', 'robot', '--service-account']);
    const create = ['token', 'create', 'robot', '--name', 'backup job'];
    expect((await matriarch([...create, '--expires', '1d'])).err).toBe(
      'Tokens of this server last at most 12 hours.',
    );
    expect((await matriarch(create)).err).toMatch(/ of robot expires at \d{4}-/);
  });

  it('create takes a scope, also one that allows nothing', async () => {
    await here.person('ada');
    const options = [
      '--connections',
      'all:read_write',
      '--mcp',
      '',
      '--admin',
      'manage_users, manage_probes',
    ];
    await matriarch(['token', 'create', 'ada', '--name', 'x', ...options]);
    const { tokens } = JSON.parse((await matriarch(['token', 'list', '--json'])).out.join('\n'));
    expect(tokens[0].scope).toEqual({
      connections: [{ connection_id: 0, level: 'read_write' }],
      mcp: [],
      admin: ['manage_users', 'manage_probes'],
    });
    const table = (await matriarch(['token', 'list'])).out;
    expect(table[1]).toMatch(/connections=all:read_write mcp=none admin=manage_users,manage_probes$/);
  });

  it('create refuses a name that the API would refuse', async () => {
    await here.person('ada');
    expect(await matriarch(['token', 'create', 'ada', '--name', 'red\u200bish'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('name must not contain invisible, control or direction characters.'),
    });
  });

  it('list shows no control characters of names', async () => {
    await here.person('ada');
    await matriarch(['token', 'create', 'ada', '--name', 'red']);
    // As an older version took it.
    await test.db.run(sql`/* test.name */ update matriarch.api_tokens set name = ${'a\u001b[31mred\u202e'}`);
    const table = (await matriarch(['token', 'list'])).out.join('\n');
    expect(table).toContain('a?[31mred?');
  });
});

describe('matriarch', () => {
  it('explains itself', async () => {
    const help = await matriarch(['--help']);
    expect(help.code).toBe(0);
    expect(help.out.join('\n')).toMatch(/user +People and service accounts/);
    // Each group says what it is.
    expect(help.out.join('\n')).not.toMatch(/^ {2}[a-z]+$/m);
    const create = await matriarch(['user', 'create', '--help']);
    expect(create.out.join('\n')).toMatch(/is never an argument/);
  });

  it('says so when a password file is empty', async () => {
    const path = join(folder, 'empty');
    await writeFile(path, '');
    const ran = await matriarch(['user', 'create', 'ada', '--password-file', path]);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.err).toMatch(/is empty/);
  });
});
