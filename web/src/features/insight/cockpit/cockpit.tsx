// The overview of a server: what is wrong now beside its load, its key figures, the statements that cost most, and the gravest
// findings. Facts of the machine and the version are in System and Settings.

import type { ServerInfo } from '../../../api/types.ts';
import layout from '../../../ui/layout.module.css';
import { ServerHistory } from '../../history/activity/server-history.tsx';
import { LoadPanel } from '../../history/load/server-load.tsx';
import classes from './cockpit.module.css';
import { NowPanel } from './now-panel.tsx';
import { Tiles } from './tiles.tsx';
import { TopFindings } from './top-findings.tsx';
import { TopQueries } from './top-queries.tsx';

export function Cockpit({ facts: { info } }: { facts: { info: ServerInfo } }) {
  const id = info.connection_id;
  return (
    <ServerHistory id={id}>
      {({ time, timeline }) => (
        <div className={layout.close}>
          <div className={classes.head}>
            <LoadPanel id={id} isLive={time.isLive} />
            <NowPanel id={id} timeline={timeline.data} />
          </div>
          <Tiles info={info} isLive={time.isLive} />
          <div className={classes.head}>
            <TopQueries id={id} time={time} />
            <TopFindings id={id} />
          </div>
        </div>
      )}
    </ServerHistory>
  );
}
