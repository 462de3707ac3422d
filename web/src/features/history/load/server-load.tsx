// The load of a server at the head of its page: what its sessions do and since when, with what happened meanwhile as flags.
import { Link, useSearchParams } from 'react-router';
import { timeOf } from '../../../lib/time-window.ts';
import { Panel } from '../../../ui/panel.tsx';
import { LoadChart, useLoad } from './load-chart.tsx';

export function LoadPanel({ id, isLive }: { id: number; isLive: boolean }) {
  const query = useLoad({ id, split: 'wait_class', isLive });
  const [search] = useSearchParams();
  const next = timeOf(search);
  next.set('tab', 'load');
  return (
    <Panel
      title="Load"
      note="active sessions by wait class"
      actions={
        <Link className="link" to={`?${next}`}>
          By statement, user and more
        </Link>
      }
    >
      <LoadChart query={query} isTall />
    </Panel>
  );
}
