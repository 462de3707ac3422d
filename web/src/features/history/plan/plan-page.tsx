// A plan that is pasted, as a tree that a person understands. Works without any server to monitor: the plan is read in the browser and sent
// nowhere.
import { Button, NativeSelect } from '@mantine/core';
import { useMemo, useState } from 'react';
import { countOf } from '../../../lib/format.ts';
import { type Plan, readPasted, shownMs } from '../../../lib/plans.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { typed } from '../../../ui/field.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { PastePanel } from './paste-panel.tsx';
import { PlanDiff } from './plan-diff.tsx';
import { PlanView } from './plan-view.tsx';
import { usePasted } from './use-pasted.ts';

const HINT =
  'EXPLAIN (ANALYZE, BUFFERS) as text, JSON, YAML or XML, or a log of auto_explain. The plan does not leave your browser.';

function factsOf(plan: Plan): string {
  const time = (name: string, ms: number | null) => (ms === null ? [] : [`${name} ${shownMs(ms)}`]);
  return [
    ...time('Planning', plan.planning_ms),
    ...time('Execution', plan.execution_ms),
    ...time('In the log', plan.duration_ms),
    ...time('JIT', plan.jit?.total_ms ?? null),
    ...plan.triggers.flatMap(({ name, ms }) => time(`Trigger ${name}`, ms)),
    countOf(plan.nodes, 'node'),
    `Plan ${plan.plan_hash}`,
    ...(plan.unknown.count === 0
      ? []
      : [
          `${countOf(plan.unknown.count, 'unknown line or key', 'unknown lines or keys')}, kept with their nodes`,
        ]),
  ].join(' · ');
}

/** Of a source that is long, what fits on a page. */
const MOST_SOURCE = 200_000;

function Choice({
  plans,
  at,
  onChange,
}: {
  plans: readonly Plan[];
  at: number;
  onChange: (at: string) => void;
}) {
  return (
    <NativeSelect
      label="Plan"
      data={plans.map(({ duration_ms, execution_ms, query_text }, index) => {
        const ms = duration_ms ?? execution_ms;
        return {
          value: String(index),
          label: `${index + 1}: ${ms === null ? '' : shownMs(ms)} ${(query_text ?? '').slice(0, 60)}`,
        };
      })}
      {...typed(String(at), onChange)}
    />
  );
}

interface ShownProps {
  text: string;
  plans: readonly Plan[];
  onForget: () => void;
}

function Shown({ text, plans, onForget }: ShownProps) {
  const [second, setSecond] = usePasted('plan-second');
  const [isComparing, setComparing] = useState(false);
  const [nth, setNth] = useUrlText('nth', '0');
  const at = plans[Number(nth)] === undefined ? 0 : Number(nth);
  const plan = plans[at];
  const other = useMemo(() => (second === '' ? undefined : readPasted(second)), [second]);
  if (plan === undefined) return null;
  const otherPlan = other !== undefined && 'plans' in other ? other.plans[0] : undefined;
  return (
    <div className={layout.stack}>
      <Notice tone={plan.advice.length > 0 ? 'warn' : 'info'}>{plan.verdict}</Notice>
      <div className={layout.tools}>
        {plans.length > 1 ? <Choice plans={plans} at={at} onChange={setNth} /> : null}
        <Button variant="default" onClick={onForget}>
          Paste another plan
        </Button>
        {second === '' ? (
          <Button variant="default" onClick={() => setComparing(true)}>
            Compare with a second plan
          </Button>
        ) : (
          <Button variant="default" onClick={() => setSecond('')}>
            Remove the second plan
          </Button>
        )}
      </div>
      {isComparing && second === '' ? (
        <PastePanel
          title="Second plan"
          hint="A later plan of the same statement."
          onRead={(given) => {
            setSecond(given);
            setComparing(false);
          }}
          onCancel={() => setComparing(false)}
        />
      ) : null}
      {otherPlan === undefined ? null : <PlanDiff before={plan} after={otherPlan} />}
      <PlanView plan={plan} text={text.length > MOST_SOURCE ? 'The source is too long to be shown.' : text} />
    </div>
  );
}

export function PlanPage() {
  const [text, setText] = usePasted('plan');
  const read = useMemo(() => (text === '' ? undefined : readPasted(text)), [text]);
  const plans = read !== undefined && 'plans' in read ? read.plans : [];
  const [first] = plans;
  return (
    <>
      <PageHeader
        title="Query plan"
        facts={first === undefined ? 'Shows where a plan spends its time' : factsOf(first)}
      />
      {first === undefined ? (
        <PastePanel title="Paste a plan" hint={HINT} onRead={setText} />
      ) : (
        <Shown text={text} plans={plans} onForget={() => setText('')} />
      )}
    </>
  );
}
