// A statement of an answer: run only where its server has planned it, an illustration otherwise, with the reason.
import { CodeBlock } from '../../../ui/code-block.tsx';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import layout from '../../../ui/layout.module.css';
import classes from './chat.module.css';
import type { Statement } from './chat-state.ts';
import { aboutPlan, planName } from './plan-about.ts';
import { RunStatement } from './run-statement.tsx';

export function OneStatement({ statement }: { statement: Statement }) {
  return (
    <div className={classes.statement}>
      <CodeBlock
        code={statement.sql}
        label={statement.can_run ? 'Parsed and planned' : 'Illustration only'}
      />
      {statement.reason ? <p className={layout.remark}>{statement.reason}</p> : null}
      {statement.plan ? (
        <CodeBlock
          code={statement.plan}
          label="Plan"
          actions={<ExplainButton what={planName(statement)} question={() => aboutPlan(statement)} />}
        />
      ) : null}
      {statement.can_run && statement.connection_id !== null ? (
        <RunStatement sql={statement.sql} connectionId={statement.connection_id} />
      ) : null}
    </div>
  );
}
