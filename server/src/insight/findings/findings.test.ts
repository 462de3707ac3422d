// Findings through HTTP, of samples that the test wrote: found, kept as they are, changed, gone, confirmed, come again, muted; what
// cannot be judged keeps its findings; who sees which; how many statements it takes.

import { describe, expect, it } from 'vitest';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import type { Row } from '../../store/layout/types.ts';
import { historyApi } from '../../testing/history-api.ts';
import { judgingCtx, large } from '../../testing/large-databases.ts';
import { collected } from '../../testing/store/collected.ts';
import { type Check, defineCheck } from '../checks/types.ts';
import { evaluateDue } from './due.service.ts';
import { evaluateFindings } from './evaluate.service.ts';
import { findingsRoutes } from './findings.routes.ts';
import type { FindingCounts, FindingDetail, ServerFindings } from './findings.schemas.ts';

const { api, connection } = historyApi([findingsRoutes]);

const judge = (connection_id: number, checks: readonly Check[] = [large]) =>
  evaluateFindings(judgingCtx(api().db), { servers: [{ connection_id, cluster_id: null }], checks });

const database = (datname: string, database_size_bytes: number): Row => ({ datname, database_size_bytes });
const feed = (connection_id: number, rows: readonly Row[]) =>
  collected(api().db, { connection_id, probe: 'pg_database', at: Date.now(), rows });

async function ask(call: string, options: { token?: string; body?: unknown } = {}) {
  const { token = api().actors.owner.session, body } = options;
  return api().call(call, { token, ...(body !== undefined && { body }) });
}

async function found(id: number, query = ''): Promise<Static<typeof ServerFindings>> {
  const { status, body, text } = await ask(`GET /api/v1/connections/${id}/findings${query}`);
  expect(status, text).toBe(200);
  return body as Static<typeof ServerFindings>;
}

async function detail(id: number): Promise<Static<typeof FindingDetail>> {
  const { status, body, text } = await ask(`GET /api/v1/findings/${id}`);
  expect(status, text).toBe(200);
  return body as Static<typeof FindingDetail>;
}

describe('a finding', () => {
  it('is found, follows its figure, goes, is confirmed, and comes again', async () => {
    const id = await connection();
    expect(await found(id)).toMatchObject({ evaluated_at: null, findings: [], total: 0 });
    await feed(id, [database('shop', 2000), database('tiny', 5)]);
    expect(await judge(id)).toMatchObject({ written: 1, resolved: 0 });
    const first = await found(id);
    expect(first.findings).toMatchObject([
      {
        database_name: 'shop',
        object_name: null,
        severity: 'warning',
        state: 'open',
        figure: 2000,
        proof: 'measured',
      },
    ]);
    expect(first.counts).toEqual({ info: 0, warning: 1, critical: 0 });
    const finding = first.findings[0]?.id ?? 0;

    // Nothing is written while it is the same.
    expect(await judge(id)).toMatchObject({ written: 0, resolved: 0 });
    await feed(id, [database('shop', 20_000)]);
    expect(await judge(id)).toMatchObject({ written: 1 });
    expect(await detail(finding)).toMatchObject({
      finding: { severity: 'critical', figure: 20_000 },
      first_figure: 2000,
      promised: 0,
      remedy: 'vacuum full;',
      figures: [{ figure: 2000 }, { figure: 20_000 }],
    });

    await feed(id, [database('shop', 900)]);
    expect(await judge(id)).toMatchObject({ written: 0, resolved: 1 });
    expect((await found(id)).findings).toEqual([]);
    expect((await found(id, '?state=resolved')).findings).toMatchObject([
      { id: finding, proof: 'confirmed' },
    ]);
    expect(await detail(finding)).toMatchObject({ figure_after: 900, finding: { state: 'resolved' } });

    await feed(id, [database('shop', 3000)]);
    await judge(id);
    expect(await detail(finding)).toMatchObject({
      figure_after: null,
      first_figure: 3000,
      finding: { state: 'open', resolved_at: null, proof: 'measured' },
    });
  });

  it('is kept once, as the gravest, where long names of two objects are cut to the same', async () => {
    const id = await connection();
    const long = 'x'.repeat(256);
    const named = defineCheck({
      ...large,
      judge: (facts) => ({
        found: large.judge(facts).found.map((one) => ({
          ...one,
          database_name: '',
          object_name: one.database_name,
        })),
      }),
    });
    await feed(id, [database(`${long}a`, 2000), database(`${long}b`, 20_000), database('shop', 3000)]);
    expect(await judge(id, [named])).toMatchObject({ written: 2 });
    const { findings } = await found(id);
    expect(findings.map(({ figure, severity }) => [figure, severity])).toEqual([
      [20_000, 'critical'],
      [3000, 'warning'],
    ]);
  });

  it('is confirmed by a later reading, where the one that resolved it did not tell what that brought', async () => {
    const id = await connection();
    await feed(id, [database('shop', 2000)]);
    await judge(id);
    const finding = (await found(id)).findings[0]?.id ?? 0;
    await feed(id, [database('other', 1)]);
    expect(await judge(id)).toMatchObject({ resolved: 1 });
    const resolved = await detail(finding);
    expect(resolved).toMatchObject({ figure_after: null, finding: { state: 'resolved', proof: 'measured' } });
    await feed(id, [database('shop', 900)]);
    await judge(id);
    expect(await detail(finding)).toMatchObject({
      figure_after: 900,
      finding: { state: 'resolved', proof: 'confirmed', resolved_at: resolved.finding.resolved_at },
    });
  });

  it('stays as it was while nobody can judge it, and the reason is told', async () => {
    const id = await connection();
    await feed(id, [database('shop', 2000)]);
    await judge(id);
    await api().db.run(sql`/* test.age */
      update metrics.current_snapshots set collected_at = now() - interval '1 day' where connection_id = ${id}`);
    expect(await judge(id)).toMatchObject({ written: 0, resolved: 0 });
    const { findings, unknown } = await found(id);
    expect(findings).toMatchObject([{ state: 'open', figure: 2000 }]);
    expect(unknown).toMatchObject([
      { check: 'fsync_off', because: expect.stringContaining('Nothing new was collected since') },
    ]);
  });

  it('is muted with a reason and an end, and a mute outlives that it goes and comes again', async () => {
    const id = await connection();
    await feed(id, [database('shop', 2000)]);
    await judge(id);
    const finding = (await found(id)).findings[0]?.id ?? 0;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const body = { until, reason: 'The migration runs until tonight.' };
    expect(await ask(`PUT /api/v1/findings/${finding}/mute`, { body })).toMatchObject({ status: 200 });
    expect(await found(id)).toMatchObject({ findings: [], counts: { warning: 0 } });
    expect((await found(id, '?state=muted')).findings).toMatchObject([{ id: finding, muted_until: until }]);
    expect((await detail(finding)).mute).toMatchObject({ reason: body.reason });
    await feed(id, [database('shop', 1)]);
    await judge(id);
    await feed(id, [database('shop', 2000)]);
    await judge(id);
    expect((await found(id, '?state=muted')).findings).toMatchObject([{ id: finding }]);
    expect(await ask(`DELETE /api/v1/findings/${finding}/mute`)).toMatchObject({ status: 200 });
    expect(await ask(`DELETE /api/v1/findings/${finding}/mute`)).toMatchObject({ status: 409 });
    const past = { until: '2020-01-01T00:00:00Z', reason: 'x' };
    expect(await ask(`PUT /api/v1/findings/${finding}/mute`, { body: past })).toMatchObject({
      status: 400,
      error: expect.stringContaining('at most a year ahead'),
    });
  });

  it('is counted by server while it is open, for those who see its server', async () => {
    const id = await connection();
    const counts = async (token: string = api().actors.owner.session) => {
      const { body } = await ask('GET /api/v1/findings/counts', { token });
      const { critical, warning, info, by_server, unjudged } = body as Static<typeof FindingCounts>;
      const own: Record<string, Record<string, number>> = by_server;
      const sum = Object.values(own).reduce((all, one) => all + (one.warning ?? 0), 0);
      expect(warning).toBe(sum);
      return { all: critical + warning + info, own: own[id], isUnjudged: unjudged.includes(id) };
    };
    expect(await counts()).toMatchObject({ own: undefined, isUnjudged: true });
    expect((await counts(api().actors.other.session)).isUnjudged).toBe(false);
    await feed(id, [database('shop', 2000), database('stock', 20_000)]);
    await judge(id);
    const before = await counts();
    expect(before).toMatchObject({
      own: { critical: 1, warning: 1, info: 0, unknown: 0 },
      isUnjudged: false,
    });
    expect((await counts(api().actors.other.session)).own).toBeUndefined();
    const muted = (await found(id)).findings[0]?.id ?? 0;
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await ask(`PUT /api/v1/findings/${muted}/mute`, { body: { until, reason: 'Known.' } });
    const after = await counts();
    expect(after.own).toEqual({ critical: 0, warning: 1, info: 0, unknown: 0 });
    expect(after.all).toBe(before.all - 1);
  });

  it('counts a check once that could not be judged in several databases', async () => {
    const id = await connection();
    const blind = (name: 'fsync_off' | 'index_unused') =>
      defineCheck({
        ...large,
        name,
        judge: () => ({
          found: [],
          unknown: ['shop', 'stock'].map((database_name) => ({
            because: `Not in ${database_name}.`,
            mend: null,
            database_name,
          })),
        }),
      });
    await feed(id, [database('shop', 5)]);
    await judge(id, [blind('fsync_off'), blind('index_unused')]);
    expect((await found(id)).unknown).toHaveLength(4);
    const { body } = await ask('GET /api/v1/findings/counts');
    const own: Record<string, unknown> = (body as Static<typeof FindingCounts>).by_server;
    expect(own[id]).toMatchObject({ unknown: 2 });
  });

  it('is seen by those who see its server, and by nobody else', async () => {
    const id = await connection();
    await feed(id, [database('shop', 2000)]);
    await judge(id);
    const finding = (await found(id)).findings[0]?.id ?? 0;
    const token = api().actors.other.session;
    expect((await ask(`GET /api/v1/findings/${finding}`, { token })).status).toBe(404);
    const { body } = await ask('GET /api/v1/findings?limit=1000', { token });
    expect(JSON.stringify(body)).not.toContain(`"id":${finding},`);
  });
});

it('however many servers, a few statements', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => connection()));
  for (const id of ids) await feed(id, [database('shop', 2000)]);
  const { statements } = api();
  statements.reset();
  const servers = ids.map((connection_id) => ({ connection_id, cluster_id: null }));
  const context = { ...judgingCtx(api().db), db: statements };
  expect(await evaluateFindings(context, { servers, checks: [large] })).toMatchObject({ written: 20 });
  expect(statements.sent.length).toBeLessThanOrEqual(12);
});

it('judges what is due, by whoever has the lease', async () => {
  const id = await connection();
  await feed(id, [database('shop', 2000)]);
  await api().db.run(sql`/* test.watch */
    update matriarch.connections set is_monitored = true where id = ${id}`);
  await evaluateDue(judgingCtx(api().db), { name: 'findings', epoch: 4 });
  expect((await found(id)).evaluated_at).toBeNull();
  await api().db.run(sql`/* test.job */
    insert into matriarch.jobs (name, owner, epoch, expires_at) values ('findings', 'x', 4, now() + interval '1 minute')`);
  await evaluateDue(judgingCtx(api().db), { name: 'findings', epoch: 4 });
  const { evaluated_at, unknown } = await found(id);
  expect(evaluated_at).not.toBeNull();
  expect(unknown.map(({ check }) => check)).toContain('unused_index');
});
