// A group that requires a second factor: whom it concerns, from when on, and who may end it.
import { Secret as OtpSecret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { GOOD_PASSWORD } from '../../testing/access/auth.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { auditOf, makeHolder, type RbacApi, startRbacApi } from '../../testing/access/rbac.ts';

const GROUPS = '/api/v1/rbac/groups';
const FACTOR = '/api/v1/user/second-factor';

let test: RbacApi;
beforeAll(async () => {
  test = await startRbacApi();
});
afterAll(() => test.close());

const OWN = 'GET /api/v1/user/sessions';
const status = async (token: string, request = OWN) => (await test.as(token, request)).status;
const require = (group: number, requires_second_factor: boolean, token?: string) =>
  test.as(token, `PUT ${GROUPS}/${group}`, { requires_second_factor });

describe('a group that requires a second factor', () => {
  it('concerns its members from their next request on, and nobody else', async () => {
    const [member, other] = [await makeUser(test.db), await makeUser(test.db)];
    const made = await test.ok(`POST ${GROUPS}`, { name: 'strict', requires_second_factor: true });
    const { id } = Object(made);
    expect(await status(member.session)).toBe(200);
    const added = await test.as(undefined, `POST ${GROUPS}/${id}/members`, { user_id: member.user_id });
    expect(added.status).toBe(204);
    const refused = await test.as(member.session, OWN);
    expect([refused.status, refused.error]).toEqual([403, expect.stringMatching(/needs a second factor/)]);
    expect((await test.as(member.session, 'GET /api/v1/user/info')).body).toMatchObject({
      needs_second_factor: true,
    });
    expect((await test.as(member.session, `GET ${FACTOR}`)).body).toMatchObject({ is_required: true });
    expect(await status(other.session)).toBe(200);
    const removed = await test.as(undefined, `DELETE ${GROUPS}/${id}/members/user/${member.user_id}`);
    expect(removed.status).toBe(204);
    expect(await status(member.session)).toBe(200);
  });

  it('concerns members of the groups below it, and not those of the groups above', async () => {
    const [low, high] = [await makeUser(test.db), await makeUser(test.db)];
    const bottom = await makeGroup(test.db, { users: [low.user_id] });
    const middle = await makeGroup(test.db, { groups: [bottom] });
    await makeGroup(test.db, { groups: [middle], users: [high.user_id] });
    expect((await require(middle, true)).body).toMatchObject({ requires_second_factor: true });
    expect([await status(low.session), await status(high.session)]).toEqual([403, 200]);
    const { groups } = Object(await test.ok(`GET ${GROUPS}`));
    const flags = new Map(
      groups.map((row: { id: number; requires_second_factor: boolean }) => [
        row.id,
        row.requires_second_factor,
      ]),
    );
    expect([flags.get(bottom), flags.get(middle)]).toEqual([false, true]);
    expect(await test.ok(`GET ${GROUPS}/${middle}`)).toMatchObject({ requires_second_factor: true });
  });

  it('lets a member go on once the second factor is set up', async () => {
    const created = await test.ok('POST /api/v1/rbac/users', { username: 'anna', password: GOOD_PASSWORD });
    await makeGroup(test.db, { users: [Object(created).id] }).then((group) => require(group, true));
    const body = { username: 'anna', password: GOOD_PASSWORD };
    const login = await test.call('POST /api/v1/auth/login', { body });
    const session = /^session_token=([^;]*)/.exec(login.headers['set-cookie'] ?? '')?.[1] ?? '';
    expect(await status(session)).toBe(403);
    const offer = await test.as(session, `POST ${FACTOR}`, { password: GOOD_PASSWORD });
    const code = new TOTP({ secret: OtpSecret.fromBase32(Object(offer.body).setup_key) }).generate();
    expect((await test.as(session, `POST ${FACTOR}/confirm`, { code })).status).toBe(200);
    expect(await status(session)).toBe(200);
  });

  it('concerns superusers, and neither tokens nor sessions of a provider', async () => {
    const root = await makeUser(test.db, { is_superuser: true });
    const token = await makeToken(test.db, root.user_id);
    await require(await makeGroup(test.db, { users: [root.user_id] }), true);
    const own = `GET /api/v1/rbac/users/${root.user_id}/privileges`;
    expect([await status(root.session, own), await status(token, own)]).toEqual([403, 200]);
    await test.db.run(sql`/* test.provider */
      update matriarch.sessions set issuer = 'https://login.example.com', subject = 'x'
      where user_id = ${root.user_id}`);
    expect(await status(root.session, own)).toBe(200);
  });

  it('is left as it is by a change of other members, and its changes are in the audit log', async () => {
    const id = await makeGroup(test.db, { name: 'kept' });
    await require(id, true);
    expect((await test.as(undefined, `PUT ${GROUPS}/${id}`, { description: 'x' })).body).toMatchObject({
      requires_second_factor: true,
    });
    await require(id, false);
    const details = (await auditOf(test.db, 'group', id)).map((row) => row.details);
    expect(details).toEqual([
      { before: { name: 'kept', requires_second_factor: false }, name: 'kept', requires_second_factor: true },
      { before: 'kept', name: 'kept', description: 'x' },
      { before: { name: 'kept', requires_second_factor: true }, name: 'kept', requires_second_factor: false },
    ]);
  });

  it('is ended only by who has all that the group has', async () => {
    const manager = await makeHolder(test.db, { permissions: ['manage_groups'] });
    const above = await makeGroup(test.db, { permissions: ['manage_users'] });
    expect((await require(above, true, manager.session)).status).toBe(200);
    const refused = await require(above, false, manager.session);
    expect([refused.status, refused.error]).toEqual([
      403,
      'You cannot end the second factor of a group that has rights that you do not have: the permission manage_users.',
    ]);
    expect(await test.ok(`GET ${GROUPS}/${above}`)).toMatchObject({ requires_second_factor: true });
    const plain = await makeGroup(test.db);
    expect((await require(plain, true, manager.session)).status).toBe(200);
    expect((await require(plain, false, manager.session)).status).toBe(200);
  });
});
