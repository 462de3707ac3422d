// Whether values that are unusual at their hour raise alerts of a server too, and until when that is learned.
import { useOperation } from '../../../api/use-operation.ts';
import { dateText, hourText, zoneName } from '../../../lib/zone.ts';
import type { Rule, RuleSetting } from './rule-values.ts';
import classes from './rules.module.css';

export function Learned({ rule, place }: { rule: Rule; place: RuleSetting }) {
  const id = place.scope?.scope === 'server' ? place.scope.scope_id : undefined;
  const { data } = useOperation(
    'getAlertOverrideContext',
    { params: { connectionId: id ?? 0, ruleId: rule.id } },
    { enabled: id !== undefined, staleMs: 60_000 },
  );
  const baseline = data?.baseline;
  if (id === undefined || !baseline) return null;
  const { state, until } = baseline;
  if (state === 'known')
    return (
      <p className={classes.meaning}>
        Values that are unusual at their hour of the week raise alerts of this server too.
      </p>
    );
  if (until === null)
    return (
      <p className={classes.meaning}>
        Unusual values will raise alerts of this server too, once enough was read to know what is usual.
      </p>
    );
  const zone = zoneName('local');
  const end = Date.parse(until);
  return (
    <p className={classes.meaning}>
      Unusual values will raise alerts of this server too: what is usual is being learned until{' '}
      <time dateTime={until} className={classes.moment}>
        {dateText(end, zone)} {hourText(end, zone)}
      </time>
      .
    </p>
  );
}
