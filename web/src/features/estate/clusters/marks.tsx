// Marks that say where something comes from: detection, or a person.
import { DetectedIcon, EditIcon, PinIcon } from '../../../ui/icons.ts';
import classes from './clusters.module.css';
import { type Cluster, isManual, type Server } from './model.ts';

export function OriginMark({ cluster }: { cluster: Cluster }) {
  return isManual(cluster) ? (
    <span className={classes.mark} title="Created by hand; detection does not change it.">
      <EditIcon size={12} aria-hidden="true" />
      By hand
    </span>
  ) : (
    <span className={classes.mark} title="Detected from what the servers report.">
      <DetectedIcon size={12} aria-hidden="true" />
      Detected
    </span>
  );
}

export function MembershipMark({ server }: { server: Pick<Server, 'membership_source'> }) {
  if (server.membership_source !== 'manual') return null;
  return (
    <span className={classes.mark} data-pinned title="Assigned by hand; detection does not move it.">
      <PinIcon size={12} aria-hidden="true" />
      Pinned
    </span>
  );
}
