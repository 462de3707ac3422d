// Sending what a probe is set to: an override for a server, a cluster or a group, or the row of the whole estate.
import { useOperationMutation } from '../../../api/use-operation.ts';
import { resetAll, type Saving, stateOf } from '../overrides/saving.ts';
import type { Setting } from '../overrides/scopes.ts';
import { changedMembers, type Draft, type Values, valuesOf } from './probe-values.ts';

/** Somewhere a probe can be set. */
export type ProbeSettingAt = Setting<Values> &
  ({ key: 'global'; config_id: number } | { key: 'server' | 'cluster' | 'group'; scope_id: number });

export function useSaving(probeName: string, onDone: () => void): Saving<ProbeSettingAt, Draft> {
  const update = useOperationMutation('updateProbeConfig');
  const reset = useOperationMutation('resetProbeConfig');
  const set = useOperationMutation('setProbeOverride');
  const drop = useOperationMutation('deleteProbeOverride');
  const all = [update, reset, set, drop];
  const done = { onSuccess: onDone };
  return {
    save(scope, draft, initial) {
      resetAll(all);
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
      resetAll(all);
      if (scope.key === 'global') reset.mutate({ params: { id: scope.config_id } }, done);
      else drop.mutate({ params: { scope: scope.key, scopeId: scope.scope_id, probeName } }, done);
    },
    ...stateOf(all),
  };
}
