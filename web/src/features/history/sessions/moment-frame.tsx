// What a part of a server's page stands in that shows the state of a moment: the load to choose it in, and which moment it
// is. Guards: what is shown of a moment is never that of another one.
import type { ReactNode } from 'react';
import { momentText } from '../../../lib/zone.ts';
import { MomentBar } from '../../../ui/moment-bar.tsx';
import { Query } from '../../../ui/query.tsx';
import { ServerHistory, type Shown } from '../activity/server-history.tsx';
import { LoadChart, useLoad } from '../load/load-chart.tsx';
import classes from './moment-frame.module.css';
import { type Moment, useMoment } from './use-moment.ts';

interface FrameProps {
  id: number;
  what: string;
  /** `zone`: its name; `isNow`: it is no moment of before. */
  children: (moment: Moment, zone: string, isNow: boolean) => ReactNode;
}

function Frame({ id, what, children, time, zone }: FrameProps & Pick<Shown, 'time' | 'zone'>) {
  const load = useLoad({ id, split: 'wait_class', isLive: time.isLive });
  const moment = useMoment(id, time.moment);
  return (
    <>
      <div className={classes.strip}>
        <section className={classes.course} aria-label="Load">
          <LoadChart query={load} isStrip />
        </section>
        <MomentBar time={time} />
      </div>
      <Query query={moment} what={what} lines={8}>
        {(found) => children(found, zone, time.moment === undefined)}
      </Query>
    </>
  );
}

export function MomentFrame(props: FrameProps) {
  return (
    <ServerHistory id={props.id} withMoments>
      {({ time, zone }) => <Frame {...props} time={time} zone={zone} />}
    </ServerHistory>
  );
}

/** "read at 10:14:12" with its day; nothing where nothing is known. */
export function AsOf({ at, zone }: { at: string | null; zone: string }) {
  if (at === null) return <>not known</>;
  return (
    <>
      read at <time dateTime={at}>{momentText(Date.parse(at), zone)}</time>
    </>
  );
}
