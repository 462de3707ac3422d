// Sizes that take too long cost nothing but themselves, on a real server where reading one of them takes long.
import { expect, it, onTestFinished } from 'vitest';
import { startCluster } from '../testing/servers/postgres.ts';
import { probeNamed, sessionOn } from '../testing/servers/probing.ts';
import { judge } from './outcomes.ts';
import { runPipeline } from './pipeline.ts';
import { probeStatement } from './probe.queries.ts';
import { answerWithSizes, withoutSizes } from './slow-sizes.ts';

it.each([
  { name: 'pg_database', key: 'datname', slow: 'postgres', sizes: 'pg_database_size' },
  { name: 'pg_tablespace', key: 'spcname', slow: 'pg_global', sizes: 'pg_tablespace_size' },
])(
  '$name has every row, and every size but the slow one',
  async ({ name, key, slow, sizes }) => {
    // Of its own: databases of other tests come and go.
    const server = await startCluster();
    onTestFinished(() => server.stop());
    const session = await sessionOn(server);
    onTestFinished(() => session.client.close());
    const real = probeNamed(name);
    const { sized } = real;
    if (!sized) throw new Error(`${name} has no sizes`);
    // As where it has millions of files.
    const slowly = (text: string) =>
      text.replaceAll(
        new RegExp(`pg_catalog.${sizes}\\(([^)]*)\\)`, 'g'),
        `case when $1 = (select oid from pg_catalog.${name} where ${key} = '${slow}') and pg_catalog.pg_sleep(20) is not null then 0 else pg_catalog.${sizes}($1) end`.replaceAll(
          '$1',
          '$$1',
        ),
      );
    const probe = {
      ...real,
      caps: { ...real.caps, timeoutMs: 1000 },
      sql: (offered: Parameters<typeof real.sql>[0]) => slowly(real.sql(offered)),
      sized: { ...sized, one: slowly(sized.one) },
    };
    const read = async (list = probe.sized.list) => {
      const statement = withoutSizes(probe, session) ?? {
        text: probeStatement(probe, session.capabilities),
        timeoutMs: 1000,
      };
      const [sent] = await runPipeline(session, [statement]);
      if (!sent) throw new Error('nothing was answered');
      const { answer, marked } = await answerWithSizes(
        session,
        { probe: { ...probe, sized: { ...probe.sized, list } }, answer: sent },
        { eachMs: 4000, allMs: 30_000 },
      );
      const where = { database: 'postgres', username: 'x', server: session.server };
      const seen = {
        attempted_at: Date.now(),
        roles: session.capabilities.roles,
        scrubber: undefined,
        ahead_ms: 0,
      };
      const { outcome } = marked(await judge(probe, answer, { ...where, ...seen }));
      if (outcome?.kind !== 'ran') throw new Error('it did not run');
      return { sent, outcome };
    };
    const column = name === 'pg_database' ? 'database_size_bytes' : 'tablespace_size_bytes';
    for (const kind of ['refused', 'answered']) {
      const { sent, outcome } = await read();
      expect(sent.kind).toBe(kind);
      expect(outcome.note).toMatch(/^1 of \d+ sizes took too long to read and are unknown/);
      expect(outcome.cause).toBe('incomplete');
      const found = new Map(outcome.rows.map((row) => [Reflect.get(row, key), Reflect.get(row, column)]));
      expect(found.size).toBeGreaterThan(1);
      for (const [one, size] of found) expect(Number(size) > 0, String(one)).toBe(one !== slow);
      expect(found.get(slow)).toBeNull();
    }
    const { outcome } = await read('select 1 / 0');
    expect(outcome).toMatchObject({
      cause: 'incomplete',
      note: expect.stringMatching(/^All sizes are unknown/),
    });
    expect(outcome.rows.map((row) => Reflect.get(row, column))).toEqual(outcome.rows.map(() => null));
  },
  60_000,
);
