// Reports by email on a schedule, over the real outbox to a real mail server, by a clock that the test moves: each time once, by
// several processes; what is sent is what the owner may see then; who may make one, and of what.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSender, type Sender } from '../../alerting/channels/sender.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, WEEK_MS } from '../../kernel/units.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { auditOf } from '../../testing/access/rbac.ts';
import { type MailPeer, startMailPeer } from '../../testing/channels/mail-peer.ts';
import { type OutboxScene, outboxScene } from '../../testing/channels/outbox-scene.ts';
import { reportSchedulesRoom } from '../../testing/rooms/report-schedules.ts';
import { countedDb } from '../../testing/store/counted-db.ts';
import { queueDueReports } from './ticks.service.ts';
import { writeReport } from './writing.service.ts';

/** Some days ahead, whenever the test runs, so that a report of a week tells of what is found an hour before now. */
const DAY = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][(new Date().getUTCDay() + 3) % 7];
const HOSTILE = '<img src=x>\r\nBcc: eve@example.com';

let scene: OutboxScene;
let mail: MailPeer;
/** As patient as in use: a busy machine may need a while for a mail. */
let sender: Sender;
let channel = 0;
let person: Person;
/** Two servers that the person may read, and what is found on each. */
let [one, two] = [0, 0];

interface Person {
  id: number;
  group: number;
  token: string;
}

async function makePerson(connections: readonly number[] = []): Promise<Person> {
  const { user_id: id } = await makeUser(scene.api.db);
  const group = await makeGroup(scene.api.db, {
    users: [id],
    permissions: ['manage_notification_channels'],
    connections: Object.fromEntries(connections.map((connection) => [connection, 'read'])),
  });
  return { id, group, token: await makeToken(scene.api.db, id) };
}

/** A finding as the checks leave it. */
async function found(connection_id: number, message: string): Promise<void> {
  const at = new Date(scene.clock.now() - HOUR_MS).toISOString();
  await scene.api.db.run(sql`/* test.finding */
    insert into matriarch.findings (
      connection_id, check_name, object_name, severity, message, evidence, remedy, proof, first_seen_at, opened_at, figured_at,
      last_seen_at
    )
    values (
      ${connection_id}, 'duplicate_index', 'public.orders_idx', 'warning', ${message}, '{}', '', 'stated', ${at}::timestamptz,
      ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
    )`);
}

const call = (request: string, body?: object, token = person.token) =>
  scene.api.call(request, { token, ...(body && { body }) });

async function make(more: object = {}, token = person.token): Promise<number> {
  const body = {
    name: 'Monday',
    scope: 'estate',
    cron_expression: `0 8 * * ${DAY}`,
    timezone: 'Europe/Vienna',
  };
  const made = await call('POST /api/v1/report-schedules', { ...body, channel_id: channel, ...more }, token);
  expect(made.status, made.text).toBe(201);
  return Object(made.body).id;
}

const schedule = async (id: number, token = person.token) => {
  const { body } = await call('GET /api/v1/report-schedules', undefined, token);
  return Object(body).find((row: { id: number }) => row.id === id);
};

/** To a moment after the time it is due next. */
async function toNext(id: number): Promise<string> {
  const { next_at } = await schedule(id);
  scene.clock.advance(Date.parse(next_at) - scene.clock.now() + 60_000);
  return next_at;
}

const queue = () => queueDueReports({ db: scene.api.db, clock: scene.clock });
const process = () => scene.process({ sender, writeReport, base_url: 'https://matriarch.example' });
const deliver = () => scene.run(process());
const decoded = (source = '') =>
  source
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
const headOf = (source = '') => source.slice(0, source.indexOf('\r\n\r\n')).replaceAll(/\r\n\s+/g, ' ');

beforeAll(async () => {
  [scene, mail] = await Promise.all([outboxScene(reportSchedulesRoom), startMailPeer()]);
  sender = createSender({ allow_private_networks: true });
});
afterAll(() => Promise.all([sender.stop(), scene.stop(), mail.stop()]));
beforeEach(async () => {
  // A report of the estate needs access to every server: those of the test before are none any more.
  await scene.api.db.run(sql`/* test.forget_servers */ update matriarch.connections set deleted_at = now()`);
  [one, two] = [(await scene.server()).target, (await scene.server()).target];
  await found(one, `The index ${HOSTILE} is superfluous.`);
  await found(two, 'The index of the second server is superfluous.');
  person = await makePerson([one, two]);
  channel = await scene.channel('mail', {
    ...{ channel_type: 'email', endpoint_url: undefined, is_estate_default: false },
    ...{ smtp_host: '127.0.0.1', smtp_port: mail.port, smtp_use_tls: false, from_address: 'm@example.com' },
  });
  const recipient = { email_address: 'ada@example.com' };
  await call(`POST /api/v1/notification-channels/${channel}/recipients`, recipient, scene.token);
});
afterEach(async () => {
  await scene.reset();
  await scene.api.db.run(sql`/* test.forget_schedules */ delete from matriarch.report_schedules`);
  mail.mails.length = 0;
  mail.refuse = {};
});

describe('a report that is due', () => {
  it('is sent once by several processes, says what its owner may see, and the next one is a week later', async () => {
    const id = await make();
    const tick = await toNext(id);
    const queued = await Promise.all([queue(), queue(), queue()]);
    expect(queued.reduce((sum, count) => sum + count)).toBe(1);
    await Promise.all([deliver(), deliver()]);
    expect(mail.mails).toHaveLength(1);
    const source = mail.mails[0]?.source;
    expect(headOf(source)).toContain(
      'Subject: Report: Every server: 0 worse, 2 found, 0 fixed, nothing runs out soon',
    );
    expect(headOf(source)).toContain(`References: <matriarch-report-${id}@matriarch>`);
    expect(headOf(source)).not.toMatch(/^Bcc:/im);
    const words = decoded(source);
    expect(words).toMatch(/Inventory: found when servers were first looked at \(2\)/);
    expect(words).toMatch(/\d{4}-\d{2}-\d{2} 08:00 to \d{4}-\d{2}-\d{2} 08:00, Europe\/Vienna/);
    expect(words).toContain('https://matriarch.example/report?from=');
    expect(words.slice(words.indexOf('text/html'))).not.toContain('<img');
    const after = await schedule(id);
    expect(after.last).toMatchObject({ tick, state: 'sent', reply: expect.stringContaining('1 recipient') });
    expect(Math.abs(Date.parse(after.next_at) - Date.parse(tick) - WEEK_MS)).toBeLessThanOrEqual(HOUR_MS);
    expect([await queue(), mail.mails.length]).toEqual([0, 1]);
    const deliveries = await call(`GET /api/v1/notification-channels/${channel}/deliveries`);
    expect(Object(deliveries.body).deliveries).toMatchObject([
      { kind: 'report', state: 'sent', alert_id: null, connection_id: null, report_schedule_id: id },
    ]);
  });

  it('of several that nobody looked at is the last one alone', async () => {
    const id = await make();
    const first = await toNext(id);
    scene.clock.advance(2 * WEEK_MS + 30 * HOUR_MS);
    expect(await queue()).toBe(1);
    const { last } = await schedule(id);
    expect(Date.parse(last.tick) - Date.parse(first)).toBeGreaterThan(2 * WEEK_MS - 2 * HOUR_MS);
  });

  it('is tried again until the mail server takes it, and after a day given up where it is seen, and sent again by hand', async () => {
    const id = await make();
    await toNext(id);
    mail.refuse = { data: 452 };
    await queue();
    await deliver();
    expect((await schedule(id)).last).toMatchObject({
      state: 'queued',
      reply: expect.stringContaining('452'),
    });
    mail.refuse = {};
    scene.clock.advance(HOUR_MS);
    await deliver();
    expect(mail.mails).toHaveLength(1);
    mail.refuse = { data: 452 };
    await toNext(id);
    await queue();
    for (let hours = 0; hours < 26; hours += 2) {
      await deliver();
      scene.clock.advance(2 * HOUR_MS);
    }
    const { last } = await schedule(id);
    expect(last.state).toBe('dead');
    mail.refuse = {};
    await call(`POST /api/v1/notifications/${last.notification_id}/resend`);
    await deliver();
    expect(mail.mails).toHaveLength(2);
    expect((await schedule(id)).last.state).toBe('sent');
  });
});

describe('what is sent is what its owner may see then', () => {
  const revoke = (connection: number) =>
    scene.api.db.run(sql`/* test.revoke */
      delete from matriarch.group_connections where group_id = ${person.group} and connection_id = ${connection}`);

  it('leaves out a server that was taken from them after it was queued', async () => {
    const id = await make();
    await toNext(id);
    await queue();
    await revoke(two);
    await deliver();
    const words = decoded(mail.mails[0]?.source);
    expect(words).toContain('What was found for the first time (1)');
    expect(words).not.toContain('second server');
  });

  it.each([
    ['the server was taken from them', () => revoke(one), 'can no longer see the server'],
    [
      'the server was deleted',
      () =>
        scene.api.db.run(
          sql`/* test.drop */ update matriarch.connections set deleted_at = now() where id = ${one}`,
        ),
      'can no longer see the server, or it was deleted.',
    ],
    [
      'they manage channels no more',
      () =>
        scene.api.db.run(
          sql`/* test.demote */ delete from matriarch.group_permissions where group_id = ${person.group}`,
        ),
      'may no longer manage channels.',
    ],
    [
      'their account was disabled',
      () =>
        scene.api.db.run(
          sql`/* test.disable */ update matriarch.users set enabled = false where id = ${person.id}`,
        ),
      'The account of its owner is disabled.',
    ],
  ])('sends nothing once %s, and says so', async (_what, lose, words) => {
    const id = await make({ scope: 'server', scope_id: one });
    await toNext(id);
    await queue();
    await lose();
    await deliver();
    expect(mail.mails).toEqual([]);
    const { last } = await schedule(id, scene.token);
    expect(last).toMatchObject({ state: 'skipped', reply: expect.stringContaining(words) });
    expect(await schedule(id, scene.token)).toMatchObject({ next_at: expect.any(String) });
  });

  it('ends with its owner, and stands still without its channel until it has another', async () => {
    const id = await make();
    await call(`DELETE /api/v1/notification-channels/${channel}`, undefined, scene.token);
    expect(await schedule(id)).toMatchObject({ channel_id: null, next_at: null });
    scene.clock.advance(2 * WEEK_MS);
    expect(await queue()).toBe(0);
    const now = await call(`POST /api/v1/report-schedules/${id}/send`);
    expect(now).toMatchObject({ status: 409, error: 'Its channel was deleted. Choose another one first.' });
    await scene.api.db.run(sql`/* test.leave */ delete from matriarch.users where id = ${person.id}`);
    expect(await schedule(id, scene.token)).toBeUndefined();
  });
});

describe('who has a report sent', () => {
  it('manages channels and sees what it is of, with all of their rights', async () => {
    const body = { name: 'Mine', cron_expression: '0 8 * * *', timezone: 'UTC', channel_id: channel };
    const post = async (more: object, token = person.token) => {
      const { status, error } = await call('POST /api/v1/report-schedules', { ...body, ...more }, token);
      return [status, error];
    };
    const { user_id } = await makeUser(scene.api.db);
    expect((await post({ scope: 'estate' }, await makeToken(scene.api.db, user_id)))[0]).toBe(403);
    const hidden = (await scene.server()).target;
    expect((await post({ scope: 'server', scope_id: hidden }))[0]).toBe(403);
    expect((await post({ scope: 'cluster', scope_id: 999_999 }))[0]).toBe(404);
    const scope = { connections: [{ connection_id: one, level: 'read' as const }] };
    const limited = await makeToken(scene.api.db, person.id, { scope });
    expect((await post({ scope: 'estate' }, limited))[0]).toBe(403);
    expect(await post({ scope: 'server' })).toEqual([400, expect.stringContaining('scope_id')]);
    expect(await post({ scope: 'estate', cron_expression: '*/30 * * * *' })).toEqual([
      400,
      'cron_expression: a report is sent at most once an hour.',
    ]);
    expect(await post({ scope: 'estate', timezone: 'Mars/Olympus' })).toEqual([
      400,
      expect.stringContaining('IANA'),
    ]);
    const hook = await scene.channel('hook');
    expect(await post({ scope: 'estate', channel_id: hook })).toEqual([
      400,
      'channel_id: reports go by channels of type email.',
    ]);
  });

  it('is the only one who sees and changes it, but for superusers', async () => {
    const id = await make();
    const other = await makePerson([one]);
    expect(await schedule(id, other.token)).toBeUndefined();
    const body = { name: 'Theirs', scope: 'estate', cron_expression: '0 9 * * MON', timezone: 'UTC' };
    for (const [request, sent] of [
      [`PUT /api/v1/report-schedules/${id}`, { ...body, channel_id: channel }],
      [`POST /api/v1/report-schedules/${id}/send`, undefined],
      [`GET /api/v1/report-schedules/${id}/preview`, undefined],
      [`DELETE /api/v1/report-schedules/${id}`, undefined],
    ] as const)
      expect((await call(request, sent, other.token)).status).toBe(404);
    const changed = await call(
      `PUT /api/v1/report-schedules/${id}`,
      { ...body, channel_id: channel },
      scene.token,
    );
    expect(changed.body).toMatchObject({ name: 'Theirs', in_words: 'Every Monday at 09:00, UTC' });
    expect(await schedule(id)).toMatchObject({ name: 'Theirs' });
    await call(`DELETE /api/v1/report-schedules/${id}`);
    const rows = await auditOf(scene.api.db, 'report_schedule', id);
    expect(rows.map(({ action }) => action).sort()).toEqual([
      'report_schedule.change',
      'report_schedule.create',
      'report_schedule.delete',
    ]);
  });

  it('looks at it before, has it sent at once, and not twice', async () => {
    const id = await make({ scope: 'server', scope_id: one });
    const { body } = await call(`GET /api/v1/report-schedules/${id}/preview`);
    expect(body).toMatchObject({
      recipients: ['ada@example.com'],
      subject: expect.stringContaining('0 worse, 1 found, 0 fixed'),
    });
    expect((await call(`POST /api/v1/report-schedules/${id}/send`)).status).toBe(200);
    expect((await call(`POST /api/v1/report-schedules/${id}/send`)).status).toBe(409);
    await deliver();
    expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
    expect(decoded(mail.mails[0]?.source)).toContain('What was found for the first time (1)');
  });
});

it('asks one thing while none is due', async () => {
  await scene.api.db.run(sql`/* test.off */ update matriarch.report_schedules set enabled = false`);
  const db = countedDb(scene.api.db);
  expect(await queueDueReports({ db, clock: scene.clock })).toBe(0);
  expect(db.sent).toEqual([expect.stringContaining('report_schedules.any_due')]);
});
