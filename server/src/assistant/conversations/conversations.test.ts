// Conversations through HTTP: whose they are, what a message keeps, how many there are and how large, and what finds them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { manualClock } from '../../testing/manual-clock.ts';
import { conversationsRoutes } from './conversations.routes.ts';

const clock = manualClock(systemClock.now());
let test: TestApi;
beforeAll(async () => {
  test = await startTestApi({ rooms: [conversationsRoutes], clock });
});
afterAll(() => test.close());

type Body = Record<string, unknown>;
const say = (content: unknown, role = 'user'): Body => ({ role, content });

async function create(token: string, messages: unknown[], more: Body = {}): Promise<Body> {
  const made = await test.call('POST /api/v1/conversations', { token, body: { messages, ...more } });
  expect(made.status, made.text).toBe(201);
  return Object(made.body);
}

async function titles(token: string, query = ''): Promise<string[]> {
  const { status, text, body } = await test.call(`GET /api/v1/conversations${query}`, { token });
  expect(status, text).toBe(200);
  return Object(body).conversations.map(({ title }: { title: string }) => title);
}

describe('a conversation', () => {
  it('keeps whatever its messages came with, in order', async () => {
    const { session } = await makeUser(test.db);
    const messages = [
      say('Why is it slow?'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'get_load', input: { deep: { er: [1, null, 'x'] } } },
        ],
        activity: [{ tool: 'get_load', ms: 12 }],
        isError: false,
        unknown_member: { kept: true },
        ['__proto__']: 1,
      },
      { role: 'tool', content: null },
    ];
    const made = await create(session, JSON.parse(JSON.stringify(messages)), {
      provider: 'ollama',
      model: 'm',
    });
    expect(made).toMatchObject({ title: 'Why is it slow?', provider: 'ollama', model: 'm' });
    expect(made.id).toMatch(/^conv_\d+_[0-9a-f]{16}$/);
    expect(made).not.toHaveProperty('connection');
    const read = await test.call(`GET /api/v1/conversations/${made.id}`, { token: session });
    expect(read.body).toEqual(made);
    expect(Object(read.body).messages).toEqual(messages);
  });

  it('is named by the first text of its person, which may stand in blocks', async () => {
    const { session } = await makeUser(test.db);
    const long = `${'ä'.repeat(49)}😀${'b'.repeat(80)}`;
    const blocks = [say('hello', 'assistant'), say([{ type: 'image' }]), say([{ type: 'text', text: long }])];
    expect((await create(session, blocks)).title).toBe(`${'ä'.repeat(49)}😀`);
    expect((await create(session, [say({ odd: 1 })])).title).toBe('New conversation');
    const list = await test.call('GET /api/v1/conversations', { token: session });
    const previews = Object(list.body).conversations.map(({ preview }: { preview: string }) => preview);
    expect(previews).toEqual(expect.arrayContaining(['New conversation', [...long].slice(0, 100).join('')]));
  });

  it('takes new messages and keeps its title; what is absent stays; a rename is by PATCH', async () => {
    const { session } = await makeUser(test.db);
    const { id } = await create(session, [say('first')], { connection: 'orders', model: 'a' });
    clock.advance(1000);
    const body = { messages: [say('second'), say('answer', 'assistant')], model: 'b' };
    const changed = await test.call(`PUT /api/v1/conversations/${id}`, { token: session, body });
    expect(changed.body).toMatchObject({ title: 'first', connection: 'orders', ...body });
    expect(Object(changed.body).updated_at > Object(changed.body).created_at).toBe(true);
    const renamed = await test.call(`PATCH /api/v1/conversations/${id}`, {
      token: session,
      body: { title: ' Sunday ' },
    });
    expect(renamed.body).toEqual({ success: true });
    expect(await titles(session)).toEqual(['Sunday']);
    const empty = await test.call(`PATCH /api/v1/conversations/${id}`, {
      token: session,
      body: { title: '' },
    });
    expect(empty.status).toBe(400);
  });

  it.each([
    ['no messages', { messages: [] }, 'messages must hold at least one message.'],
    ['an unknown role', { messages: [say('x', 'boss')] }, /^messages\[0\]\.role must be one of/],
    ['no content', { messages: [{ role: 'user' }] }, 'messages[0].content is missing.'],
    ['too many', { messages: Array.from({ length: 2001 }, () => say('x')) }, /a list of at most 2000 items/],
    ['NUL', { messages: [say('a\0b')] }, /must not contain the character NUL/],
    [
      'NUL in what is not declared',
      { messages: [{ ...say('a'), more: ['\0'] }] },
      /must not contain the character NUL/,
    ],
  ])('is refused with %s, in a sentence', async (_what, body, sentence) => {
    const { session } = await makeUser(test.db);
    const { status, error } = await test.call('POST /api/v1/conversations', { token: session, body });
    expect(status).toBe(400);
    expect(error).toMatch(sentence);
  });

  it('may be five MiB and no more', async () => {
    const { session } = await makeUser(test.db);
    const large = await create(session, [say('x'.repeat(5_100_000))]);
    expect(Object(large.messages)[0].content).toHaveLength(5_100_000);
    const body = { messages: [say('x'.repeat(5_300_000))] };
    expect((await test.call('POST /api/v1/conversations', { token: session, body })).status).toBe(413);
  });
});

describe('S12 they are', () => {
  it("nobody else's, not even a superuser's", async () => {
    const { session } = await makeUser(test.db);
    const { id } = await create(session, [say('mine')]);
    const token = test.actors.superuser.session;
    const tries = [
      await test.call(`GET /api/v1/conversations/${id}`, { token }),
      await test.call(`PUT /api/v1/conversations/${id}`, { token, body: { messages: [say('taken')] } }),
      await test.call(`PATCH /api/v1/conversations/${id}`, { token, body: { title: 'taken' } }),
      await test.call(`DELETE /api/v1/conversations/${id}`, { token }),
    ];
    expect(tries.map(({ status, error }) => [status, error])).toEqual(
      tries.map(() => [404, 'There is no such conversation.']),
    );
    expect(await titles(token)).not.toContain('mine');
    await test.call('DELETE /api/v1/conversations?all=true', { token });
    expect(await titles(session)).toEqual(['mine']);
  });

  it('out of reach of API tokens', async () => {
    const { user_id } = await makeUser(test.db);
    const token = await makeToken(test.db, user_id);
    expect((await test.call('GET /api/v1/conversations', { token })).status).toBe(403);
  });

  it('deleted with their person', async () => {
    const { user_id, session } = await makeUser(test.db);
    const { id } = await create(session, [say('mine')]);
    await test.db.run(sql`/* test.delete */ delete from matriarch.users where id = ${user_id}`);
    expect(
      await test.db.maybe(sql`select 1 as one from matriarch.conversations where id = ${String(id)}`),
    ).toBeUndefined();
  });
});

describe('a list', () => {
  it('has what was changed last first, in pages', async () => {
    const { session } = await makeUser(test.db);
    const ids: unknown[] = [];
    for (const name of ['one', 'two', 'three']) {
      clock.advance(1000);
      ids.push((await create(session, [say(name)])).id);
    }
    clock.advance(1000);
    await test.call(`PUT /api/v1/conversations/${ids[0]}`, { token: session, body: { model: 'x' } });
    expect(await titles(session)).toEqual(['one', 'three', 'two']);
    expect(await titles(session, '?limit=1&offset=1')).toEqual(['three']);
    expect((await test.call('GET /api/v1/conversations?limit=101', { token: session })).status).toBe(400);
  });

  it('finds a text in titles and questions, and takes % and _ for themselves', async () => {
    const { session } = await makeUser(test.db);
    await create(session, [say('Bloat of 100%'), say('and the WAL_level?')]);
    await create(session, [say('Bloat of 100 tables'), say('no secrets', 'assistant')]);
    expect(await titles(session, '?search=BLOAT')).toHaveLength(2);
    expect(await titles(session, '?search=100%25')).toEqual(['Bloat of 100%']);
    expect(await titles(session, '?search=wal_l')).toEqual(['Bloat of 100%']);
    expect(await titles(session, '?search=w_l_l')).toEqual([]);
    expect(await titles(session, '?search=secrets')).toEqual([]);
  });

  it('holds a thousand: what was changed longest ago goes', async () => {
    const { user_id, session } = await makeUser(test.db);
    await test.db.run(sql`/* test.many */
      insert into matriarch.conversations (id, user_id, title, preview, asked, messages, created_at, updated_at)
      select 'conv_' || ${user_id}::int || '_' || n, ${user_id}, 'n' || n, '', '', '[]', now(), now() - n * interval '1 hour'
      from generate_series(1, 1000) n`);
    await create(session, [say('newest')]);
    const kept = await test.db.rows<{ title: string }>(sql`/* test.kept */
      select title from matriarch.conversations where user_id = ${user_id}`);
    expect(kept).toHaveLength(1000);
    expect(kept.map(({ title }) => title)).not.toContain('n1000');
  });

  it('is emptied only by those who say so', async () => {
    const { session } = await makeUser(test.db);
    await create(session, [say('a')]);
    await create(session, [say('b')]);
    const unsure = await test.call('DELETE /api/v1/conversations?all=false', { token: session });
    expect([unsure.status, unsure.error]).toEqual([
      400,
      'all must be true: this deletes every conversation of yours.',
    ]);
    expect((await test.call('DELETE /api/v1/conversations', { token: session })).status).toBe(400);
    const sure = await test.call('DELETE /api/v1/conversations?all=true', { token: session });
    expect(sure.body).toEqual({ success: true, deleted: 2 });
    expect(await titles(session)).toEqual([]);
  });
});
