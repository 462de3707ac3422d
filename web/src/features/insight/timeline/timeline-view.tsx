// The timeline of one server, as a part of its page.
import { usePageTime } from '../../../lib/use-time-window.ts';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { TimelineList } from '../../history/changes/timeline-list.tsx';

export function TimelineView({ id }: { id: number }) {
  const time = usePageTime();
  return (
    <>
      <TimeBar time={time} />
      <TimelineList time={time} id={id} />
    </>
  );
}
