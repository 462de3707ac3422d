// Sending what a probe is set to: an override for a server, a cluster or a group, or the row of the whole estate.
import type { ApiError } from '../../api/client.ts';
import { useOperationMutation } from '../../api/use-operation.ts';
import { changedMembers, type Draft, type Values, valuesOf } from './probe-values.ts';

interface Shown {
  title: string;
  /** What is set there; undefined: nothing. */
  set: Values | undefined;
  /** What holds there as long as nothing is set. */
  inherited: Values;
}

/** Somewhere a probe can be set. */
export type SettingScope = Shown &
  ({ key: 'global'; config_id: number } | { key: 'server' | 'cluster' | 'group'; scope_id: number });

export interface Saving {
  save(scope: SettingScope, draft: Draft, initial: Draft): void;
  remove(scope: SettingScope): void;
  isPending: boolean;
  error: ApiError | null;
}

export function useSaving(probeName: string, onDone: () => void): Saving {
  const update = useOperationMutation('updateProbeConfig');
  const reset = useOperationMutation('resetProbeConfig');
  const set = useOperationMutation('setProbeOverride');
  const drop = useOperationMutation('deleteProbeOverride');
  const all = [update, reset, set, drop];
  const begin = () => {
    for (const one of all) one.reset();
  };
  const done = { onSuccess: onDone };
  return {
    save(scope, draft, initial) {
      begin();
      if (scope.key === 'global') {
        const body = changedMembers(draft, initial);
        if (Object.keys(body).length === 0) onDone();
        else update.mutate({ params: { id: scope.config_id }, body }, done);
        return;
      }
      const params = { scope: scope.key, scopeId: scope.scope_id, probeName };
      set.mutate({ params, body: valuesOf(draft) }, done);
    },
    remove(scope) {
      begin();
      if (scope.key === 'global') reset.mutate({ params: { id: scope.config_id } }, done);
      else drop.mutate({ params: { scope: scope.key, scopeId: scope.scope_id, probeName } }, done);
    },
    isPending: all.some((one) => one.isPending),
    error: all.find((one) => one.error)?.error ?? null,
  };
}
