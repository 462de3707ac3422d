// One quiet line about descriptions by a model: how to have them, that they are being made, or why they failed.
import type { ApiError } from '../../../api/client.ts';
import { RequestId } from '../../../ui/states.tsx';
import classes from './ai-remark.module.css';

export interface AiRemarkProps {
  enabled: boolean | undefined;
  pending: boolean;
  error: ApiError | null;
}

export function AiRemark({ enabled, pending, error }: AiRemarkProps) {
  if (enabled === false) {
    return (
      <p className={classes.remark}>
        A language model can say what each database is probably for. None is configured;{' '}
        <code>npm run matriarch -- config reference</code> lists the settings.
      </p>
    );
  }
  if (error && error.status !== 403) {
    return (
      <p className={classes.remark} role="status">
        No descriptions this time: {error.message}
        <RequestId error={error} />
      </p>
    );
  }
  if (enabled && pending) {
    return (
      <p className={classes.remark} role="status">
        A language model is describing the databases…
      </p>
    );
  }
  return null;
}
