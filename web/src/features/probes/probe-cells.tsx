// Cells that the tables of probes share.
import { Status } from '../../ui/status.tsx';
import classes from './probes.module.css';

export function ProbeName({ name, description }: { name: string; description: string }) {
  return (
    <div className={classes.probe}>
      <code className={classes.name}>{name}</code>
      <div className={classes.description} title={description}>
        {description}
      </div>
    </div>
  );
}

export function OnOff({ on, because }: { on: boolean; because?: string | null }) {
  return (
    <span title={because ?? undefined}>
      <Status mark={on ? 'ok' : 'paused'} label={on ? 'Collected' : 'Switched off'} />
    </span>
  );
}
