// The load of a server at the head of its page: what its sessions do and since when, with what happened meanwhile as flags.
import { Link, useSearchParams } from 'react-router';
import { timeOf } from '../../lib/time-window.ts';
import { Panel } from '../../ui/panel.tsx';
import { ServerHistory } from '../activity/server-history.tsx';
import classes from './load.module.css';
import { LoadChart, useLoad } from './load-chart.tsx';

function OfWindow({ id, isLive }: { id: number; isLive: boolean }) {
  const query = useLoad({ id, split: 'wait_class', isLive });
  const [search] = useSearchParams();
  const next = timeOf(search);
  next.set('tab', 'load');
  return (
    <Panel
      title="Load"
      note="sessions at work, on average, by what they waited for"
      actions={
        <Link className="link" to={`?${next}`}>
          By statement, user and more
        </Link>
      }
    >
      <LoadChart query={query} />
    </Panel>
  );
}

export function ServerLoad({ id }: { id: number }) {
  return (
    <div className={classes.head}>
      <ServerHistory id={id}>{({ time }) => <OfWindow id={id} isLive={time.isLive} />}</ServerHistory>
    </div>
  );
}
