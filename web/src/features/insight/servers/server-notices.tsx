// What has to be known before reading the rest: the server is away, nobody watches it, or the facts stand still.
import { Link } from 'react-router';
import { type ApiError, isOutage } from '../../../api/client.ts';
import type { EstateServer } from '../../../api/types.ts';
import { OutageIcon, PausedIcon, WarningIcon } from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { RequestId } from '../../../ui/states.tsx';
import classes from './server-page.module.css';

function EditLink({ server }: { server: EstateServer }) {
  if (!server.may_manage) return null;
  return (
    <Link className="link" to={`/servers/${server.connection_id}/edit`}>
      Edit the connection
    </Link>
  );
}

export function ServerNotices({
  server,
  infoError,
}: {
  server: EstateServer | undefined;
  infoError: ApiError | null;
}) {
  const paused = server && !server.is_monitored;
  const failing = server?.is_monitored && server.connection_error;
  const stale = infoError !== null && isOutage(infoError) && infoError.status !== 0;
  if (!paused && !failing && !stale) return null;
  return (
    <div className={classes.notices}>
      {stale ? (
        <Notice tone="warn" role="status" icon={<WarningIcon size={16} />}>
          The facts below are not updated: {infoError.message}
          <RequestId error={infoError} />
        </Notice>
      ) : null}
      {failing ? (
        <Notice
          tone="bad"
          role="status"
          icon={<OutageIcon size={16} />}
          action={<EditLink server={server} />}
        >
          {server.connection_error}
          {server.last_sample_at === null ? null : ' What is shown below was collected before.'}
        </Notice>
      ) : null}
      {paused ? (
        <Notice tone="info" icon={<PausedIcon size={16} />} action={<EditLink server={server} />}>
          This server is not monitored. What is shown below was collected before.
        </Notice>
      ) : null}
    </div>
  );
}
