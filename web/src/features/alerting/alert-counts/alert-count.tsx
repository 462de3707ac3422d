// The number of active alerts: beside a word of the navigation, and of one server as the way to them.
import { Link } from 'react-router';
import { countOf, formatCount } from '../../../lib/format.ts';
import classes from '../../../ui/count.module.css';
import { AlertIcon } from '../../../ui/icons.ts';
import { useAlertTotal } from './use-alert-counts.ts';

/** Nothing where there is none. */
export function AlertTotal() {
  const total = useAlertTotal();
  if (total === 0) return null;
  return (
    <>
      {' '}
      <span className={classes.total} data-tone="bad">
        {formatCount(total)} <span className="visually-hidden">active</span>
      </span>
    </>
  );
}

export const serverAlertsPath = (connectionId: number): string => `/alerts?server=${connectionId}`;

export function ServerAlertCount({ connectionId, count }: { connectionId: number; count: number }) {
  if (count === 0) return null;
  return (
    <Link
      className={classes.link}
      data-tone="bad"
      to={serverAlertsPath(connectionId)}
      title={`${countOf(count, 'active alert')}: see ${count === 1 ? 'it' : 'them'}`}
    >
      <AlertIcon size={12} aria-hidden="true" />
      {formatCount(count)}{' '}
      <span className="visually-hidden">{count === 1 ? 'active alert' : 'active alerts'}</span>
    </Link>
  );
}
