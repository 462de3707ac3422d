// The rooms' shared parts for tests, as the program puts them together, with no language model configured and a
// secret key of the test's own.
import path from 'node:path';
import { createAuth } from '../areas/auth/auth.service.ts';
import { createLlm } from '../areas/llm/llm.service.ts';
import { createOverview } from '../areas/overview/overview.service.ts';
import type { Services } from '../areas/routes.ts';
import { openVault } from '../areas/secrets/vault.service.ts';
import { createAnalysis } from '../areas/server-info/ai-analysis.service.ts';
import { createSender } from '../channels/sender.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import { createProviders } from '../providers/registry.ts';
import { usualLimits } from './access/auth.ts';
import { testDirectory } from './servers/postgres.ts';

export interface ServicesOptions {
  db: Db;
  clock: Clock;
  log: Log;
}

export interface TestServices {
  services: Services;
  close(): Promise<void>;
}

export async function testServices({ db, clock, log }: ServicesOptions): Promise<TestServices> {
  const providers = createProviders({ providers: {} });
  const analysis = createAnalysis({ providers, db, clock, log });
  const overview = createOverview({ providers, db, log });
  const folder = testDirectory('key');
  const vault = await openVault({ db, keyFile: path.join(folder, 'secret.key'), createIfMissing: true });
  const sender = createSender({ allow_private_networks: true });
  const tests = createRateLimit({ limit: 60, window_ms: 60_000, clock });
  const wrong_signatures = createRateLimit({ limit: 10_000, window_ms: 60_000, clock });
  const services: Services = {
    version: '0.0.0-test',
    auth: createAuth({ limits: usualLimits, ai_enabled: () => false, max_iterations: 50 }),
    llm: createLlm({ providers, clock, log }),
    analysis,
    overview,
    connections: { vault, allow_private_networks: true },
    channels: { vault, sender, tests, wrong_signatures, allow_private_networks: true },
  };
  const close = async () => {
    await sender.stop();
    await analysis.stop();
    await overview.stop();
    await providers.stop();
  };
  return { services, close };
}
