// What the page of alert rules reads, for the scope that its address names, and what it sends. Guards: what holds for a
// server is shown with all that it inherits, in the order in which the alerter takes it.
import { useOperation, useOperationMutation } from '../../../api/use-operation.ts';
import { resetAll, type Saving, stateOf } from '../../estate/overrides/saving.ts';
import type { Scope } from '../../estate/overrides/scopes.ts';
import { OTHERS_MS, type Read, type Target, useScopeRows } from '../../estate/overrides/use-scopes.ts';
import {
  type Draft,
  type Rule,
  type RuleAt,
  type RuleSetting,
  ruleAt,
  thresholdOf,
  type Values,
} from './rule-values.ts';

function useOverrides(scope: Scope | undefined) {
  return useOperation(
    'listAlertOverrides',
    { params: { scope: scope?.scope ?? 'server', scopeId: scope?.scope_id ?? 0 } },
    { enabled: scope !== undefined, everyMs: OTHERS_MS },
  );
}

/** Every rule as it holds at the target. */
export function useRules(target: Target | undefined): Read<RuleAt[]> {
  const rules = useOperation('listAlertRules', {}, { everyMs: OTHERS_MS });
  const set = useScopeRows(target, useOverrides);
  const scopes = set.data;
  return {
    data: scopes && rules.data?.map((rule) => ruleAt(rule, scopes)),
    error: rules.error ?? set.error,
    refetch: () => [rules.refetch(), set.refetch()],
  };
}

const asDefaults = ({ operator, threshold, severity, is_enabled }: Values) => ({
  default_operator: operator,
  default_threshold: threshold,
  default_severity: severity,
  default_enabled: is_enabled,
});

export function useSaving({ id, built_in }: Rule, onDone: () => void): Saving<RuleSetting, Draft> {
  const update = useOperationMutation('updateAlertRule');
  const set = useOperationMutation('setAlertOverride');
  const drop = useOperationMutation('deleteAlertOverride');
  const all = [update, set, drop];
  const done = { onSuccess: onDone };
  const paramsOf = ({ scope, scope_id }: Scope) => ({ scope, scopeId: scope_id, ruleId: id });
  return {
    save({ scope }, draft) {
      resetAll(all);
      const threshold = thresholdOf(draft);
      if (threshold === undefined) return;
      const { is_enabled: enabled, operator, severity } = draft;
      if (scope === undefined)
        update.mutate({ params: { id }, body: asDefaults({ ...draft, threshold }) }, done);
      else set.mutate({ params: paramsOf(scope), body: { operator, threshold, severity, enabled } }, done);
    },
    remove({ scope }) {
      resetAll(all);
      if (scope) drop.mutate({ params: paramsOf(scope) }, done);
      else update.mutate({ params: { id }, body: asDefaults(built_in) }, done);
    },
    ...stateOf(all),
  };
}
