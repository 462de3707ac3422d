// What to do next, at most three things, each with its figure and the way to where it is done.
import { Link } from 'react-router';
import { Name } from '../../../ui/name.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { findingPath } from '../findings/finding-words.ts';
import classes from './report.module.css';
import type { NextStep, Report } from './report-words.ts';

/** Where a step is done. */
function stepPath({ kind, connection_id, finding_id }: NextStep): string {
  if (finding_id !== null) return findingPath(finding_id);
  return kind === 'runs_out' ? `/runway?server=${connection_id}` : `/servers/${connection_id}?tab=queries`;
}

export function NextSteps({ report: { next } }: { report: Report }) {
  return (
    <Panel title="What to do next" note={next.length > 1 ? 'most urgent first' : undefined}>
      {next.length === 0 ? (
        <p className={classes.none}>Nothing is open that needs to be done.</p>
      ) : (
        <ol className={classes.steps} aria-label="What to do next">
          {next.map((step) => (
            <li key={`${step.kind} ${step.title}`}>
              <Link className={classes.step} to={stepPath(step)}>
                <Name>{step.title}</Name>
              </Link>{' '}
              <span className={classes.remark}>
                on <Name>{step.server_name}</Name>
              </span>
              <p>
                <Name>{step.message}</Name>
              </p>
              <p className={classes.action}>{step.action}</p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
