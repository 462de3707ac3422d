// Whether values that are unusual at their hour raise alerts of a server too, and until when that is learned.
import { useOperation } from '../../api/use-operation.ts';
import { momentText, zoneName } from '../../lib/zone.ts';
import type { Place, Rule } from './rule-values.ts';
import classes from './rules.module.css';

export function Learned({ rule, place }: { rule: Rule; place: Place }) {
  const id = place.scope?.scope === 'server' ? place.scope.scope_id : undefined;
  const { data } = useOperation(
    'getAlertOverrideContext',
    { params: { connectionId: id ?? 0, ruleId: rule.id } },
    { enabled: id !== undefined, staleMs: 60_000 },
  );
  const baseline = data?.baseline;
  if (id === undefined || !baseline) return null;
  const { state, until } = baseline;
  const words =
    state === 'known'
      ? 'Values that are unusual at their hour of the week raise alerts of this server too.'
      : until === null
        ? 'Unusual values will raise alerts of this server too, once enough was read to know what is usual.'
        : `Unusual values will raise alerts of this server too: what is usual is being learned until ${momentText(Date.parse(until), zoneName('local'))}.`;
  return <p className={classes.meaning}>{words}</p>;
}
