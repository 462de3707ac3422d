// The bar of a server, which stays in sight while the page scrolls: its name, the few facts one looks for first, its open
// alerts and findings, and what can be done with it.
import { ActionIcon } from '@mantine/core';
import { lazy, use } from 'react';
import { Link } from 'react-router';
import { EditIcon, MoreIcon } from '../../../ui/icons.ts';
import { LateMenu } from '../../../ui/late-menu.tsx';
import { TitleCount } from '../../../ui/title-count.ts';
import { ServerAlerts } from '../../alerting/alerts/server-alerts.tsx';
import classes from './server-bar.module.css';
import { type StripProps, SummaryStrip } from './summary-strip.tsx';

const ServerLinks = lazy(async () => ({ default: (await import('./server-links.tsx')).ServerLinks }));

function Actions({ id, mayManage }: { id: number; mayManage: boolean }) {
  return (
    <div className={classes.actions}>
      {mayManage ? (
        <ActionIcon
          component={Link}
          to={`/servers/${id}/edit`}
          variant="subtle"
          aria-label="Edit"
          title="Edit the connection"
        >
          <EditIcon size={17} />
        </ActionIcon>
      ) : null}
      <LateMenu
        width={180}
        button={(props) => (
          <ActionIcon {...props} variant="subtle" aria-label="More of this server">
            <MoreIcon size={18} />
          </ActionIcon>
        )}
      >
        <ServerLinks id={id} />
      </LateMenu>
    </div>
  );
}

export function ServerBar({ title, ...facts }: StripProps & { title: string }) {
  const count = use(TitleCount);
  const { server, info } = facts;
  const place =
    server && `${server.host}:${server.port}${server.description ? ` · ${server.description}` : ''}`;
  return (
    <header className={classes.bar}>
      <title>{`${count > 0 ? `(${count}) ` : ''}${title} · Matriarch`}</title>
      <h1 className={classes.title} title={place}>
        {title}
      </h1>
      <SummaryStrip {...facts} />
      <ServerAlerts connectionId={info.connection_id} />
      <Actions id={info.connection_id} mayManage={server?.may_manage === true} />
    </header>
  );
}
