// Words for what is known of language models and of what was asked of them. Pure.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { Mark } from '../../../ui/status.tsx';

export type Provider = OperationTypes['listLlmProviders']['result']['providers'][number];
export type Health = OperationTypes['getLlmHealth']['result'];

const FAULTS = {
  timeout: 'Does not answer in time',
  unreachable: 'Cannot be reached',
  rejected: 'Rejects the key',
  failed: 'Fails',
};

/** The state of a provider; not known while it was not asked, or when not all answer. */
export function stateOf(health: Health['providers'][string] | undefined): { mark: Mark; label: string } {
  if (health === undefined) return { mark: 'unknown', label: 'Not known' };
  if (health.status === 'ok') return { mark: 'ok', label: 'Answers' };
  return { mark: 'failed', label: FAULTS[health.error ?? 'failed'] };
}

/** As its own site writes it; as the configuration does where it is not configured any more. */
export const providerName = (name: string, known: readonly Provider[] | undefined): string =>
  known?.find((one) => one.name === name)?.display_name ?? name;
