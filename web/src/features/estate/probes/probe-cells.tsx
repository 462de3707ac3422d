// Cells that the tables of probes share.
import layout from '../../../ui/layout.module.css';
import { Status } from '../../../ui/status.tsx';
import { valuesText } from './level-words.ts';
import type { Values } from './probe-values.ts';
import classes from './probes.module.css';

export interface ProbeNameProps {
  name: string;
  /** What it reads, or why it does not. */
  description: string;
  /** Said below the name where there is no room for columns. */
  values: Values;
}

export function ProbeName({ name, description, values }: ProbeNameProps) {
  return (
    <div className={layout.cell}>
      <code className={classes.name}>{name}</code>
      <div className={classes.description} title={description}>
        {description}
      </div>
      <div className={classes.narrow}>{valuesText(values)}</div>
    </div>
  );
}

export function OnOff({ on }: { on: boolean }) {
  return <Status mark={on ? 'ok' : 'paused'} label={on ? 'On' : 'Switched off'} />;
}
