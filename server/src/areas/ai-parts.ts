// Whatever speaks with language models, put together: for the program, and for tests with providers of their own. Nothing of it
// needs a model to be configured.
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Part } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createProviders } from '../providers/registry.ts';
import type { LlmConfig } from '../providers/types.ts';
import { createCompacting } from './chat/compact.service.ts';
import { createLlm } from './llm/llm.service.ts';
import { createOverview } from './overview/overview.service.ts';
import type { Services } from './routes.ts';
import { createAnalysis } from './server-info/ai-analysis.service.ts';

export interface AiOptions {
  config: LlmConfig & { public_reads_per_minute?: number };
  db: Db;
  clock: Clock;
  log: Log;
}

export interface AiParts {
  services: Pick<Services, 'llm' | 'analysis' | 'overview' | 'compacting'>;
  /** To be stopped, the last one first. */
  parts: readonly Part[];
  is_configured: boolean;
}

export function createAiParts({ config, db, clock, log }: AiOptions): AiParts {
  const { public_reads_per_minute: reads_per_minute } = config;
  const providers = createProviders(config);
  const analysis = createAnalysis({ providers, db, clock, log });
  const overview = createOverview({ providers, db, log });
  return {
    services: {
      llm: createLlm({ providers, clock, log, ...(reads_per_minute !== undefined && { reads_per_minute }) }),
      analysis,
      overview,
      compacting: createCompacting({ providers, log }),
    },
    parts: [providers, analysis, overview],
    is_configured: providers.configured.length > 0,
  };
}
