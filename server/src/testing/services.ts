// The rooms' shared parts for tests, as the program puts them together, with no language model configured.
import { createAuth } from '../areas/auth/auth.service.ts';
import { createLlm } from '../areas/llm/llm.service.ts';
import type { Services } from '../areas/routes.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import { createProviders } from '../providers/registry.ts';

export interface ServicesOptions {
  db: Db;
  clock: Clock;
  log: Log;
}

export function testServices({ clock, log }: ServicesOptions): {
  services: Services;
  close(): Promise<void>;
} {
  const providers = createProviders({ providers: {} });
  const services: Services = {
    version: '0.0.0-test',
    auth: createAuth({ ai_enabled: () => false, max_iterations: 50 }),
    llm: createLlm({ providers, clock, log }),
  };
  return { services, close: () => providers.stop() };
}
