// The timeline of all servers that somebody may see.
import { usePageTime } from '../../../lib/use-time-window.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { TimelineList } from '../../history/changes/timeline-list.tsx';

export function TimelinePage() {
  const time = usePageTime('24h');
  return (
    <>
      <PageHeader title="Timeline" facts="What happened to the servers, and what was changed on them" />
      <TimeBar time={time} />
      <TimelineList time={time} />
    </>
  );
}
