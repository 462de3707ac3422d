// The rooms' shared parts for tests, as the program puts them together, with no language model configured and a
// secret key of the test's own.
import path from 'node:path';
import { createAiParts } from '../areas/ai-parts.ts';
import { createAuth } from '../areas/auth/auth.service.ts';
import { createChatRuns } from '../areas/chat/chat-runs.service.ts';
import type { Services } from '../areas/routes.ts';
import { openVault } from '../areas/secrets/vault.service.ts';
import { createSql } from '../areas/sql/sql.service.ts';
import { createSender } from '../channels/sender.ts';
import { queryRole } from '../datastore/query-role.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import { Secret } from '../kernel/secret.ts';
import type { LlmConfig } from '../providers/types.ts';
import { createToolbox } from '../tools/toolbox.ts';
import { usualLimits } from './access/auth.ts';
import { testDirectory } from './servers/postgres.ts';

export interface ServicesOptions {
  db: Db;
  /** Of the same database; what signs in there itself says that it is missing when absent. */
  url?: Secret;
  /** None is configured when absent. */
  llm?: LlmConfig | undefined;
  clock: Clock;
  log: Log;
}

export interface TestServices {
  services: Services;
  close(): Promise<void>;
}

export async function testServices({ db, url, llm, clock, log }: ServicesOptions): Promise<TestServices> {
  const config = llm ?? { providers: {} };
  const ai = createAiParts({ config, db, clock, log });
  const folder = testDirectory('key');
  const vault = await openVault({ db, keyFile: path.join(folder, 'secret.key'), createIfMissing: true });
  const sender = createSender({ allow_private_networks: true });
  const tests = createRateLimit({ limit: 60, window_ms: 60_000, clock });
  const wrong_signatures = createRateLimit({ limit: 10_000, window_ms: 60_000, clock });
  const connections = { vault, allow_private_networks: true };
  const missing = async () => ({ kind: 'missing' as const, reason: 'This test has given no address.' });
  const datastore = url ? queryRole({ url, vault }) : { url: new Secret(''), role: missing };
  const limits = { queries_per_minute: 10_000, sql_as_superuser: 'all' as const };
  const sql = createSql({ connections, clock, datastore, ...limits });
  const toolbox = createToolbox({
    ...{ base_url: undefined, sql, clock, llm: config, proxy: ai.services.proxy },
    calls_per_minute: 10_000,
  });
  const chat = createChatRuns({ calls: ai.calls, toolbox, sql, db, clock, log });
  const services: Services = {
    version: '0.0.0-test',
    auth: createAuth({ limits: usualLimits, ai_enabled: () => false, max_iterations: 50 }),
    ...ai.services,
    connections,
    sql,
    channels: { vault, sender, tests, wrong_signatures, allow_private_networks: true },
    toolbox,
    chat,
  };
  const close = async () => {
    await chat.stop();
    await sender.stop();
    await sql.stop();
    for (const part of ai.parts.toReversed()) await part.stop();
  };
  return { services, close };
}
