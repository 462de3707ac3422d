// What a rule would have done with the values that are being typed, over the last 30 days of the place they are for: in words, and
// drawn on what was measured. Guards: nothing is asked before typing pauses; a time that nobody measured stays a gap.
import { useMemo } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import { useSettled } from '../../../lib/use-settled.ts';
import { zoneName } from '../../../lib/zone.ts';
import { Chart } from '../../../ui/charts/chart.tsx';
import { ChartPage } from '../../../ui/charts/chart-page.tsx';
import layout from '../../../ui/layout.module.css';
import { Loading } from '../../../ui/states.tsx';
import { metricName } from '../../history/activity/metric-names.ts';
import { type Backtest, backtestWords, readWords } from './backtest-words.ts';
import {
  conditionWords,
  type Draft,
  type Rule,
  type RuleSetting,
  thresholdOf,
  type Values,
} from './rule-values.ts';
import classes from './rules.module.css';

const STALE_MS = 60_000;
const noWindow = () => undefined;

function Drawn({
  rule,
  found,
  values,
}: {
  rule: Rule;
  found: Backtest;
  values: Pick<Values, 'operator' | 'threshold'>;
}) {
  const { series, candidate, end_time } = found;
  const from = Date.parse(series.start_time);
  const buckets = series.values.length;
  const grid = useMemo(
    () => ({ from, to: from + buckets * series.step_seconds * 1000, buckets }),
    [from, buckets, series.step_seconds],
  );
  const spans = useMemo(
    () =>
      candidate.events.map(({ fired_at, cleared_at, open_seconds }) => {
        const fired = Date.parse(fired_at);
        const end = cleared_at === null ? fired + open_seconds * 1000 : Date.parse(cleared_at);
        return { from: Math.max(grid.from, fired), to: Math.min(Date.parse(end_time), end) };
      }),
    [candidate, end_time, grid],
  );
  if (series.values.every((value) => value === null)) return null;
  const label = metricName(rule.metric_name.split('.').at(-1) ?? rule.metric_name);
  const level = {
    name: `alert ${conditionWords({ ...values, severity: 'info', is_enabled: true }, rule.metric_unit)}`,
    value: values.threshold,
  };
  return (
    <ChartPage grid={grid} zone={zoneName('local')} events={[]} onWindow={noWindow}>
      <Chart
        title={`${label}, worst value of each step`}
        unit={rule.metric_unit ?? ''}
        series={[{ name: rule.metric_name, label, values: series.values }]}
        level={level}
        spans={spans}
      />
    </ChartPage>
  );
}

type TriedValues = Omit<Values, 'is_enabled'> & Pick<RuleSetting, 'scope'>;

function Answer({ rule, asked }: { rule: Rule; asked: TriedValues }) {
  const { scope, operator, threshold, severity } = asked;
  const place = scope ? { scope: scope.scope, scope_id: scope.scope_id } : { scope: 'estate' as const };
  const { data, error } = useOperation(
    'backtestAlertRule',
    { params: { id: rule.id }, body: { ...place, operator, threshold, severity } },
    { keepPrevious: true, staleMs: STALE_MS },
  );
  if (error) return <p className={layout.remark}>{error.message}</p>;
  if (!data) return <Loading what="what it would have done" lines={4} />;
  return (
    <>
      <p role="status" className={classes.backtestWords}>
        {backtestWords(data)}
      </p>
      <Drawn rule={rule} found={data} values={{ operator, threshold }} />
      <p className={layout.remark}>{[readWords(data), ...data.notes].join(' ')}</p>
    </>
  );
}

export function BacktestPreview({ rule, place, draft }: { rule: Rule; place: RuleSetting; draft: Draft }) {
  const { operator, severity } = draft;
  const threshold = thresholdOf(draft);
  const settled = useSettled(threshold === undefined ? '' : String(threshold));
  if (settled === '') return null;
  const asked = { scope: place.scope, operator, severity, threshold: Number(settled) };
  return (
    <section className={classes.backtest} aria-label="What it would have done">
      <Answer key={place.key} rule={rule} asked={asked} />
    </section>
  );
}
