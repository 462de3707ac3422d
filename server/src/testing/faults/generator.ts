// A generator of readings: a database whose counters are a known function of its clock, and which tells us of every
// reading. So that after any fault it can be computed from what is stored whether a reading was lost, stored twice or
// stored wrongly. How a fault test uses it:
//
//   const generator = await startGenerator(await sharedServer(18));       // ends with the test
//   const id = await house.connect(generator.server, { database: generator.database });
//   house.start({ probes: COUNTERS });
//   … inject the fault, let it pass, stop the collector …
//   expect(await generator.verdict(house.db, id)).toMatchObject({ lost: [], duplicated: [], wrong: [] });
//
// Guards: each reading announces itself (NOTIFY is allowed in the collector's read-only session) with the moment at
// which it read, which is also in its rows; so a reading is known whether or not the datastore ever sees it.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { CHANNEL, steps } from './counters.ts';

const SCHEMA = `
  create schema test;
  create function test.steps(at_us bigint, id bigint) returns bigint language sql immutable
    as $$ select at_us / case when id % 3 = 0 then 10000000 else 1000 end * id $$;
  create function test.now_us(reader text) returns bigint language plpgsql volatile as $$
    declare at_us bigint := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
    begin
      perform pg_notify('${CHANNEL}', reader || ' ' || at_us);
      return at_us;
    end $$;`;

type Reader = 'test_counters' | 'test_counter_objects';

export interface Verdict {
  /** Readings that the server answered, by probe and moment. */
  readings: number;
  stored: number;
  /** Answered by the server and not in the datastore. */
  lost: string[];
  /** In the datastore more than once. */
  duplicated: string[];
  /** Values that are not what the server counted at that moment, added up from what is stored. */
  wrong: string[];
}

export interface Generator {
  readonly server: { host: '127.0.0.1'; port: number; superuser: string; password: string };
  readonly database: string;
  /** Moments at which the probe was read since the generator started, in microseconds, oldest first. */
  readings(probe: Reader): number[];
  /** What a datastore holds of a connection to this generator, against what was read. */
  verdict(db: Db, connectionId: number): Promise<Verdict>;
}

interface ServerFacts {
  host: '127.0.0.1';
  port: number;
  superuser: string;
  password: string;
  url: string;
}

interface Stored {
  at: string;
  read_at_us: number | null;
  steps: number;
}

interface StoredObject extends Stored {
  id: number;
  keyframe: boolean;
}

const compare = (reader: Reader, readings: readonly number[], stored: readonly number[]) => {
  const counts = new Map<number, number>();
  for (const at of stored) counts.set(at, (counts.get(at) ?? 0) + 1);
  return {
    lost: readings.filter((at) => !counts.has(at)).map((at) => `${reader} ${at}`),
    duplicated: [...counts].filter(([, count]) => count > 1).map(([at]) => `${reader} ${at}`),
  };
};

/** The tables are made by the first collector. */
async function exists(db: Db, relation: string): Promise<boolean> {
  const { there } = await db.one<{ there: boolean }>(
    sql`/* test.exists */ select to_regclass(${relation}) is not null as there`,
  );
  return there;
}

async function samplesOf(db: Db, id: number): Promise<Stored[]> {
  if (!(await exists(db, 'metrics.test_counters'))) return [];
  return db.rows<Stored>(sql`
    /* test.samples */
    select t.collected_at as at, t.read_at_us, t.steps
    from metrics.test_counters t
    where t.connection_id = ${id}
    order by t.collected_at`);
}

/** Increases first: a keyframe at the same moment repeats what they lead to. */
async function objectsOf(db: Db, id: number): Promise<StoredObject[]> {
  if (!(await exists(db, 'metrics.test_counter_objects'))) return [];
  return db.rows<StoredObject>(sql`
    /* test.objects */
    select t.collected_at as at, t.id, t.keyframe, t.read_at_us, t.steps
    from metrics.test_counter_objects t
    where t.connection_id = ${id}
    order by t.collected_at, t.keyframe, t.id`);
}

/** Adds the increases up from keyframe to keyframe; answers what differs from what was counted. */
function wrongObjects(rows: readonly StoredObject[]): string[] {
  const wrong: string[] = [];
  const sums = new Map<number, number>();
  for (const tick of Map.groupBy(rows, ({ at, keyframe }) => `${at} ${keyframe}`).values()) {
    const read_at_us = tick.find(({ id }) => id === 1)?.read_at_us;
    if (typeof read_at_us !== 'number') {
      wrong.push(`${tick[0]?.at}: without its moment`);
      continue;
    }
    for (const { id, keyframe, steps: value } of tick)
      sums.set(id, keyframe ? value : (sums.get(id) ?? 0) + value);
    for (const [id, sum] of sums)
      if (sum !== steps(read_at_us, id))
        wrong.push(`object ${id} at ${read_at_us}: ${sum}, not ${steps(read_at_us, id)}`);
  }
  return wrong;
}

async function verdictOn(db: Db, id: number, readings: (probe: Reader) => number[]): Promise<Verdict> {
  const [samples, objects] = [await samplesOf(db, id), await objectsOf(db, id)];
  const moments = (rows: readonly Stored[]) => rows.flatMap(({ read_at_us }) => read_at_us ?? []);
  const ticks = Map.groupBy(
    objects.filter((row) => row.read_at_us !== null),
    ({ at }) => at,
  );
  // An increase and a keyframe of the same moment are one reading.
  const objectMoments = [...ticks.values()].map(([first]) => first?.read_at_us ?? 0);
  const verdicts = [
    compare('test_counters', readings('test_counters'), moments(samples)),
    compare('test_counter_objects', readings('test_counter_objects'), objectMoments),
  ];
  const wrongSamples = samples.filter((row) => row.steps !== steps(row.read_at_us ?? 0, 1));
  return {
    readings: readings('test_counters').length + readings('test_counter_objects').length,
    stored: samples.length + objectMoments.length,
    lost: verdicts.flatMap(({ lost }) => lost),
    duplicated: verdicts.flatMap(({ duplicated }) => duplicated),
    wrong: [
      ...wrongSamples.map((row) => `sample at ${row.read_at_us}: ${row.steps}`),
      ...wrongObjects(objects),
    ],
  };
}

/** A database on that server that counts and tells; dropped at the end of the test. */
export async function startGenerator(facts: ServerFacts): Promise<Generator> {
  const database = `generator_${randomBytes(5).toString('hex')}`;
  const admin = new pg.Client({ connectionString: facts.url });
  await admin.connect();
  await admin.query(`create database ${database}`);
  const url = new URL(facts.url);
  url.pathname = `/${database}`;
  const ear = new pg.Client({ connectionString: url.toString(), application_name: 'matriarch test' });
  const heard = new Map<string, number[]>();
  ear.on('notification', ({ payload = '' }) => {
    const [reader = '', at = ''] = payload.split(' ');
    heard.set(reader, [...(heard.get(reader) ?? []), Number(at)]);
  });
  // A server that the test freezes or stops takes this session with it.
  ear.on('error', () => undefined);
  admin.on('error', () => undefined);
  await ear.connect();
  await ear.query(SCHEMA);
  await ear.query(`listen ${CHANNEL}`);
  onTestFinished(async () => {
    await ear.end();
    await admin.query(`drop database if exists ${database} with (force)`);
    await admin.end();
  });
  const readings = (probe: Reader) => (heard.get(probe) ?? []).toSorted((a, b) => a - b);
  const { host, port, superuser, password } = facts;
  return {
    server: { host, port, superuser, password },
    database,
    readings,
    verdict: async (db, id) => {
      await ear.query('select');
      return verdictOn(db, id, readings);
    },
  };
}
