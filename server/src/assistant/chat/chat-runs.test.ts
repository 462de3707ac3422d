// The chat on the server through HTTP, with a model that speaks to the mock and a real monitored server: steps, evidence, statements,
// and how a run is left, followed, stopped and taken up again. Turns that are used up are in chat-runs.proof.test.ts.
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeGroup } from '../../testing/access/groups.ts';
import { chatTests, dataOf, framesOf, textOf, toolCall } from '../../testing/llm/chat-tests.ts';
import type { MockAnswer } from '../../testing/llm/llm-mock-streams.ts';

const chat = chatTests();

const { script, select } = chat;
const scope = () => ({ kind: 'server', id: chat.connection_id });

describe('an answer', () => {
  it('is told with its steps, and what of it is proven', async () => {
    script(select('select 4711 as pid, 1234567890 as size'), {
      texts: ['Session 4711 ', 'has 1.2 GB and 99 friends.'],
    });
    const frames = await chat.ask({ message: 'Who?', scope: scope() });
    const [begun] = dataOf(frames, 'run');
    expect(begun).toMatchObject({ is_model: true, run_id: expect.stringMatching(/^run_/) });
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_one, index) => `${begun?.run_id}:${index + 1}`));
    expect(dataOf(frames, 'step')).toMatchObject([
      { number: 1, tool: 'query_database', state: 'started', took_ms: null },
      { number: 1, state: 'done', rows: 1, took_ms: expect.any(Number), link: expect.stringContaining('/') },
    ]);
    expect(textOf(frames)).toBe('I look.\n\nSession 4711 has 1.2 GB and 99 friends.');
    const [evidence] = dataOf(frames, 'evidence');
    expect(evidence?.figures).toMatchObject([
      { text: '4711', is_proven: true, step: 1, start: 17, end: 21 },
      { text: '1.2 GB', is_proven: true },
      { text: '99', is_proven: false },
    ]);
    expect(frames.at(-1)).toMatchObject({
      event: 'done',
      data: {
        stop_reason: 'end_turn',
        usage: { input_tokens: 200, output_tokens: 40, total_tokens: 240 },
        // Three dollars a million tokens sent, fifteen a million answered.
        cost: (200 * 3 + 40 * 15) / 1e6,
      },
    });
  });

  it('is kept in the conversation, goes on there, and can be asked for again', async () => {
    script({ texts: ['First.'] });
    const [begun] = dataOf(await chat.ask({ message: 'One?' }), 'run');
    const conversation_id = String(begun?.conversation_id);
    await chat.ask({ message: 'Two?', conversation_id });
    expect(JSON.stringify(chat.mock.generated().at(-1)?.body)).toMatch(/One\?.*First\..*Two\?/);
    await chat.ask({ message: 'Another?', conversation_id, edit_from: 0 });
    const kept = await chat.request(`GET /api/v1/conversations/${conversation_id}`);
    const { messages } = Object(await kept.json());
    expect(messages).toMatchObject([
      { role: 'user', content: 'Another?' },
      { role: 'assistant', content: 'First.', evidence: [], statements: [] },
    ]);
    expect(JSON.stringify(chat.mock.generated().at(-1)?.body)).not.toContain('One?');
  });
});

describe('a statement that is offered', () => {
  const block = (text: string) => `\`\`\`sql\n${text}\n\`\`\``;

  it('may be run once the server has planned it, and is mended once', async () => {
    script(
      {
        texts: [
          `Try:\n${block('select relname from pg_class limit 5')}\nor\n${block('select nothing from no_such_table')}`,
        ],
      },
      { texts: [`Better:\n${block('select oid from pg_class')}`] },
    );
    const frames = await chat.ask({ message: 'How?', scope: scope() });
    expect(dataOf(frames, 'statement')).toMatchObject([
      {
        can_run: true,
        reason: null,
        plan: expect.stringContaining('pg_class'),
        connection_id: chat.connection_id,
      },
      { can_run: false, reason: expect.stringContaining('no_such_table') },
      { can_run: true, sql: 'select oid from pg_class' },
    ]);
    const text = textOf(frames);
    for (const { start, end, sql: said } of dataOf(frames, 'statement'))
      expect(text.slice(Number(start), Number(end))).toBe(block(String(said)));
    expect(chat.mock.generated()).toHaveLength(2);
  });

  it.each([
    ['create table planned (x int)', ''],
    ['delete from pg_class', 'changes'],
    ['with gone as (delete from pg_class returning 1) select count(*) from gone', 'changes'],
    ['select relname from pg_class where oid = $1', 'parameters'],
    ['selec 1', 'syntax'],
    ['select 1; select 2', ''],
  ])('is an illustration: %s', async (text, because) => {
    script({ texts: [block(text)] }, { texts: ['I cannot.'] });
    const frames = await chat.ask({ message: 'How?', scope: scope() });
    expect(dataOf(frames, 'statement')).toMatchObject([
      { can_run: false, reason: expect.stringContaining(because) },
    ]);
  });
});

/** The first frames of an answer whose client then leaves. */
async function leaveAfter(body: object, count: number) {
  const leaving = new AbortController();
  const response = await chat.request('POST /api/v1/chat', { body, signal: leaving.signal });
  const frames = [];
  for await (const frame of framesOf(response)) {
    frames.push(frame);
    if (frames.length >= count) break;
  }
  leaving.abort();
  return { run_id: String(frames[0]?.data.run_id), frames };
}

async function followed(run_id: string, after: number, headers: Record<string, string> = {}) {
  const response = await chat.request(`GET /api/v1/chat/runs/${run_id}/events?after=${after}`, { headers });
  return Array.fromAsync(framesOf(response));
}

describe('a run', () => {
  it('goes on without its client, and can be followed from where they were, also after it has ended', async () => {
    const held = Promise.withResolvers<MockAnswer>();
    chat.mock.say(() => held.promise);
    const { run_id, frames } = await leaveAfter({ message: 'Slowly.' }, 1);
    const following = followed(run_id, 1);
    held.resolve({ texts: ['Here ', 'it is: 5.'] });
    const rest = await following;
    expect(textOf(rest)).toBe('Here it is: 5.');
    expect(rest[0]?.id).toBe(`${run_id}:2`);
    await expect
      .poll(async () => Object(await (await chat.request(`GET /api/v1/chat/runs/${run_id}`)).json()).state)
      .toBe('done');
    expect([...frames, ...(await followed(run_id, 0, { 'last-event-id': `${run_id}:1` }))]).toEqual([
      ...frames,
      ...rest,
    ]);
    expect(Object(await (await chat.request(`GET /api/v1/chat/runs/${run_id}`)).json())).toMatchObject({
      ...{ text: 'Here it is: 5.', steps: [], is_model: true, last_sequence: rest.length + 1 },
    });
  });

  it('is stopped at the provider, and keeps what it said', async () => {
    chat.mock.failAlways('generate', { kind: 'streamed', pieces: 6, ends: 'stall' });
    chat.mock.say({ texts: ['A', 'B', 'C', 'D', 'E', 'F'] });
    const { run_id } = await leaveAfter({ message: 'Slowly.' }, 2);
    const since = performance.now();
    expect((await chat.request(`DELETE /api/v1/chat/runs/${run_id}`)).status).toBe(204);
    await expect.poll(() => chat.mock.left.length).toBe(1);
    process.stdout.write(
      `left at the provider after ${((chat.mock.left[0] ?? Number.NaN) - since).toFixed(0)} ms\n`,
    );
    const rest = await followed(run_id, 0);
    expect(dataOf(rest, 'error')).toMatchObject([{ code: 'cancelled' }]);
    expect(textOf(rest)).toMatch(/^A/);
  });

  it('whose process is gone says so, once, and the conversation goes on', async () => {
    script({ texts: ['Well.'] });
    const [begun] = dataOf(await chat.ask({ message: 'One?' }), 'run');
    const { run_id, conversation_id } = Object(begun);
    await chat.test.db.run(sql`/* test.lost */
      update matriarch.chat_runs set state = 'running', ended_at = null, expires_at = now() - interval '1 minute' where id = ${run_id}`);
    await chat.test.db.run(sql`/* test.lost_events */
      delete from matriarch.chat_run_events where run_id = ${run_id} and sequence > 2`);
    const twice = await Promise.all([followed(run_id, 0), followed(run_id, 4000)]);
    for (const frames of twice) expect(dataOf(frames, 'error')).toMatchObject([{ code: 'interrupted' }]);
    expect(twice[0]?.at(-1)?.data).toMatchObject({ stop_reason: 'interrupted' });
    expect(dataOf(await chat.ask({ message: 'Go on.', conversation_id }), 'done')).toMatchObject([
      { stop_reason: 'end_turn' },
    ]);
  });

  it('is one at a time in a conversation, few of each person, and nobody else’s', async () => {
    const held = Promise.withResolvers<MockAnswer>();
    chat.mock.say(() => held.promise);
    const first = await leaveAfter({ message: 'Slowly.' }, 1);
    const { conversation_id } = Object(first.frames[0]?.data);
    expect(
      (await chat.request('POST /api/v1/chat', { body: { message: 'And?', conversation_id } })).status,
    ).toBe(409);
    // Nothing of it was written, and nothing cut.
    const again = { message: 'Instead?', conversation_id, edit_from: 0 };
    expect((await chat.request('POST /api/v1/chat', { body: again })).status).toBe(409);
    const kept = await chat.request(`GET /api/v1/conversations/${conversation_id}`);
    expect(Object(await kept.json()).messages).toMatchObject([{ role: 'user', content: 'Slowly.' }]);
    const others = [await leaveAfter({ message: 'Slowly.' }, 1), await leaveAfter({ message: 'Slowly.' }, 1)];
    expect((await chat.request('POST /api/v1/chat', { body: { message: 'And?' } })).status).toBe(429);
    const token = chat.test.actors.other.session;
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
    ] as const)
      expect(
        (await chat.request(`${method} /api/v1/chat/runs/${first.run_id}${path}`, { token })).status,
      ).toBe(404);
    held.resolve({ texts: ['Done.'] });
    for (const { run_id } of [first, ...others])
      await expect
        .poll(async () => (await followed(run_id, 0)).at(-1)?.data)
        .toMatchObject({ stop_reason: 'end_turn' });
    // They are over once there is room for the next.
    await expect
      .poll(async () => {
        const response = await chat.request('POST /api/v1/chat', { body: { message: 'And?' } });
        // To its end, so that it asks nothing of the next test's model.
        await response.text();
        return response.status;
      })
      .toBe(200);
  });

  it('ends once its asker has to set up a second factor', async () => {
    const { user_id, session: token } = chat.test.actors.owner;
    chat.mock.say(async () => {
      const group = await makeGroup(chat.test.db, { users: [user_id] });
      await chat.test.db.run(sql`/* test.require */
        update matriarch.groups set requires_second_factor = true where id = ${group}`);
      return { texts: [''], calls: [toolCall('list_connections', {})] };
    });
    const frames = await chat.ask({ message: 'Which?' }, token);
    await chat.test.db.run(
      sql`/* test.require_no_more */ delete from matriarch.groups where requires_second_factor`,
    );
    expect(dataOf(frames, 'error')).toMatchObject([{ code: 'access_ended' }]);
  });

  it('ends with the session of its asker', async () => {
    const { user_id, session: token } = chat.test.actors.owner;
    chat.mock.say(async () => {
      await chat.test.db.run(
        sql`/* test.sign_out */ delete from matriarch.sessions where user_id = ${user_id}`,
      );
      return { texts: [''], calls: [toolCall('list_connections', {})] };
    });
    const frames = await chat.ask({ message: 'Which?' }, token);
    expect(dataOf(frames, 'error')).toMatchObject([{ code: 'access_ended' }]);
  });
});
