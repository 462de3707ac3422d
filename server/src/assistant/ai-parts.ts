// Whatever speaks with language models, put together: for the program, and for tests with providers of their own. Nothing of it
// needs a model to be configured.

import { type Analysis, createAnalysis } from '../estate/estate.ts';
import { createOverview, type OverviewService } from '../insight/insight.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Part } from '../kernel/lifecycle.ts';
import type { Log } from '../kernel/log.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import { createModelCalls, type ModelCalls, type ModelCallsOptions } from './ai-runs/model-calls.service.ts';
import { createCompacting } from './chat/compact.service.ts';
import { createLlm } from './llm/llm.service.ts';
import { createLlmChat } from './llm/llm-chat.service.ts';
import { createLlmVectors } from './llm/llm-vectors.service.ts';
import { createProviders } from './providers/registry.ts';
import type { LlmConfig } from './providers/types.ts';
import type { AssistantServices } from './routes.ts';

const CALLS_A_MINUTE = 120;
const TIMEOUT_SECONDS = 300;

/** Of `llm.*`; the usual ones where absent. */
type CallSettings = Pick<
  ModelCallsOptions,
  | 'tokens_per_day'
  | 'own_tokens_per_day'
  | 'prices'
  | 'usd_per_day'
  | 'own_usd_per_day'
  | 'mask_emails'
  | 'mask_addresses'
  | 'keep_calls_days'
  | 'keep_calls_megabytes'
>;
const USUAL: CallSettings = {
  tokens_per_day: 2_000_000,
  own_tokens_per_day: 2_000_000,
  prices: [],
  usd_per_day: 0,
  own_usd_per_day: 0,
  mask_emails: true,
  mask_addresses: true,
  keep_calls_days: 14,
  keep_calls_megabytes: 512,
};

export interface AiOptions {
  config: LlmConfig & {
    public_reads_per_minute?: number;
    calls_per_minute?: number;
    timeout_seconds?: number;
  } & Partial<CallSettings>;
  db: Db;
  clock: Clock;
  log: Log;
}

export interface AiParts {
  services: Pick<AssistantServices, 'llm' | 'proxy' | 'calls' | 'compacting'> & {
    analysis: Analysis;
    overview: OverviewService;
  };
  /** To be stopped, the last one first. */
  parts: readonly Part[];
  /** For whoever else asks a model. */
  calls: ModelCalls;
  is_configured: boolean;
}

export function createAiParts({ config, db, clock, log }: AiOptions): AiParts {
  const { public_reads_per_minute: reads_per_minute } = config;
  const { calls_per_minute = CALLS_A_MINUTE, timeout_seconds = TIMEOUT_SECONDS } = config;
  const providers = createProviders(config);
  const { providers: _, default_provider: __, ...settings } = config;
  const calls = createModelCalls({ ...USUAL, ...settings, providers, db, clock, log });
  const llm = createLlm({
    providers,
    clock,
    log,
    ...(reads_per_minute !== undefined && { reads_per_minute }),
  });
  const timeout_ms = timeout_seconds * 1000;
  const rate = createRateLimit({ limit: calls_per_minute, window_ms: 60_000, clock });
  const analysis = createAnalysis({
    providers: calls.of({ user_id: null, purpose: 'ai_analysis' }),
    db,
    clock,
    log,
  });
  const overview = createOverview({ providers: calls.of({ user_id: null, purpose: 'overview' }), db, log });
  return {
    services: {
      llm,
      calls,
      proxy: {
        ...createLlmChat({ calls, rate, timeout_ms, contextOf: llm.contextOf }),
        ...createLlmVectors({ calls, rate, timeout_ms }),
      },
      analysis,
      overview,
      compacting: createCompacting({ calls, log }),
    },
    parts: [providers, calls, analysis, overview],
    calls,
    is_configured: providers.configured.length > 0,
  };
}
