// A plan as a tree beside what is known of the chosen node and the text that it was read from.
import { useMemo } from 'react';
import { nodesOf, type Plan } from '../../../lib/plans.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { NodeDetail } from './node-detail.tsx';
import classes from './plan.module.css';
import { PlanTree } from './plan-tree.tsx';

export function PlanView({ plan, text }: { plan: Plan; text: string }) {
  const [wanted, setWanted] = useUrlText('node');
  const nodes = useMemo(() => nodesOf(plan.plan), [plan]);
  const first = plan.advice[0]?.node ?? plan.dearest_node ?? plan.plan.id;
  const node =
    nodes.find(({ id }) => String(id) === wanted) ?? nodes.find(({ id }) => id === first) ?? plan.plan;
  return (
    <div className={classes.columns}>
      <div className={layout.stack}>
        <Panel title="Nodes" note="Own time, node, actual against estimated rows" flush>
          <PlanTree plan={plan} chosen={node.id} onChoose={(id) => setWanted(String(id))} />
        </Panel>
      </div>
      <div className={layout.stack}>
        <NodeDetail node={node} plan={plan} />
        <CodeBlock code={text} label="Source" />
      </div>
    </div>
  );
}
