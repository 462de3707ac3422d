// What tests of the AI analysis share: a datastore of their own, the providers' mock, and services as separate
// processes would have them.
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { createProviders } from '../../assistant/providers/registry.ts';
import type { LlmConfig } from '../../assistant/providers/types.ts';
import {
  type AiAnalysis,
  type Analysis,
  createAnalysis,
} from '../../estate/server-info/ai-analysis.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Database, type Db } from '../../kernel/db.ts';
import { createLog, silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { type TestDatabase, testDatabase } from '../servers/database.ts';
import { type LlmMock, PROVIDERS_OWN_TEXT, startLlmMock } from './llm-mock.ts';

export const CANARY = 'sk-canary-77aa';
export const ANSWER = JSON.stringify({
  databases: [
    { name: 'orders', description: 'A web shop with delivery routes.' },
    { name: 'weather', description: 'Measurements over time.' },
  ],
});
/** What ANSWER says, as it is replied. */
export const DATABASES = {
  orders: 'A web shop with delivery routes.',
  weather: 'Measurements over time.',
};
export const SECOND_PROCESS = 'second process';
/** A caller who stays. */
export const ctx = { signal: new AbortController().signal };

export interface ServiceSettings {
  config?: LlmConfig;
  db?: Db;
  model_timeout_ms?: number;
}

export const MODEL_PATIENCE = { timeout: 90_000 };

export interface AnalysisTests {
  /** Waits until the model was asked once. */
  modelIsAsked(): Promise<void>;
  readonly datastore: TestDatabase;
  readonly mock: LlmMock;
  /** Lines every service of this test logged. */
  readonly lines: readonly string[];
  /** A service as one process has it: providers and log of its own. */
  service(settings?: ServiceSettings): Analysis;
  /** Two services with datastore connections of their own. */
  twoProcesses(): [Analysis, Analysis];
  /** As the collector stores the databases of a connection. */
  collected(connectionId: number, sizes: Record<string, number | null>): Promise<void>;
}

async function store(db: Db, connectionId: number, sizes: Record<string, number | null>): Promise<void> {
  const rows = Object.entries(sizes).map(([datname, size]) => ({
    datname,
    database_size_bytes: size,
    oid: 5,
  }));
  await db.run(sql`/* test.snapshot */
insert into metrics.current_snapshots (connection_id, probe, collected_at, attempted_at, outcome, rows)
values (${connectionId}, 'pg_database', now(), now(), 'ran', ${JSON.stringify(rows)}::jsonb)`);
}

/** Registers set-up and tear-down for the calling test file. */
export function analysisTests(): AnalysisTests {
  let datastore: TestDatabase;
  let mock: LlmMock;
  let lines: string[] = [];
  const opened: { stop(): Promise<void> }[] = [];
  const keep = <P extends { stop(): Promise<void> }>(part: P): P => {
    opened.push(part);
    return part;
  };
  beforeAll(async () => {
    [datastore, mock] = await Promise.all([testDatabase(), startLlmMock({ key: CANARY })]);
  });
  beforeEach(async () => {
    mock.reset();
    mock.reply(ANSWER);
    lines = [];
    await datastore.db.run(sql`/* test.clear */
truncate matriarch.ai_analyses, metrics.current_snapshots, metrics.facts`);
  });
  afterEach(async () => {
    for (const part of opened.splice(0).reverse()) await part.stop();
  });
  afterAll(async () => {
    await mock.stop();
    await datastore.close();
  });
  const service = ({ config, db = datastore.db, model_timeout_ms = 15_000 }: ServiceSettings = {}) => {
    const anthropic = { api_key: new Secret(CANARY), base_url: mock.baseUrl('anthropic') };
    const providers = keep(createProviders(config ?? { providers: { anthropic } }));
    const log = createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } });
    return keep(createAnalysis({ providers, db, clock: systemClock, log, model_timeout_ms }));
  };
  return {
    get datastore() {
      return datastore;
    },
    get mock() {
      return mock;
    },
    get lines() {
      return lines;
    },
    service,
    twoProcesses() {
      const { url } = datastore;
      const db = keep(new Database({ url, log: silentLog, applicationName: SECOND_PROCESS }));
      return [service(), service({ db })];
    },
    modelIsAsked: () => expect.poll(() => mock.generated().length, MODEL_PATIENCE).toBe(1),
    collected: (connectionId, sizes) => store(datastore.db, connectionId, sizes),
  };
}

/** `times` requests at once. */
export const requests = (analysis: Analysis, times: number): Promise<AiAnalysis>[] =>
  Array.from({ length: times }, () => analysis.getServerAiAnalysis(ctx, 1));

/** The sentence of the 500 it fails with, which carries neither key nor a provider's words. */
export async function sentenceOf(work: Promise<unknown>): Promise<string> {
  const fault = await work.then(
    () => expect.unreachable(),
    (error) => error,
  );
  expect(fault).toMatchObject({ name: 'Fault', status: 500 });
  expect(inspect(fault, { depth: 10 })).not.toContain(CANARY);
  expect(inspect(fault, { depth: 10 })).not.toContain(PROVIDERS_OWN_TEXT);
  return fault.message;
}
